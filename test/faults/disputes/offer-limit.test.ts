import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../src/disputes/machine/limits.ts'
import { does, NOT_AS_DESCRIBED, open, refusal, sees } from '../../scenarios/disputes/people.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

/** A dispute of which so much was offered and declined. */
async function haggled(count: number): Promise<string> {
  const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
  await does(world.merchant, id, 'accept-claim', { note: 'Part.', refund_amount: usd('5.00') })
  await does(world.buyer, id, 'deny-offer', { note: 'No.' })
  await world.app.database.query(
    `update disputes set body = jsonb_set(body, '{offer,history}', (
       select jsonb_agg(body->'offer'->'history'->(n % 2)) from generate_series(0, $2::int - 1) n)) where id = $1`,
    [id, count],
  )
  return id
}

describe('A claim that is accepted in part over and over', () => {
  it('is so as often as offers can be made', async () => {
    const id = await haggled(limits.offerEvents - 2)
    const part = { note: 'Part.', refund_amount: usd('6.00') }

    expect((await does(world.merchant, id, 'accept-claim', part)).status).toBe(200)
    expect((await does(world.buyer, id, 'deny-offer', { note: 'Still no.' })).status).toBe(200)

    expect((await sees(world.merchant, id)).allowed_response_options).toEqual({
      accept_claim: { accept_claim_types: ['REFUND'] },
    })
    expect(refusal(await does(world.merchant, id, 'accept-claim', part))).toBe(
      '400 VALIDATION_ERROR INVALID_REFUND_AMOUNT',
    )
    const typed = { ...part, accept_claim_type: 'PARTIAL_REFUND' }
    expect(refusal(await does(world.merchant, id, 'accept-claim', typed))).toBe(
      '400 INVALID_REQUEST INVALID_ACCEPT_CLAIM_TYPE',
    )
    expect((await does(world.merchant, id, 'accept-claim', { note: 'All of it.' })).status).toBe(200)
    expect((await sees(world.merchant, id)).dispute_outcome?.amount_refunded).toEqual(usd('20.00'))
  })
})
