import { stampOf } from '../database/recall.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { toMinor } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import { disputeLifecycle } from './machine/lifecycle.ts'
import { totalCovered, totalRefunded } from './machine/payments.ts'
import { dueDates, stateFor, wonOrLost } from './machine/state.ts'
import type { Dispute, Side } from './schema/dispute.ts'

/** A dispute as it was read, with what is needed to change it safely. */
export interface StoredDispute {
  readonly dispute: Dispute
  readonly version: number
}

const disputeById = sql`select body as dispute, version from disputes where id = $1`
const disputeUnlessKnown = statementOf(`
  select stamp, case when stamp is distinct from $2 then body::text end as text from (
    select body, ${stampOf('d')} as stamp from disputes d where id = $1 offset 0) d`)
const disputeOfTransaction = sql`
  select d.body as dispute, d.version, t.withdrawn, t.taken_out from disputed_transactions t
    join disputes d on d.account_id = t.account_id and d.id = t.dispute_id
   where t.account_id = $1 and t.transaction_id = $2
   order by t.withdrawn, (t.channel = 'INTERNAL') desc, d.create_time desc limit 1`
const disputesOfTransactions = sql`
  select d.body as dispute, d.version from disputes d
   where d.account_id = $1 and d.id = any(array(
     select dispute_id from disputed_transactions
      where account_id = $1 and transaction_id = any($2::text[]) and not taken_out))`
const standingOfEach = sql`
  select asked.transaction_id from unnest($1::text[], $2::text[]) as asked (account_id, transaction_id)
   where (
     select true from disputed_transactions t
      where t.account_id = asked.account_id and t.transaction_id = asked.transaction_id and not t.withdrawn limit 1)`
const insertRow = sql`
  insert into disputes (account_id, id, body, buyer_account_id, reason, status, stage, flow, channel, seller_state,
    buyer_state, currency, amount, refunded, covered, due_time, outcome_code, buyer_email, buyer_name, invoice_number,
    seller_summary, buyer_summary, takes_info, create_time, update_time)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`
const updateRow = sql`
  update disputes set body = $4, version = version + 1, reason = $5, status = $6, stage = $7, flow = $8,
    seller_state = $9, buyer_state = $10, amount = $11, refunded = $12, covered = $13, due_time = $14,
    outcome_code = $15, seller_summary = $16, buyer_summary = $17, takes_info = $18, update_time = $19,
    invoice_number = $20
   where account_id = $1 and id = $2 and version = $3`
const insertTransactionRows = sql`
  insert into disputed_transactions (account_id, transaction_id, dispute_id, buyer_transaction_id, channel)
  select $1::text, transaction_id, $2::text, buyer_transaction_id, $3::text
    from unnest($4::text[], $5::text[]) as one (transaction_id, buyer_transaction_id)`

/** The dispute with this id, whoever asks. The caller of this function checks who may see it. */
export const findDispute = (db: Reader, id: string) => db.row<StoredDispute>(disputeById, [id])

/** A dispute, with the texts in which it was shown to viewers. */
export interface RecalledDispute {
  readonly dispute: Dispute
  readonly texts: Map<string, string>
}

/** The same, whoever asks. The dispute is read only if it has changed since it was last read. */
export const recallDispute = ({ recall }: Service, db: Reader, id: string) =>
  recall.row<RecalledDispute>(db, `dispute ${id}`, {
    query: (known) => ({ statement: disputeUnlessKnown, values: [id, known] }),
    make: (text) => ({ dispute: JSON.parse(text) as Dispute, texts: new Map() }),
  })

/**
 * A dispute about a payment. If the payer withdrew it, another dispute can be opened. If the payment was taken out of it, no
 * other can be opened, although this one is only about the other payments.
 */
export interface DisputeOfPayment extends StoredDispute {
  readonly withdrawn: boolean
  readonly taken_out: boolean
}

/** Whether a dispute is still open, and still about this payment. */
export const isUnderWay = ({ dispute, taken_out }: DisputeOfPayment): boolean =>
  !taken_out && dispute.status !== 'RESOLVED'

/**
 * The dispute about a payment; the newest if there are several. A dispute between the parties goes before any that a bank
 * opened, and a withdrawn one is only found if there is no other.
 */
export const findDisputeOf = (db: Reader, accountId: string, transactionId: string) =>
  db.row<DisputeOfPayment>(disputeOfTransaction, [accountId, transactionId])

/** Which of these payments have a dispute that was not withdrawn, whoever opened it. */
export async function findDisputed(
  db: Reader,
  payments: readonly { readonly accountId: string; readonly id: string }[],
): Promise<ReadonlySet<string>> {
  const accounts = payments.map(({ accountId }) => accountId)
  const ids = payments.map(({ id }) => id)
  const rows = await db.rows<{ transaction_id: string }>(standingOfEach, [accounts, ids])
  return new Set(rows.map(({ transaction_id }) => transaction_id))
}

const withdrawRows = sql`
  update disputed_transactions set withdrawn = true where account_id = $1 and dispute_id = $2 and not taken_out`

/** Lets the payments of a withdrawn dispute be disputed again, except those that were taken out of it before. */
export function withdrawDispute(tx: Tx, { seller, dispute_id }: Dispute): void {
  tx.write(withdrawRows, [seller.account_id, dispute_id])
}

const takeOutRows = sql`
  update disputed_transactions set taken_out = true
   where account_id = $1 and dispute_id = $2 and transaction_id = any($3::text[])`

/** Marks the payments that a dispute is no longer about. They still count as disputed, since that is possible only once. */
export function takeOut(tx: Tx, before: Dispute, { seller, dispute_id, disputed_transactions: left }: Dispute): void {
  const gone = before.disputed_transactions
    .map(({ seller_transaction_id }) => seller_transaction_id)
    .filter((id) => !left.some(({ seller_transaction_id }) => seller_transaction_id === id))
  if (gone.length > 0) tx.write(takeOutRows, [seller.account_id, dispute_id, gone])
}

/** Every dispute about one of these payments, open or not. */
export const findDisputesOf = (db: Reader, accountId: string, transactionIds: readonly string[]) =>
  db.rows<StoredDispute>(disputesOfTransactions, [accountId, transactionIds])

/** The version of a dispute when it is first stored. */
export const FIRST_VERSION = 1

export function insertDispute(tx: Tx, dispute: Dispute): void {
  const { seller, dispute_id, buyer, dispute_channel, create_time, disputed_transactions } = dispute
  const columns = columnsOf(dispute)
  tx.about(seller.account_id, dispute_id)
  tx.write(insertRow, [
    seller.account_id,
    dispute_id,
    JSON.stringify(dispute),
    buyer.account_id ?? null,
    columns.reason,
    columns.status,
    columns.stage,
    columns.flow,
    dispute_channel,
    columns.sellerState,
    columns.buyerState,
    dispute.dispute_amount.currency_code,
    columns.amount,
    columns.refunded,
    columns.covered,
    columns.due,
    columns.outcome,
    buyer.email?.toLowerCase() ?? null,
    buyer.name?.toLowerCase() ?? null,
    columns.invoiceNumber,
    columns.sellerSummary,
    columns.buyerSummary,
    columns.takesInfo,
    create_time,
    dispute.update_time,
  ])
  tx.write(insertTransactionRows, [
    seller.account_id,
    dispute_id,
    dispute_channel,
    disputed_transactions.map(({ seller_transaction_id }) => seller_transaction_id),
    disputed_transactions.map(({ buyer_transaction_id }) => buyer_transaction_id),
  ])
}

/** Saves a changed dispute. Of several that read the same version exactly one gets through; the others start over. */
export function saveDispute(tx: Tx, version: number, dispute: Dispute): void {
  const columns = columnsOf(dispute)
  tx.about(dispute.seller.account_id, dispute.dispute_id)
  tx.guard(updateRow, [
    dispute.seller.account_id,
    dispute.dispute_id,
    version,
    JSON.stringify(dispute),
    columns.reason,
    columns.status,
    columns.stage,
    columns.flow,
    columns.sellerState,
    columns.buyerState,
    columns.amount,
    columns.refunded,
    columns.covered,
    columns.due,
    columns.outcome,
    columns.sellerSummary,
    columns.buyerSummary,
    columns.takesInfo,
    dispute.update_time,
    columns.invoiceNumber,
  ])
}

function columnsOf(dispute: Dispute) {
  const { status, timer, dispute_outcome, disputed_transactions } = dispute
  const waits = status === 'WAITING_FOR_BUYER_RESPONSE' || status === 'WAITING_FOR_SELLER_RESPONSE'
  return {
    reason: dispute.reason,
    status,
    stage: dispute.dispute_life_cycle_stage,
    flow: dispute.flow,
    sellerState: stateFor(dispute, 'seller'),
    buyerState: stateFor(dispute, 'buyer'),
    amount: toMinor(dispute.dispute_amount),
    refunded: totalRefunded(dispute),
    covered: totalCovered(dispute),
    due: waits ? (timer?.due ?? null) : null,
    outcome: dispute_outcome?.outcome_code ?? null,
    invoiceNumber: disputed_transactions[0]?.invoice_number ?? null,
    sellerSummary: JSON.stringify(summaryOf(dispute, 'seller')),
    buyerSummary: JSON.stringify(summaryOf(dispute, 'buyer')),
    takesInfo: takesInfo(dispute),
  }
}

/** Whether lists show that information can be added. One flag is stored for both sides, so each must have room for more. */
function takesInfo(dispute: Dispute): boolean {
  const sides = dispute.dispute_channel === 'INTERNAL' ? (['seller', 'buyer'] as const) : (['seller'] as const)
  return sides.every((side) => disputeLifecycle.allows(dispute, [side], 'provide-supporting-info'))
}

/** What a list shows of a dispute to one side. Without links, because they depend on the address of the service. */
function summaryOf(dispute: Dispute, side: Side): object {
  const { dispute_outcome, disputed_transactions, seller } = dispute
  const outcome = dispute_outcome && wonOrLost(dispute_outcome.outcome_code, side)
  return {
    dispute_id: dispute.dispute_id,
    create_time: dispute.create_time,
    update_time: dispute.update_time,
    disputed_transactions: disputed_transactions.map(({ buyer_transaction_id, seller_transaction_id }) => ({
      buyer_transaction_id,
      ...(side === 'seller' && { seller_transaction_id }),
      seller: { merchant_id: seller.account_id },
    })),
    reason: dispute.reason,
    status: dispute.status,
    dispute_state: stateFor(dispute, side),
    dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
    dispute_channel: dispute.dispute_channel,
    dispute_amount: dispute.dispute_amount,
    ...dueDates(dispute),
    ...(outcome && { outcome }),
  }
}
