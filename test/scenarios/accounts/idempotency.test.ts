import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

interface RefundBody {
  id: string
  name: string
  details: { issue: string }[]
}

describe('A request id', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  async function payment(amount = '50.00'): Promise<string> {
    const { body } = await world.call<{ seller_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd(amount),
    })
    return body.seller_transaction_id
  }
  const refund = (id: string, amount: string, headers: Record<string, string>) =>
    world.merchant.post<RefundBody>(`/v2/payments/captures/${id}/refund`, { amount: usd(amount) }, { headers })
  const refundEvents = async () =>
    (await world.events()).filter(({ type }) => type === 'PAYMENT.CAPTURE.REFUNDED').length

  for (const header of ['service-request-id', 'paypal-request-id', 'idempotency-key'])
    it(`in ${header} makes a repeated request take effect once, and get the first answer again`, async () => {
      const id = await payment()
      const before = await refundEvents()
      const first = await refund(id, '10.00', { [header]: `once-${header}` })
      const second = await refund(id, '10.00', { [header]: `once-${header}` })

      expect(first.status).toBe(201)
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      expect(second.status).toBe(201)
      expect(second.text).toBe(first.text)
      expect(second.headers['location']).toBe(first.headers['location'])
      expect(second.headers['idempotent-replayed']).toBe('true')
      expect(await refundEvents()).toBe(before + 1)
    })

  it('cannot be used again for another request', async () => {
    const id = await payment()
    await refund(id, '10.00', { 'service-request-id': 'changed' })
    const { status, body } = await refund(id, '11.00', { 'service-request-id': 'changed' })

    expect(status).toBe(422)
    expect(body.details[0]!.issue).toBe('DUPLICATE_REQUEST_ID')
  })

  it('belongs to the app and account that used it', async () => {
    const id = await payment()
    const other = await world.personWithApp(world.people.merchant.id, ['payments/refund'])
    const headers = { 'service-request-id': 'shared' }
    const mine = await refund(id, '10.00', headers)
    const theirs = await other.post<RefundBody>(
      `/v2/payments/captures/${id}/refund`,
      { amount: usd('10.00') },
      { headers },
    )

    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('holds in a sandbox without a token too', async () => {
    const pay = (value: string) =>
      world.call<{ seller_transaction_id: string }>(
        'POST',
        '/sandbox/transactions',
        { amount: usd(value) },
        { headers: { 'service-request-id': 'nobody' } },
      )
    const [first, second, other] = [await pay('10.00'), await pay('10.00'), await pay('11.00')]

    expect(second.text).toBe(first.text)
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(other.status).toBe(422)
  })

  it('repeats a refusal by the rules byte for byte', async () => {
    const id = await payment('5.00')
    const first = await refund(id, '6.00', { 'service-request-id': 'refused' })
    const second = await refund(id, '6.00', { 'service-request-id': 'refused' })

    expect(first.status).toBe(422)
    expect(second.status).toBe(422)
    expect(second.text).toBe(first.text)
  })

  it('is free again after a malformed request, so that the mended one works', async () => {
    const id = await payment()
    const headers = { 'service-request-id': 'mended' }
    const broken = await world.merchant.post(
      `/v2/payments/captures/${id}/refund`,
      { amount: { value: '1.00' } },
      { headers },
    )
    const mended = await refund(id, '1.00', headers)

    expect([broken.status, mended.status]).toEqual([400, 201])
  })

  it('is free again when its time has run out', async () => {
    const id = await payment()
    const first = await refund(id, '1.00', { 'service-request-id': 'late' })
    await world.pass('P46D')
    const second = await refund(id, '1.00', { 'service-request-id': 'late' })

    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('holds for forty-five days where a dispute gave money back, and for six hours where nothing moved', async () => {
    const { buyer, merchant } = world
    const offer = { note: 'Some of it.', offer_type: 'REFUND', offer_amount: usd('5.00') }
    const [accepted, offered, talked] = [await open(buyer), await open(buyer), await open(buyer)]
    await does(merchant, offered, 'make-offer', offer)
    const calls = () => [
      does(merchant, accepted, 'accept-claim', { note: 'Right.' }, { 'service-request-id': 'give-in' }),
      does(buyer, offered, 'accept-offer', {}, { 'service-request-id': 'take-it' }),
      does(merchant, talked, 'send-message', { message: 'Hello.' }, { 'service-request-id': 'say-it' }),
    ]
    const first = await Promise.all(calls())
    await world.pass('P44D')
    const again = await Promise.all(calls())

    expect(first.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(again.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      [200, 'true'],
      [200, 'true'],
      [422, undefined],
    ])
  })

  it('lets one of many simultaneous copies take effect; the others replay it or are told to wait', async () => {
    const id = await payment()
    const before = await refundEvents()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refund(id, '1.00', { 'service-request-id': 'crowd' })),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1)
    for (const { status, body } of answers) {
      expect([201, 409]).toContain(status)
      if (status === 409) expect(body.details[0]!.issue).toBe('PREVIOUS_REQUEST_IN_PROGRESS')
    }
    expect(await refundEvents()).toBe(before + 1)
  })

  it('must be 1 to 108 printable characters', async () => {
    const id = await payment()
    expect((await refund(id, '1.00', { 'service-request-id': 'x'.repeat(108) })).status).toBe(201)
    expect((await refund(id, '1.00', { 'service-request-id': 'x'.repeat(109) })).status).toBe(400)
  })
})
