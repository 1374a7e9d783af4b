import { type Fragment, raw } from '../../database/sql.ts'
import type { Money } from '../../kernel/money.ts'
import type { Invoice } from '../schema/invoice.ts'

/** What of a document is read, and what it is read as. */
export interface Look<Found> {
  /** Of `i.body`, which the statement has unpacked. */
  readonly column: Fragment
  from(shown: unknown): Found
}

export const wholeDocument: Look<Invoice> = {
  column: raw('i.body as shown'),
  from: (shown) => shown as Invoice,
}

/** What a summary and its links are made from: less than half of a document. */
export interface InvoiceSummary
  extends Pick<
    Invoice,
    'id' | 'status' | 'base_status' | 'detail' | 'primary_recipients' | 'due_amount' | 'payments' | 'refunds'
  > {
  readonly invoicer: Pick<Invoice['invoicer'], 'email_address'>
  readonly amount: Money
}

const parts = ['id', 'status', 'base_status', 'detail', 'primary_recipients', 'due_amount', 'payments', 'refunds']
  .map((name) => `'"${name}":' || (i.body->'${name}')::text || ','`)
  .join(' || ')

/**
 * Put together as text, which takes the server a third less than a smaller document would, or printing the whole one. Where
 * something is missing there is no text, and the document goes as it is.
 */
export const summary: Look<InvoiceSummary> = {
  column: raw(`coalesce('{' || ${parts} ||
    '"invoicer":{"email_address":' || (i.body->'invoicer'->'email_address')::text ||
    '},"amount":{"currency_code":' || (i.body->'amount'->'currency_code')::text ||
    ',"value":' || (i.body->'amount'->'value')::text || '}}', i.body::text) as shown`),
  from: (shown) => JSON.parse(shown as string) as InvoiceSummary,
}
