import { type Found, viewerOf } from '../../disputes/access.ts'
import { rulesOf } from '../../disputes/house.ts'
import {
  type DisputeConsequence,
  type DisputeOutcome,
  disputeConsequences,
  ifNobodyActs,
  type Unattended,
} from '../../disputes/machine/consequences.ts'
import { nodes } from '../../disputes/machine/nodes.ts'
import { nodeName } from '../../disputes/machine/step.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type InvoiceConsequence, invoiceConsequences, invoiceUnattended } from '../../invoices/consequences.ts'
import type { Invoice as StoredInvoice } from '../../invoices/schema/invoice.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Service } from '../../room.ts'
import { mono } from '../parts/parts.ts'
import type { Visit } from '../visit.ts'
import { money, requirement, standingWords } from '../words.ts'

/** What can become of a dispute, as the table and the deadlines tell it to the onlooker. */
export interface Prospects {
  /** The node that the dispute stands at, and below that what it means. */
  readonly here: string
  readonly standing: string
  readonly consequences: readonly DisputeConsequence[]
  readonly unattended: Unattended | undefined
}

export function prospectsOf(found: Found, visit: Visit, service: Service): Prospects {
  const rules = rulesOf(service)
  return {
    ...standingOf(found.dispute),
    consequences: disputeConsequences(found.dispute, viewerOf(found).roles, {
      now: visit.now as Instant,
      rules,
      printed: money,
    }),
    unattended: ifNobodyActs(found.dispute, rules),
  }
}

const meanings = new Map(nodes.map(({ node, meaning }) => [nodeName(node), meaning]))
function standingOf(dispute: Parameters<typeof nodeName>[0]): Pick<Prospects, 'here' | 'standing'> {
  const here = nodeName(dispute)
  return { here, standing: meanings.get(here) ?? here }
}

/**
 * What follows when a form is sent: where the dispute goes, by when somebody must act then, what happens to the money, and who
 * hears of it.
 */
export function followsOf({ consequences }: Prospects, action: string, { times }: Visit): Content {
  const one = consequences.find((each) => each.action === action)
  if (!one?.allowed) return undefined
  const moved = new Set(one.outcomes.map((outcome) => outcome.money))
  const told = distinct(one.outcomes.map((outcome) => tellOutcome(outcome, times, moved.size > 1)))
  return html`${told.map((text, i) => html`${i > 0 && html`<br>Or: `}${text}`)}${moved.size === 1 && html` ${[...moved]}`}${heard(one.outcomes)}`
}

const distinct = (list: readonly Html[]): Html[] => [...new Map(list.map((one) => [one.text, one])).values()]

const tellOutcome = (
  { standing, money: moved, deadline }: DisputeOutcome,
  times: Visit['times'],
  withMoney: boolean,
): Html =>
  html`${capital(standing)}${deadline && html`, by <b>${times.at(deadline.due)}</b> or else: ${deadline.next}`}.${withMoney && ` ${moved}`}`

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const heard = (outcomes: readonly { readonly emits?: string }[]): Content => {
  const names = [...new Set(outcomes.flatMap(({ emits }) => emits ?? []))]
  return (
    names.length > 0 &&
    html` <span class="soft">Subscribers hear ${names.map((name, i) => html`${i > 0 && ' or '}${mono(name)}`)}.</span>`
  )
}

/** What happens in time when nobody does anything. */
export const unless = ({ unattended }: Prospects, { times }: Visit): Content =>
  unattended &&
  html`<div class="unless"><p><b>If nobody acts</b></p><p>${times.fully(unattended.at)}: ${unattended.next}.${unattended.money.map(
    ({ party, type, amount }) =>
      html` ${money(amount)} ${type === 'DEBIT' ? 'is taken from' : 'goes to'} the ${party === 'BUYER' ? 'buyer' : 'seller'}.`,
  )} Then ${unattended.standing}.</p></div>`

/** Where the dispute can go from here, through what the onlooker may do and through time. */
export function whereItCanGo({ here, standing, consequences, unattended }: Prospects): Html {
  const ahead = new Map(
    [...consequences.flatMap((one) => (one.allowed ? one.outcomes : [])), ...(unattended ? [unattended] : [])].flatMap(
      ({ node, standing: meaning }) => (node === here ? [] : [[node, meaning] as const]),
    ),
  )
  return html`<ol class="places"><li class="here"><b>${capital(standing)}</b></li>${[...ahead].map(
    ([, meaning]) => html`<li>${capital(meaning)}</li>`,
  )}</ol>`
}

type Named = (action: string) => string

/** What is not possible now, and what it would take. */
export function notNow(consequences: readonly (DisputeConsequence | InvoiceConsequence)[], nameOf: Named): Content {
  const list = consequences.flatMap((one) => (one.allowed ? [] : [[one.action, one.because] as const]))
  return (
    list.length > 0 &&
    html`<div class="not-now"><h3>Not now</h3><ul>${list.map(
      ([action, because]) => html`<li><span>${nameOf(action)}</span><span>${requirement(because)}</span></li>`,
    )}</ul></div>`
  )
}

export interface InvoiceProspects {
  readonly consequences: readonly InvoiceConsequence[]
  readonly unattended: string | undefined
}

export const invoiceProspects = (invoice: StoredInvoice): InvoiceProspects => ({
  consequences: invoiceConsequences(invoice, ['seller']),
  unattended: invoiceUnattended(invoice),
})

/** What follows when a form of an invoice is sent. */
export function invoiceFollows({ consequences }: InvoiceProspects, action: string, status: string): Content {
  const one = consequences.find((each) => each.action === action)
  if (!one?.allowed) return undefined
  const standings = [...new Set(one.outcomes.map((outcome) => outcome.status))].filter((each) => each !== status)
  const moved = [...new Set(one.outcomes.map((outcome) => outcome.money))].join(' ')
  return html`${standings.length > 0 && `It is then ${standings.map((each) => standingWords(each).toLowerCase()).join(' or ')}. `}${moved}${heard(one.outcomes)}`
}
