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

const nodesNamed = (name: string | null): DisputeNode[] =>
  nodes.flatMap(({ node }) => (nodeName(node) === name ? node : []))

const matches = (wanted: unknown, value: unknown): boolean =>
  wanted === undefined || (Array.isArray(wanted) ? wanted.includes(value) : wanted === value)

/** The row of the table that a move followed, as a sentence. Undefined when it was no move along a table. */
export function ruleOf({ kind, details }: HappeningRow): string | undefined {
  if (kind !== 'move') return undefined
  // These details were noted by the logs of transitions.
  const { of, action, from, to } = details as unknown as Move
  if (of === 'dispute') {
    const row = disputeLifecycle.rows.find(
      (one) =>
        one.action === action &&
        nodesNamed(from).some(
          (node) =>
            (Object.keys(one.from) as (keyof DisputeNode)[]).every((facet) =>
              matches((one.from as Partial<Record<string, unknown>>)[facet], node[facet]),
            ) && nodeName({ ...node, ...one.to } as DisputeNode) === to,
        ),
    )
    return row && told(row, row.t)
  }
  const row = invoiceLifecycle.rows.find(
    (one) =>
      one.action === action &&
      matches((one.from as { status?: unknown }).status, from) &&
      matches((one.to as { status?: unknown }).status, to),
  )
  return row && told(row)
}

function told(
  { action, by, given, outcome }: Pick<Row<object>, 'action' | 'by' | 'given' | 'outcome'>,
  number?: string,
): string {
  const where = number === undefined ? '' : `${number}, `
  const condition = given.length === 0 ? '' : `, given ${given.join(' and ')}`
  return `${where}${action} by the ${by.join(' or ')}${condition}: ${outcome}`
}
