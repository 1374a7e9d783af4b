/** What `explain (analyze, format json)` tells of a step. */
export interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** How many rows of tables were looked at. */
export function rowsRead(plan: Plan): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0)
  return inner + (plan['Relation Name'] === undefined ? 0 : own * plan['Actual Loops'])
}
