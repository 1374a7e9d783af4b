import pg from 'pg'
import { expect } from 'vitest'
import type { Connection, Database } from '../../src/database/open.ts'
import { type Statement, unprepared } from '../../src/database/sql.ts'

/** A statement with its values, as it was sent. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A step of a plan that was carried out, as `explain (analyze, buffers, format json)` tells of it. */
export interface Plan {
  readonly 'Node Type': string
  /** The table that it reads or changes; absent where it works on what other steps found. */
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Rows Removed by Join Filter'?: number
  /** By this step and those below it. */
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** How many rows of tables a plan looked at, those that it then left out among them. */
export function rowsRead(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0)
  const isRead = plan['Relation Name'] !== undefined && plan['Node Type'].endsWith('Scan')
  if (!isRead) return inner
  const leftOut = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return inner + (plan['Actual Rows'] + leftOut) * plan['Actual Loops']
}

/** How many pairs of rows a plan put together only to find that they do not belong together. */
export function pairsLeftOut(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + pairsLeftOut(one), 0)
  return inner + (plan['Rows Removed by Join Filter'] ?? 0) * plan['Actual Loops']
}

/** How often a plan looked at a page, of an index or of a table. */
export const pagesRead = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** Planned for its values, or for any. */
export const planModes = ['force_custom_plan', 'force_generic_plan'] as const

type Work = (connection: Connection) => Promise<unknown>

/**
 * How the server carries a statement out, planned once `before` has happened, and carried out when `between` has as well.
 * Nothing of what all this does stays.
 */
export async function planOf(
  database: Database,
  { text, values }: Sent,
  mode: (typeof planModes)[number],
  { before, between }: { before?: Work; between?: Work } = {},
): Promise<Plan> {
  let plan: Plan | undefined
  const work = async (connection: Connection) => {
    const { rows } = connection
    const execution = `execute asked(${values.map(literal).join()})`
    await before?.(connection)
    await rows(unprepared(`set local plan_cache_mode = ${mode}`))
    await rows(unprepared(`prepare asked as ${text}`))
    await rows(unprepared(`explain ${execution}`))
    await between?.(connection)
    const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      unprepared(`explain (analyze, buffers, format json) ${execution}`),
    )
    await rows(unprepared('deallocate asked'))
    plan = row!['QUERY PLAN'][0].Plan
    throw new Error('enough')
  }
  await expect(database.transaction(work)).rejects.toThrow('enough')
  return plan!
}

/** What is asked of a database by somebody who makes do with an empty row. */
export async function askedBy(work: Work): Promise<Sent> {
  const asked: Sent[] = []
  const listening = {
    rows: async ({ text }: Statement, values: readonly unknown[]) => {
      asked.push({ text, values })
      return [{}]
    },
  }
  await work(listening as unknown as Connection)
  expect(asked).toHaveLength(1)
  return asked[0]!
}

/** Text, as the driver sends it, so that the server finds out of itself what it is to be. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join()}}`)
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value)
}

const element = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value))
