import { isErasedAddress } from './erased.ts'
import type { JobRequest } from './job.ts'
import type { Money } from './money.ts'

/** What a mail is about; its words and its look belong to whoever sends it. */
export type MailKind =
  | 'invoice'
  | 'invoice-updated'
  | 'reminder'
  | 'invoice-cancelled'
  | 'payment-received'
  | 'payment-pending'
  | 'payment-denied'
  | 'payment-refunded'
  | 'payment-returned'

/** The payload of a `send-mail` job. Only the job reaches a mail server. */
export interface MailPayload {
  readonly account_id: string
  readonly kind: MailKind
  readonly invoice_id: string
  /** Whose view of the matter the mail takes. */
  readonly to: 'recipient' | 'invoicer'
  readonly recipients: readonly string[]
  /** The caller's own words, if the contract allows any. */
  readonly subject?: string
  readonly note?: string
  /** The money it is about, where that is not the invoice's own. */
  readonly amount?: Money
  readonly part_of?: PartOf
}

/**
 * The job that was divided into one mail for each reader. The mail is named after that job, so it stays the same mail if
 * that is repeated.
 */
export interface PartOf {
  readonly label: string
  readonly part: number
}

/** Whether a mail can go to an address. The contract accepts more: several addresses at once, names around them, comments. */
export const isMailable = (address: string): boolean =>
  /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/.test(address) && !isErasedAddress(address)

/** The job that sends a mail. */
export const mailJob = (payload: MailPayload): JobRequest => ({ name: 'send-mail', payload: { ...payload } })
