import { Problem } from '../../kernel/problem.ts'
import type { StoredDocument } from '../schema/dispute.ts'

/**
 * Gives each list the files that it names. If several files have one name, they are taken in their order. A file that nobody
 * names goes to the first list. A name without a file is a breach, because the client believes that it sent something.
 */
export function attach(
  lists: readonly (readonly { readonly name: string }[])[],
  uploads: readonly StoredDocument[],
  field: string,
): StoredDocument[][] {
  const taken = new Set<StoredDocument>()
  const missing: string[] = []
  const attached = lists.map((names) =>
    names.flatMap(({ name }) => {
      const ofName = uploads.filter((one) => one.name === name)
      const upload = ofName.find((one) => !taken.has(one)) ?? ofName.at(-1)
      if (upload === undefined) missing.push(name)
      else taken.add(upload)
      return upload ?? []
    }),
  )
  if (missing.length > 0)
    throw new Problem(
      400,
      'VALIDATION_ERROR',
      missing.map((name) => ({
        issue: 'INVALID_EVIDENCE_FILE',
        field,
        value: name.slice(0, 255),
        description: 'This document is named, but no file of that name came with the request.',
      })),
    )
  const rest = uploads.filter((upload) => !taken.has(upload))
  attached[0]?.push(...rest)
  return attached
}
