import { type Fragment, raw } from '../../database/sql.ts'
import type { Money } from '../../kernel/money.ts'
import type { Invoice } from '../schema/invoice.ts'

/** Which part of a document is read, and what becomes of it. */
export interface Look<Found> {
  /** A part of `i.body`, which the statement has unpacked. */
  readonly column: Fragment
  from(shown: unknown): Found
}

export const wholeDocument: Look<Invoice> = {
  column: raw('i.body as shown'),
  from: (shown) => shown as Invoice,
}

/** What a summary and its links are made from. It is less than half of a document. */
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
 * The summary is put together as text. That takes the server a third less than making a smaller document, or printing the
 * whole one. If a part is missing there is no such text, and the whole document is sent.
 */
export const summary: Look<InvoiceSummary> = {
  column: raw(`coalesce('{' || ${parts} ||
    '"invoicer":{"email_address":' || (i.body->'invoicer'->'email_address')::text ||
    '},"amount":{"currency_code":' || (i.body->'amount'->'currency_code')::text ||
    ',"value":' || (i.body->'amount'->'value')::text || '}}', i.body::text) as shown`),
  from: (shown) => JSON.parse(shown as string) as InvoiceSummary,
}
