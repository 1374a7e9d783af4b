import type pg from 'pg'
import { rules } from '../invariants/rules.ts'

/** The result of checking every rule of `invariants.sql`. */
interface Verdict {
  readonly asked: number
  readonly broken: readonly { readonly rule: string; readonly rows: number }[]
}

/** Checks every rule on a database, however long that takes. */
export async function brokenRules(client: pg.Client, onRule: (done: number, all: number) => void): Promise<Verdict> {
  const broken: { rule: string; rows: number }[] = []
  for (const [done, { sentence: rule, query }] of rules.entries()) {
    onRule(done, rules.length)
    const { rows: found } = await client.query<{ rows: number }>(
      `select count(*)::int as rows from (${query}) as broken`,
    )
    if (found[0]!.rows > 0) broken.push({ rule, rows: found[0]!.rows })
  }
  return { asked: rules.length, broken }
}
