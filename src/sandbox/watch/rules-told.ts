import { disputeLifecycle } from '../../disputes/machine/lifecycle.ts'
import { nodes } from '../../disputes/machine/nodes.ts'
import { nodeName } from '../../disputes/machine/step.ts'
import type { DisputeNode } from '../../disputes/schema/dispute.ts'
import { invoiceLifecycle } from '../../invoices/lifecycle.ts'
import type { Row } from '../../kernel/lifecycle.ts'
import type { HappeningRow } from './timeline.ts'

interface Move {
  readonly of: 'dispute' | 'invoice'
  readonly action: string
  readonly from: string | null
  readonly to: string | null
}

/** The row of the table that a move followed, as a sentence. Undefined when it was no move along a table. */
export function ruleOf({ kind, details }: HappeningRow): string | undefined {
  if (kind !== 'move') return undefined
  // These details were noted by the logs of transitions.
  const move = details as unknown as Move
  if (move.of === 'dispute') {
    const row = disputeRowOf(move)
    return row && told(row, row.t)
  }
  const row = invoiceRowOf(move)
  return row && told(row)
}

/** A move of a dispute is noted with the names of its nodes, so their facets are looked up. */
function disputeRowOf({ action, from, to }: Move) {
  const before = nodes.map(({ node }) => node).filter((node) => nodeName(node) === from)
  return disputeLifecycle.rows.find(
    (row) =>
      row.action === action &&
      // A row names only some facets of a node; the others stay as they are.
      before.some((node) => isFrom(row, node) && nodeName({ ...node, ...row.to } as DisputeNode) === to),
  )
}

const isFrom = ({ from }: Row<DisputeNode>, node: DisputeNode): boolean =>
  (Object.keys(from) as (keyof DisputeNode)[]).every((facet) => fits(node[facet], from[facet]))

/** A move of an invoice is noted with its statuses. */
function invoiceRowOf({ action, from, to }: Move) {
  const statusIn = (state: object) => (state as { readonly status?: unknown }).status
  return invoiceLifecycle.rows.find(
    (row) => row.action === action && fits(from, statusIn(row.from)) && fits(to, statusIn(row.to)),
  )
}

/** Whether a value is the one that a row names, or one of those. A facet that it does not name may have any. */
const fits = (value: unknown, named: unknown): boolean =>
  named === undefined || (Array.isArray(named) ? named.includes(value) : named === value)

function told(
  { action, by, given, outcome }: Pick<Row<object>, 'action' | 'by' | 'given' | 'outcome'>,
  number?: string,
): string {
  const where = number === undefined ? '' : `${number}, `
  const condition = given.length === 0 ? '' : `, given ${given.join(' and ')}`
  return `${where}${action} by the ${by.join(' or ')}${condition}: ${outcome}`
}
