import { hash } from 'node:crypto'
import { RecentMap } from '../../kernel/recent-map.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LENGTH = 17

/** Kept, because every invoice of a merchant uses the same few taxes and templates. */
const derived = new RecentMap<string, string>(2_000)

/** The part of an identifier that is derived from what it names, so that the same thing always has the same identifier. */
export const derivedCode = (name: string): string => derived.getOrMake(name, () => derive(name))

function derive(name: string): string {
  const digest = hash('sha256', name, 'buffer')
  let code = ''
  for (let i = 0; i < LENGTH; i++) code += ALPHABET[digest[i]! % ALPHABET.length]
  return code
}

/**
 * Names an update by what was sent and what it led to. If somebody sends the same while that is still so, they have lost the
 * answer and mean what they meant then. Read as a change of what is shown now, it could mean something else.
 */
export function updateName(sent: unknown, { detail, ...written }: { readonly detail?: object | undefined }): string {
  const { metadata: _times, viewed_by_recipient: _isViewed, ...lasting } = (detail ?? {}) as Record<string, unknown>
  return hash('sha256', JSON.stringify([sent, lasting, written], inOrder), 'base64url')
}

/** Sorted, because the database does not keep the order of fields. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** The code in the address of the hosted page: the id without prefix and hyphens. */
export const recipientCode = (id: string): string => id.replace(/^INV2-/, '').replaceAll('-', '')

/** The id behind a recipient code; undefined when it cannot be one. */
export function idOfCode(code: string): string | undefined {
  if (!/^[0-9A-Z]{16}$/.test(code)) return undefined
  return `INV2-${code.match(/.{4}/g)!.join('-')}`
}
