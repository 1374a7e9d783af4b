import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('Payments that are recorded at the same time', () => {
  it('are all on the invoice or refused: none is lost, and none goes beyond what is due', async () => {
    const shop = shopOf(world)
    const { id } = await shop.sends()

    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        world.merchant.post(shop.path(id, '/payments'), { method: 'CASH', amount: usd('30.00') }),
      ),
    )

    const taken = answers.filter(({ status }) => status === 200).length
    const { payments, status } = await shop.sees(id)
    expect(taken).toBe(3)
    expect(payments?.transactions).toHaveLength(taken)
    expect([status, payments?.paid_amount]).toEqual(['PARTIALLY_PAID', usd('90.00')])
  })
})
