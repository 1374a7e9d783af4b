import type { Account } from '../accounts/schema.ts'
import { stampOf } from '../database/recall.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { toMinor } from '../kernel/money.ts'
import { notFound } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { type Ground, groundRows, groundVersions } from './ground.ts'
import type { ChosenNumber } from './numbers.ts'
import { idOfCode } from './schema/codes.ts'
import type { Payment, Refund } from './schema/given.ts'
import type { Invoice } from './schema/invoice.ts'
import { searchColumns } from './search/columns.ts'
import { numberKey } from './sums/numbering.ts'

/** An invoice with the version it was read at and the merchant it belongs to. */
export interface StoredInvoice {
  readonly invoice: Invoice
  readonly version: number
  readonly account: Account
}

const invoiceById = sql`select body from invoices where account_id = $1 and id = $2`
const invoiceUnlessKnown = statementOf(`
  select stamp, case when stamp is distinct from $3 then body::text end as text from (
    select body, ${stampOf('i')} as stamp from invoices i where account_id = $1 and id = $2 offset 0) i`)
const storedById = sql`
  select i.body as invoice, i.version, a.body as account
  from invoices i join accounts a on a.id = i.account_id
  where i.account_id = $1 and i.id = $2`
const storedByCode = sql`
  select i.body as invoice, i.version, a.body as account
  from invoices i join accounts a on a.id = i.account_id
  where i.id = $1`

/** The document, in one statement; a refusal when this account has no such invoice. */
export async function findInvoice(db: Reader, accountId: string, id: string): Promise<Invoice> {
  const row = await db.row<{ body: Invoice }>(invoiceById, [accountId, id])
  if (!row) throw notFound('The invoice')
  return row.body
}

export async function findStored(db: Reader, accountId: string, id: string): Promise<StoredInvoice> {
  const row = await db.row<StoredInvoice>(storedById, [accountId, id])
  if (!row) throw notFound('The invoice')
  return row
}

/** What is made of the document. The document is read only if it has changed since that was made. */
export async function recallInvoice(
  { recall, publicUrl }: Service,
  db: Reader,
  { accountId, id }: { accountId: string; id: string },
  make: (invoice: Invoice) => string,
): Promise<string> {
  const made = await recall.row(db, `invoice ${publicUrl} ${id}`, {
    query: (known) => ({ statement: invoiceUnlessKnown, values: [accountId, id, known] }),
    make: (text) => make(JSON.parse(text) as Invoice),
  })
  if (made === undefined) throw notFound('The invoice')
  return made
}

/** Finds an invoice for the hosted page, which knows only the code. Whoever has the code may see the invoice. */
export async function findByRecipientCode(db: Reader, code: string): Promise<StoredInvoice | undefined> {
  const id = idOfCode(code)
  return id === undefined ? undefined : db.row<StoredInvoice>(storedByCode, [id])
}

/**
 * Inserts only if nothing has changed that the draft was made from. With a number of ours, only if it follows that of the
 * newest.
 */
const insertText = `
  insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
    business_names, reference, memo, item_text, grams)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, array_to_tsvector($14::text[])
  from ${groundRows('$15')}
  where a.id = $1 and ${groundVersions} = $16`
const insertStatement = statementOf(insertText)
const insertNumberedStatement = statementOf(`${insertText}
    and ($17::text is null or ($17, $18::text) = (
      select newest.id, newest.number_key from invoices newest where newest.account_id = $1
      order by newest.create_time desc, newest.seq desc limit 1))
  on conflict (account_id, number_key) do nothing`)

/**
 * Stores a new invoice, if what it was made from is still so. If we chose the number and somebody else took it, the work
 * starts over as well.
 */
export function insertInvoice(
  tx: Tx,
  { account, templateId, versions }: Ground,
  invoice: Invoice,
  number: ChosenNumber,
): void {
  const columns = [account.id, invoice.id, JSON.stringify(invoice), tx.now, ...searchColumns(invoice)]
  const values = [...columns, templateId, versions]
  tx.about(account.id, invoice.id)
  number.creates(invoice.id)
  const { isOurs, after } = number
  if (isOurs) tx.guard(insertNumberedStatement, [...values, after?.id ?? null, after ? numberKey(after.number) : null])
  else tx.guard(insertStatement, values)
}

const updateStatement = sql`
  update invoices set body = $4, version = version + 1, number_key = $5, amount_minor = $6, emails = $7,
    first_names = $8, last_names = $9, business_names = $10, reference = $11, memo = $12, item_text = $13,
    grams = array_to_tsvector($14::text[])
  where account_id = $1 and id = $2 and version = $3`
const updateBodyStatement = sql`
  update invoices set body = $4, version = version + 1 where account_id = $1 and id = $2 and version = $3`

const renewGround = sql`update accounts set body = body where id = $1`

/** Writes the document, if nobody else has done so meanwhile. */
export function saveInvoice(tx: Tx, { invoice: before, version, account }: StoredInvoice, invoice: Invoice): void {
  const key = [account.id, invoice.id, version]
  // The key of the number stays the same, so a creation that counts on from the old spelling would not notice. It looks at
  // this row too.
  if (isRespelt(before.detail.invoice_number, invoice.detail.invoice_number)) tx.write(renewGround, [account.id])
  tx.about(account.id, invoice.id)
  // Most changes touch nothing that a search reads. Then the index of words is left as it is.
  if (isSearchedAlike(before, invoice)) tx.guard(updateBodyStatement, [...key, JSON.stringify(invoice)])
  else tx.guard(updateStatement, [...key, JSON.stringify(invoice), ...searchColumns(invoice)])
}

const isRespelt = (before: string, after: string) => before !== after && numberKey(before) === numberKey(after)

const isSearchedAlike = (before: Invoice, after: Invoice) =>
  before.items === after.items &&
  before.primary_recipients === after.primary_recipients &&
  before.additional_recipients === after.additional_recipients &&
  before.amount === after.amount &&
  before.detail.memo === after.detail.memo &&
  before.detail.reference === after.detail.reference &&
  before.detail.invoice_number === after.detail.invoice_number

const deleteStatement = sql`delete from invoices where account_id = $1 and id = $2 and version = $3`

export function deleteInvoice(tx: Tx, { invoice, version, account }: StoredInvoice): void {
  tx.about(account.id, invoice.id)
  tx.guard(deleteStatement, [account.id, invoice.id, version])
}

const insertTransactionStatement = sql`
  insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor, pending,
    create_time, invoice_create_time, invoice_seq)
  select account_id, $2, id, $4, $5, $6, $7, $8::bigint, $9, $10, create_time, seq
  from invoices where account_id = $1 and id = $3`
const changeTransactionStatement = sql`
  update invoice_transactions set amount_minor = $3, pending = $4 where account_id = $1 and id = $2`
const deleteTransactionStatement = sql`delete from invoice_transactions where account_id = $1 and id = $2`

/** Keeps the rows for an invoice's money the same as its document. */
export function saveTransactions(tx: Tx, { invoice: before, account }: StoredInvoice, after: Invoice): void {
  const entries = (invoice: Invoice) => [
    ...invoice.payments.map((payment) => [payment.payment_id, paymentRow(payment)] as const),
    ...invoice.refunds.map((refund) => [refund.refund_id, refundRow(refund)] as const),
  ]
  if (before.payments === after.payments && before.refunds === after.refunds) return
  const had = new Map(entries(before))
  const has = new Map(entries(after))
  for (const id of had.keys()) if (!has.has(id)) tx.write(deleteTransactionStatement, [account.id, id])
  for (const [id, row] of has) {
    if (!had.has(id)) tx.write(insertTransactionStatement, [account.id, id, after.id, ...row, tx.now])
    else if (CHANGING.some((place) => had.get(id)![place] !== row[place]))
      tx.write(changeTransactionStatement, [account.id, id, ...CHANGING.map((place) => row[place])])
  }
}

/** The places of the amount, and of whether it is pending. */
const CHANGING = [4, 5] as const
const paymentRow = ({ type, payment_date, amount, transaction_status }: Payment) => [
  'PAYMENT',
  type,
  payment_date,
  amount.currency_code,
  toMinor(amount),
  transaction_status === 'PENDING',
]
const refundRow = ({ type, refund_date, amount }: Refund) => [
  'REFUND',
  type,
  refund_date,
  amount.currency_code,
  toMinor(amount),
  false,
]
