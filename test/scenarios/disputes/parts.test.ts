import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import {
  DISPUTES,
  does,
  eventsOf,
  makePayment,
  open,
  type Payment,
  type Problem,
  proof,
  refusal,
  sees,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const paid = (value: string) => makePayment(world, value)

const refund = ({ capture }: Payment, value?: string) =>
  world.merchant.post(
    `/v2/payments/captures/${capture}/refund`,
    value === undefined ? undefined : { amount: usd(value) },
  )

async function chargeBack({ capture }: Payment, value: string): Promise<string> {
  const made = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
    transaction: { id_enc: capture },
    dispute: { amount: usd(value), processor_info: { reason_code: '4853' } },
  })
  expect(made.status, made.text).toBe(201)
  return made.body.dispute_id
}

async function decide(id: string, outcome: 'BUYER_FAVOR' | 'SELLER_FAVOR'): Promise<void> {
  const answer = await does(world.merchant, id, 'adjudicate', { adjudication_outcome: outcome })
  expect(answer.status, answer.text).toBe(200)
}

const disputedInPart = async (payment: Payment) =>
  open(world.buyer, { transaction: payment.buyersId, reason: 'INCORRECT_AMOUNT', amount: usd('20.00') })

describe('A payment of which a part is disputed', () => {
  it('can be refunded whole while the dispute is open', async () => {
    const payment = await paid('35.00')
    const id = await disputedInPart(payment)

    const refunded = await refund(payment)

    expect(refunded.status, refunded.text).toBe(201)
    const shown = await sees(world.merchant, id)
    expect(shown.refund_details).toMatchObject({
      allowed_refund_amount: usd('0.00'),
      transactions: [{ gross_amount: usd('35.00') }],
    })
    await does(world.buyer, id, 'cancel', {})
    // What the buyer got in total, also beyond what was asked for.
    expect((await sees(world.buyer, id)).dispute_outcome?.amount_refunded).toEqual(usd('35.00'))
  })

  it('can be refunded bit by bit after it was cancelled, also what was never disputed', async () => {
    const payment = await paid('35.00')
    const id = await disputedInPart(payment)
    await does(world.buyer, id, 'cancel', {})

    expect((await refund(payment, '20.00')).status).toBe(201)
    expect((await refund(payment, '15.00')).status).toBe(201)

    expect((await sees(world.merchant, id)).refund_details).toMatchObject({
      allowed_refund_amount: usd('0.00'),
      transactions: [{ gross_amount: usd('20.00') }, { gross_amount: usd('15.00') }],
    })
  })

  it('can be charged back whole, and the chargeback is decided at its deadline', async () => {
    const payment = await paid('35.00')
    const earlier = await disputedInPart(payment)
    await does(world.buyer, earlier, 'cancel', {})
    const id = await chargeBack(payment, '35.00')

    await world.pass('P15D')

    expect((await sees(world.merchant, id)).dispute_outcome).toMatchObject({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      amount_refunded: usd('35.00'),
    })
    // The earlier one gave nothing back, and has nothing left that it could.
    const shown = await sees(world.merchant, earlier)
    expect(shown.dispute_outcome?.amount_refunded).toBeUndefined()
    expect(shown.refund_details).toEqual({ allowed_refund_amount: usd('0.00') })
    expect(shown.disputed_transactions[0]!['transaction_status']).toBe('REVERSED')
  })

  it('can be charged back whole, and the claim accepted', async () => {
    const payment = await paid('35.00')
    await does(world.buyer, await disputedInPart(payment), 'cancel', {})
    const id = await chargeBack(payment, '35.00')

    const accepted = await does(world.merchant, id, 'accept-claim', { note: 'Take it.' })

    expect(accepted.status, accepted.text).toBe(200)
    expect((await sees(world.merchant, id)).dispute_outcome?.amount_refunded).toEqual(usd('35.00'))
  })
})

describe('Two disputes about parts of one payment', () => {
  const refunded = async () => {
    const answer = await world.merchant.post<{ metrics: { amount: { value: string }[] }[] }>(
      `${DISPUTES}/compute-metrics`,
      {
        dimension: 'DISPUTE_OUTCOME',
        measure: 'REFUND_AMOUNT_SUM',
      },
    )
    return answer.body.metrics.flatMap(({ amount }) => amount).reduce((sum, { value }) => sum + Number(value), 0)
  }

  it('each count what was given back in them, and what the service bears of that', async () => {
    const before = await refunded()
    const payment = await paid('35.00')
    const won = await chargeBack(payment, '20.00')
    await does(world.merchant, won, 'provide-evidence', proof)
    await decide(won, 'BUYER_FAVOR')
    await does(world.merchant, won, 'appeal', proof)
    await decide(won, 'SELLER_FAVOR')

    const lost = await chargeBack(payment, '15.00')
    expect((await sees(world.merchant, lost)).refund_details).toEqual({ allowed_refund_amount: usd('15.00') })
    await does(world.merchant, lost, 'provide-evidence', proof)
    await decide(lost, 'BUYER_FAVOR')

    const shownLost = await sees(world.merchant, lost)
    expect(shownLost.dispute_outcome?.amount_refunded).toEqual(usd('15.00'))
    expect(shownLost.refund_details?.transactions).toMatchObject([{ gross_amount: usd('15.00') }])
    const shownWon = await sees(world.merchant, won)
    expect(shownWon.dispute_outcome).toEqual({
      outcome_code: 'RESOLVED_SELLER_FAVOUR',
      outcome_reason: 'INELIGIBLE_BUYER_PROTECTION_POLICY',
    })
    expect(shownWon.refund_details).toEqual({ allowed_refund_amount: usd('0.00') })
    expect((await refunded()) - before).toBe(15)
  })

  it('both count what the seller gives back beside them', async () => {
    const payment = await paid('35.00')
    const first = await disputedInPart(payment)
    await does(world.buyer, first, 'cancel', {})
    const second = await chargeBack(payment, '15.00')

    await refund(payment, '10.00')

    expect((await sees(world.merchant, first)).refund_details?.allowed_refund_amount).toEqual(usd('10.00'))
    expect((await sees(world.merchant, second)).refund_details?.allowed_refund_amount).toEqual(usd('5.00'))
    await does(world.merchant, second, 'accept-claim', { note: 'The rest too.' })
    expect((await sees(world.merchant, second)).dispute_outcome?.amount_refunded).toEqual(usd('15.00'))
    expect((await sees(world.merchant, first)).dispute_outcome?.amount_refunded).toEqual(usd('10.00'))
  })
})

describe('A payment that a bank charged back', () => {
  it('cannot be disputed between the parties as well, while that goes on nor afterwards', async () => {
    const payment = await paid('35.00')
    const id = await chargeBack(payment, '20.00')
    const dispute = () =>
      world.buyer.post<Problem>(DISPUTES, {
        disputed_transactions: [{ buyer_transaction_id: payment.buyersId }],
        reason: 'INCORRECT_AMOUNT',
      })
    const exists = '422 UNPROCESSABLE_ENTITY DISPUTE_ALREADY_EXISTS'

    expect(refusal(await dispute())).toBe(exists)
    await does(world.merchant, id, 'provide-evidence', proof)
    await decide(id, 'SELLER_FAVOR')
    expect(refusal(await dispute())).toBe(exists)

    const asked = await world.buyer.post<{ ineligible_dispute_reasons: { ineligibility_reason: string }[] }>(
      `${DISPUTES}/validate-eligibility`,
      { encrypted_transaction_id: payment.buyersId },
    )
    const reasons = asked.body.ineligible_dispute_reasons.map(({ ineligibility_reason }) => ineligibility_reason)
    expect(new Set(reasons)).toEqual(new Set(['DISPUTE_ALREADY_EXISTS']))
  })
})

describe('Two chargebacks of parts of one payment', () => {
  it('are open beside each other, and each is decided for itself', async () => {
    const payment = await paid('35.00')
    const first = await chargeBack(payment, '20.00')
    const second = await chargeBack(payment, '15.00')

    expect((await sees(world.merchant, first)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    await does(world.merchant, second, 'accept-claim', { note: 'Take it.' })
    await does(world.merchant, first, 'provide-evidence', proof)
    await decide(first, 'BUYER_FAVOR')

    expect((await sees(world.merchant, second)).dispute_outcome?.amount_refunded).toEqual(usd('15.00'))
    expect((await sees(world.merchant, first)).dispute_outcome?.amount_refunded).toEqual(usd('20.00'))
  })

  it('over all of it, twice, give it back once', async () => {
    const payment = await paid('35.00')
    const both = [await chargeBack(payment, '35.00'), await chargeBack(payment, '35.00')]

    for (const id of both)
      expect((await does(world.merchant, id, 'accept-claim', { note: 'Take it.' })).status).toBe(200)

    const outcomes = await Promise.all(both.map(async (id) => (await sees(world.merchant, id)).dispute_outcome))
    expect(outcomes.map((outcome) => outcome?.amount_refunded)).toEqual([usd('35.00'), undefined])
  })

  it('stand in the way of a dispute that is referred, also behind one that is over', async () => {
    const payment = await paid('35.00')
    const over = await disputedInPart(payment)
    await does(world.buyer, over, 'cancel', {})
    const open = [await chargeBack(payment, '20.00'), await chargeBack(payment, '15.00')]
    const merchant = await world.personWithApp(world.people.merchant.id, ['referred-disputes/readwrite'])

    const asked = await merchant.post<{ existing_disputes: { id: string }[] }>(
      '/v1/customer/validate-referred-dispute-eligibility',
      { transaction_id: payment.capture },
    )

    expect(asked.body).toMatchObject({ eligible: false, ineligibility_reason: 'DISPUTE_ALREADY_EXISTS' })
    expect(asked.body.existing_disputes.map(({ id }) => id).sort()).toEqual(open.sort())
  })
})

describe('A payment that was taken out of a dispute about several', () => {
  const together = async (...payments: Payment[]) => {
    const made = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: payments.map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
      reason: 'UNAUTHORISED',
    })
    expect(made.status, made.text).toBe(201)
    return made.body.links[0]!.href.split('/').at(-1)!
  }
  const takeOut = async (id: string, { buyersId }: Payment) => {
    expect((await does(world.buyer, id, 'cancel', { transaction_ids: [buyersId] })).status).toBe(200)
  }
  const found = async (who: Person, query: string) =>
    (await who.get<{ items: { dispute_id: string }[] }>(`${DISPUTES}?${query}`)).body.items.map(
      ({ dispute_id }) => dispute_id,
    )
  const suggested = async (who: Person, text: string) =>
    (
      await who.get<{ suggestions: string[] }>(
        `${DISPUTES}/search-suggestions?search_field=DISPUTED_TRANSACTION_ID&search_text=${text}`,
      )
    ).body.suggestions

  it('is refunded without the dispute, before and after', async () => {
    const [early, late, disputed] = [await paid('10.00'), await paid('11.00'), await paid('12.00')]
    const id = await together(early, late, disputed)
    expect((await refund(early)).status).toBe(201)
    expect((await sees(world.merchant, id)).refund_details?.transactions).toHaveLength(1)
    await takeOut(id, early)
    await takeOut(id, late)
    const events = await eventsOf(world, id)

    expect((await refund(late)).status).toBe(201)

    expect((await sees(world.merchant, id)).refund_details).toEqual({ allowed_refund_amount: usd('12.00') })
    expect(await eventsOf(world, id)).toEqual(events)
  })

  it('does not lead to the dispute any more, and is not added up with it', async () => {
    const own = await newWorld()
    const paidHere = async (value: string, invoice_number: string) => {
      const made = await own.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
        '/sandbox/transactions',
        { amount: usd(value), buyer_email: own.people.buyer.email, invoice_number },
      )
      return { capture: made.body.seller_transaction_id, buyersId: made.body.buyer_transaction_id }
    }
    const [gone, left] = [await paidHere('10.00', 'GONE-1'), await paidHere('12.00', 'LEFT-1')]
    const made = await own.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [gone, left].map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
      reason: 'UNAUTHORISED',
    })
    const id = made.body.links[0]!.href.split('/').at(-1)!
    expect(await found(own.merchant, `disputed_transaction_id=${gone.capture}`)).toEqual([id])

    await does(own.buyer, id, 'cancel', { transaction_ids: [gone.buyersId] })

    expect(await found(own.merchant, `disputed_transaction_id=${gone.capture}`)).toEqual([])
    expect(await found(own.merchant, `disputed_transaction_id=${gone.buyersId}`)).toEqual([])
    expect(await found(own.buyer, `disputed_transaction_id=${gone.buyersId}`)).toEqual([])
    expect(await found(own.merchant, `disputed_transaction_id=${left.capture}`)).toEqual([id])
    expect(await found(own.buyer, `disputed_transaction_id=${left.buyersId}`)).toEqual([id])
    expect(await found(own.merchant, 'invoice_number=GONE-1')).toEqual([])
    expect(await found(own.merchant, 'invoice_number=LEFT-1')).toEqual([id])
    expect([await suggested(own.merchant, gone.capture), await suggested(own.buyer, gone.buyersId)]).toEqual([[], []])
    expect(await suggested(own.merchant, left.capture)).toEqual([left.capture])
    const sum = await own.merchant.post<{ metrics: { amount: object[] }[] }>(`${DISPUTES}/compute-metrics`, {
      dimension: 'REASON',
      measure: 'TRANSACTION_AMOUNT_SUM',
    })
    expect(sum.body.metrics).toMatchObject([{ amount: [usd('12.00')] }])
    await own.close()
  })

  it('was disputed all the same, which is possible once', async () => {
    const [gone, left] = [await paid('10.00'), await paid('12.00')]
    await takeOut(await together(gone, left), gone)

    const again = await world.buyer.post<Problem>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: gone.buyersId }],
      reason: 'UNAUTHORISED',
    })

    expect(refusal(again)).toBe('422 UNPROCESSABLE_ENTITY DISPUTE_ALREADY_EXISTS')
  })

  it('takes its share of a pending offer along: no more is offered than is still disputed', async () => {
    const [gone, left] = [await paid('30.00'), await paid('10.00')]
    const id = await together(gone, left)
    await does(world.merchant, id, 'accept-claim', { note: 'Most of it?', refund_amount: usd('35.00') })

    await takeOut(id, gone)

    expect((await sees(world.buyer, id)).offer?.seller_offered_amount).toEqual(usd('10.00'))
    await does(world.buyer, id, 'accept-offer', {})
    const { dispute_outcome, offer } = await sees(world.buyer, id)
    expect(dispute_outcome?.amount_refunded).toEqual(usd('10.00'))
    expect(offer?.history?.at(-1)).toMatchObject({ event_type: 'ACCEPTED', offer_amount: usd('10.00') })
  })

  it('is charged back without ending the dispute about the others', async () => {
    const [gone, left] = [await paid('10.00'), await paid('12.00')]
    const id = await together(gone, left)
    await takeOut(id, gone)

    await chargeBack(gone, '10.00')
    expect((await sees(world.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')

    await chargeBack(left, '12.00')
    expect((await sees(world.merchant, id)).status).toBe('RESOLVED')
  })
})

describe('A dispute about very many payments', () => {
  it('shows the last hundred refunds of more, and counts them all', async () => {
    const payments = await Promise.all(Array.from({ length: 101 }, () => paid('1.00')))
    const made = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: payments.map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
      reason: 'UNAUTHORISED',
    })
    const id = made.body.links[0]!.href.split('/').at(-1)!

    const answer = await does(world.merchant, id, 'accept-claim', { note: 'Sorry.', accept_claim_type: 'REFUND' })

    expect(answer.status, answer.text).toBe(200)
    for (const who of [world.merchant, world.buyer]) {
      const { refund_details, dispute_outcome } = await sees(who, id)
      expect(refund_details!.transactions).toHaveLength(100)
      expect(dispute_outcome!.amount_refunded).toEqual(usd('101.00'))
    }
  })
})
