/** A step of a plan that was carried out, as `explain (analyze, format json)` tells of it. */
export interface Plan {
  readonly 'Node Type': string
  /** The table that it reads or changes; absent where it works on what other steps found. */
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
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
