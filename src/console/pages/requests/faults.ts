import { type Html, html } from '../../../http/html.ts'
import { Type } from '../../../kernel/type.ts'
import { faultDefaults, type StandingFault } from '../../../sandbox/watch/faults.ts'
import { bodyFrom, type Choice, form as drawForm, type Field, type Typed } from '../../forms/fields.ts'
import { fitted } from '../../forms/generated.ts'
import { askOnce } from '../../once.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../../operate.ts'
import { program } from '../../parts/code.ts'
import { heading, mono, nothing, sheet } from '../../parts/parts.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'

interface FaultParts {
  readonly operations: Operations
  /** The names of the operations that can go wrong. */
  disturbable(): readonly string[]
  /** The header that makes one call go wrong. */
  readonly header: string
  publicUrl(): string
}

const { latencyMs, retryAfterSeconds, delaySeconds } = faultDefaults

/** What goes wrong with a request, and below that with a delivery; each with what comes of it. */
const ofRequests: readonly Choice[] = [
  { value: '503', label: '503, not available' },
  { value: '500', label: '500, something failed' },
  { value: '429', label: '429, too many requests' },
  { value: 'token', label: '401, the token is not accepted' },
  { value: 'latency', label: 'The answer is late' },
  { value: 'drop', label: 'The connection drops' },
]
const ofDeliveries: readonly Choice[] = [
  { value: 'duplicate', label: 'It comes twice' },
  { value: 'delay', label: 'It comes late' },
  { value: 'out-of-order', label: 'It comes after a later one' },
]
const isOfDelivery = (fault: string | undefined) => ofDeliveries.some(({ value }) => value === fault)

/** What a rule does, in words. */
function wordsOf({ fault, milliseconds = latencyMs, seconds }: StandingFault): string {
  switch (fault) {
    case 'latency':
      return `Answered ${milliseconds} ms late`
    case '429':
    case '503':
      return `Answered ${fault}, to be asked again after ${seconds ?? retryAfterSeconds} s`
    case '500':
      return 'Answered 500'
    case 'token':
      return 'Answered 401, as if the token were not accepted'
    case 'drop':
      return 'The connection drops'
    case 'duplicate':
      return 'Delivered twice'
    case 'delay':
      return `Delivered ${seconds ?? delaySeconds} s late`
    default:
      return 'Delivered after a later one'
  }
}

/** What the rule holds for. */
function scopeOf({ fault, operation, method, path, client_id, event_type, url }: StandingFault): Html {
  const said = [
    operation && html`calls of ${mono(operation)}`,
    (method || path) &&
      html`${operation ? '' : 'calls '}with ${mono([method, path && `${path}…`].filter(Boolean).join(' '))}`,
    client_id && html`${operation || method || path ? '' : 'calls '}of the client ${mono(client_id)}`,
    event_type && html`deliveries of ${mono(event_type)}`,
    url && html`${event_type ? '' : 'deliveries '}to ${mono(`${url}…`)}`,
  ].filter((one) => one !== undefined && one !== '')
  if (said.length === 0) return html`${isOfDelivery(fault) ? 'every delivery' : 'every call'}`
  return html`${said.map((one, i) => html`${i > 0 && ', '}${one}`)}`
}

const isOver = ({ hits, times }: StandingFault) => times !== undefined && hits >= times

/** How often the fault came about, and how often it still will. */
const countOf = (one: StandingFault): string => {
  const { hits, times } = one
  if (times === undefined) return hits === 1 ? 'once so far' : hits === 0 ? 'not yet' : `${hits} times so far`
  return isOver(one) ? `over after ${times}` : `${hits} of ${times}`
}

const row = (one: StandingFault): Html =>
  html`<tr><td class="second fill"><b>${wordsOf(one)}</b><small>${scopeOf(one)}</small></td><td class="num whole${isOver(one) && ' soft'}">${countOf(one)}</td><td class="num right"><form method="post" action="/console/faults/${one.id}/remove"><button class="button quiet small">Remove<span class="seen-not">: ${wordsOf(one)}</span></button></form></td></tr>`

const often: Field = {
  kind: 'text',
  at: '/times',
  label: 'How often',
  hint: 'Until it is removed, when left empty.',
}

const requestFields = (operations: readonly string[]): readonly Field[] => [
  { kind: 'select', at: '/fault', label: 'What happens', choices: ofRequests },
  {
    kind: 'select',
    at: '/operation',
    label: 'To calls of',
    choices: [{ value: '', label: 'every operation' }, ...operations.map((name) => ({ value: name, label: name }))],
  },
  {
    kind: 'pair',
    fields: [
      {
        kind: 'select',
        at: '/method',
        label: 'Method',
        choices: ['', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value || 'any' })),
      },
      { kind: 'text', at: '/path', label: 'Path begins with' },
    ],
  },
  { kind: 'text', at: '/client_id', label: 'Client id', hint: 'Of everybody, when left empty.' },
  {
    kind: 'pair',
    fields: [
      { kind: 'text', at: '/milliseconds', label: 'Late by, in ms', hint: `${latencyMs} when left empty.` },
      { kind: 'text', at: '/seconds', label: 'Retry-After, in s', hint: `${retryAfterSeconds}, of 429 and 503.` },
    ],
  },
  often,
]

const deliveryFields: readonly Field[] = [
  { kind: 'choice', at: '/fault', label: 'What happens', choices: ofDeliveries },
  {
    kind: 'text',
    at: '/event_type',
    label: 'To deliveries of',
    hint: 'Such as INVOICING.INVOICE.PAID; of every event, when left empty.',
  },
  { kind: 'text', at: '/url', label: 'Address begins with' },
  {
    kind: 'text',
    at: '/seconds',
    label: 'Late by, in s',
    hint: `On the clock of the sandbox; ${delaySeconds} when left empty.`,
  },
  often,
]

interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

const listed = async (visit: Pick<Visit, 'look'>) =>
  (await visit.look<{ faults: StandingFault[] }>('listFaults')).faults

/** How many faults can still come about, for the navigation. */
export const countFaults = async (visit: Pick<Visit, 'look'>): Promise<number> =>
  (await listed(visit)).filter((one) => !isOver(one)).length

async function draw(visit: Visit, parts: FaultParts, left?: Left) {
  const { operations, header } = parts
  const faults = await listed(visit)
  const shared = { action: '/console/faults', route: operations.route('addFault') }
  const ofKind = (isDelivery: boolean) => left && isOfDelivery(left.typed['/fault']) === isDelivery && left
  const command = `curl -i -H '${header}: 503=7' -H "Authorization: Bearer $TOKEN" ${parts.publicUrl()}/v2/invoicing/invoices`
  return {
    title: 'Faults',
    ...(left && { status: 422 }),
    content: html`${heading('Faults', { sub: 'What goes wrong because you want to see what your client does then, until you remove it or start over. Forms of this console go wrong too; what begins with /sandbox never does.' })}
<div class="two"><div class="column"><section class="sheet flush"><header class="sheet-head"><h2>What goes wrong</h2>${
      faults.length > 1 &&
      html`<div class="aside"><form method="post" action="/console/faults/clear"><button class="button danger small">Remove all</button></form></div>`
    }</header>${
      faults.length === 0
        ? nothing('Nothing goes wrong', 'Add a rule, and calls or deliveries fail as it says.')
        : html`<table class="rows"><thead><tr><th>What happens, and to what</th><th class="num">Came about</th><th class="num"><span class="seen-not">Actions</span></th></tr></thead><tbody>${faults.map(row)}</tbody></table>`
    }</section>${sheet('One call alone', html`<p class="soft">goes wrong without a rule, by a header of its own: latency=200, 429=7, 500, 503=7, drop or token.</p><div class="below">${program(command, 'A call that goes wrong')}</div>`)}</div>
<aside>${sheet('Calls go wrong', drawForm({ ...shared, name: 'calls', fields: requestFields(parts.disturbable()), button: 'Let calls go wrong', ...ofKind(false) }))}${sheet('Deliveries go wrong', drawForm({ ...shared, name: 'deliveries', fields: deliveryFields, button: 'Let deliveries go wrong', ...ofKind(true) }))}</aside></div>`,
  }
}

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9-]+$' }) })
const AT = '/console/faults'

export const faultPages = ({ page, form }: Pages, parts: FaultParts) => [
  page({
    url: AT,
    operation: 'consoleFaults',
    summary: 'Show what goes wrong because somebody wants to see it',
    draw: (visit) => draw(visit as Visit, parts),
  }),
  form({
    url: AT,
    operation: 'consoleAddFault',
    summary: 'Let calls or deliveries go wrong',
    async take(sent) {
      const { typed } = sent
      const body = fitted(bodyFrom(typed), parts.operations.route('addFault'))
      const outcome = await askOnce(sent, () => sent.operateOpenly('addFault', { body }))
      if (!outcome) return sent.lead(AT)
      const refusal = mendable(outcome)
      if (refusal) return sent.again(await draw(sent as Visit, parts, { typed, refusal }))
      return sent.lead(
        AT,
        isOfDelivery(typed['/fault']) ? 'Deliveries go wrong from now on.' : 'Calls go wrong from now on.',
      )
    },
  }),
  form({
    url: `${AT}/clear`,
    operation: 'consoleClearFaults',
    summary: 'Remove all faults',
    async take(sent) {
      requireDone(await sent.operateOpenly('clearFaults'))
      return sent.lead(AT, 'Nothing goes wrong any more.')
    },
  }),
  form({
    url: `${AT}/:id/remove`,
    operation: 'consoleRemoveFault',
    summary: 'Remove a fault',
    params: Id,
    async take(sent: Sent<typeof Id>) {
      const outcome = await sent.operateOpenly('removeFault', { params: sent.params })
      // On a second click, or after a reset, the fault has been removed already.
      if (outcome.status !== 404) requireDone(outcome)
      return sent.lead(AT, 'The fault was removed.')
    },
  }),
]
