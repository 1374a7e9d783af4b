import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sent, shopWithGateway } from '../../support/live-shop.ts'
import { times } from '../../support/size.ts'
import { usd } from '../../support/world.ts'

let shop: Awaited<ReturnType<typeof shopWithGateway>>
beforeAll(async () => {
  shop = await shopWithGateway()
})
afterAll(() => shop.close())

const RUNS = times(10, 100)
const moves = [
  'gateway completes',
  'gateway denies',
  'gateway is pending',
  'callback',
  'old callback',
  'asked',
  'asked late',
  'payment recorded',
  'cancelled',
  'paid again',
] as const

describe('A charge at a gateway that calls early, late, twice or never', () => {
  it('is on the invoice or goes back, exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...moves), { minLength: 2, maxLength: 8 }), async (steps) => {
        const { gateway, merchant, world } = shop
        gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
        const { id, path } = await sent(merchant)
        const charges = [(await shop.pay(path)).attempt]
        const said: string[] = ['ACTION_REQUIRED']
        const truth = () => said.at(-1)!
        const goesOn = (status: string) => {
          if (truth() === 'COMPLETED') return
          said.push(status)
          gateway.says.set(charges[0]!, status)
        }
        await world.settle()
        const first = charges[0]!

        for (const step of steps) {
          if (step === 'gateway completes') goesOn('COMPLETED')
          if (step === 'gateway denies') goesOn('DENIED')
          if (step === 'gateway is pending') goesOn('PENDING')
          if (step === 'callback') expect((await shop.tells(first, truth())).status).toBe(204)
          if (step === 'old callback') expect((await shop.tells(first, said[0]!)).status).toBe(204)
          if (step === 'asked') await shop.asks(first)
          if (step === 'asked late') await shop.asks(first, 31)
          if (step === 'payment recorded')
            await merchant.post(`/v2/invoicing/invoices/${id}/payments`, { method: 'CASH', amount: usd('74.21') })
          if (step === 'cancelled') await merchant.post(`/v2/invoicing/invoices/${id}/cancel`, {})
          if (step === 'paid again') await shop.pay(path).catch(() => undefined)
          await world.settle()
        }
        if (truth() === 'COMPLETED') await shop.tells(first, 'COMPLETED')
        await shop.tells(first, truth())
        await world.settle()

        const isTaken = truth() === 'COMPLETED'
        const isBooked = (await shop.statusOf(first)) === 'COMPLETED'
        const wentBack = gateway.asked.get(`void-${first}`) ?? 0
        expect({ booked: isBooked, wentBack }, steps.join(', ')).toEqual(
          isTaken ? { booked: isBooked, wentBack: isBooked ? 0 : 1 } : { booked: false, wentBack: 0 },
        )
      }),
      { numRuns: RUNS },
    )
  })
})
