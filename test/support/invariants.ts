import { readFileSync } from 'node:fs'
import { statementOf } from '../../src/database/sql.ts'
import type { Reader } from '../../src/database/transaction.ts'

interface Rule {
  readonly name: string
  readonly text: string
}

/** Every rule of `invariants.sql` with the sentence above it. */
function readRules(): Rule[] {
  const file = readFileSync(new URL('../../invariants.sql', import.meta.url), 'utf8')
  return file
    .split('\n\n')
    .slice(1)
    .map((block) => {
      const [comment, ...lines] = block.trim().split('\n')
      return { name: comment!.replace('-- ', ''), text: lines.join('\n').replace(/;$/, '') }
    })
}

/** All of them at once: the rows that break one, with its name. */
const all = statementOf(
  readRules()
    .map(({ name, text }) => `select '${name.replaceAll("'", "''")}' as name, to_json(b) as row from (${text}) b`)
    .join(' union all '),
)

/** Fails with the first rows that break a rule. Every suite that writes to a database ends with it. */
export async function assertInvariants(db: Pick<Reader, 'rows'>): Promise<void> {
  const [first, ...others] = await db.rows<{ name: string; row: object }>(all)
  if (!first) return
  const rows = [first, ...others].filter(({ name }) => name === first.name).map(({ row }) => row)
  throw new Error(`Broken: ${first.name} ${JSON.stringify(rows.slice(0, 5))}`)
}
