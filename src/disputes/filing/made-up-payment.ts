import type { Account } from '../../accounts/schema.ts'
import { findAccount, findFirstAccount } from '../../accounts/store.ts'
import { sql } from '../../database/sql.ts'
import type { Tx } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import { isSound, type Money, normalise, toMinor, toMoney } from '../../kernel/money.ts'
import { breaches } from '../../kernel/problem.ts'
import type { Party, PaymentTransaction } from '../../ledger/schema.ts'
import type { StoredTransaction } from '../../ledger/store.ts'

const ownerOfApp = sql`select a.body from apps join accounts a on a.id = apps.account_id where apps.id = $1`

/** The amount of a payment that is made up in the sandbox, if the dispute does not say how much it is about. */
const USUAL_AMOUNT: Money = { currency_code: 'USD', value: '100.00' }

/** The version of a payment that is not in the ledger yet: it is captured together with the dispute. */
export const UNREGISTERED = 0

/** Makes up payments as the dispute describes them, by the buyer's ids. They are captured with the dispute. Only in a sandbox. */
export async function registerPayments(
  tx: Tx,
  caller: Caller,
  buyerTransactionIds: readonly string[],
  disputed: Money | undefined,
): Promise<ReadonlyMap<string, StoredTransaction>> {
  const amount = disputed ?? USUAL_AMOUNT
  if (!isSound(amount) || toMinor(amount) <= 0n)
    throw breaches('INVALID_DISPUTE_AMOUNT', 'Dispute more than nothing, in a currency of ISO 4217.', '/dispute_amount')
  const { seller, buyer } = await partiesFor(tx, caller)
  const gross = normalise(amount)
  const none = toMoney(0n, gross.currency_code)
  const madeUp = (id: string): PaymentTransaction => ({
    id: tx.newId('transaction'),
    buyer_transaction_id: id,
    order_id: tx.newId('order'),
    seller: partyOf(seller),
    buyer: partyOf(buyer),
    status: 'COMPLETED',
    gross,
    fee: none,
    refunded: none,
    held: none,
    create_time: tx.now,
    update_time: tx.now,
  })
  return new Map(buyerTransactionIds.map((id) => [id, { transaction: madeUp(id), version: UNREGISTERED, balance: 0n }]))
}

const partyOf = ({ id, email, name }: Account): Party & { account_id: string } => ({ account_id: id, email, name })

/**
 * If a merchant calls, it disputes a payment to itself. If a person calls, the payment is to the app's owner or the first
 * merchant.
 */
async function partiesFor(tx: Tx, caller: Caller): Promise<{ seller: Account; buyer: Account }> {
  const self = await findAccount(tx, caller.accountId)
  const owner = (await tx.row<{ body: Account }>(ownerOfApp, [caller.appId]))?.body
  const merchant =
    [self, owner].find((account) => account?.kind === 'BUSINESS') ?? (await findFirstAccount(tx, 'BUSINESS'))
  const person = self?.kind === 'PERSONAL' ? self : await findFirstAccount(tx, 'PERSONAL')
  if (!merchant || !person)
    throw breaches('INVALID_TRANSACTION_ID', 'There is nobody to make up a payment between.', '/disputed_transactions')
  return { seller: merchant, buyer: person }
}
