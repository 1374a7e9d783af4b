import type { PublicAction } from '../../disputes/machine/actions/index.ts'
import { publicActions } from '../../disputes/machine/actions/index.ts'
import { reasons } from '../../disputes/schema/enums.ts'
import { type Html, html } from '../../http/html.ts'
import type { Money } from '../../kernel/money.ts'
import { Type } from '../../kernel/type.ts'
import type { Dispute } from '../forms/dispute-fields.ts'
import { disputeForms } from '../forms/dispute-forms.ts'
import { bodyFrom, type Field, form, type Typed } from '../forms/fields.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../operate.ts'
import { icon } from '../parts/icons.ts'
import { backTo, heading, lines, mono, sheet, stageOf } from '../parts/parts.ts'
import { fileAnswer } from '../respond.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { money, outcomeWords, reasonWords, sentence, stateWords } from '../words.ts'
import { bothSides, story } from './dispute-story.ts'
import { dueOf, urgency } from './disputes.ts'
import { faster } from './invoice.ts'
import type { Due } from './timeline.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })

interface Left {
  readonly action: string
  readonly typed: Typed
  readonly refusal: Refusal
}

/** The actions that the answer links to, in its order; some have two relations for one address. */
export const actionsIn = ({ links = [] }: { links?: readonly { href: string; method?: string }[] }): PublicAction[] => [
  ...new Set(
    links
      .filter(({ method }) => method === 'POST')
      .map(({ href }) => href.slice(href.lastIndexOf('/') + 1) as PublicAction),
  ),
]

export const operationOf = (action: string) =>
  `dispute${action.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`

function till(dispute: Dispute, { now, times, who }: Visit): Html {
  const {
    dispute_id,
    dispute_state,
    dispute_outcome,
    disputed_transactions: [payment],
  } = dispute
  const due = dueOf(dispute)
  const parties = [payment?.buyer?.name, payment?.seller?.name].filter(Boolean).join(' against ')
  const isMine = dispute_state === 'REQUIRED_ACTION'
  const tone = isMine && due ? urgency(due, now) : ''
  const sentenceOf = dispute_outcome
    ? outcomeWords(dispute_outcome.outcome_code)
    : who.mark === 'agent' && dispute.status === 'UNDER_REVIEW'
      ? 'Waiting for a decision'
      : stateWords(dispute_state)
  return html`<section class="till">${backTo('Disputes', '/console/disputes')}
<p class="of">${[parties, reasonWords(dispute.reason), dispute_id].filter(Boolean).join(' · ')}</p>
<div><h1 class="sum">${money(dispute.dispute_amount)}</h1><p class="now ${tone}">${isMine && due ? html`<b>Answer by ${times.fully(due)}</b>` : sentenceOf} <span>${
    due
      ? html`${times.away(due)}${endOfDay(due)}`
      : dispute.status === 'UNDER_REVIEW'
        ? 'nothing happens by itself'
        : ''
  }</span></p></div>
<div class="actions">${stageOf(dispute.dispute_life_cycle_stage)}</div></section>`
}

/** Deadlines end with a day in Los Angeles, which surprises everybody elsewhere. */
const endOfDay = (due: string) => (/T0[78]:59:59/.test(due) ? '; the day ends in Los Angeles then' : '')

/** The schema has the name of one field as a value, so its type does not know it. */
interface Movement {
  readonly party: string
  readonly type: string
  readonly amount: Money
  readonly reason: string
  readonly initiated_time: string
}

function moneySheet(
  { dispute_amount, fund_movements = [], refund_details, fee_policy }: Dispute,
  { times }: Visit,
): Html {
  return sheet(
    'Money',
    html`${lines([
      ['In dispute', money(dispute_amount)],
      ...(refund_details?.allowed_refund_amount
        ? [['May be refunded', money(refund_details.allowed_refund_amount)] as const]
        : []),
      ...(fund_movements as unknown as readonly Movement[]).map(
        ({ party, type, amount, reason, initiated_time }) =>
          [
            html`${sentence(reason)}, ${party === 'BUYER' ? 'buyer' : 'seller'} <span class="soft">${times.at(initiated_time)}</span>`,
            html`<span class="${type === 'DEBIT' ? 'warn' : 'good'}">${type === 'DEBIT' ? '−' : '+'}${money(amount)}</span>`,
          ] as const,
      ),
    ])}${fee_policy && html`<p class="hint">A dispute fee is due if it is lost, and the payment fee is not given back.</p>`}`,
  )
}

const paymentSheet = ({ disputed_transactions }: Dispute): Html =>
  sheet(
    disputed_transactions.length === 1 ? 'The payment' : 'The payments',
    disputed_transactions
      .slice(0, 20)
      .map((one) =>
        lines([
          ...(one.gross_amount ? [['Paid', money(one.gross_amount)] as const] : []),
          ...(one.create_time ? [['On', one.create_time.slice(0, 10)] as const] : []),
          ...(one.invoice_number ? [['Invoice', one.invoice_number] as const] : []),
          ...(one.items?.[0]?.item_name ? [['Goods', one.items[0].item_name] as const] : []),
          ['Transaction', mono(one.seller_transaction_id ?? one.buyer_transaction_id)],
        ]),
      ),
  )

/** What is open when the page is; the others are one click away. */
const likeliest: readonly PublicAction[] = [
  'adjudicate',
  'provide-evidence',
  'accept-offer',
  'acknowledge-return-item',
  'make-offer',
  'appeal',
]

/** Every action that the answer links to, as a form. */
function doings(operations: Operations, dispute: Dispute, visit: Visit, left?: Left): Html {
  const actions = actionsIn(dispute)
  const title = visit.who.mark === 'agent' ? 'What an agent can do now' : 'What you can do now'
  if (actions.length === 0) return sheet(title, html`<p class="soft">Nothing at the moment.</p>`)
  const open = left?.action ?? likeliest.find((action) => actions.includes(action)) ?? actions[0]
  return html`<section class="sheet doings"><header class="sheet-head"><h2>${title}</h2></header>${actions.map(
    (action) => {
      const one = disputeForms[action]
      const drawn = form({
        name: action,
        action: `/console/disputes/${dispute.dispute_id}/${action}`,
        route: operations.route(operationOf(action)),
        fields: one.fields(dispute),
        button: one.button,
        danger: one.danger ?? false,
        seen: dispute.update_time,
        ...(left?.action === action && { typed: left.typed, refusal: left.refusal }),
      })
      return html`<details name="doing" id="do-${action}"${action === open && html` open`}><summary><b>${one.title}</b>${icon('down')}<small>${one.note}</small></summary>${drawn}</details>`
    },
  )}</section>`
}

/** What time will do if nobody does anything; it stands among what is due. */
async function unlessSomebodyActs(visit: Visit, { dispute_id }: Dispute) {
  const { due } = await visit.look<{ due: Due[] }>('listSandboxDue', { query: { limit: 1, subject: dispute_id } })
  const [next] = due.filter(({ work }) => work !== 'deliver-webhook')
  return (
    next &&
    html`<div class="unless"><p><b>If nobody acts</b></p><p>${visit.times.fully(next.at)}: ${next.what.replace(/^Dispute \S+: /, '')}</p></div>`
  )
}

async function draw(visit: Visit<typeof Id>, operations: Operations, left?: Left) {
  const dispute = await visit.look<Dispute>('showDispute', { params: visit.params })
  const unless = await unlessSomebodyActs(visit, dispute)
  const due = dueOf(dispute)
  const actions = actionsIn(dispute)
  const isActing = actions.length > 0 && (due !== undefined || visit.who.mark === 'agent')
  return {
    title: `${reasonWords(dispute.reason)}, ${money(dispute.dispute_amount)}`,
    ...(left && { status: 422 }),
    className: isActing ? 'acting' : '',
    content: html`${till(dispute, visit)}<div class="two desk-two"><div class="column">
${visit.who.mark === 'agent' && bothSides(dispute)}
${sheet('What happened', story(dispute, visit))}
<div class="two even">${moneySheet(dispute, visit)}${paymentSheet(dispute)}</div></div>
<aside id="do">${unless}${doings(operations, dispute, visit, left)}</aside></div>
${isActing && html`<p class="act-bar"><a class="button" href="#do">${visit.who.mark === 'agent' ? 'Decide' : 'Act'}</a><span class="soft">${due ? visit.times.away(due) : money(dispute.dispute_amount)}</span></p>`}`,
  }
}

async function take(sent: Sent<typeof Id>, operations: Operations, action: PublicAction) {
  const dispute = await sent.look<Dispute>('showDispute', { params: sent.params })
  const { seen } = sent.typed
  // Only where it matters: what is still allowed is done, whoever else did something meanwhile.
  if (seen !== undefined && seen !== dispute.update_time && !actionsIn(dispute).includes(action))
    return sent.again(
      await draw(sent, operations, { action: actionsIn(dispute)[0] ?? action, typed: sent.typed, refusal: faster }),
    )
  const body = withDocuments(bodyFrom(sent.typed), action, sent)
  const outcome = await sent.operate(operationOf(action), {
    params: sent.params,
    body,
    files: sent.files,
    requestId: sent.typed['request-id'],
  })
  const { title: _, done } = disputeForms[action]
  const refusal = mendable(outcome)
  if (refusal) return sent.again(await draw(sent, operations, { action, typed: sent.typed, refusal }))
  return sent.lead(`/console/disputes/${sent.params.id}`, done)
}

/** Files of evidence are named by the evidence they belong to. */
function withDocuments(body: Record<string, unknown>, action: PublicAction, { files }: Sent<typeof Id>): unknown {
  if (files.length === 0 || (action !== 'provide-evidence' && action !== 'appeal')) return body
  const [first = {}] = (body['evidences'] ?? []) as Record<string, unknown>[]
  return { ...body, evidences: [{ ...first, documents: files.map(({ fileName }) => ({ name: fileName })) }] }
}

const openingFields: readonly Field[] = [
  {
    kind: 'select',
    at: '/reason',
    label: 'What is wrong',
    choices: reasons.map((value) => ({ value, label: reasonWords(value) })),
  },
  {
    kind: 'text',
    at: '/disputed_transactions/0/buyer_transaction_id',
    label: 'The payment',
    value: 'BUYERPAYMENT01',
    hint: 'Its id as the buyer has it. In a sandbox, an id that is unknown is taken for a new payment to the merchant.',
  },
  { kind: 'money', at: '/dispute_amount', label: 'Amount', currency: 'USD', value: '20.00' },
  { kind: 'long', at: '/messages/0/content', label: 'Message to the seller' },
  { kind: 'files', label: 'Files' },
]

const opening = (operations: Operations, left?: Omit<Left, 'action'>) => ({
  title: 'Open a dispute',
  ...(left && { status: 422 }),
  content: html`${heading('Open a dispute', { back: ['Disputes', '/console/disputes'] })}<section class="sheet">${form({
    name: 'open',
    action: '/console/disputes/new',
    route: operations.route('createDispute'),
    fields: openingFields,
    button: 'Open the dispute',
    ...left,
  })}</section>`,
})

export const disputePages = ({ page, form: formRoute }: Pages, operations: Operations) => [
  page({
    url: '/console/disputes/new',
    operation: 'consoleNewDispute',
    summary: 'Open a dispute: the form',
    draw: async () => opening(operations),
  }),
  formRoute({
    url: '/console/disputes/new',
    operation: 'consoleOpenDispute',
    summary: 'Open a dispute',
    async take(sent) {
      const { typed, files } = sent
      const outcome = await sent.operate('createDispute', {
        body: bodyFrom(typed),
        files,
        requestId: typed['request-id'],
      })
      const refusal = mendable(outcome)
      if (refusal) return sent.again(opening(operations, { typed, refusal }))
      const { links } = outcome.body as { links: { href: string }[] }
      return sent.lead(`/console/disputes/${links[0]!.href.split('/').at(-1)}`, 'The dispute was opened.')
    },
  }),
  page({
    url: '/console/disputes/:id',
    operation: 'consoleDispute',
    summary: 'Show a dispute',
    params: Id,
    draw: (visit) => draw(visit, operations),
  }),
  ...publicActions.map((action) =>
    formRoute({
      url: `/console/disputes/:id/${action}`,
      operation: `consoleDispute${operationOf(action).slice('dispute'.length)}`,
      summary: disputeForms[action].title,
      params: Id,
      take: (sent) => take(sent, operations, action),
    }),
  ),
  page({
    url: '/console/documents/:document/:n',
    operation: 'consoleDocument',
    summary: 'Show a document of a dispute',
    params: Type.Object({
      document: Type.String({ maxLength: 64, pattern: '^[A-Z0-9]+$' }),
      n: Type.String({ maxLength: 3, pattern: '^[1-9][0-9]*$' }),
    }),
    async draw(visit) {
      const { document, n } = visit.params
      const outcome = await visit.operate('downloadDisputeDocument', { params: { document_id: document, n } })
      requireDone(outcome)
      return fileAnswer(outcome.bytes, outcome.headers)
    },
  }),
]
