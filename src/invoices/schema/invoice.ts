import type { Instant } from '../../kernel/clock.ts'
import type { Money } from '../../kernel/money.ts'
import type { BaseStatus, DisplayField, Status } from './enums.ts'
import type { InvoiceInput, Metadata, Payment, Refund } from './given.ts'
import type { AmountSummary } from './lines.ts'

/** Where an invoice stands. Only the lifecycle table writes these two. */
export interface InvoiceState {
  /** What everybody sees. */
  readonly status: Status
  /** The status that it has, or goes back to, when no money is on it. */
  readonly base_status: BaseStatus
}

/** A payment with the tip that came with it. The tip counts when the payment does. */
export type StoredPayment = Payment & { readonly tip?: Money }

/** A refund with the service payment that it gives back. Refunds from before this was stored do not name one. */
export type StoredRefund = Refund & { readonly payment_id?: string }

type Written = Required<Pick<InvoiceInput, 'primary_recipients' | 'additional_recipients' | 'items'>>

/**
 * An invoice as it is stored: the document that is shown, without what depends on where and how the service runs
 * (links, addresses of pages, brand names), and with what only we need to know.
 */
export interface Invoice extends InvoiceState, Written {
  readonly id: string
  readonly detail: InvoiceInput['detail'] & {
    readonly invoice_number: string
    readonly invoice_date: string
    readonly payment_term: { readonly term_type: string; readonly due_date?: string }
    readonly metadata: Metadata & { readonly create_time: string }
  }
  readonly invoicer: NonNullable<InvoiceInput['invoicer']>
  readonly configuration: NonNullable<InvoiceInput['configuration']>
  readonly amount: AmountSummary & Money
  readonly due_amount: Money
  readonly gratuity?: Money
  readonly payments: readonly StoredPayment[]
  readonly refunds: readonly StoredRefund[]
  /** The app whose subscribers hear what happens without a call: time passing, a buyer paying. */
  readonly app_id?: string
  /** What the template hides from which it was made. The template may change later, but the invoice does not. */
  readonly hidden_fields?: readonly DisplayField[]
  /** When reminders went out. Needed for the limit per day. */
  readonly reminder_times: readonly Instant[]
  /** When the primary recipients changed. Needed for the limit within 72 hours. */
  readonly recipient_change_times: readonly Instant[]
  /** The name of the last full update. */
  readonly last_update?: string
  /** What the caller of `send` wanted in the mail that goes out on the issue date. */
  readonly issue_notice?: {
    readonly subject?: string
    readonly note?: string
    readonly additional_recipients?: string[]
  }
}
