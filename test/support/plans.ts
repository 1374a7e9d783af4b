import pg from 'pg'
import { expect } from 'vitest'
import type { Connection, Database } from '../../src/database/open.ts'
import { unprepared } from '../../src/database/sql.ts'

/** A statement with its values, as it was sent. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A step of a plan that was carried out, as `explain (analyze, format json)` tells of it. */
export interface Plan {
  readonly 'Node Type': string
  /** The table that it reads or changes; absent where it works on what other steps found. */
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Rows Removed by Join Filter'?: number
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

/** Planned for its values, or for any. */
export const planModes = ['force_custom_plan', 'force_generic_plan'] as const

/** How the server carries a statement out. Nothing of what it does stays. */
export async function planOf(
  database: Database,
  { text, values }: Sent,
  mode: (typeof planModes)[number],
): Promise<Plan> {
  let plan: Plan | undefined
  const work = async ({ rows }: Connection) => {
    await rows(unprepared(`set local plan_cache_mode = ${mode}`))
    await rows(unprepared(`prepare asked as ${text}`))
    const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      unprepared(`explain (analyze, format json) execute asked(${values.map(literal).join()})`),
    )
    await rows(unprepared('deallocate asked'))
    plan = row!['QUERY PLAN'][0].Plan
    throw new Error('enough')
  }
  await expect(database.transaction(work, 0)).rejects.toThrow('enough')
  return plan!
}

/** Text, as the driver sends it, so that the server finds out of itself what it is to be. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join()}}`)
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value)
}

const element = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value))
