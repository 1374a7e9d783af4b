import { findAccount } from '../../accounts/store.ts'
import type { Tx } from '../../database/transaction.ts'
import { Answer, type AnyRoute, route } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { parseInstant } from '../../kernel/clock.ts'
import { Money, normalise, toMinor, toMoney } from '../../kernel/money.ts'
import { breaches, invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { findTransaction, pinPayment } from '../../ledger/store.ts'
import { clockActor } from '../access.ts'
import { act } from '../act.ts'
import { ineligibility } from '../filing/eligibility.ts'
import { fileDispute } from '../filing/file.ts'
import type { House } from '../house.ts'
import { requireDisputable } from '../machine/amounts.ts'
import type { Dispute } from '../schema/dispute.ts'
import { NOT_AS_DESCRIBED, NOT_RECEIVED, type Reason, stages } from '../schema/enums.ts'
import { findDisputeOf, isUnderWay } from '../store.ts'
import { tag } from './parts.ts'

/** The reasons that codes of card networks stand for. Any other code stands for something that did not arrive. */
const reasonOfCode: ReadonlyMap<string, Reason> = new Map([
  ['4853', NOT_AS_DESCRIBED],
  ['C2', 'CREDIT_NOT_PROCESSED'],
])

const word = Type.Optional(Type.String({ maxLength: 255 }))
const ChargebackBody = Type.Object({
  adjacency: word,
  file_layout: word,
  merchant_id: word,
  financial_institution: Type.Optional(Type.Object({ processor: word })),
  transaction: Type.Object({ id_enc: Type.String({ minLength: 1, maxLength: 255 }), amount: Type.Optional(Money) }),
  instrument: Type.Optional(
    Type.Object({
      instrument_type: word,
      card_brand: word,
      credit_card_transaction_id: word,
      external: Type.Optional(Type.Unknown()),
    }),
  ),
  dispute: Type.Object({
    id: word,
    stage: Type.Optional(Type.Enum([...stages])),
    response_date: Type.Optional(Type.String({ maxLength: 64 })),
    status: word,
    amount: Type.Optional(Money),
    receive_date: word,
    event_code: word,
    money_movement_date: word,
    event_type: word,
    chargeback_type: word,
    processor_info: Type.Optional(
      Type.Object({
        reference_number: word,
        reason_code: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, pattern: '^[A-Za-z0-9._-]+$' })),
        notes: Type.Optional(Type.String({ maxLength: 2000 })),
      }),
    ),
  }),
})
type ChargebackBody = Static<typeof ChargebackBody>

/** Simulates what a bank would do to a seller. Sandbox only. */
export const chargebackRoutes = (house: House): AnyRoute[] => [
  route({
    method: 'POST',
    url: '/v2/customer-support/process-chargeback',
    operation: 'simulateChargeback',
    summary: 'Simulate a chargeback by a bank or card network',
    tag,
    environment: 'sandbox',
    scopes: ['disputes/update-seller', 'disputes/create'],
    body: ChargebackBody,
    success: { 201: Type.Object({ dispute_id: Type.String() }) },
    async handle({ tx, caller, body }) {
      const { dispute_id } = await chargeBack(tx, house, caller, body)
      return new Answer(201, { dispute_id })
    },
  }),
]

/** Opens the dispute of the bank. A dispute between the parties about the same payment makes way for it, without an outcome. */
async function chargeBack(tx: Tx, house: House, caller: Caller, body: ChargebackBody): Promise<Dispute> {
  const { dispute: told, transaction: payment } = body
  const found = await findTransaction(tx, caller.accountId, payment.id_enc)
  if (!found) throw breaches('INVALID_TRANSACTION_ID', 'There is no such payment of yours.', '/transaction/id_enc')
  const why = ineligibility(found.transaction, false, tx.now)
  if (why) throw breaches('DISPUTE_REASON_NOT_ELIGIBLE', `This payment cannot be charged back: ${why}.`, '/transaction')
  const { gross, refunded, seller, buyer } = found.transaction
  const left = toMoney(toMinor(gross) - toMinor(refunded), gross.currency_code)
  const amount = told.amount ?? payment.amount ?? left
  requireDisputable(amount, left, '/dispute/amount')
  const due = told.response_date === undefined ? undefined : parseInstant(told.response_date)
  if (told.response_date !== undefined && (!due || due <= tx.now))
    throw invalid('/dispute/response_date', 'Write an RFC 3339 date-time in the future.')

  const existing = await findDisputeOf(tx, seller.account_id, found.transaction.id)
  if (existing && isUnderWay(existing) && existing.dispute.dispute_channel === 'INTERNAL')
    await act(tx, house, existing, { ...clockActor, roles: ['clock', 'agent'] }, { action: 'supersede', input: {} })
  // Nothing is held for this one. If somebody opens a dispute between the parties at the same moment, they find the payment
  // changed, and then this dispute.
  else pinPayment(tx, found)
  const account = await findAccount(tx, seller.account_id)
  const code = told.processor_info?.reason_code
  const notes = told.processor_info?.notes
  const isAlert = told.event_type === 'ALERT' || told.chargeback_type === 'ALERT'
  const stage = told.stage === undefined || told.stage === 'INQUIRY' ? 'CHARGEBACK' : told.stage
  return fileDispute(tx, house, {
    opening: {
      reason: reasonOfCode.get(code ?? '') ?? NOT_RECEIVED,
      channel: isAlert ? 'ALERT' : 'EXTERNAL',
      seller,
      buyer,
      inquiryOptOut: account?.inquiry_opt_out ?? false,
      transactions: [
        {
          buyer_transaction_id: found.transaction.buyer_transaction_id,
          seller_transaction_id: found.transaction.id,
          ...(told.id !== undefined && { reference_id: told.id }),
          create_time: found.transaction.create_time as Dispute['create_time'],
          gross_amount: gross,
          disputed: normalise(amount),
          refunded_before: refunded,
        },
      ],
      statements: notes === undefined || notes === '' ? [] : [{ text: notes, documents: [] }],
      messages: [],
      externalReasonCode: code,
      answerBy: due,
      stage,
    },
    payments: [],
    uploads: { stored: [], files: [], types: [] },
  })
}
