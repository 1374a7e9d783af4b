import { type Content, type Html, html } from '../../../http/html.ts'
import { type Money, toMinor } from '../../../kernel/money.ts'
import { type Dispute, evidenceAsked } from '../../forms/dispute-fields.ts'
import { spent, stageOf } from '../../parts/parts.ts'
import { printedSums, type Sums, sumOf } from '../../parts/sums.ts'
import type { Visit } from '../../visit.ts'
import { money, outcomeWords, reasonWords, sentence, stateWords } from '../../words.ts'
import { decidedByTime } from './decided.ts'
import { takenOf } from './desk.ts'
import { dueGroups, dueOf, groupOf, urgency } from './due.ts'

/** What somebody is asked for, by the actions they may take now; the most telling comes first. */
const asks: readonly (readonly [action: string, words: (dispute: Dispute) => string])[] = [
  ['acknowledge-return-item', () => 'Confirm that the item came back'],
  ['accept-offer', () => 'An answer to the offer'],
  ['make-offer', () => 'An answer, or an offer'],
  [
    'provide-evidence',
    (dispute) => {
      const types = evidenceAsked(dispute).filter((type) => type !== 'OTHER')
      return types.length === 0 ? 'Evidence, or a refund' : `Evidence: ${sentence(types.join(' or ')).toLowerCase()}`
    },
  ],
]

const QUOTED_MAX = 90

/** The last message of the other side, if nobody answered it. */
function quoted({ messages = [] }: Dispute, { who, times }: Visit): Content {
  const last = messages.at(-1)
  const other = who.mark === 'buyer' ? 'SELLER' : 'BUYER'
  if (last?.posted_by !== other) return undefined
  const text = last.content.replace(/\s+/g, ' ').trim()
  const begin = text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX).trimEnd()}…` : text
  return html`. <span class="soft">The ${other.toLowerCase()} wrote ${times.ago(last.time_posted)}: “${begin}”</span>`
}

/** What is asked of the onlooker, or else how the dispute stands. */
function asked(dispute: Dispute, visit: Visit, because: string | undefined): Content {
  const { dispute_state, dispute_outcome: outcome, links = [] } = dispute
  const may = (action: string) => links.some(({ href }) => href.endsWith(`/${action}`))
  const found = dispute_state === 'REQUIRED_ACTION' ? asks.find(([action]) => may(action)) : undefined
  if (found) return html`${found[1](dispute)}${quoted(dispute, visit)}`
  if (!outcome) return stateWords(dispute_state)
  return html`${outcomeWords(outcome.outcome_code)}${dispute_state === 'APPEALABLE' && '; may be appealed'}${because && html`<small>because ${because}</small>`}`
}

interface Beside {
  readonly taken: ReadonlyMap<string, string>
  readonly because: ReadonlyMap<string, string>
}

function row(dispute: Dispute, visit: Visit, { taken, because }: Beside): Html {
  const { now, times, who } = visit
  const { dispute_id: id, reason, dispute_amount, disputed_transactions: [payment] = [] } = dispute
  const due = dueOf(dispute)
  const tone = due ? urgency(due, now) : ''
  const other = (who.mark === 'buyer' ? payment?.seller?.name : payment?.buyer?.name) ?? ''
  const by = taken.get(id)
  const gone = due
    ? (Date.parse(now) - Date.parse(dispute.update_time)) / (Date.parse(due) - Date.parse(dispute.update_time))
    : 0
  return html`<tr><td class="due">${
    due
      ? html`<span class="due-in"><b class="${tone}">${times.away(due)}</b><small>${times.at(due)}</small>${spent(gone, tone)}</span>`
      : html`<span class="soft">${times.at(dispute.update_time)}</span>`
  }</td><td class="second"><a class="open" href="/console/disputes/${id}">${reasonWords(reason)}</a><small>${other && `${other} · `}<span class="nowrap">${id}</span>${by && ` · taken by ${by}`}</small></td><td class="whole">${asked(dispute, visit, because.get(id))}</td><td class="gone">${stageOf(dispute.dispute_life_cycle_stage)}</td><td class="num right"><b>${money(dispute_amount)}</b></td></tr>`
}

interface Listed {
  readonly byDue: boolean
  /** What each group adds up to, even when it goes on on other pages; undefined when this page is all there is. */
  readonly sums?: readonly Sums[] | undefined
  /** Whether there are other pages. */
  readonly isPart: boolean
}

/** Disputes in a table. Those with a due date are in groups by how soon that is, and each group says what it adds up to. */
export async function disputeRows(
  items: readonly Dispute[],
  visit: Visit,
  { byDue, sums, isPart }: Listed,
): Promise<Html> {
  const { accountId } = visit.who.caller
  const ids = items.map(({ dispute_id }) => dispute_id)
  const over = items.filter((one) => one.dispute_outcome).map(({ dispute_id }) => dispute_id)
  const beside = {
    taken: await takenOf(visit.db, accountId, ids),
    because: await decidedByTime(visit.db, accountId, over),
  }
  const draw = (list: readonly Dispute[]) => list.map((one) => row(one, visit, beside))
  const amounts = (list: readonly Dispute[]) => sumOf(list.map((one) => inMinor(one.dispute_amount)))
  const body = byDue
    ? dueGroups.map(([title], n) => {
        const within = items.filter((one) => groupOf(dueOf(one), visit.now) === n)
        const sum = sums?.[n] ?? (isPart ? undefined : amounts(within))
        return (
          within.length > 0 &&
          html`<tr class="group"><th colspan="5" scope="colgroup">${title}${sum && html`<span>${printedSums(sum)}</span>`}</th></tr>${draw(within)}`
        )
      })
    : draw(items)
  return html`<table class="rows desk"><thead><tr><th>${byDue ? 'Due' : 'When'}</th><th>Dispute</th><th>${byDue ? 'Asked for' : 'How it stands'}</th><th class="gone">Stage</th><th class="num">At stake</th></tr></thead><tbody>${body}</tbody></table>`
}

const inMinor = (amount: Money) => ({ currency: amount.currency_code, amount: toMinor(amount) })
