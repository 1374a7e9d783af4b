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

const rules = readRules()

/** Fails with the first rows that break a rule. Every suite that writes to a database ends with it. */
export async function assertInvariants(db: Pick<Reader, 'rows'>): Promise<void> {
  for (const { name, text } of rules) {
    const broken = await db.rows<object>(statementOf(text))
    if (broken.length > 0)
      throw new Error(
        `Broken: ${name} ${JSON.stringify(broken.slice(0, 5), (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
      )
  }
}
