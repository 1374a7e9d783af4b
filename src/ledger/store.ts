import { batched, sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { toMinor } from '../kernel/money.ts'
import type { PaymentTransaction, Refund } from './schema.ts'

/** A payment as it was read, with what is needed to change it safely. */
export interface StoredTransaction {
  readonly transaction: PaymentTransaction
  readonly version: number
  /** What the seller could spend in the payment's currency at the time of reading. */
  readonly balance: bigint
}

const transactionBySellerId = sql`
  select t.body as transaction, t.version, coalesce(b.amount, 0) as balance
    from payment_transactions t
    left join ledger_balances b on b.account_id = t.account_id and b.book = 'balance' and b.currency = t.currency
   where t.account_id = $1 and t.id = $2`
// The subquery hides the length of the list from the planner. Otherwise PostgreSQL would prefer a plan of its own for one
// payment, and planning takes longer than reading.
const transactionsBySellerId = sql`
  select t.body as transaction, t.version, coalesce(b.amount, 0) as balance
    from payment_transactions t
    left join ledger_balances b on b.account_id = t.account_id and b.book = 'balance' and b.currency = t.currency
   where t.account_id = $1 and t.id = any((select $2::text[])::text[])`
const paymentById = sql`select body from payment_transactions where account_id = $1 and id = $2`
const transactionByEitherId = sql`
  select t.body as transaction, t.version, coalesce(b.amount, 0) as balance
    from payment_transactions t
    left join ledger_balances b on b.account_id = t.account_id and b.book = 'balance' and b.currency = t.currency
   where t.id = $1 or t.buyer_transaction_id = $1
   order by (t.buyer_transaction_id = $1) desc limit 1`
const transactionsByEitherId = sql`
  select asked.id as asked, t.body as transaction, t.version, coalesce(b.amount, 0) as balance
    from unnest($1::text[]) as asked (id)
    cross join lateral (
      select * from payment_transactions t where t.id = asked.id or t.buyer_transaction_id = asked.id
       order by (t.buyer_transaction_id = asked.id) desc limit 1) t
    left join ledger_balances b on b.account_id = t.account_id and b.book = 'balance' and b.currency = t.currency`
const transactionsOfInvoice = sql`
  select body as transaction from payment_transactions where account_id = $1 and invoice_id = $2 order by create_time, id`
const refundById = sql`
  select r.body as refund, t.body as transaction
    from payment_refunds r join payment_transactions t on t.account_id = r.account_id and t.id = r.transaction_id
   where r.account_id = $1 and r.id = $2`
const refundsCounted = sql`
  select count(*)::int as n from (select from payment_refunds where account_id = $1 and transaction_id = $2 limit $3) counted`
const standingRefunds = sql`
  select body as refund from payment_refunds
   where account_id = $1 and transaction_id = $2 and body->>'status' = 'COMPLETED' order by create_time, id`

/** The seller's own payment with this id. */
export const findTransaction = (db: Reader, accountId: string, id: string) =>
  db.row<StoredTransaction>(transactionBySellerId, [accountId, id])

/** The seller's own payments with these ids, by id. */
export async function findTransactions(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredTransaction>> {
  const rows = await db.rows<StoredTransaction>(transactionsBySellerId, [accountId, ids])
  return new Map(rows.map((row) => [row.transaction.id, row]))
}

/** The same for looking only, without what is needed to change it. */
export async function findPayment(db: Reader, accountId: string, id: string): Promise<PaymentTransaction | undefined> {
  return (await db.row<{ body: PaymentTransaction }>(paymentById, [accountId, id]))?.body
}

/** A payment by the id that either side knows it by, whoever asks. The caller of this function checks whose it is. */
export const findTransactionByEitherId = (db: Reader, id: string) =>
  db.row<StoredTransaction>(transactionByEitherId, [id])

/** The same for several, by the id that was asked for. */
export async function findTransactionsByEitherId(
  db: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredTransaction>> {
  const rows = await db.rows<StoredTransaction & { asked: string }>(transactionsByEitherId, [ids])
  return new Map(rows.map(({ asked, ...row }) => [asked, row]))
}

export async function findTransactionsOfInvoice(db: Reader, accountId: string, invoiceId: string) {
  const rows = await db.rows<{ transaction: PaymentTransaction }>(transactionsOfInvoice, [accountId, invoiceId])
  return rows.map(({ transaction }) => transaction)
}

export const findRefund = (db: Reader, accountId: string, id: string) =>
  db.row<{ refund: Refund; transaction: PaymentTransaction }>(refundById, [accountId, id])

/** How many refunds a payment has, counted up to `most`. */
export const countRefunds = async (db: Reader, { seller, id }: PaymentTransaction, most: number): Promise<number> =>
  (await db.row<{ n: number }>(refundsCounted, [seller.account_id, id, most]))!.n

/** The refunds of a payment that were not overturned, oldest first. */
export async function findStandingRefunds(db: Reader, accountId: string, transactionId: string): Promise<Refund[]> {
  return (await db.rows<{ refund: Refund }>(standingRefunds, [accountId, transactionId])).map(({ refund }) => refund)
}

const ofPayments = { table: 'payment_transactions', key: 2 }
const ofRefunds = { table: 'payment_refunds', key: 2 }

const insertTransaction = batched(
  ofPayments,
  `insert into payment_transactions (account_id, id, body, currency, captured, held, create_time)
   select account_id, id, body::jsonb, currency, captured, held, create_time
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[])
       as p (account_id, id, body, currency, captured, held, create_time)`,
)
/** The keys are given as arrays as well: a plan made while there are few payments would otherwise join by reading all of them. */
const updateTransaction = batched(
  ofPayments,
  `update payment_transactions t set body = p.body::jsonb, version = t.version + 1, refunded = p.refunded, held = p.held
     from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::bigint[], $6::bigint[])
       as p (account_id, id, version, body, refunded, held)
    where t.account_id = any($1::text[]) and t.id = any($2::text[])
      and t.account_id = p.account_id and t.id = p.id and t.version = p.version`,
)
const pinTransaction = sql`
  update payment_transactions set version = version + 1 where account_id = $1 and id = $2 and version = $3`
const updateRefundRow = batched(
  ofRefunds,
  `update payment_refunds t set body = r.body::jsonb
     from unnest($1::text[], $2::text[], $3::text[]) as r (account_id, id, body)
    where t.account_id = any($1::text[]) and t.id = any($2::text[]) and t.account_id = r.account_id and t.id = r.id`,
)
const pinRefundRow = sql`update payment_refunds set body = body where account_id = $1 and id = $2 and body->>'status' = $3`
const insertRefundRow = batched(
  ofRefunds,
  `insert into payment_refunds (account_id, id, transaction_id, body, amount, create_time)
   select account_id, id, transaction_id, body::jsonb, amount, create_time
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
       as r (account_id, id, transaction_id, body, amount, create_time)`,
)

export function insertPayment(tx: Tx, transaction: PaymentTransaction): void {
  const { seller, id, gross, held, create_time } = transaction
  tx.about(seller.account_id, id)
  tx.write(insertTransaction, [
    seller.account_id,
    id,
    JSON.stringify(transaction),
    gross.currency_code,
    toMinor(gross),
    toMinor(held),
    create_time,
  ])
}

/** Saves a changed payment. Of several that read the same version, exactly one gets through; the others start over. */
export function savePayment(tx: Tx, version: number, transaction: PaymentTransaction): void {
  const { seller, id, refunded, held } = transaction
  const values = [JSON.stringify(transaction), toMinor(refunded), toMinor(held)]
  tx.guard(updateTransaction, [seller.account_id, id, version, ...values])
}

/** Leaves a payment unchanged, but makes everybody else who read this version start over. */
export function pinPayment(tx: Tx, { transaction, version }: StoredTransaction): void {
  tx.guard(pinTransaction, [transaction.seller.account_id, transaction.id, version])
}

export function insertRefund(tx: Tx, accountId: string, refund: Refund): void {
  const { id, transaction_id, amount, create_time } = refund
  tx.about(accountId, transaction_id)
  tx.write(insertRefundRow, [accountId, id, transaction_id, JSON.stringify(refund), toMinor(amount), create_time])
}

/** Saves a changed refund. Its payment changes in the same unit of work, and is the row that two changes race for. */
export function saveRefund(tx: Tx, accountId: string, refund: Refund): void {
  tx.about(accountId, refund.transaction_id)
  tx.write(updateRefundRow, [accountId, refund.id, JSON.stringify(refund)])
}

/** Reads a refund and guards it: unless it has the same status when this unit of work commits, the work starts over. */
export async function pinRefund(tx: Tx, accountId: string, id: string): Promise<Refund | undefined> {
  const found = await findRefund(tx, accountId, id)
  if (found) tx.guard(pinRefundRow, [accountId, id, found.refund.status])
  return found?.refund
}
