import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'

interface Transaction {
  buyer_transaction_id: string
  seller_transaction_id: string
}
interface Refund {
  id: string
  status: string
  amount: { value: string }
  seller_payable_breakdown: { total_refunded_amount: { value: string } }
  links: { rel: string; href: string }[]
}
interface Refusal {
  name: string
  details: { issue: string }[]
}

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

async function paid(value: string): Promise<string> {
  const { status, body } = await world.merchant.post<Transaction>('/sandbox/transactions', { amount: usd(value) })
  expect(status).toBe(201)
  return body.seller_transaction_id
}

const refund = <Body = Refund>(id: string, body?: object, headers?: Record<string, string>) =>
  world.merchant.post<Body>(`/v2/payments/captures/${id}/refund`, body, headers ? { headers } : {})

describe('A payment', () => {
  it('can be made in the sandbox by anybody, and shown by its seller alone', async () => {
    const made = await world.call<Transaction>('POST', '/sandbox/transactions', {
      amount: usd('35.50'),
      buyer_email: 'guest@example.com',
      invoice_number: 'A-1',
    })
    const path = `/v2/payments/captures/${made.body.seller_transaction_id}`

    const shown = await world.merchant.get(path)

    expect(made.status).toBe(201)
    expect(made.body.buyer_transaction_id).not.toBe(made.body.seller_transaction_id)
    expect(shown.body).toMatchObject({
      status: 'COMPLETED',
      amount: usd('35.50'),
      invoice_id: 'A-1',
      seller_receivable_breakdown: { gross_amount: usd('35.50'), service_fee: usd('0.00'), net_amount: usd('35.50') },
      payee: { merchant_id: world.people.merchant.id },
    })
    expect((await world.otherMerchant.get(path)).status).toBe(404)
    expect((await world.buyer.get(path)).status).toBe(403)
  })

  it('is announced to subscribers as a capture', async () => {
    const id = await paid('12.00')

    const events = await world.events(id)

    expect(events.map(({ type }) => type)).toEqual(['PAYMENT.CAPTURE.COMPLETED'])
    expect(events[0]!.resource).toMatchObject({ id, status: 'COMPLETED', final_capture: true })
  })

  it.each([
    [{ amount: usd('0') }, 'VALUE_CANNOT_BE_ZERO'],
    [{ amount: usd('-1.00') }, 'VALUE_CANNOT_BE_ZERO'],
    [{ amount: { currency_code: 'XXX', value: '1.00' } }, 'NOT_SUPPORTED'],
    [{ amount: { currency_code: 'JPY', value: '1.50' } }, 'INVALID_PARAMETER_SYNTAX'],
    [{}, 'MISSING_REQUIRED_PARAMETER'],
  ])('is refused when its amount is %j', async (body, issue) => {
    const answer = await world.merchant.post<Refusal>('/sandbox/transactions', body)

    expect(answer.status).toBe(400)
    expect(answer.body.details[0]!.issue).toBe(issue)
  })
})

describe('A refund', () => {
  it('gives back all of a payment when no amount is named', async () => {
    const id = await paid('40.00')

    const { status, body, headers } = await refund(id)

    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'COMPLETED', amount: usd('40.00') })
    expect(body.links.find(({ rel }) => rel === 'up')!.href).toMatch(`/v2/payments/captures/${id}`)
    expect(headers['location']).toMatch(`/v2/payments/refunds/${body.id}`)
    expect((await world.merchant.get(`/v2/payments/captures/${id}`)).body).toMatchObject({ status: 'REFUNDED' })
    expect((await world.merchant.get(`/v2/payments/refunds/${body.id}`)).body).toMatchObject({ id: body.id })
    expect((await world.otherMerchant.get(`/v2/payments/refunds/${body.id}`)).status).toBe(404)
    expect((await world.events(id)).at(-1)!.type).toBe('PAYMENT.CAPTURE.REFUNDED')
  })

  it('can be made in parts, which never add up to more than the payment', async () => {
    const id = await paid('40.00')

    await refund(id, { amount: usd('15.00') })
    const second = await refund(id, { amount: usd('25.00'), note_to_payer: 'Sorry.' })
    const third = await refund<Refusal>(id, { amount: usd('0.01') })

    expect(second.body.seller_payable_breakdown.total_refunded_amount).toEqual(usd('40.00'))
    expect(third.status).toBe(422)
    expect(third.body.details[0]!.issue).toBe('CAPTURE_FULLY_REFUNDED')
  })

  it('can be made in a hundred parts, and then of all that is left', async () => {
    const id = await paid('2.00')
    for (let part = 1; part <= 100; part++) expect((await refund(id, { amount: usd('0.01') })).status).toBe(201)

    const another = await refund<Refusal>(id, { amount: usd('0.01') })
    const rest = await refund(id)

    expect([another.status, another.body.details[0]!.issue]).toEqual([422, 'MAX_NUMBER_OF_REFUNDS_EXCEEDED'])
    expect([rest.status, rest.body.amount]).toEqual([201, usd('1.00')])
  })

  it('is refused above what is left, in another currency, and for nothing', async () => {
    const id = await paid('40.00')

    const tooMuch = await refund<Refusal>(id, { amount: usd('40.01') })
    const otherCurrency = await refund<Refusal>(id, { amount: { currency_code: 'EUR', value: '1.00' } })
    const nothing = await refund<Refusal>(id, { amount: usd('0.00') })

    expect([tooMuch.status, tooMuch.body.details[0]!.issue]).toEqual([422, 'REFUND_AMOUNT_EXCEEDED'])
    expect([otherCurrency.status, otherCurrency.body.details[0]!.issue]).toEqual([422, 'CURRENCY_MISMATCH'])
    expect(nothing.status).toBe(400)
  })

  it('happens once when the same request id comes twice', async () => {
    const id = await paid('40.00')
    const headers = { 'service-request-id': `refund-${id}` }

    const first = await refund(id, { amount: usd('10.00') }, headers)
    const again = await refund(id, { amount: usd('10.00') }, headers)

    expect(again.body.id).toBe(first.body.id)
    expect((await world.events(id)).filter(({ type }) => type === 'PAYMENT.CAPTURE.REFUNDED')).toHaveLength(1)
  })

  it('of a payment that belongs to somebody else does not exist', async () => {
    const id = await paid('40.00')

    expect((await world.otherMerchant.post(`/v2/payments/captures/${id}/refund`)).status).toBe(404)
    expect((await world.merchant.post('/v2/payments/captures/UNKNOWN/refund')).status).toBe(404)
  })
})
