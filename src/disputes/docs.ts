import { code, table } from '../kernel/markdown.ts'
import { disputeInterfaceVersion } from '../version.ts'
import { type PublicAction, publicActions } from './machine/actions/index.ts'
import { COMPENSATION_DAYS, COMPENSATION_MAX } from './machine/actions/return-compensation.ts'
import { AGENTS_ZONE, FILING_WINDOW_DAYS, timers } from './machine/deadlines.ts'
import { evidenceByReason } from './machine/evidence.ts'
import { disputeLifecycle } from './machine/lifecycle.ts'
import { limits } from './machine/limits.ts'
import { nodes } from './machine/nodes.ts'
import { nodeName } from './machine/step.ts'
import { withFiles } from './routes/parts.ts'
import { triggerValues } from './routes/triggers.ts'
import type { DisputeNode } from './schema/dispute.ts'
import { stories } from './stories.ts'

type TableRow = (typeof disputeLifecycle.rows)[number]

const codes = (list: readonly string[]) => list.map(code).join(', ')

/** Whether a row of the table starts in this node, leaving guards aside. */
function startsIn({ from }: TableRow, node: DisputeNode): boolean {
  return Object.entries(from).every(([facet, wanted]) => {
    const value = node[facet as keyof DisputeNode]
    return Array.isArray(wanted) ? wanted.includes(value) : wanted === value
  })
}

const leadsTo = ({ to }: TableRow, node: DisputeNode) => nodeName({ ...node, ...to })

const stageTitles = {
  INQUIRY: 'Inquiry: the parties talk',
  CHARGEBACK: 'Claim: evidence is asked for and an agent decides',
  PRE_ARBITRATION: 'First appeal',
  ARBITRATION: 'Second appeal',
} as const

/** A diagram of the moves within a stage and out of it. Moves that stay in the same node are left out, as clutter. */
function diagram(stage: keyof typeof stageTitles): string {
  const inStage = nodes.filter(({ node }) => node.dispute_life_cycle_stage === stage && node.finality === 'OPEN')
  const edges = inStage.flatMap(({ node }) =>
    disputeLifecycle.rows
      .filter((row) => row.action !== 'supersede' && startsIn(row, node))
      .map((row) => ({ from: nodeName(node), to: leadsTo(row, node), label: labelOf(row) }))
      .filter(({ from, to }) => from !== to),
  )
  const pairs = [...new Set(edges.map(({ from, to }) => `${from} ${to}`))]
  const lines = pairs.map((pair) => {
    const [from, to] = pair.split(' ')
    const labels = [...new Set(edges.filter((edge) => `${edge.from} ${edge.to}` === pair).map(({ label }) => label))]
    return `  ${from} --> ${to}: ${labels.join(', ')}`
  })
  const notes = inStage.map(
    ({ node, meaning }) => `  ${nodeName(node)}: ${nodeName(node)} ${meaning.replaceAll(':', ' -')}`,
  )
  return `### ${stageTitles[stage]}\n\n\`\`\`mermaid\nstateDiagram-v2\n${[...notes, ...lines].join('\n')}\n\`\`\``
}

const labelOf = ({ action }: TableRow) => (action === 'pass-deadline' ? 'time' : action)

/** The cell of the matrix: who may do this here, and under which guards. */
function who(action: PublicAction, node: DisputeNode): string {
  const open = disputeLifecycle.rows.filter((row) => row.action === action && startsIn(row, node))
  const roles = [...new Set(open.flatMap((row) => row.by as readonly string[]))]
  return roles.map((role) => ({ seller: 'S', buyer: 'B', partner: 'P', agent: 'A' })[role] ?? '').join(' ')
}

function transitions(): string {
  return table(
    ['Row', 'Action', 'By', 'Given', 'Outcome', 'Moves', 'Event'],
    disputeLifecycle.rows.map((row) => [
      row.t,
      code(row.action),
      row.by.join(', '),
      row.given.join('; ') || '',
      row.outcome,
      nodes
        .filter(({ node }) => startsIn(row, node))
        .map(({ node }) => {
          const to = leadsTo(row, node)
          return to === nodeName(node) ? to : `${nodeName(node)} → ${to}`
        })
        .join(', '),
      row.emits.replace('CUSTOMER.DISPUTE.', ''),
    ]),
  )
}

const lengthOf = ({ hours }: { hours: number }) =>
  hours === 0 ? 'a setting' : hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`

const names: Readonly<Record<string, string>> = {
  triage: 'triage',
  'seller-answer': 'seller answers a claim',
  'seller-proof': 'evidence of the seller',
  'buyer-proof': 'evidence of the buyer',
  'claim-offer': 'answer to an offer in a claim',
  'accelerated-answer': 'accelerated answer',
  'appeal-window': 'appeal window',
}

/** `docs/disputes.md`, from the tables the service itself reads. */
export function disputesPage(): string {
  const stages = Object.keys(stageTitles) as (keyof typeof stageTitles)[]
  return `# Disputes

A buyer disputes a payment; the seller answers; time and, if need be, an agent decide. The interface is version
${disputeInterfaceVersion} of the public one; its paths begin with \`/v1/customer/disputes\`. This page is printed from
the tables in \`src/disputes\` by \`npm run docs\`: what it says is what the service does.

## Where a dispute can stand

${table(
  ['Node', 'Stage', 'Status', 'Meaning'],
  nodes.map(({ node, meaning }) => {
    const isResolved = node.status === 'RESOLVED'
    return [nodeName(node), isResolved ? 'unchanged' : code(node.dispute_life_cycle_stage), code(node.status), meaning]
  }),
)}

${stages.map(diagram).join('\n\n')}

## Who may do what

S seller, B buyer, P partner of the seller, A agent. In the sandbox the parties of a dispute also play the agent; in live
the operator is the agent, and the two actions are forbidden to everybody else. A link stands in the answer exactly where
a letter stands here, unless a guard of the table below forbids it: \`change-reason\` needs the reason not received,
\`acknowledge-return-item\` the reason not as described, \`appeal\` belongs to the side that lost. Disputes that a bank
opened give the buyer nothing to do, and an alert lets the seller only accept.

${table(
  ['', ...nodes.map(({ node }) => nodeName(node))],
  publicActions.map((action) => [code(action), ...nodes.map(({ node }) => who(action, node))]),
)}

## Every transition

${transitions()}

## Deadlines

"End of day" is 23:59:59 in ${AGENTS_ZONE}. The sandbox clock reaches all of them: \`POST /sandbox/clock\`.

${table(
  ['Timer', 'Length', 'Until', 'Waits for', 'Then'],
  Object.entries(timers).map(([name, timer]) => [
    names[name] ?? name,
    lengthOf(timer),
    timer.endOfDay ? 'end of day' : 'to the second',
    timer.waitsFor,
    timer.next,
  ]),
)}

A payment can be disputed for ${FILING_WINDOW_DAYS} days, once. Postage of a return up to ${COMPENSATION_MAX} units of the
currency can be asked for once, until ${COMPENSATION_DAYS} days after the end (\`return-compensation\`). A sandbox pays it at
once; in live it is \`REQUESTED\` until the operator answers (\`return-compensation/answer\` with \`PAY\` or \`DENY\`).
\`DISPUTE_COMPENSATIONS_PER_BUYER\` and \`DISPUTE_COMPENSATIONS_PER_MERCHANT\` bound how often either account has it paid in
365 days; above that it is refused with 429.

## Money

What is disputed is held back from the seller, except where a bank opened the dispute. What a dispute says of its payments
(\`transaction_status\`, \`refund_details\`, \`amount_refunded\`) is what the ledger says, no matter who moved the money: a refund
that the seller makes beside the dispute stands in it at once and lowers what can still be refunded. It may be more than is
disputed: \`amount_refunded\` is all that the buyer got since the dispute was opened.

A payment can be in several disputes, about parts of it: one between the parties, and others that a bank opened. Each counts what
it gave back itself and what the seller gave back beside it. What another one gave back is only no longer there to be refunded.

A payment that the buyer takes out of a dispute about several (\`cancel\` with \`transaction_ids\`) is no longer a payment of that dispute:
its refunds are not counted there, no list finds the dispute by it, and a chargeback of it ends nothing. It was disputed all the same,
and cannot be again.

| What happens | Payment | Refund | Invoice | Events |
| --- | --- | --- | --- | --- |
| a party agrees to a refund | \`REFUNDED\` or \`PARTIALLY_REFUNDED\` | \`COMPLETED\` | refunded | \`PAYMENT.CAPTURE.REFUNDED\`, \`INVOICING.INVOICE.REFUNDED\` |
| a decision for the buyer, with a fee | the same; \`REVERSED\` in the dispute | \`COMPLETED\` | refunded | \`PAYMENT.CAPTURE.REVERSED\`, \`INVOICING.INVOICE.REFUNDED\` |
| the seller wins the appeal | what it was before | \`CANCELLED\` | paid | \`PAYMENT.CAPTURE.COMPLETED\`, \`INVOICING.INVOICE.UPDATED\` |
| the buyer wins the next one | reversed again | \`COMPLETED\` | refunded | \`PAYMENT.CAPTURE.REVERSED\`, \`INVOICING.INVOICE.REFUNDED\` |

After an appeal that the seller won the buyer keeps the refund, at the cost of the service: the buyer still reads
\`amount_refunded\`, the seller does not, and nothing of the payment can be refunded a second time. The fee stays.
A seller who accepts the claim after the buyer appealed in turn bears that refund again: it is what the offer says, and the balance must
cover it.

A fee is due where a decision for the buyer, or a deadline, takes something from the seller. One that has given everything back beside the
dispute by then pays none. The dispute goes on all the same until somebody ends it: accept the claim to close it at once.

## Evidence by reason

What is asked for is also what is accepted, and \`OTHER\` always is. After an agent asked the seller again,
\`PROOF_OF_DELIVERY_SIGNATURE\` is accepted too; a buyer who sends something back proves it with \`PROOF_OF_RETURN\`.

${table(
  ['Reason', 'Asked of the seller', 'Asked of the buyer'],
  Object.entries(evidenceByReason).map(([reason, { seller, buyer }]) => [code(reason), codes(seller), codes(buyer)]),
)}

## Documents

Every operation above takes \`application/json\`. To send documents along, use \`multipart/form-data\`, \`multipart/mixed\` or
\`multipart/related\`: the JSON in a part named \`input\` (or the first part with a JSON type), each document in a part of its own.
A part is a document when it has a file name, when it is called ${codes(withFiles.fileParts)} (a number may
follow), or when its content type or disposition says so; without a file name it is named after its part. A part that is
neither is refused by its name. \`documents[].name\` says which evidence a file belongs to; a file that nobody names goes to the
first. Downloads are always attachments.

## Limits

${table(
  ['What', 'At most'],
  [
    [
      'a file',
      `${limits.fileBytes / 1024 / 1024} MiB, exclusive; jpg, gif, png or pdf by its first bytes, with the matching extension`,
    ],
    [
      'all files of a request',
      `${limits.requestBytes / 1024 / 1024} MiB, ${limits.filesPerRequest} files; ${limits.filesPerMessage} with a message`,
    ],
    [
      'messages, evidences, notes of a dispute',
      `of each side ${limits.messages}, ${limits.evidences}, ${limits.supportingInfo}`,
    ],
    ['partner actions', String(limits.partnerActions)],
    ['refunds that are shown', `${limits.refunds}, the last ones; the amounts count all`],
    ['page size, page', `${limits.pageSize}, ${limits.page}; the links next and prev go further, by tokens`],
    [
      'a list',
      'what changed within the last 180 days, unless update_time_after says less; a dispute itself is shown for ever',
    ],
  ],
)}

Files are kept in the database, in the same transaction as the entry that names them: a backup of the database is a backup
of everything, and no entry ever names a file that is not there.

## Five stories

The tests live through them.

${stories.map(storyTable).join('\n\n')}

## Values that simulate errors

In the sandbox only. They stand in the place of a dispute's id, for lists in \`disputed_transaction_id\`.

${table(
  ['Operation', 'Value', 'Answer'],
  triggerValues.map(({ operation, value, answer }) => [
    code(operation),
    code(value),
    typeof answer === 'string' ? `400 ${code(answer)}` : `${answer[0]} ${code(answer[1])}`,
  ]),
)}

Other switches of the sandbox: a buyer's address with the word \`noappeal\` rules appeals out. An opening statement
that holds \`HOLD_IN_REVIEW\` goes to the agents first; one that is exactly \`ACCELERATED_RESPONSE_ENABLED\` puts the
dispute on the accelerated timetable, in which payments of 5.00 to 5.99, of 9.00 to 9.99 and from 11.00 pretend to be
escalated on day 5, 9 and 11.
`
}

function storyTable({ title, tells, steps }: (typeof stories)[number]): string {
  const rows = steps.map(({ who: actor, does, with: body, answer = '', stands = '' }) => [
    actor,
    actor === 'time' ? `passes: ${does}` : code(does),
    body === undefined || Object.keys(body as object).length === 0 ? '' : code(JSON.stringify(body)),
    answer,
    stands,
  ])
  return `### ${title}\n\n${tells}\n\n${table(['Who', 'Does', 'With', 'Answer', 'Then stands'], rows)}`
}
