import { type Content, type Html, html, paragraphs } from '../../../http/html.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { icon } from '../../parts/icons.ts'
import { mark } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { money, outcomeWords, reasonWords, sentence } from '../../words.ts'
import { dueOf } from './due.ts'

interface Told {
  readonly at: string
  readonly by: 'buyer' | 'seller' | 'agent' | 'rules'
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

const names = { buyer: 'The buyer', seller: 'The seller', agent: 'An agent', rules: '' }
const offers = { PROPOSED: 'offered', ACCEPTED: 'accepted', DENIED: 'turned down' }

/** What happened, oldest first, as far as the onlooker may read it. */
function told(dispute: Dispute): Told[] {
  const { messages = [], evidences = [], offer, supporting_info = [], adjudications = [] } = dispute
  const all: Told[] = [
    {
      at: dispute.create_time,
      by: dispute.dispute_channel === 'INTERNAL' ? 'buyer' : 'agent',
      text: html`opened the dispute: ${reasonWords(dispute.reason).toLowerCase()}`,
    },
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
    ...(offer?.history ?? []).map(
      (one): Told => ({
        at: one.offer_time,
        by: sides[one.actor] ?? 'seller',
        text: html`${offers[one.event_type]} ${sentence(one.offer_type).toLowerCase()}${one.offer_amount && html`, <b>${money(one.offer_amount)}</b>`}`,
        said: one.notes,
      }),
    ),
    ...evidences.map(
      (one): Told =>
        one.source.startsWith('REQUESTED')
          ? {
              at: one.date,
              by: 'rules',
              text: html`${one.evidence_type === 'OTHER' ? 'Other evidence' : sentence(one.evidence_type)} was asked of the ${one.source.endsWith('BUYER') ? 'buyer' : 'seller'}`,
            }
          : {
              at: one.date,
              by: sideIn(one.source),
              text: html`showed ${one.evidence_type === 'OTHER' ? 'other evidence' : sentence(one.evidence_type).toLowerCase()}${trackingOf(one)}`,
              said: one.notes,
              files: one.documents,
            },
    ),
    ...supporting_info.map(
      (one): Told => ({
        at: one.provided_time,
        by: sideIn(one.source),
        text: 'added a note for the agent',
        said: one.notes,
        files: one.documents,
      }),
    ),
    ...adjudications.map(
      (one): Told => ({
        at: one.adjudication_time,
        by: 'agent',
        text: html`decided: ${sentence(one.type).toLowerCase()}`,
      }),
    ),
  ]
  return all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
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

const marks = { buyer: 'buyer', seller: 'merchant', agent: 'agent' } as const

/** What happened. `because` says why time decided it, if time did. */
export function story(dispute: Dispute, { times }: Visit, because?: string): Html {
  const due = dueOf(dispute)
  const { dispute_outcome: outcome } = dispute
  return html`<ol class="story">${told(dispute).map(
    ({ at, by, text, said, files }) =>
      html`<li>${by === 'rules' ? html`<span class="bead"></span>` : mark(marks[by])}<div class="by"><span>${by !== 'rules' && html`<b>${names[by]}</b> `}${text}</span>${times.at(at)}</div>${said && html`<p class="said">${paragraphs(said)}</p>`}${filesOf(files)}</li>`,
  )}${outcome && html`<li>${because ? mark('time') : html`<span class="bead"></span>`}<div class="by"><span>${because && html`<b>Time</b> decided: `}${because ? lower(outcomeWords(outcome.outcome_code)) : outcomeWords(outcome.outcome_code)}${because && `, because ${because}`}</span>${times.at(dispute.update_time)}</div></li>`}${
    due &&
    html`<li><span class="bead to-come"></span><div class="by to-come"><span>${waitedFor(dispute)}, by ${times.fully(due)}</span>${times.away(due)}</div></li>`
  }</ol>`
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const waitedFor = ({ seller_response_due_date }: Dispute) =>
  seller_response_due_date ? 'The seller’s answer' : 'The buyer’s answer'

/** What each side said and showed, side by side, for whoever decides. */
export function bothSides(dispute: Dispute): Html {
  return html`<div class="two even">${(['buyer', 'seller'] as const).map((side) => {
    const first = told(dispute).find(({ by, said }) => by === side && said)
    const shown = (dispute.evidences ?? []).filter(({ source }) => source.includes(side.toUpperCase()))
    return html`<section class="sheet"><header class="sheet-head"><h2 class="who">${mark(marks[side])}${names[side]}</h2></header>
<p class="said-big">${first?.said ?? 'Said nothing.'}</p><ul class="exhibits">${shown.map((one) => {
      const isGiven = !one.source.startsWith('REQUESTED')
      return html`<li>${isGiven ? icon('check', 'given', 'good') : icon('cross', 'missing', 'soft')}<div><b>${sentence(one.evidence_type)}</b>${trackingOf(one)}<small>${isGiven ? (one.notes ?? '') : 'Asked for, not given'}</small>${filesOf(one.documents)}</div></li>`
    })}</ul></section>`
  })}</div>`
}
