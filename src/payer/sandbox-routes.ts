import type { Account } from '../accounts/schema.ts'
import { findAccount } from '../accounts/store.ts'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { type AnyRoute, route, sandboxOnly } from '../http/route.ts'
import { agreed } from '../invoices/payable.ts'
import { recipientCode } from '../invoices/schema/codes.ts'
import { findByRecipientCode } from '../invoices/store.ts'
import { isCurrency, Money, toMinor } from '../kernel/money.ts'
import { invalid, notFound, refused } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { presentCapture } from '../ledger/present.ts'
import { findTransactionByEitherId } from '../ledger/store.ts'
import type { Service } from '../room.ts'
import { insertAttempt } from './pay/attempts.ts'
import { approve, conclude, outcomes, payerOf } from './pay/pay.ts'
import { settlePayment } from './pay/settle.ts'

const shared = { ...sandboxOnly, recognises: true } as const
const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) })

const Payment = Type.Object({
  amount: Type.Optional(Money),
  tip: Type.Optional(Money),
  outcome: Type.Optional(Type.Enum([...outcomes], { description: 'What becomes of it; COMPLETED unless said.' })),
})
const Paid = Type.Object({
  invoice_id: Type.String(),
  invoice_status: Type.String(),
  outcome: Type.String(),
  order_id: Type.String(),
  payment_id: Type.Optional(
    Type.String({ description: 'The capture; a dispute names it as the seller’s transaction.' }),
  ),
  buyer_transaction_id: Type.Optional(Type.String()),
})

const firstPerson = sql`select body from accounts where kind = 'PERSONAL' order by create_time, id limit 1`

/** What a payer does in a browser, for scripts. */
export const sandboxPayerRoutes = (service: Service, ledger: Ledger): AnyRoute[] => [
  route({
    ...shared,
    method: 'POST',
    url: '/sandbox/invoices/:id/pay',
    operation: 'paySandboxInvoice',
    summary: 'Pay an invoice as its recipient would',
    params: Id,
    body: Payment,
    bodyOptional: true,
    success: { 201: Paid },
    async handle({ tx, caller, params, body }) {
      for (const [name, money] of Object.entries({ amount: body.amount, tip: body.tip })) checkMoney(name, money)
      const stored = await findByRecipientCode(tx, recipientCode(params.id))
      if (stored?.invoice.base_status !== 'SENT') throw notFound('The invoice')
      const paying = agreed(stored, body)
      const recipient = await payerOf(tx, stored)
      const buyer = recipient.email === undefined ? await somebody(tx, caller.accountId) : recipient
      const approved = approve(service, tx, stored, { ...paying, buyer, nonce: tx.newId('nonce') })
      const outcome = body.outcome ?? 'COMPLETED'
      const { attempt, invoice, capture } = await conclude({ service, ledger }, tx, stored, approved, outcome)
      insertAttempt(tx, attempt)
      return {
        invoice_id: invoice.id,
        invoice_status: invoice.status,
        outcome,
        order_id: attempt.order_id,
        ...(capture && { payment_id: capture.id, buyer_transaction_id: capture.buyer_transaction_id }),
      }
    },
  }),
  route({
    ...shared,
    method: 'POST',
    url: '/sandbox/captures/:id/settle',
    operation: 'settleSandboxCapture',
    summary: 'Clear a pending payment, or deny it',
    params: Id,
    body: Type.Object({ outcome: Type.Optional(Type.Enum(['COMPLETED', 'DENIED'])) }),
    bodyOptional: true,
    success: { 200: Type.Object({ id: Type.String(), status: Type.String() }, { additionalProperties: true }) },
    async handle({ tx, params, body }) {
      const found = await findTransactionByEitherId(tx, params.id)
      if (!found) throw notFound('The payment')
      const { id, seller, status } = found.transaction
      const outcome = body.outcome ?? 'COMPLETED'
      // The same outcome once more changes nothing. Another outcome is refused, because it would not happen.
      if (status !== 'PENDING' && status !== (outcome === 'DENIED' ? 'DECLINED' : outcome))
        throw refused('CAPTURE_NOT_PENDING', `The payment is ${status} already.`)
      const settled = await settlePayment({ service, ledger }, tx, {
        accountId: seller.account_id,
        captureId: id,
        outcome,
      })
      return presentCapture(service, settled)
    },
  }),
]

function checkMoney(name: string, money: Money | undefined): void {
  if (!money) return
  if (!isCurrency(money.currency_code))
    throw invalid(`/${name}/currency_code`, 'Use a currency of ISO 4217.', 'NOT_SUPPORTED')
  toMinor(money, `/${name}/value`)
}

/** Who pays an invoice that names nobody: the caller if it is a person, otherwise the sandbox's own buyer. */
async function somebody(db: Reader, callerId: string) {
  const caller = callerId === '' ? undefined : await findAccount(db, callerId)
  const person = caller?.kind === 'PERSONAL' ? caller : (await db.row<{ body: Account }>(firstPerson))?.body
  return person ? { account_id: person.id, email: person.email, name: person.name } : {}
}
