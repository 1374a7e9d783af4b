import type { OfferType } from '../../../disputes/schema/enums.ts'
import { type Content, type Html, html, paragraphs } from '../../../http/html.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { icon } from '../../parts/icons.ts'
import { mark } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { money, outcomeWords, reasonWords, sentence } from '../../words.ts'
import { timeDecided } from './decided.ts'
import { dueOf } from './due.ts'
import { isEnding, isOver, type Move, type Past } from './past.ts'

interface Told {
  readonly at: string
  readonly by: 'buyer' | 'seller' | 'agent' | 'bank' | 'time' | 'rules'
  readonly text: Content
  readonly said?: string | undefined
  readonly files?: readonly { name: string; url: string }[] | undefined
}

/** The address of a document here, from its address in the API. */
export const fileAddress = (url: string): string =>
  url.replace(/^.*\/v2\/content\/documents\/([^/]+)\/files\/([^/]+)\/download$/, '/console/documents/$1/$2')

export const filesOf = (files: Told['files']): Content =>
  files &&
  files.length > 0 &&
  html`<div class="files">${files.map(({ name, url }) => html`<a href="${fileAddress(url)}">${icon('file')}<span>${name}</span></a>`)}</div>`

const sides: Readonly<Record<string, Told['by']>> = { BUYER: 'buyer', SELLER: 'seller', ARBITER: 'agent' }
const sideIn = (source: string): Told['by'] =>
  source.includes('BUYER') ? 'buyer' : source.includes('SELLER') || source.includes('PARTNER') ? 'seller' : 'agent'

const names = {
  buyer: 'The buyer',
  seller: 'The seller',
  agent: 'An agent',
  bank: 'The buyer’s bank',
  time: 'Time',
  rules: '',
}
const offers = { PROPOSED: 'offered', ACCEPTED: 'accepted', DENIED: 'turned down' }

/** What is offered, in the words before and after its amount. */
const gifts: Readonly<Record<OfferType, readonly [before: string, after?: string]>> = {
  REFUND: ['a refund'],
  REFUND_WITH_RETURN: ['a refund', ' once the item is back'],
  REFUND_WITH_REPLACEMENT: ['a replacement and a refund'],
  REPLACEMENT_WITHOUT_REFUND: ['a replacement'],
}

/** What is shown, where the name of its type says less to a reader. */
const shownWords: Readonly<Record<string, string>> = {
  OTHER: 'other evidence',
  CREATE: 'what they had when they opened it',
  CHANGE_REASON: 'what speaks for the new reason',
}
const shownAs = (type: string) => shownWords[type] ?? lower(sentence(type))

type Offered = NonNullable<NonNullable<Dispute['offer']>['history']>[number]

function offerOf(one: Offered, moves: readonly Move[]): Told {
  const accepts = moves.some(
    ({ action, at, to }) => action === 'accept-claim' && at === one.offer_time && !to.endsWith('F'),
  )
  const [before, after] = gifts[one.offer_type]
  return {
    at: one.offer_time,
    by: sides[one.actor] ?? 'seller',
    text: html`${accepts ? 'accepted the claim:' : offers[one.event_type]} ${before}${one.offer_amount && html` of <b>${money(one.offer_amount)}</b>`}${after}`,
    said: one.notes,
  }
}

const evidenceOf =
  ({ messages = [] }: Dispute) =>
  (one: NonNullable<Dispute['evidences']>[number]): Told =>
    one.source.startsWith('REQUESTED')
      ? {
          at: one.date,
          by: 'rules',
          text: `${capital(shownAs(one.evidence_type))} was asked of the ${one.source.endsWith('BUYER') ? 'buyer' : 'seller'}`,
        }
      : {
          at: one.date,
          by: sideIn(one.source),
          text: html`showed ${shownAs(one.evidence_type)}${trackingOf(one)}`,
          // What a bank passes on is a message too, but is told only once.
          said: messages.some(({ time_posted, content }) => time_posted === one.date && content === one.notes)
            ? undefined
            : one.notes,
          files: one.documents,
        }

/** What happened, oldest first, as far as the onlooker may read it. */
function told(dispute: Dispute, past: Past): Told[] {
  const { messages = [], evidences = [], offer, supporting_info = [] } = dispute
  const all: Told[] = [
    {
      at: dispute.create_time,
      by: dispute.dispute_channel === 'INTERNAL' ? 'buyer' : 'bank',
      text: `opened the dispute: ${lower(reasonWords(past.reason?.before ?? dispute.reason))}`,
    },
    ...steps(past),
    ...(past.reason
      ? [
          {
            at: past.reason.changed,
            by: 'buyer',
            text: `changed the reason: ${lower(reasonWords(dispute.reason))}`,
          } as const,
        ]
      : []),
    ...messages
      .filter((one) => !isNoteOfOffer(one, offer))
      .map(
        (one): Told => ({
          at: one.time_posted,
          by: sides[one.posted_by] ?? 'agent',
          text: 'wrote',
          said: one.content,
          files: one.documents,
        }),
      ),
    ...(offer?.history ?? []).map((one) => offerOf(one, past.moves)),
    ...evidences.map(evidenceOf(dispute)),
    ...supporting_info.map(
      (one): Told => ({
        at: one.provided_time,
        by: sideIn(one.source),
        text: 'added a note for the agent',
        said: one.notes,
        files: one.documents,
      }),
    ),
    ...decisions(dispute, past),
  ]
  return all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** What somebody did that is neither a message nor an offer nor evidence, and what time did without deciding. */
const steps = ({ moves, escalation }: Past): Told[] =>
  moves.flatMap(({ at, action, from, to }): Told[] => {
    if (action === 'escalate') {
      const why = escalation?.reason && html` <span class="soft">(${lower(sentence(escalation.reason))})</span>`
      return [{ at, by: escalation?.by ?? 'buyer', text: html`escalated it to a claim${why}`, said: escalation?.note }]
    }
    if (action === 'acknowledge-return-item')
      return [{ at, by: 'seller', text: isOver(to) ? 'confirmed the return' : 'contested the return' }]
    if (action === 'pass-deadline' && from && !isOver(from) && !isOver(to))
      return [{ at, by: 'rules', text: 'The seller’s time to answer passed' }]
    return []
  })

const forSeller: readonly string[] = ['DENY_BUYER', 'PAYOUT_TO_SELLER']

/** How the dispute ended, as often as it did; who appealed; and when that was no longer possible. */
function decisions(dispute: Dispute, { moves, cancellation }: Past): Told[] {
  const judged = [...(dispute.adjudications ?? [])]
  const last = moves.findLast(isEnding)
  let loser: 'buyer' | 'seller' = 'seller'
  // Of what ended before moves were kept, only the outcome is known.
  if (dispute.dispute_outcome && !last)
    return [{ at: dispute.update_time, by: 'rules', text: outcomeWords(dispute.dispute_outcome.outcome_code) }]
  return moves.flatMap((move): Told[] => {
    const { at, action, from, to } = move
    if (action === 'appeal') return [{ at, by: loser, text: 'appealed the decision' }]
    if (from && isOver(from) && isOver(to)) return [{ at, by: 'rules', text: 'The time to appeal passed' }]
    if (!isEnding(move)) return []
    const judgement = judged[0]?.adjudication_time === at ? judged.shift() : undefined
    const winner = judgement && (forSeller.includes(judgement.type) ? 'seller' : 'buyer')
    if (winner) loser = winner === 'buyer' ? 'seller' : 'buyer'
    const outcome = winner
      ? `resolved for the ${winner}`
      : move === last && dispute.dispute_outcome
        ? lower(outcomeWords(dispute.dispute_outcome.outcome_code))
        : 'resolved'
    const because = timeDecided(move)
    if (because) return [{ at, by: 'time', text: `decided: ${outcome}, because ${because}` }]
    if (action === 'cancel') return [{ at, by: 'buyer', text: 'took the dispute back', said: cancellation?.note }]
    if (action === 'adjudicate') return [{ at, by: 'agent', text: `decided: ${outcome}` }]
    return [{ at, by: 'rules', text: capital(outcome) }]
  })
}

/** Whether a message is the note of an offer. That note is a message too, but is told only once. */
const isNoteOfOffer = ({ time_posted, content }: { time_posted: string; content: string }, offer: Dispute['offer']) =>
  (offer?.history ?? []).some(({ offer_time, notes }) => offer_time === time_posted && notes === content)

const trackingOf = ({ evidence_info }: NonNullable<Dispute['evidences']>[number]): Content => {
  const [first] = evidence_info?.tracking_info ?? []
  if (!first) return undefined
  const { carrier_name, carrier_name_other, tracking_number } = first
  return html` <span class="soft">(${[carrier_name_other ?? carrier_name, tracking_number].filter(Boolean).join(' ')})</span>`
}

const marks = { buyer: 'buyer', seller: 'merchant', agent: 'agent', time: 'time' } as const
const markOf = (by: Told['by']): Html =>
  by === 'rules' || by === 'bank' ? html`<span class="bead"></span>` : mark(marks[by])

/** What happened, and whose answer is waited for. */
export function story(dispute: Dispute, { times }: Visit, past: Past): Html {
  const due = dueOf(dispute)
  return html`<ol class="story">${told(dispute, past).map(
    ({ at, by, text, said, files }) =>
      html`<li>${markOf(by)}<div class="by"><span>${by !== 'rules' && html`<b>${names[by]}</b> `}${text}</span>${times.at(at)}</div>${said && html`<p class="said">${paragraphs(said)}</p>`}${filesOf(files)}</li>`,
  )}${
    due &&
    html`<li><span class="bead to-come"></span><div class="by to-come"><span>${waitedFor(dispute)}, by ${times.fully(due)}</span>${times.away(due)}</div></li>`
  }</ol>`
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const waitedFor = ({ seller_response_due_date }: Dispute) =>
  seller_response_due_date ? 'The seller’s answer' : 'The buyer’s answer'

/** What each side said and showed, side by side, for whoever decides. */
export function bothSides(dispute: Dispute, past: Past): Html {
  return html`<div class="two even">${(['buyer', 'seller'] as const).map((side) => {
    const first = told(dispute, past).find(({ by, said }) => by === side && said)
    const shown = (dispute.evidences ?? []).filter(({ source }) => source.includes(side.toUpperCase()))
    return html`<section class="sheet"><header class="sheet-head"><h2 class="who">${mark(marks[side])}${names[side]}</h2></header>
<p class="said-big">${first?.said ?? 'Said nothing.'}</p><ul class="exhibits">${shown.map((one) => {
      const isGiven = !one.source.startsWith('REQUESTED')
      return html`<li>${isGiven ? icon('check', 'given', 'good') : icon('cross', 'missing', 'soft')}<div><b>${capital(shownAs(one.evidence_type))}</b>${trackingOf(one)}<small>${isGiven ? (one.notes ?? '') : 'Asked for, not given'}</small>${filesOf(one.documents)}</div></li>`
    })}</ul></section>`
  })}</div>`
}
