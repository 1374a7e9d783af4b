import { findAccountByEmail } from '../../accounts/store.ts'
import { type Quota, useQuota } from '../../database/quota.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { recordServicePayment } from '../../invoices/act.ts'
import type { Agreed } from '../../invoices/payable.ts'
import type { Invoice } from '../../invoices/schema/invoice.ts'
import { billedName } from '../../invoices/schema/parties.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import { after as later } from '../../kernel/clock.ts'
import { isMailable, mailJob } from '../../kernel/mail.ts'
import { refused } from '../../kernel/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { PaymentTransaction, PurchasedItem } from '../../ledger/schema.ts'
import type { Service } from '../../room.ts'
import { type Attempt, grossOf } from './attempts.ts'
import { announceApproved, announceReversed } from './orders.ts'

export const outcomes = ['COMPLETED', 'PENDING', 'DENIED', 'REVERSED'] as const
export type Outcome = (typeof outcomes)[number]

/**
 * Who pays: the account with the recipient's address if there is one, and otherwise a guest with that address. The name is
 * the one on the invoice: nobody has proved to be the account, so the account's registered name is not shown.
 */
export async function payerOf(db: Reader, { invoice, account }: StoredInvoice): Promise<Attempt['buyer']> {
  const billing = invoice.primary_recipients[0]?.billing_info
  // An address to which no mail can go is left out: the page would promise the payer a link that never comes.
  const email = [billing?.email_address ?? ''].find(isMailable)
  const known = email === undefined ? undefined : await findAccountByEmail(db, email)
  if (known?.id === account.id)
    throw refused('PAYER_IS_PAYEE', 'The recipient of this invoice is its sender; nobody can pay themselves.')
  const name = billedName(invoice.primary_recipients)
  return {
    ...(known && { account_id: known.id }),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
  }
}

/** A new try, beginning when the payer agrees. */
export function approve(
  service: Service,
  tx: Tx,
  { invoice, account }: StoredInvoice,
  { amount, tip, buyer, nonce, browser }: Agreed & { buyer: Attempt['buyer']; nonce: string; browser?: string },
): Attempt {
  const attempt: Attempt = {
    id: tx.newId('attempt'),
    account_id: account.id,
    invoice_id: invoice.id,
    nonce,
    status: 'OPEN',
    amount,
    ...(tip && { tip }),
    order_id: tx.newId('order'),
    ...(browser !== undefined && { browser }),
    buyer,
    create_time: tx.now,
  }
  announceApproved(service, tx, { invoice, account }, attempt)
  return attempt
}

/** What became of a try, its invoice and the money. */
export interface Conclusion {
  readonly attempt: Attempt
  readonly invoice: Invoice
  readonly capture?: PaymentTransaction
}

/**
 * Carries out what became of a try: money moves, the invoice shows it, and both sides are told. The caller saves the try
 * that this returns, in the same unit of work.
 */
export async function conclude(
  parts: { service: Service; ledger: Ledger },
  tx: Tx,
  stored: StoredInvoice,
  attempt: Attempt,
  outcome: Outcome,
): Promise<Conclusion> {
  const { service, ledger } = parts
  const { invoice, account } = stored
  if (outcome === 'REVERSED') {
    announceReversed(tx, stored, attempt)
    return { attempt: { ...attempt, status: 'REVERSED' }, invoice }
  }
  const status = outcome === 'DENIED' ? 'DECLINED' : outcome
  const capture = ledger.capture(tx, {
    status,
    seller: { account_id: account.id, email: account.email, name: account.name },
    buyer: attempt.buyer,
    gross: grossOf(attempt),
    ...(attempt.tip && { tip: attempt.tip }),
    items: invoice.items.map(purchased),
    invoice_number: invoice.detail.invoice_number,
    invoice_id: invoice.id,
    order_id: attempt.order_id,
    ...(attempt.gateway_reference !== undefined && { gateway_charge: attempt.id }),
    ...(invoice.app_id !== undefined && { app_id: invoice.app_id }),
  })
  const { amount, tip } = attempt
  const payment = { transaction_id: capture.id, amount, ...(tip && { tip }), pending: status === 'PENDING' }
  const after = status === 'DECLINED' ? invoice : await recordServicePayment(service, tx, stored, payment)
  await tellBoth(tx, stored, capture)
  if (status === 'PENDING' && service.environment === 'sandbox') promiseClearing(tx, capture)
  return { attempt: { ...attempt, status: outcome, capture_id: capture.id }, invoice: after, capture }
}

const CLEARS_AFTER_SECONDS = 3 * 86_400

/** In a sandbox nobody clears a pending payment, so time does. */
function promiseClearing(tx: Tx, { id, seller }: PaymentTransaction): void {
  tx.enqueue({
    name: 'settle-payment',
    payload: { account_id: seller.account_id, capture_id: id, outcome: 'COMPLETED' },
    runAt: later(tx.now, CLEARS_AFTER_SECONDS),
    key: `settle-payment:${id}`,
  })
}

const mailKinds = {
  COMPLETED: 'payment-received',
  PENDING: 'payment-pending',
  DECLINED: 'payment-denied',
} as const

/** A denied try costs nothing and can be repeated, so mails about denials are limited. */
export const DENIAL_MAILS_A_DAY = 3
const denials: Quota = { name: 'mail-denied', max: DENIAL_MAILS_A_DAY, seconds: 86_400 }

/** Mails a receipt to the payer and a note to the merchant. */
export async function tellBoth(
  tx: Tx,
  { invoice, account }: StoredInvoice,
  capture: PaymentTransaction,
): Promise<void> {
  const { status, gross, buyer } = capture
  if (status !== 'COMPLETED' && status !== 'PENDING' && status !== 'DECLINED') return
  if (status === 'DECLINED' && (await useQuota(tx, account.id, [{ quota: denials, key: invoice.id }]))) return
  const mail = { account_id: account.id, kind: mailKinds[status], invoice_id: invoice.id, amount: gross }
  if (buyer.email !== undefined) tx.enqueue(mailJob({ ...mail, to: 'recipient', recipients: [buyer.email] }))
  tx.enqueue(mailJob({ ...mail, to: 'invoicer', recipients: [account.email] }))
}

/** Money that could not be put on the invoice is on its way back, and both sides are told. */
export function tellReturned(tx: Tx, { invoice, account }: StoredInvoice, attempt: Attempt): void {
  const amount = grossOf(attempt)
  const mail = { account_id: account.id, kind: 'payment-returned', invoice_id: invoice.id, amount } as const
  const { email } = attempt.buyer
  if (email !== undefined) tx.enqueue(mailJob({ ...mail, to: 'recipient', recipients: [email] }))
  tx.enqueue(mailJob({ ...mail, to: 'invoicer', recipients: [account.email] }))
}

const purchased = ({ id, name, description, quantity }: Invoice['items'][number]): PurchasedItem => ({
  ...(id !== undefined && { item_id: id }),
  item_name: name,
  ...(description !== undefined && { item_description: description }),
  ...(/^[1-9][0-9]{0,9}$/.test(quantity) && { item_quantity: quantity }),
})
