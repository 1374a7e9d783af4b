import { findForCaller, readScopes } from '../../../disputes/access.ts'
import { plainlyNamed } from '../../../disputes/documents.ts'
import { rulesOf } from '../../../disputes/house.ts'
import { type PublicAction, publicActions } from '../../../disputes/machine/actions/index.ts'
import { isEndOfDay } from '../../../disputes/machine/deadlines.ts'
import { type Html, html } from '../../../http/html.ts'
import type { Instant } from '../../../kernel/clock.ts'
import type { Money } from '../../../kernel/money.ts'
import { Type } from '../../../kernel/type.ts'
import type { Service } from '../../../room.ts'
import { eventsSheet } from '../../events-of.ts'
import { inCodes, withDocuments } from '../../forms/dispute-body.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { disputeFormOf, takes } from '../../forms/dispute-forms.ts'
import { bodyFrom, form } from '../../forms/fields.ts'
import { fitted } from '../../forms/generated.ts'
import { followsOf, notNow, type Prospects, prospectsOf, unless, whereItCanGo } from '../../forms/prospects.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../../operate.ts'
import { faster } from '../../outdated.ts'
import { icon } from '../../parts/icons.ts'
import { backTo, headline, sheet, stageOf } from '../../parts/parts.ts'
import { fileAnswer } from '../../respond.ts'
import { homes } from '../../roles.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { money, outcomeWords, reasonWords, stateWords } from '../../words.ts'
import { findDesk } from './desk.ts'
import { deskSheet, type NoteLeft, sideOf } from './desk-pages.ts'
import {
  anotherDraft,
  draftBehind,
  draftFields,
  draftNote,
  dropSent,
  isDraftable,
  keep,
  keeping,
  wasSent,
} from './draft-forms.ts'
import { filesOfDraft } from './drafts.ts'
import { dueOf, urgency } from './due.ts'
import { type Left, leftOver, strayDrafts } from './left.ts'
import { pastOf } from './past.ts'
import { asRequests, operationOf } from './request.ts'
import { moneySheet, paymentSheet } from './sheets.ts'
import { bothSides, story } from './story.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })

interface Parts {
  readonly operations: Operations
  readonly service: Service
}

/** The actions that the answer links to, in its order, each once: some have two relations for one address. */
export const actionsIn = ({ links = [] }: { links?: readonly { href: string; method?: string }[] }): PublicAction[] => [
  ...new Set(
    links
      .filter(({ method }) => method === 'POST')
      .map(({ href }) => href.slice(href.lastIndexOf('/') + 1) as PublicAction),
  ),
]

/** Those actions that the onlooker may take. */
const actionsFor = (dispute: Dispute, { who }: Visit): PublicAction[] =>
  actionsIn(dispute).filter((action) => who.may(takes(action)))

/** What accepting a claim gives back: the amount that is named, or everything that is in dispute. */
async function refundIn(sent: Sent<typeof Id>): Promise<Money> {
  const { dispute_amount } = await sent.look<Dispute>('showDispute', { params: sent.params })
  const value = sent.typed['/refund_amount/value']?.trim()
  return value ? { ...dispute_amount, value } : dispute_amount
}

/** What an offer gives away. An offer of everything is paid at once, a smaller one as soon as the buyer takes it. */
async function offeredIn(sent: Sent<typeof Id>): Promise<Money | undefined> {
  const value = sent.typed['/offer_amount/value']?.trim()
  if (!value) return undefined
  const { dispute_amount } = await sent.look<Dispute>('showDispute', { params: sent.params })
  return { ...dispute_amount, value }
}

/** For each action that gives money away, how much that is. */
const gifts: Readonly<Partial<Record<PublicAction, typeof offeredIn>>> = {
  'accept-claim': refundIn,
  'make-offer': offeredIn,
}

function till(dispute: Dispute, { unattended }: Prospects, { now, times, who }: Visit): Html {
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
  return html`<section class="till">${who.face === 'live' && who.mark === 'agent' ? backTo('Decisions', homes.agent) : backTo('Disputes', '/console/disputes')}
<p class="of">${[parties, reasonWords(dispute.reason), dispute_id].filter(Boolean).join(' · ')}</p>
<div>${headline(money(dispute.dispute_amount))}<p class="now ${tone}">${isMine && due ? html`<b>Answer by ${times.fully(due)}</b>` : sentenceOf} <span>${
    due
      ? html`${times.away(due)}${endOfDay(due)}`
      : dispute.status === 'UNDER_REVIEW'
        ? unattended
          ? html`a rule decides ${times.away(unattended.at)}`
          : 'nothing happens by itself'
        : dispute_outcome && unattended
          ? html`${actionsIn(dispute).includes('appeal') ? 'you' : 'the losing side'} may appeal until ${times.fully(unattended.at)}`
          : ''
  }</span></p></div>
<div class="actions">${stageOf(dispute.dispute_life_cycle_stage)}</div></section>`
}

/** Deadlines end with a day in Los Angeles, which would surprise everybody elsewhere. */
const endOfDay = (due: string) => (isEndOfDay(due as Instant) ? '; the day ends in Los Angeles then' : '')

/** The first of these that is possible is open when the page is; the others are one click away. */
const likeliest: readonly PublicAction[] = [
  'adjudicate',
  'provide-evidence',
  'accept-offer',
  'acknowledge-return-item',
  'make-offer',
  'appeal',
]

/** The likeliest first, what cannot be undone last. */
const inOrder = (actions: readonly PublicAction[]): PublicAction[] => {
  const first = likeliest.find((action) => actions.includes(action))
  const place = (action: PublicAction) => (action === first ? 0 : disputeFormOf(action).danger ? 2 : 1)
  return actions.toSorted((a, b) => place(a) - place(b))
}

/** Every action that the answer links to and that the onlooker may take, as a form. */
function doings({ operations }: Parts, { dispute, prospects, desk }: Read, visit: Visit, left?: Left): Html {
  const actions = inOrder(actionsFor(dispute, visit))
  const title = visit.who.mark === 'agent' ? 'What an agent can do now' : 'What you can do now'
  const rest = notNow(prospects.consequences, (action) => disputeFormOf(action as PublicAction).title)
  const lost = left && !actions.includes(left.action) && leftOver(left, dispute, visit.who.mark)
  if (actions.length === 0)
    return sheet(title, html`${lost}<p class="soft">Nothing at the moment.</p>${rest}`, { className: 'doings' })
  const kept = lost ? undefined : left?.action
  const open = kept ?? likeliest.find((action) => actions.includes(action)) ?? actions[0]
  return html`<section class="sheet doings"><header class="sheet-head"><h2>${title}</h2></header>${lost}${actions.map(
    (action) => {
      const one = disputeFormOf(action)
      const at = `/console/disputes/${dispute.dispute_id}`
      const draft = desk.drafts.find((each) => each.action === action)
      const drawn = form({
        name: action,
        action: `${at}/${action}`,
        route: operations.route(operationOf(action)),
        fields: one.fields(dispute, visit.who.mark),
        button: one.button,
        danger: one.danger ?? false,
        follows: followsOf(prospects, action, visit),
        seen: dispute.update_time,
        ...(isDraftable(action) && { instead: keeping, kept: draftFields(draft, `${at}/drafts/${action}/files`) }),
        ...(draft && { typed: draft.typed }),
        ...(left?.action === action && { typed: left.typed, refusal: left.refusal }),
      })
      return html`<details name="doing" id="do-${action}"${action === open && html` open`}><summary><b>${one.title}</b>${icon('down')}${one.note && html`<small>${one.note}</small>`}</summary>${draft && draftNote(draft, `${at}/drafts/${action}/drop`, visit)}${drawn}</details>`
    },
  )}${rest}</section>`
}

/** What a page is drawn from. */
async function read(visit: Visit<typeof Id>, { service }: Parts) {
  const dispute = await visit.look<Dispute>('showDispute', { params: visit.params })
  const id = dispute.dispute_id
  const found = await findForCaller(visit.db, visit.who.caller, id, readScopes)
  return {
    dispute,
    prospects: prospectsOf(found, visit, service),
    past: await pastOf(visit.db, found),
    desk: await findDesk(visit.db, sideOf(visit, id)),
  }
}
type Read = Awaited<ReturnType<typeof read>>

async function draw(visit: Visit<typeof Id>, parts: Parts, left?: Left, note?: NoteLeft) {
  const found = await read(visit, parts)
  const { dispute, prospects, desk, past } = found
  const due = dueOf(dispute)
  const actions = actionsFor(dispute, visit)
  const isActing = actions.length > 0 && (due !== undefined || visit.who.mark === 'agent')
  return {
    title: `${reasonWords(dispute.reason)}, ${money(dispute.dispute_amount)}`,
    ...((left || note) && { status: 422 }),
    className: isActing ? 'acting' : '',
    content: html`${till(dispute, prospects, visit)}<div class="two desk-two"><div class="column">
${visit.who.mark === 'agent' && bothSides(dispute, past)}
${sheet('What happened', story(dispute, visit, past))}
${visit.who.mark === 'agent' && sheet('Where it can go', whereItCanGo(prospects))}
<div class="two even">${moneySheet(dispute, visit, rulesOf(parts.service))}${paymentSheet(dispute, visit)}</div>${await eventsSheet(visit, dispute.dispute_id)}${asRequests(dispute, actions, parts.service, visit)}</div>
<aside id="do">${unless(prospects, visit)}${doings(parts, found, visit, left)}${deskSheet(desk, dispute.dispute_id, visit, { strays: strayDrafts(found, actionsIn(dispute), visit), left: note })}</aside></div>
${isActing && html`<p class="act-bar"><a class="button" href="#do">${visit.who.mark === 'agent' ? 'Decide' : 'Act'}</a><span class="soft">${due ? visit.times.away(due) : money(dispute.dispute_amount)}</span></p>`}`,
  }
}

async function take(sent: Sent<typeof Id>, parts: Parts, action: PublicAction) {
  const dispute = await sent.look<Dispute>('showDispute', { params: sent.params })
  const { seen } = sent.typed
  const side = sideOf(sent, dispute.dispute_id)
  const again = async (refusal: Refusal) => sent.again(await draw(sent, parts, { action, typed: sent.typed, refusal }))
  if (sent.typed['instead'] === 'draft') {
    const refusal = await keep(sent, side, action)
    if (refusal) return again(refusal)
    return sent.lead(`/console/disputes/${sent.params.id}`, 'The draft was kept; nothing was sent.')
  }
  const done = async () => {
    const { done: words } = disputeFormOf(action)
    const said = typeof words === 'string' ? words : words(await sent.look('showDispute', { params: sent.params }))
    // A dispute that is decided is not under review any more, and an agent sees no others.
    return sent.lead(sent.who.caller.onlyUnderReview ? homes.agent : `/console/disputes/${sent.params.id}`, said)
  }
  if (await wasSent(sent, side)) return done()
  const route = parts.operations.route(operationOf(action))
  // This is read before the draft is looked at, so that what a colleague adds in between is noticed and not sent unseen.
  const kept = await filesOfDraft(sent.db, side, action, sent.typed)
  const { draft, isAnother } = await draftBehind(sent, side, action)
  if (isAnother) return again(anotherDraft)
  const files = [...kept, ...plainlyNamed(sent.files)]
  const body = withDocuments(fitted(bodyFrom(inCodes(sent.typed)), route) as Record<string, unknown>, action, files)
  const outcome = await sent.operate(operationOf(action), {
    params: sent.params,
    body,
    files,
    requestId: sent.typed['request-id'],
  })
  const refusal = mendable(outcome)
  // This is told only when the action is no longer allowed. Otherwise the action is done, whoever changed something meanwhile,
  // and a second click gets the answer of the first.
  if (refusal && seen !== undefined && seen !== dispute.update_time && !actionsIn(dispute).includes(action))
    return again(faster)
  if (refusal) return again(refusal)
  if (draft) await sent.change(async (tx) => dropSent(tx, sent, side, draft))
  return done()
}

/** The page with a note that was not kept. */
export const drawNoted = (parts: Parts) => (visit: Visit<typeof Id>, note: NoteLeft) =>
  draw(visit, parts, undefined, note)

export const disputePages = ({ page, form: formRoute }: Pages, parts: Parts) => [
  page({
    url: '/console/disputes/:id',
    operation: 'consoleDispute',
    summary: 'Show a dispute',
    may: ['see', 'review'],
    params: Id,
    draw: (visit) => draw(visit, parts),
  }),
  ...publicActions.map((action) =>
    formRoute({
      url: `/console/disputes/:id/${action}`,
      operation: `consoleDispute${operationOf(action).slice('dispute'.length)}`,
      summary: disputeFormOf(action).title,
      may: takes(action),
      params: Id,
      ...(gifts[action] && {
        gives: {
          amount: gifts[action],
          refuse: (sent: Sent<typeof Id>, refusal: Refusal) =>
            draw(sent, parts, { action, typed: sent.typed, refusal }),
        },
      }),
      take: (sent) => take(sent, parts, action),
    }),
  ),
  page({
    url: '/console/documents/:document/:n',
    operation: 'consoleDocument',
    summary: 'Show a document of a dispute',
    may: ['see', 'review'],
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
