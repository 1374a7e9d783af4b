import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issuesOf, over, type Refusal, shopOf } from '../support/shop.ts'
import { newWorld, type Response, usd, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { STRICT_INVOICER_EMAIL: 'true', PAYMENT_FEE_PERCENT: '10' } })
})
afterAll(() => world.close())

const said = ({ status, body }: Response<Refusal>) => `${status} ${issuesOf(body)}`

describe('A change of an invoice is refused', () => {
  const items = Array.from({ length: 11 }, (_, i) => ({
    name: 'A',
    quantity: '1',
    unit_amount: usd('1.00'),
    tax: { name: 'T', percent: String(i) },
  }))
  const early = { invoice_date: '2026-03-05', payment_term: { due_date: '2026-03-04' } }
  // biome-ignore format: a table reads best as a table
  const cases: readonly (readonly [when: string, body: object, answer: string])[] = [
    ['when it would be due before it is issued', over('1.00', {}, early), '422 INVALID_DUE_DATE'],
    ['when its total would be negative', over('1.00', { items: [{ ...items[0], quantity: '-1' }] }), '422 INVALID_TOTAL_AMOUNT'],
    ['when it would have more than ten taxes', over('1.00', { items }), '422 TOO_MANY_TAXES'],
    ['when the invoicer would be somebody else', over('1.00', { invoicer: { email_address: 'x@example.com' } }), '422 USER_NOT_FOUND'],
  ]
  it.each(cases)('%s', async (_, body, answer) => {
    const shop = shopOf(world)
    const { id } = await shop.drafts()
    const before = (await world.merchant.get(shop.path(id))).body

    expect(said(await world.merchant.put<Refusal>(shop.path(id), body))).toBe(answer)
    expect((await world.merchant.get(shop.path(id))).body).toEqual(before)
  })

  it('as are sums of a refund or a template with decimals that their currency does not have', async () => {
    const shop = shopOf(world)
    const { id } = await shop.sends(over('9.00'))
    await world.merchant.post(`${shop.path(id)}/payments`, { method: 'CASH', amount: usd('9.00') })
    const refund = { method: 'CASH', amount: usd('1.001') }
    expect(said(await world.merchant.post<Refusal>(`${shop.path(id)}/refunds`, refund))).toBe(
      '400 INVALID_DECIMAL_VALUE',
    )

    const TEMPLATES = '/v2/invoicing/templates'
    const template = (currency_code: string, unit_amount: object) => ({
      name: `In ${currency_code}`,
      template_info: { detail: { currency_code }, items: [{ name: 'A', quantity: '1', unit_amount }] },
    })
    const yen = (value: string) => ({ currency_code: 'JPY', value })
    const made = await world.merchant.post<Refusal & { id: string }>(TEMPLATES, template('JPY', yen('100')), {
      headers: { prefer: 'return=representation' },
    })
    const wrong = template('JPY', yen('1.5'))
    expect(said(await world.merchant.post<Refusal>(TEMPLATES, wrong))).toBe('400 INVALID_INTEGER_VALUE')
    const change = (body: object) => world.merchant.put<Refusal>(`${TEMPLATES}/${made.body.id}`, body)
    expect(said(await change(wrong))).toBe('400 INVALID_INTEGER_VALUE')
    expect(said(await change(template('USD', usd('1.001'))))).toBe('400 INVALID_DECIMAL_VALUE')
    expect(said(await change(template('XXX', { currency_code: 'XXX', value: '1.00' })))).toMatch('400 NOT_SUPPORTED')
    expect(said(await change(template('EUR', usd('1.00'))))).toBe('422 CURRENCY_CODE_MISMATCH')
    const info = (lines: object[]) => ({
      name: 'Odd',
      template_info: { detail: { currency_code: 'USD' }, items: lines },
    })
    for (const send of [change, (body: object) => world.merchant.post<Refusal>(TEMPLATES, body)]) {
      expect(said(await send(info(items)))).toBe('422 TOO_MANY_TAXES')
      expect(said(await send(info([{ ...items[0], quantity: '-1' }])))).toBe('422 INVALID_TOTAL_AMOUNT')
    }
  })
})

describe('A payment', () => {
  const refunds = (id: string) => world.merchant.post<Refusal>(`/v2/payments/captures/${id}/refund`, {})
  const settles = (id: string, outcome: string) =>
    world.call<Refusal>('POST', `/sandbox/captures/${id}/settle`, { outcome })

  it('is made to a business', async () => {
    const body = { amount: usd('20.00'), seller_email: 'nobody@example.com' }
    expect(said(await world.merchant.post<Refusal>('/sandbox/transactions', body))).toBe('422 SELLER_NOT_FOUND')
    const own = { amount: usd('20.00'), buyer_email: 'merchant@example.com' }
    expect(said(await world.merchant.post<Refusal>('/sandbox/transactions', own))).toBe('422 PAYER_IS_PAYEE')
  })

  it('of an invoice in a sandbox is as much as the page would take', async () => {
    const { id } = await shopOf(world).sends(over('20.00'))
    const pays = async (body: object) => said(await world.call<Refusal>('POST', `/sandbox/invoices/${id}/pay`, body))

    expect(await pays({ amount: usd('5.00') })).toBe('422 PAYMENT_AMOUNT_LESS_THAN_MINIMUM')
    expect(await pays({ amount: usd('20.01') })).toBe('422 PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE')
    expect(await pays({ tip: usd('1.00') })).toBe('422 TIP_NOT_ALLOWED')
    expect(await pays({ tip: usd('-1.00') })).toBe('422 INVALID_TIP_AMOUNT')
    expect(await pays({})).toBe('201 ')
  })

  it('is refunded in its own currency, which is one of the standard', async () => {
    const made = await world.merchant.post<{ seller_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
    })
    const refund = (currency_code: string) =>
      world.merchant.post<Refusal>(`/v2/payments/captures/${made.body.seller_transaction_id}/refund`, {
        amount: { currency_code, value: '1.00' },
      })

    expect(said(await refund('EUR'))).toBe('422 CURRENCY_MISMATCH')
    expect(said(await refund('XXX'))).toBe('400 NOT_SUPPORTED')
  })

  it('is refunded where the balance covers it, which the fee of the only one took from', async () => {
    const body = { amount: { currency_code: 'PLN', value: '20.00' } }
    const made = await world.merchant.post<{ seller_transaction_id: string }>('/sandbox/transactions', body)

    expect(said(await refunds(made.body.seller_transaction_id))).toBe('422 REFUND_FAILED_INSUFFICIENT_FUNDS')
  })

  it('is refunded once it has cleared, and clears once', async () => {
    const invoice = await shopOf(world).sends(over('20.00'))
    const pending = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${invoice.id}/pay`, {
      outcome: 'PENDING',
    })
    const id = pending.body.payment_id
    expect(said(await refunds(id))).toBe('422 PENDING_CAPTURE')
    expect((await settles(id, 'COMPLETED')).status).toBe(200)
    expect(said(await settles(id, 'DENIED'))).toBe('422 CAPTURE_NOT_PENDING')
    expect((await refunds(id)).status).toBe(201)
  })
})

describe('An end of a token', () => {
  it('is asked for by its app, with its secret in one place', async () => {
    const path = '/v1/oauth2/token/terminate'
    const ends = (authorization: string, form: string) =>
      world.call<{ error: string }>('POST', path, form, {
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      })
    const basic = (secret: string) => `Basic ${Buffer.from(`${world.merchant.clientId}:${secret}`).toString('base64')}`

    expect((await ends(basic('wrong'), 'token=x')).body.error).toBe('invalid_client')
    const twice = new URLSearchParams({ token: 'x', client_id: world.merchant.clientId, client_secret: 'x' }).toString()
    expect((await ends(basic('wrong'), twice)).body.error).toBe('invalid_request')
  })
})

describe('A webhook', () => {
  const root = '/v1/notifications'
  const later = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-01T00:00:00Z' }

  it('keeps an address that it can call, and replays what lies between two times', async () => {
    const body = { url: 'https://example.com/hook', event_types: [{ name: '*' }] }
    const { id } = (await world.merchant.post<{ id: string }>(`${root}/webhooks`, body)).body
    const change = [{ op: 'replace', path: '/url', value: 'ftp://example.com' }]
    const codes = ({ body: { details } }: Response<{ details: { code?: string; issue: string }[] }>) =>
      details.map(({ code, issue }) => code ?? issue)

    expect(codes(await world.merchant.patch(`${root}/webhooks/${id}`, change))).toEqual(['INVALID_URL'])
    const replay = (span: object) => world.merchant.post<never>(`${root}/webhooks/${id}/replay`, span)
    expect(codes(await replay({ ...later, start_time: 'yesterday' }))).toEqual(['INVALID_TIME'])
    expect(codes(await replay(later))).toEqual(['INVALID_TIME_RANGE'])
    const list = await world.merchant.get<never>(`${root}/webhooks-transmissions`, { query: later })
    expect(codes(list)).toEqual(['INVALID_TIME_RANGE'])
    const vague = await world.merchant.get<never>(`${root}/webhooks-transmissions`, { query: { start_time: 'now' } })
    expect(codes(vague)).toEqual(['INVALID_TIME'])
  })
})

describe('A sandbox', () => {
  it('has a hundred faults at most', async () => {
    const add = () => world.call<Refusal>('POST', '/sandbox/faults', { fault: 'latency', path: '/nowhere' })
    for (let i = 0; i < 100; i++) expect((await add()).status).toBe(201)

    expect(said(await add())).toBe('422 FAULT_LIMIT_EXCEEDED')
    expect((await world.call('DELETE', '/sandbox/faults')).status).toBe(204)
  })
})
