import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sent, shopWithGateway } from '../../support/live-shop.ts'
import { openSheet } from '../../support/payer.ts'
import { usd } from '../../support/world.ts'

let shop: Awaited<ReturnType<typeof shopWithGateway>>
beforeAll(async () => {
  shop = await shopWithGateway()
  shop.gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
})
afterAll(() => shop.close())

const inParts = { configuration: { partial_payment: { allow_partial_payment: true }, allow_tip: true } }

/** Someone with a browser of their own. */
function browser() {
  let cookie: string | undefined
  return async (path: string, wish: Record<string, string>) => {
    const opened = await openSheet(shop.world, path, wish, cookie)
    cookie = opened.cookie
    const answer = await opened.send()
    await shop.world.settle()
    const attempt = answer.status === 303 ? String(answer.headers['location']).split('/').at(-1)! : undefined
    return { status: answer.status, text: answer.text, attempt }
  }
}
const chargeOf = (attempt: string | undefined) => shop.gateway.charges.get(attempt ?? '')?.amount

describe('A payment that is under way', () => {
  it('is not handed to somebody else who confirms another sum', async () => {
    const { path } = await sent(shop.merchant, inParts)
    const [stranger, payer] = [browser(), browser()]
    const first = await stranger(path, { amount: '74.00', tip: '74.00' })

    const second = await payer(path, { amount: '1.00' })

    expect(chargeOf(first.attempt)).toEqual(usd('148.00'))
    expect([second.status, second.attempt]).toEqual([409, undefined])
    expect(second.text).toContain('Another browser is paying this invoice right now')
  })

  it('is not handed to somebody else who confirms the same sum', async () => {
    const { path } = await sent(shop.merchant)
    await browser()(path, {})

    expect((await browser()(path, {})).status).toBe(409)
  })

  it('makes way for somebody else when it is not finished within five minutes, and its money goes back', async () => {
    const { id, path } = await sent(shop.merchant, inParts)
    const first = await browser()(path, { amount: '74.00' })
    await shop.asks(first.attempt!, 6)

    const second = await browser()(path, { amount: '1.00' })
    await shop.tells(first.attempt!, 'COMPLETED')
    await shop.tells(second.attempt!, 'COMPLETED')
    await shop.world.settle()

    expect(chargeOf(second.attempt)).toEqual(usd('1.00'))
    expect((await shop.shown(id)).payments?.paid_amount.value).toBe('1.00')
    expect(shop.gateway.asked.get(`void-${first.attempt}`)).toBe(1)
  })

  it('goes on in the same browser for the same sum', async () => {
    const { path } = await sent(shop.merchant, inParts)
    const payer = browser()

    const [first, second] = [await payer(path, { amount: '5.00' }), await payer(path, { amount: '5.00' })]

    expect(second.attempt).toBe(first.attempt)
  })

  it('is replaced in the same browser by another sum', async () => {
    const { id, path } = await sent(shop.merchant, inParts)
    const payer = browser()
    const first = await payer(path, { amount: '5.00' })

    const second = await payer(path, { amount: '6.00' })
    await shop.tells(second.attempt!, 'COMPLETED')
    await shop.tells(first.attempt!, 'COMPLETED')
    await shop.world.settle()

    expect([chargeOf(first.attempt), chargeOf(second.attempt)]).toEqual([usd('5.00'), usd('6.00')])
    expect((await shop.shown(id)).payments?.paid_amount.value).toBe('6.00')
    expect(shop.gateway.asked.get(`void-${first.attempt}`)).toBe(1)
  })
})

describe('A tip', () => {
  it('is at most what is paid with it', async () => {
    const { path } = await sent(shop.merchant, inParts)

    const { sheet } = await openSheet(shop.world, path, { amount: '10.00', tip: '10.01' })

    expect(sheet.status).toBe(422)
    expect(sheet.text).toContain('Enter a tip of zero or more, and no more than you pay.')
  })
})
