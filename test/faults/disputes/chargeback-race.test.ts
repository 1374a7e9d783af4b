import { afterAll, beforeAll, expect, it } from 'vitest'
import { DISPUTES, makePayment, refusal, sees } from '../../scenarios/disputes/people.ts'
import { times } from '../../support/size.ts'
import { newWorld, type World } from '../../support/world.ts'

const TIMES = times(20, 300)

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

it('A chargeback and a dispute between the parties that are opened at once never go on side by side', async () => {
  for (let n = 0; n < TIMES; n++) {
    const payment = await makePayment(world, '35.00')
    const [bank, buyer] = await Promise.all([
      world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
        transaction: { id_enc: payment.capture },
        dispute: {},
      }),
      world.buyer.post<Parameters<typeof refusal>[0]['body'] & { links: { href: string }[] }>(DISPUTES, {
        disputed_transactions: [{ buyer_transaction_id: payment.buyersId }],
        reason: 'INCORRECT_AMOUNT',
      }),
    ])

    expect(bank.status, bank.text).toBe(201)
    expect((await sees(world.merchant, bank.body.dispute_id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    if (buyer.status === 201)
      expect((await sees(world.merchant, buyer.body.links[0]!.href.split('/').at(-1)!)).status).toBe('RESOLVED')
    else expect(refusal(buyer)).toBe('422 UNPROCESSABLE_ENTITY DISPUTE_ALREADY_EXISTS')
  }
})
