import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signText } from '../../../src/payer/pay/gateway-signature.ts'
import { GATEWAY_SECRET } from '../../support/gateway.ts'
import { chargeCallback, inOwnNetwork, liveShop, sent, shopWithGateway } from '../../support/live-shop.ts'
import { openSheet, PUBLIC_URL } from '../../support/payer.ts'
import { RawReceiver } from '../../support/receiver.ts'
import { type Person, usd, type World } from '../../support/world.ts'

interface Invoice {
  status: string
  payments?: { transactions: { payment_id: string }[] }
}

describe('A live service with a payment gateway', () => {
  let shop: Awaited<ReturnType<typeof shopWithGateway>>
  let gateway: (typeof shop)['gateway']
  let world: World
  let merchant: Person
  beforeAll(async () => {
    shop = await shopWithGateway()
    ;({ gateway, world, merchant } = shop)
  })
  afterAll(() => shop.close())
  beforeEach(() => {
    gateway.state.answer = { status: 'COMPLETED' }
    gateway.state.failures = 0
  })

  const shown = async (id: string) => (await merchant.get<Invoice>(`/v2/invoicing/invoices/${id}`)).body
  const follow = (location: unknown) => world.call('GET', String(location))
  const typesOf = async (count: number) => (await world.events()).slice(-count).map(({ type }) => type)
  /** Makes jobs of this name due that wait for later: a live clock cannot be moved. */
  const hurry = async (name: string) => {
    await world.app.database.query("update jobs set run_at = '2000-01-01T00:00:00.000Z' where name = $1", [name])
    await world.settle()
  }

  async function paying(id: string, path: string) {
    const { sheet, send } = await openSheet(world, path)
    expect(sheet.text).not.toContain('Test payment')
    const answer = await send()
    expect(answer.status).toBe(303)
    const attempt = String(answer.headers['location']).split('/').at(-1)!
    return { id, attempt, waiting: String(answer.headers['location']) }
  }

  const callback = (attempt: string, status: string, signature?: string) =>
    chargeCallback(world, { charge_id: attempt, status }, signature)

  it('charges through it with signed calls while the payer waits on a page', async () => {
    const { id, path } = await sent(merchant)
    const { attempt, waiting } = await paying(id, path)
    expect((await follow(waiting)).text).toContain('Your payment is being made')

    await world.settle()
    const done = await follow(waiting)

    expect(done.status).toBe(303)
    expect((await follow(done.headers['location'])).text).toContain('Thank you. Your payment of $74.21 arrived.')
    expect(await shown(id)).toMatchObject({ status: 'PAID' })
    expect(gateway.charges.get(attempt)).toMatchObject({
      amount: usd('74.21'),
      callback_url: `${PUBLIC_URL}/gateway/callback`,
      return_url: `${PUBLIC_URL}${waiting}`,
    })
    expect(gateway.state.refused).toBe(0)
    expect(await typesOf(3)).toEqual(['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED', 'INVOICING.INVOICE.PAID'])
  })

  it('refunds through it, once', async () => {
    const { id, path } = await sent(merchant)
    const { attempt } = await paying(id, path)
    await world.settle()
    const capture = (await shown(id)).payments!.transactions[0]!.payment_id

    const { body } = await merchant.post<{ id: string }>(`/v2/payments/captures/${capture}/refund`, {
      amount: usd('4.21'),
    })
    await world.settle()

    expect(gateway.refunds.get(body.id)).toEqual({ refund_id: body.id, charge_id: attempt, amount: usd('4.21') })
    expect(await shown(id)).toMatchObject({ status: 'PARTIALLY_REFUNDED' })
  })

  it('is denied by it', async () => {
    gateway.state.answer = { status: 'DENIED' }
    const { id, path } = await sent(merchant)
    const { waiting } = await paying(id, path)
    await world.settle()

    const page = await follow((await follow(waiting)).headers['location'])

    expect(page.text).toContain('The payment was denied.')
    expect(await shown(id)).toMatchObject({ status: 'SENT' })
  })

  it('waits for a pending charge until the callback clears it', async () => {
    gateway.state.answer = { status: 'PENDING' }
    const { id, path } = await sent(merchant)
    const { attempt } = await paying(id, path)
    await world.settle()
    expect(await shown(id)).toMatchObject({ status: 'PAYMENT_PENDING' })

    const told = await callback(attempt, 'COMPLETED')
    const again = await callback(attempt, 'COMPLETED')

    expect([told.status, again.status]).toEqual([204, 204])
    expect(await shown(id)).toMatchObject({ status: 'PAID' })
  })

  it('sends the payer on to the gateway where it must', async () => {
    gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
    const { id, path } = await sent(merchant)
    const { attempt, waiting } = await paying(id, path)
    await world.settle()
    expect((await follow(waiting)).text).toContain('href="https://bank.example/confirm"')

    const long = `https://bank.example/confirm?state=${'x'.repeat(3_000)}`
    gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: long }
    const other = await sent(merchant)
    const elsewhere = await paying(other.id, other.path)
    await world.settle()
    expect((await follow(elsewhere.waiting)).text).toContain(`href="${long}"`)

    await callback(attempt, 'COMPLETED')

    expect(await shown(id)).toMatchObject({ status: 'PAID' })
  })

  it('believes no callback that is not signed, is too old or names an unknown charge', async () => {
    gateway.state.answer = { status: 'PENDING' }
    const { id, path } = await sent(merchant)
    const { attempt } = await paying(id, path)
    await world.settle()
    const said = JSON.stringify({ charge_id: attempt, status: 'COMPLETED' })
    const old = signText(GATEWAY_SECRET, said, '2020-01-01T00:00:00.000Z' as never)

    expect((await callback(attempt, 'COMPLETED', 'nonsense')).status).toBe(403)
    expect((await callback(attempt, 'COMPLETED', old)).status).toBe(403)
    expect((await callback('UNKNOWN', 'COMPLETED')).status).toBe(404)
    expect(await shown(id)).toMatchObject({ status: 'PAYMENT_PENDING' })
  })

  it('takes callbacks signed with any of its secrets, and signs with the first', async () => {
    const {
      gateway: other,
      world: rotating,
      ...rest
    } = await shopWithGateway({
      GATEWAY_SECRET: `${GATEWAY_SECRET}, the next secret of the gateway`,
    })
    const { path } = await sent(rest.merchant)
    const { send } = await openSheet(rotating, path)
    const charge_id = String((await send()).headers['location'])
      .split('/')
      .at(-1)!
    other.state.answer = { status: 'PENDING' }
    await rotating.settle()
    const said = { charge_id, status: 'COMPLETED' }
    const by = (secret: string) =>
      chargeCallback(rotating, said, signText(secret, JSON.stringify(said), rotating.now()))

    expect(other.charges.has(charge_id)).toBe(true)
    expect((await by('a secret of somebody else')).status).toBe(403)
    expect((await by(GATEWAY_SECRET)).status).toBe(204)
    expect((await by('the next secret of the gateway')).status).toBe(204)
    await rest.close()
  })

  it('believes nothing in a callback that its signature does not cover', async () => {
    gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
    const { id, path } = await sent(merchant)
    const { attempt, waiting } = await paying(id, path)
    await world.settle()
    const said = { charge_id: attempt, status: 'ACTION_REQUIRED' }
    const signature = signText(GATEWAY_SECRET, JSON.stringify(said), world.now())
    const partly = signText(GATEWAY_SECRET, `${attempt}.ACTION_REQUIRED.`, world.now())
    const forged = { ...said, redirect_url: 'https://evil.example/confirm' }

    expect((await chargeCallback(world, forged, signature)).status).toBe(403)
    expect((await chargeCallback(world, forged, partly)).status).toBe(403)
    expect((await chargeCallback(world, said, signature)).status).toBe(204)
    expect((await follow(waiting)).text).toContain('href="https://bank.example/confirm"')
  })

  it('gives the money back when the invoice was cancelled meanwhile, and says that the approval was reversed', async () => {
    gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
    const { id, path } = await sent(merchant)
    const { attempt, waiting } = await paying(id, path)
    await world.settle()
    await merchant.post(`/v2/invoicing/invoices/${id}/cancel`, {})

    await callback(attempt, 'COMPLETED')
    await world.settle()

    expect(await shown(id)).toMatchObject({ status: 'CANCELLED' })
    expect(gateway.refunds.get(`void-${attempt}`)).toMatchObject({ charge_id: attempt, amount: usd('74.21') })
    expect(await typesOf(1)).toEqual(['CHECKOUT.PAYMENT-APPROVAL.REVERSED'])
    expect((await follow((await follow(waiting)).headers['location'])).text).toContain(
      '$74.21 is on its way back to you',
    )
  })

  it('gives up a try that the payer never finished, and takes the next', async () => {
    gateway.state.answer = { status: 'ACTION_REQUIRED', redirect_url: 'https://bank.example/confirm' }
    const { id, path } = await sent(merchant)
    const first = await paying(id, path)
    await world.settle()

    await shop.asks(first.attempt, 31)
    gateway.state.answer = { status: 'COMPLETED' }
    const third = await paying(id, path)
    await world.settle()

    expect(third.attempt).not.toBe(first.attempt)
    expect(await shown(id)).toMatchObject({ status: 'PAID' })
  })

  it('tries again when the gateway does not answer', async () => {
    gateway.state.failures = 1
    const { id, path } = await sent(merchant)
    await paying(id, path)
    await world.settle()
    expect(await shown(id)).toMatchObject({ status: 'SENT' })

    await hurry('gateway-charge')

    expect(await shown(id)).toMatchObject({ status: 'PAID' })
  })
})

describe('A gateway that cannot be trusted with the line', () => {
  let line: RawReceiver
  let answer: string
  let own: Awaited<ReturnType<typeof liveShop>>
  const settings = () => ({ GATEWAY_URL: line.url(''), GATEWAY_SECRET })
  beforeAll(async () => {
    line = await RawReceiver.open((socket) => socket.once('data', () => socket.end(answer)))
    own = await liveShop({ ...settings(), ...inOwnNetwork })
  })
  afterAll(async () => {
    await own.world.close()
    await line.close()
  })

  /** One try to pay; what became of the call to the gateway, and of the invoice. */
  async function order({ world, merchant } = own) {
    const before = line.connections
    const { id, path } = await sent(merchant)
    await (await openSheet(world, path)).send()
    await world.settle()
    // It would be tried again in a second.
    const { rows } = await world.app.database.query<{ last_error: string }>(
      "delete from jobs where name = 'gateway-charge' returning last_error",
    )
    const { body: invoice } = await merchant.get<Invoice>(`/v2/invoicing/invoices/${id}`)
    return { error: rows[0]?.last_error, status: invoice.status, connections: line.connections - before }
  }
  const completed = '{"status":"COMPLETED"}'

  it('is not followed elsewhere', async () => {
    const elsewhere = await RawReceiver.open((socket) => socket.end())
    answer = `HTTP/1.1 307 Over there\r\nlocation: ${elsewhere.url()}\r\ncontent-length: 0\r\n\r\n`

    const { error, status, connections } = await order()

    expect(error).toContain('answered 307 to POST /charges; redirects are not followed')
    expect([status, connections, elsewhere.connections]).toEqual(['SENT', 1, 0])
    await elsewhere.close()
  })

  it('is not heard out when it talks without end, nor believed when it breaks off', async () => {
    const long = `${completed}${' '.repeat(65 * 1024)}`
    const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`

    answer = head(long.length) + long
    const endless = await order()
    answer = head(1_000) + completed
    const broken = await order()

    expect(endless).toMatchObject({ error: expect.stringContaining('longer than 64 KiB'), status: 'SENT' })
    expect(broken).toMatchObject({ error: expect.any(String), status: 'SENT' })
  })

  it('is not called in a private network, nor without encryption, unless the operator says so', async () => {
    answer = `HTTP/1.1 200 OK\r\ncontent-length: ${completed.length}\r\n\r\n${completed}`
    const strict = await liveShop({ ...settings(), GATEWAY_ALLOW_HTTP: 'true' })
    const encrypting = await liveShop({ ...settings(), GATEWAY_ALLOW_PRIVATE: 'true' })

    const [inside, plain, allowed] = [await order(strict), await order(encrypting), await order()]
    for (const { world } of [strict, encrypting]) await world.close()

    expect(plain).toMatchObject({ error: expect.stringContaining('https://'), status: 'SENT', connections: 0 })
    expect(inside).toMatchObject({ error: expect.stringContaining('not a public'), status: 'SENT', connections: 0 })
    expect(allowed).toEqual({ error: undefined, status: 'PAID', connections: 1 })
  })
})

describe('A live service without a gateway', () => {
  it('says how to pay and shows no button', async () => {
    const { world, merchant } = await liveShop({})
    const { path } = await sent(merchant)

    const { text } = await world.call('GET', path)

    expect(text).toContain('This invoice cannot be paid online.')
    expect(text).not.toContain('<button')
    expect((await world.call('GET', `${path}/pay`)).status).toBe(404)
    expect((await world.call('POST', '/sandbox/invoices/INV2-AAAA-BBBB-CCCC-DDDD/pay', {})).status).not.toBe(201)
    await world.close()
  })
})
