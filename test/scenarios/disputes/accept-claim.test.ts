import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import {
  address,
  canDo,
  does,
  multipart,
  NOT_AS_DESCRIBED,
  open,
  pdf,
  position,
  proof,
  refusal,
  sees,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const note = 'We see your point.'
const accepts = (id: string, more: object) => does(world.merchant, id, 'accept-claim', { note, ...more })

describe('A claim that is accepted without a type', () => {
  it('asks the buyer when the amount is less than is disputed', async () => {
    const id = await open(world.buyer, { reason: 'INCORRECT_AMOUNT', amount: usd('20.00') })

    expect((await accepts(id, { refund_amount: usd('5.00') })).status).toBe(200)

    const asked = await sees(world.merchant, id)
    expect(position(asked)).toBe('CHARGEBACK/WAITING_FOR_BUYER_RESPONSE REQUIRED_OTHER_PARTY_ACTION')
    expect(asked.offer?.seller_offered_amount).toEqual(usd('5.00'))
    expect((await does(world.buyer, id, 'accept-offer', {})).status).toBe(200)
    expect((await sees(world.merchant, id)).dispute_outcome?.amount_refunded).toEqual(usd('5.00'))
  })

  it.each([
    ['as much', '20.00'],
    ['more', '35.00'],
  ])('refunds all that is disputed when the amount is %s', async (_, value) => {
    const id = await open(world.buyer, { amount: usd('20.00') })

    expect((await accepts(id, { refund_amount: usd(value) })).status).toBe(200)

    const closed = await sees(world.merchant, id)
    expect(closed.status).toBe('RESOLVED')
    expect(closed.dispute_outcome?.amount_refunded).toEqual(usd('20.00'))
  })

  it('is an offer of nothing more where the seller has paid and appealed', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })
    await does(world.merchant, id, 'provide-evidence', proof)
    await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })
    await does(world.merchant, id, 'appeal', proof)

    expect((await accepts(id, {})).status).toBe(200)

    const { offer, dispute_outcome } = await sees(world.merchant, id)
    expect(offer?.history?.at(-1)).toMatchObject({ event_type: 'PROPOSED' })
    expect([offer?.history?.at(-1)?.offer_amount, offer?.seller_offered_amount]).toEqual([undefined, undefined])
    expect(dispute_outcome).toMatchObject({ outcome_code: 'RESOLVED_BUYER_FAVOUR', amount_refunded: usd('20.00') })
  })

  it('refunds when there is no amount', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })

    expect((await accepts(id, {})).status).toBe(200)
    expect((await sees(world.merchant, id)).dispute_outcome?.amount_refunded).toEqual(usd('20.00'))
  })

  it('takes an address where something could be sent back, and keeps it for the buyer', async () => {
    const [part, whole] = [
      await open(world.buyer, { reason: NOT_AS_DESCRIBED, amount: usd('20.00') }),
      await open(world.buyer, { reason: NOT_AS_DESCRIBED, amount: usd('20.00') }),
    ]

    const asked = await accepts(part, { refund_amount: usd('5.00'), return_shipping_address: address })
    const refunded = await accepts(whole, { return_shipping_address_info: { address } })

    expect([asked.status, refunded.status]).toEqual([200, 200])
    expect((await sees(world.merchant, part)).status).toBe('WAITING_FOR_BUYER_RESPONSE')
    expect((await sees(world.merchant, whole)).status).toBe('RESOLVED')

    expect((await does(world.buyer, part, 'deny-offer', { note: 'I would rather send it back.' })).status).toBe(200)
    for (const who of [world.buyer, world.merchant])
      expect((await sees(who, part)).extensions?.merchandize_dispute_properties?.return_shipping_address).toEqual(
        address,
      )
  })

  it('leaves the seller to answer a claim, also where a document came with the offer that was denied', async () => {
    const id = await open(world.buyer)
    const offer = multipart({ note: 'Half of it?', refund_amount: usd('10.00') }, [{ name: 'letter.pdf', bytes: pdf }])
    await does(world.merchant, id, 'accept-claim', offer.payload, offer.headers)
    await does(world.buyer, id, 'deny-offer', { note: 'All of it.' })

    await does(world.buyer, id, 'escalate', {})

    expect(position(await sees(world.merchant, id))).toBe('CHARGEBACK/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(await canDo(world.merchant, id)).toContain('provide_evidence')
  })

  it('may have an empty list of shipments, which is none', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })

    expect((await accepts(id, { return_shipment_info: [] })).status).toBe(200)
  })

  it('is refused when the amount is nothing, of another currency, or no buyer can be asked', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })
    const inReview = await open(world.buyer, { amount: usd('20.00') })
    await does(world.buyer, inReview, 'escalate', {})
    await does(world.merchant, inReview, 'provide-evidence', {
      evidences: [{ evidence_type: 'OTHER', notes: 'Sent.' }],
    })
    const wrong = '400 VALIDATION_ERROR INVALID_REFUND_AMOUNT'

    expect(refusal(await accepts(id, { refund_amount: usd('0.00') }))).toBe(wrong)
    expect(refusal(await accepts(id, { refund_amount: { currency_code: 'EUR', value: '5.00' } }))).toBe(wrong)
    expect(refusal(await accepts(inReview, { refund_amount: usd('5.00') }))).toBe(wrong)
    expect((await accepts(inReview, { refund_amount: usd('20.00') })).status).toBe(200)
  })
})
