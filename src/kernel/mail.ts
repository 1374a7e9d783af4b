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
  /** Whose view of the matter the mail tells. */
  readonly to: 'recipient' | 'invoicer'
  readonly recipients: readonly string[]
  /** The caller's own words, where the contract lets them speak. */
  readonly subject?: string
  readonly note?: string
  /** The money it is about, where that is not the invoice's own. */
  readonly amount?: Money
  readonly part_of?: PartOf
}

/** The job that a mail was divided by, one for each reader. It is named after it, so that it is the same mail whenever that is done again. */
export interface PartOf {
  readonly label: string
  readonly part: number
}

/** Whether a mail can go to an address. The contract takes more for one: several at once, names around it, comments. */
export const isMailable = (address: string): boolean =>
  /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/.test(address) && !isErasedAddress(address)

/** The job that sends a mail. */
export const mailJob = (payload: MailPayload): JobRequest => ({ name: 'send-mail', payload: { ...payload } })
