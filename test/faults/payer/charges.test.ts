import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sent, shopWithGateway } from '../../support/live-shop.ts'
import { usd } from '../../support/world.ts'

let shop: Awaited<ReturnType<typeof shopWithGateway>>
beforeAll(async () => {
  shop = await shopWithGateway()
})
afterAll(() => shop.close())
beforeEach(() => {
  shop.gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
})

const paidOn = async (id: string) => (await shop.shown(id)).payments?.paid_amount.value
const wentBack = (attempt: string) => shop.gateway.asked.get(`void-${attempt}`) ?? 0

describe('A charge that completes after the service gave it up', () => {
  it('goes back at once, and the payer who paid again paid once', async () => {
    const { id, path } = await sent(shop.merchant)
    const first = await shop.pay(path)
    await shop.world.settle()
    await shop.asks(first.attempt, 31)
    shop.gateway.state.answer = { status: 'COMPLETED' }
    const second = await shop.pay(path)
    await shop.world.settle()

    const told = await shop.tells(first.attempt, 'COMPLETED')
    const again = await shop.tells(first.attempt, 'COMPLETED')
    await shop.world.settle()

    expect([told.status, again.status]).toEqual([204, 204])
    expect(second.attempt).not.toBe(first.attempt)
    expect([await paidOn(id), wentBack(first.attempt), wentBack(second.attempt)]).toEqual(['74.21', 1, 0])
    expect(shop.gateway.refunds.get(`void-${first.attempt}`)).toMatchObject({ amount: usd('74.21') })
  })

  it('is found without a callback', async () => {
    const { id, path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await shop.world.settle()
    await shop.asks(attempt, 31)
    shop.gateway.says.set(attempt, 'COMPLETED')

    await shop.asks(attempt, 35)

    expect([await paidOn(id), wentBack(attempt)]).toEqual([undefined, 1])
  })

  it('tells the payer that it is on its way back', async () => {
    const { path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await shop.world.settle()
    await shop.asks(attempt, 31)
    await shop.tells(attempt, 'COMPLETED')

    const page = await shop.world.call('GET', `${path}?attempt=${attempt}`)

    expect(page.text).toContain('$74.21 is on its way back to you')
  })
})

describe('A charge whose callback is lost', () => {
  it('is asked for within a minute while the payer may be waiting', async () => {
    const { id, path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await shop.world.settle()
    expect(await shop.nextLook(attempt)).toBeLessThanOrEqual(60)
    shop.gateway.says.set(attempt, 'COMPLETED')

    await shop.asks(attempt, 1)

    expect([await paidOn(id), await shop.nextLook(attempt)]).toEqual(['74.21', undefined])
  })
})

describe('A charge that the gateway denied and then took', () => {
  it('goes back', async () => {
    const { id, path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await shop.world.settle()
    await shop.tells(attempt, 'DENIED')

    await shop.tells(attempt, 'COMPLETED')
    await shop.tells(attempt, 'DENIED')
    await shop.world.settle()

    expect([await paidOn(id), wentBack(attempt)]).toEqual([undefined, 1])
  })

  it('goes back when only the denial was told', async () => {
    const { id, path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await shop.world.settle()
    await shop.tells(attempt, 'DENIED')
    expect(await shop.nextLook(attempt)).toBeLessThanOrEqual(60)
    shop.gateway.says.set(attempt, 'COMPLETED')

    await shop.asks(attempt, 2)

    expect([await paidOn(id), wentBack(attempt), await shop.nextLook(attempt)]).toEqual([undefined, 1, undefined])
  })
})

describe('A callback that races a payment the merchant records', () => {
  it('is taken, and one of the two is on the invoice', async () => {
    const ROUNDS = 12
    const outcomes: string[] = []

    for (let round = 0; round < ROUNDS; round++) {
      const { id, path } = await sent(shop.merchant)
      const { attempt } = await shop.pay(path)
      await shop.world.settle()
      const [told, recorded] = await Promise.all([
        shop.tells(attempt, 'COMPLETED'),
        shop.merchant.post(`/v2/invoicing/invoices/${id}/payments`, { method: 'CASH', amount: usd('74.21') }),
      ])
      await shop.world.settle()
      const isBooked = (await shop.shown(id)).status === 'PAID'
      outcomes.push(`${told.status} ${[200, 422].includes(recorded.status)} ${isBooked ? 'paid' : 'recorded'}`)
      expect([await paidOn(id), wentBack(attempt)]).toEqual(['74.21', isBooked ? 0 : 1])
    }

    expect(new Set(outcomes.map((outcome) => outcome.split(' ').slice(0, 2).join(' ')))).toEqual(new Set(['204 true']))
    // Every round waits for jobs of a live service, and on a busy machine they add up.
  })
})
