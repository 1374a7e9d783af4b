import type { SettingsOf } from '../config.ts'
import { requireQuota } from '../database/quota.ts'
import type { Tx } from '../database/transaction.ts'
import { type Money, toMinor } from '../kernel/money.ts'
import { breaches, refused } from '../kernel/problem.ts'
import { InsufficientFunds } from '../ledger/refund.ts'
import type { PaymentChange } from '../ledger/schema.ts'
import { findRefund, findTransactions, type StoredTransaction } from '../ledger/store.ts'
import type { House } from './house.ts'
import type { MoneyOrder } from './machine/action.ts'
import type { DisputeAction } from './machine/lifecycle.ts'
import { asInLedger } from './machine/payments.ts'
import type { Step } from './machine/step.ts'
import type { Dispute } from './schema/dispute.ts'
import type { disputeSettings } from './settings.ts'

/** The payments of a dispute as the ledger has them, by the seller's id. */
export type Payments = ReadonlyMap<string, StoredTransaction>

/** Actions that can move money, or that need to know how much there is. */
const withMoney: ReadonlySet<DisputeAction> = new Set([
  'make-offer',
  'accept-offer',
  'accept-claim',
  'acknowledge-return-item',
  'adjudicate',
  'cancel',
  'escalate',
  'pass-deadline',
  'supersede',
])

/** The dispute with what the ledger knows of its payments, and those payments. */
export async function withPayments(
  tx: Tx,
  dispute: Dispute,
  action: DisputeAction,
): Promise<{ dispute: Dispute; payments: Payments }> {
  if (!withMoney.has(action)) return { dispute, payments: new Map() }
  const ids = dispute.disputed_transactions.map(({ seller_transaction_id }) => seller_transaction_id)
  const payments = await findTransactions(tx, dispute.seller.account_id, ids)
  const missing = ids.find((id) => !payments.has(id))
  if (missing !== undefined)
    throw new Error(`The payment ${missing} of dispute ${dispute.dispute_id} is not in the ledger.`)
  const disputed_transactions = dispute.disputed_transactions.map((one) =>
    asInLedger(one, payments.get(one.seller_transaction_id)!.transaction, dispute.refunds ?? []),
  )
  return { dispute: { ...dispute, disputed_transactions }, payments }
}

/** Carries out what was decided. If the seller agreed to pay something, balance and hold must cover it. */
export async function moveMoney(
  tx: Tx,
  house: House,
  { after: dispute, decision }: Step,
  payments: Payments,
): Promise<PaymentChange[]> {
  const { money = [], mustCover } = decision
  if (mustCover && cover(payments) < toMinor(mustCover)) throw insufficient(mustCover)
  const changes: PaymentChange[] = []
  for (const order of money) {
    const change = await carryOut(tx, house, dispute, order, payments)
    if (change) changes.push(change)
  }
  return changes
}

const cover = (payments: Payments): bigint => {
  const [first] = payments.values()
  return [...payments.values()].reduce((sum, { transaction }) => sum + toMinor(transaction.held), first?.balance ?? 0n)
}

const insufficient = ({ value, currency_code }: Money) =>
  breaches('INSUFFICIENT_FUNDS', `The balance and what is held do not cover ${value} ${currency_code}.`)

async function carryOut(
  tx: Tx,
  { service, ledger, rules }: House,
  dispute: Dispute,
  order: MoneyOrder,
  payments: Payments,
): Promise<PaymentChange | undefined> {
  const { dispute_id, seller } = dispute
  switch (order.move) {
    case 'hold':
      ledger.placeHold(tx, payments.get(order.transaction)!, order.amount, dispute_id)
      return
    case 'settle': {
      const found = payments.get(order.transaction)!
      if (toMinor(order.refund) === 0n) {
        ledger.releaseHold(tx, found, dispute_id)
        return
      }
      if (rules.declineRefunds && !order.forced)
        throw refused('REFUND_DECLINED_BY_COMPLIANCE_SCANNING', 'A compliance check declined this refund.')
      try {
        return ledger.refund(tx, found, {
          id: order.refundId,
          amount: order.refund,
          kind: order.reversal ? 'reversal' : 'refund',
          forced: order.forced,
          dispute_id,
          ...(order.invoiceId !== undefined && { invoice_number: order.invoiceId }),
        })
      } catch (error) {
        throw error instanceof InsufficientFunds ? insufficient(order.refund) : error
      }
    }
    case 'turn-reversal': {
      const reversal = (await findRefund(tx, seller.account_id, order.refundId))?.refund
      if (!reversal) throw new Error(`The reversal ${order.refundId} of dispute ${dispute_id} is not in the ledger.`)
      return ledger.turnReversal(tx, payments.get(order.transaction)!, reversal, order.status)
    }
    case 'fee':
      ledger.chargeFee(tx, seller.account_id, order.amount, order.reason, dispute_id)
      return
    case 'pay-buyer':
      await requireCompensations(tx, service.settings, dispute)
      ledger.compensate(tx, seller.account_id, order.amount, 'RETURN_COMPENSATION', dispute_id)
  }
}

const YEAR_SECONDS = 365 * 86_400

/** Limits by account what the service pays out of its own funds, so that a merchant and a buyer cannot share it between them. */
async function requireCompensations(
  tx: Tx,
  settings: SettingsOf<typeof disputeSettings>,
  { buyer, seller }: Dispute,
): Promise<void> {
  const name = 'return-compensation'
  const what = 'Compensations of return postage'
  const { disputeCompensationsPerBuyer: byBuyer, disputeCompensationsPerMerchant: byMerchant } = settings
  const quota = (max: number, key: string) => [{ quota: { name, max, seconds: YEAR_SECONDS }, key }]
  if (buyer.account_id !== undefined) await requireQuota(tx, buyer.account_id, quota(byBuyer, 'buyer'), what)
  await requireQuota(tx, seller.account_id, quota(byMerchant, 'merchant'), what)
}
