import type { Role } from '../kernel/caller.ts'
import { type InvoiceAction, invoiceLifecycle } from './lifecycle.ts'
import type { Status } from './schema/enums.ts'
import type { Invoice } from './schema/invoice.ts'

/** One of the places an action can lead to. */
export interface InvoiceOutcome {
  readonly outcome: string
  readonly status: Status
  readonly money: string
  readonly emits?: string
}

/** What follows when somebody acts, or why they cannot now. */
export type InvoiceConsequence = { readonly action: InvoiceAction } & (
  | { readonly allowed: true; readonly outcomes: readonly InvoiceOutcome[] }
  | { readonly allowed: false; readonly because: string }
)

const NOTHING_MOVES = 'No money moves.'

/** Money that moves elsewhere is only recorded here. */
const money: Partial<Record<InvoiceAction, string>> = {
  pay: 'What is paid goes to the merchant, less the fee.',
  'record-payment': 'What was paid elsewhere is written down; no money moves here.',
  'record-refund': 'What was given back elsewhere is written down; no money moves here.',
  'delete-payment': 'A payment that was written down is taken out again; no money moves here.',
  'delete-refund': 'A refund that was written down is taken out again; no money moves here.',
}

/** What each action of the table would lead to, and why the others are not possible now. Pure. */
export const invoiceConsequences = (invoice: Invoice, roles: readonly Role[]): InvoiceConsequence[] =>
  invoiceLifecycle.prospects(invoice, roles).map((prospect): InvoiceConsequence => {
    const { action } = prospect
    if (!prospect.allowed) return { action, allowed: false, because: prospect.because }
    const outcomes = prospect.rows.map(({ outcome, to, emits }) => ({
      outcome,
      status: (to as { readonly status?: Status }).status ?? invoice.status,
      money: money[action] ?? NOTHING_MOVES,
      ...(emits !== 'nothing' && { emits }),
    }))
    return { action, allowed: true, outcomes }
  })

/** What happens as time passes when nobody acts, in a sentence. Undefined if nothing does. */
export function invoiceUnattended({ status, base_status, detail }: Invoice): string | undefined {
  if (base_status === 'SCHEDULED') return `The invoice goes out on ${detail.invoice_date}.`
  return status === 'PAYMENT_PENDING' ? 'The pending payment clears or is denied.' : undefined
}
