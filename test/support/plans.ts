/** A plan that was carried out, as PostgreSQL tells of it in JSON. */
export interface CarriedOut {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: CarriedOut[]
}

/** How many rows the scans of a plan went through. */
export const rowsRead = (plan: CarriedOut): number =>
  (/Scan/.test(plan['Node Type']) && !/Subquery|CTE|Function/.test(plan['Node Type'])
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)) *
      plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0)
