import { disputeLifecycle } from '../disputes/machine/lifecycle.ts'
import { nodeName } from '../disputes/machine/step.ts'
import type { DisputeNode } from '../disputes/schema/dispute.ts'
import { invoiceLifecycle } from '../invoices/lifecycle.ts'

/** An action that leads from one place to another. */
interface Move {
  readonly action: string
  readonly from: string
  readonly to: string
}

/** The moves that the table of invoices has. One that leaves the status as it is, is none. */
export const invoiceMoves = (): Move[] =>
  invoiceLifecycle.rows.flatMap((row): Move[] => {
    const to = row.outcome === 'gone' ? 'gone' : 'status' in row.to ? row.to.status : undefined
    return row.from.status.flatMap((from) =>
      to === undefined || from === to ? [] : [{ action: row.action, from, to }],
    )
  })

/** The moves that the table of disputes has, by the short names of the nodes. */
export const disputeMoves = (): Move[] =>
  disputeLifecycle.rows.flatMap((row) =>
    everyNode
      .filter((node) => fits(node, row.from))
      .map((node) => ({ action: row.action, from: nodeName(node), to: nodeName({ ...node, ...row.to }) }))
      .filter(({ from, to }) => from !== to),
  )

const fits = (node: DisputeNode, from: object): boolean =>
  Object.entries(from).every(([facet, wanted]) => [wanted].flat().includes(node[facet as keyof DisputeNode]))

const flows = {
  OPEN: ['NONE'],
  WAITING_FOR_SELLER_RESPONSE: ['NONE', 'EVIDENCE', 'ACK'],
  WAITING_FOR_BUYER_RESPONSE: ['OFFER', 'EVIDENCE', 'RETURN'],
  UNDER_REVIEW: ['NONE'],
  RESOLVED: ['NONE'],
} as const satisfies Record<DisputeNode['status'], readonly DisputeNode['flow'][]>

/** Every place a dispute can stand. */
const everyNode: readonly DisputeNode[] = (
  ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const
).flatMap((dispute_life_cycle_stage) =>
  (Object.keys(flows) as DisputeNode['status'][]).flatMap((status) =>
    flows[status].flatMap((flow) =>
      (status === 'RESOLVED' ? (['APPEALABLE', 'FINAL'] as const) : (['OPEN'] as const)).map((finality) => ({
        dispute_life_cycle_stage,
        status,
        flow,
        finality,
      })),
    ),
  ),
)

/** As rows of values: an action, from any of these, to any of those. */
export function printMoves(moves: readonly Move[]): string {
  const ends = new Map<string, Set<string>>()
  for (const { action, from, to } of moves) {
    const key = `${action} ${from}`
    ends.set(key, (ends.get(key) ?? new Set()).add(to))
  }
  const starts = new Map<string, string[]>()
  for (const [key, to] of ends) {
    const [action, from] = key.split(' ')
    const led = `'${action}', '%', '${[...to].sort().join(' ')}'`
    starts.set(led, [...(starts.get(led) ?? []), from!])
  }
  return [...starts].map(([led, from]) => `     (${led.replace('%', from.join(' '))})`).join(',\n')
}
