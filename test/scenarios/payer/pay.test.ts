import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSheet, PUBLIC_URL, sentInvoice, shown } from '../../support/payer.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const typesOf = async (...resources: string[]) =>
  (await world.events()).filter(({ resource_id }) => resources.includes(resource_id)).map(({ type }) => type)

const partial = (minimum = '20.00') => ({
  configuration: {
    allow_tip: true,
    partial_payment: { allow_partial_payment: true, minimum_amount_due: usd(minimum) },
  },
})

interface Paid {
  invoice_status: string
  payment_id: string
  order_id: string
  buyer_transaction_id: string
}
const payAsBuyer = (id: string, body: object = {}) => world.call<Paid>('POST', `/sandbox/invoices/${id}/pay`, body)

describe('Paying on the page', () => {
  it('goes on in the language the reader chose, and keeps an amount that was refused', async () => {
    const { path } = await sentInvoice(world, partial())
    const page = await world.call('GET', `${path}?lang=de`)
    expect(page.text).toContain('<input type="hidden" name="lang" value="de">')

    const refused = await world.call('GET', `${path}/pay?amount=7%2C50&tip=1&lang=de`)
    const { sheet, send } = await openSheet(world, path, { amount: '30', lang: 'de' })
    const { location } = (await send({ lang: 'de' })).headers
    const paid = await world.call('GET', String(location))

    expect(refused.text).toMatch(/name="amount"[^>]*value="7,50"[\s\S]*name="tip"[^>]*value="1"/)
    expect(sheet.text).toContain(`<a href="${path}?lang=de">`)
    expect(paid.text).toContain('<html lang="de">')
    expect(paid.text).toContain(`${path}/problem?lang=de`)
  })

  it('in full makes the invoice paid, moves the money and tells everybody', async () => {
    const { id, path } = await sentInvoice(world)
    const { sheet, send } = await openSheet(world, path)
    expect(sheet.text).toContain('Payment to Example Studio')

    const answer = await send({ outcome: 'COMPLETED' })
    const page = await world.call('GET', String(answer.headers['location']))

    expect(answer.status).toBe(303)
    expect(page.text).toContain('Thank you. Your payment of $74.21 arrived.')
    expect(page.text).toContain('Paid in full')
    const invoice = await shown(world, id)
    expect(invoice).toMatchObject({ status: 'PAID', due_amount: usd('0.00') })
    const capture = invoice.payments!.transactions[0]!.payment_id
    expect((await world.merchant.get(`/v2/payments/captures/${capture}`)).body).toMatchObject({
      status: 'COMPLETED',
      amount: usd('74.21'),
      custom_id: id,
    })
    expect((await world.events()).slice(-3).map(({ type }) => type)).toEqual([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.COMPLETED',
      'INVOICING.INVOICE.PAID',
    ])
  })

  it('names the payer as the invoice shows them, wherever their name was written', async () => {
    const billed = (parts: object) => ({ primary_recipients: [{ billing_info: parts }] })
    const named: [object, string][] = [
      [{ name: { given_name: 'Ada', surname: 'Sample' }, business_name: 'Sample Mills' }, 'Ada Sample'],
      [{ name: { surname: 'Sample' } }, 'Sample'],
      [{ name: { given_name: 'Ada', full_name: 'Dr Ada Sample' } }, 'Dr Ada Sample'],
      [{ business_name: 'Sample Mills' }, 'Sample Mills'],
    ]
    for (const [parts, full_name] of named) {
      const { id } = await sentInvoice(world, billed({ email_address: 'ada@example.com', ...parts }))
      const { body } = await payAsBuyer(id)
      const [approved] = await world.events(body.order_id)
      expect(approved!.resource).toMatchObject({ payer: { name: { full_name } } })

      const about = { disputed_transactions: [{ buyer_transaction_id: body.buyer_transaction_id }] }
      const dispute = { ...about, reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED', dispute_amount: usd('74.21') }
      const opened = await world.merchant.post<{ links: { href: string }[] }>('/v1/customer/disputes', dispute)
      const { pathname } = new URL(opened.body.links[0]!.href)
      expect((await world.merchant.get(pathname)).body).toMatchObject({
        disputed_transactions: [{ buyer: { name: full_name } }],
      })
    }
  })

  it('reads thousands as they are written where a currency has no decimals', async () => {
    const yen = (value: string) => ({ currency_code: 'JPY', value })
    const { id, path } = await sentInvoice(
      world,
      {
        items: [{ name: 'Work', quantity: '1', unit_amount: yen('900000') }],
        amount: {},
        configuration: { allow_tip: true, partial_payment: { allow_partial_payment: true } },
      },
      { currency_code: 'JPY' },
    )
    for (const [amount, tip] of [
      ['12,000', '1.000'],
      ['1 000', ''],
      ['500', ''],
    ] as const) {
      const { send } = await openSheet(world, path, { amount, tip })
      expect((await send()).status, amount).toBe(303)
    }
    expect(await shown(world, id)).toMatchObject({
      payments: { paid_amount: yen('13500') },
      gratuity: yen('1000'),
      due_amount: yen('886500'),
    })
    for (const amount of ['1,00', '1.5', '1,000.000', '1,0000'])
      expect((await world.call('GET', `${path}/pay`, undefined, { query: { amount } })).status, amount).toBe(422)
  })

  it('takes the largest amount that an invoice can come to', async () => {
    const item = { name: 'All of it', quantity: '1000000', unit_amount: usd('1000000.00') }
    const { id, path } = await sentInvoice(world, {
      items: Array.from({ length: 100 }, () => item),
      amount: {},
      configuration: { partial_payment: { allow_partial_payment: true } },
    })
    const page = await world.call('GET', path)
    expect(page.text).toContain('value="100000000000000.00"')

    const { send } = await openSheet(world, path, { amount: '100000000000000.00' })
    const paid = await send()

    expect(paid.status, paid.text).toBe(303)
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
  })

  it('in part and with a tip leaves the rest due and keeps the tip apart', async () => {
    const { id, path } = await sentInvoice(world, partial())
    const { sheet, send } = await openSheet(world, path, { amount: '30', tip: '5.5' })
    expect(sheet.text).toContain('$35.50')

    await send({ outcome: 'COMPLETED' })

    const invoice = await shown(world, id)
    expect(invoice).toMatchObject({ status: 'PARTIALLY_PAID', due_amount: usd('44.21'), gratuity: usd('5.50') })
    expect(invoice.payments!.paid_amount).toEqual(usd('30.00'))
    const capture = invoice.payments!.transactions[0]!.payment_id
    expect((await world.merchant.get(`/v2/payments/captures/${capture}`)).body).toMatchObject({ amount: usd('35.50') })
  })

  it.each([
    [{ amount: '19.99' }, 'between $20.00 and $74.21'],
    [{ amount: '74.22' }, 'between $20.00 and $74.21'],
    [{ amount: 'lots' }, 'between $20.00 and $74.21'],
    [{ amount: '30', tip: '-1' }, 'zero or more'],
  ])('of %j is refused in words the payer understands', async (query, words) => {
    const { path } = await sentInvoice(world, partial())

    const { sheet } = await openSheet(world, path, query)

    expect(sheet.status).toBe(422)
    expect(sheet.text).toContain(words)
  })

  it('takes no part and no tip where the merchant allows none', async () => {
    const { path } = await sentInvoice(world)

    expect((await openSheet(world, path, { amount: '10.00' })).sheet.status).toBe(422)
    expect((await openSheet(world, path, { tip: '1.00' })).sheet.status).toBe(422)
  })

  it('that is denied charges nothing and leaves the invoice as it was', async () => {
    const { id, path } = await sentInvoice(world)

    const answer = await (await openSheet(world, path)).send({ outcome: 'DENIED' })
    const page = await world.call('GET', String(answer.headers['location']))

    expect(page.text).toContain('The payment was denied. Nothing was charged.')
    expect(await shown(world, id)).toMatchObject({ status: 'SENT', due_amount: usd('74.21') })
    expect((await world.events()).slice(-2).map(({ type }) => type)).toEqual([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.DENIED',
    ])
  })

  it('that is pending takes no second payment, and clears with time', async () => {
    const { id, path } = await sentInvoice(world)
    const { headers } = await (await openSheet(world, path)).send({ outcome: 'PENDING' })
    const page = async () => (await world.call('GET', String(headers['location']))).text
    expect(await shown(world, id)).toMatchObject({ status: 'PAYMENT_PENDING' })
    expect(await page()).toContain('Your payment of $74.21 was made and is waiting to clear.')
    expect((await openSheet(world, path)).sheet.status).toBe(422)

    await world.pass('P4D')

    expect(await page()).toContain('Thank you. Your payment of $74.21 arrived.')
    const invoice = await shown(world, id)
    expect(invoice).toMatchObject({ status: 'PAID', due_amount: usd('0.00') })
    expect(await typesOf(invoice.payments!.transactions[0]!.payment_id)).toEqual([
      'PAYMENT.CAPTURE.PENDING',
      'PAYMENT.CAPTURE.COMPLETED',
    ])
  })
})

describe('The form of the payment sheet', () => {
  const untouched = async (id: string) => expect(await shown(world, id)).toMatchObject({ status: 'SENT' })

  it('is refused from another site', async () => {
    const { id, path } = await sentInvoice(world)
    const { send } = await openSheet(world, path)

    for (const origin of ['https://evil.example', 'null', '']) expect((await send({}, { origin })).status).toBe(403)
    expect((await send({}, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    await untouched(id)
  })

  it('is taken in a sandbox under whatever name the page was opened', async () => {
    const { id, path } = await sentInvoice(world)
    const { send } = await openSheet(world, path)

    const answer = await send({}, { origin: 'http://localhost:8080', headers: { host: 'localhost:8080' } })

    expect(answer.status).toBe(303)
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
  })

  it('is refused without the cookie it was made for, and with a changed amount or token', async () => {
    const { id, path } = await sentInvoice(world, partial())
    const { send, form } = await openSheet(world, path, { amount: '30' })

    expect((await send({}, { headers: { cookie: '' } })).status).toBe(403)
    expect((await send({}, { headers: { cookie: `payer=${'x'.repeat(43)}` } })).status).toBe(403)
    expect((await send({ amount: '20.00' })).status).toBe(403)
    expect((await send({ tip: '1.00' })).status).toBe(403)
    expect((await send({ token: `${form.token}x` })).status).toBe(403)
    expect((await send({ token: '' })).status).toBe(403)
    await untouched(id)
  })

  it('pays once, however often it is sent', async () => {
    const { id, path } = await sentInvoice(world, partial())
    const { send } = await openSheet(world, path, { amount: '20' })

    const first = await send({ outcome: 'COMPLETED' })
    const again = await send({ outcome: 'COMPLETED' })

    expect([first.status, again.status]).toEqual([303, 403])
    expect((await shown(world, id)).payments!.paid_amount).toEqual(usd('20.00'))
  })

  it('is refused when it is an hour old', async () => {
    const { id, path } = await sentInvoice(world)
    const { send } = await openSheet(world, path)
    await world.pass('PT61M')

    expect((await send()).status).toBe(403)
    await untouched(id)
  })
})

describe('Paying as the buyer from a script', () => {
  it('takes the same path as the page', async () => {
    const { id } = await sentInvoice(world, partial())

    const first = await payAsBuyer(id, { amount: usd('20.00'), tip: usd('1.00') })
    const rest = await payAsBuyer(id)
    const more = await payAsBuyer(id)

    expect(first.body).toMatchObject({ invoice_status: 'PARTIALLY_PAID', outcome: 'COMPLETED' })
    expect(rest.body).toMatchObject({ invoice_status: 'PAID' })
    expect(rest.body.buyer_transaction_id).toBeDefined()
    expect(more.status).toBe(422)
  })

  it('that was left pending on the page and is denied later says so there', async () => {
    const { id, path } = await sentInvoice(world)
    const { headers } = await (await openSheet(world, path)).send({ outcome: 'PENDING' })
    const [payment] = (await shown(world, id)).payments!.transactions

    await world.call('POST', `/sandbox/captures/${payment!.payment_id}/settle`, { outcome: 'DENIED' })

    const { text } = await world.call('GET', String(headers['location']))
    expect(text).toContain('The payment was denied. Nothing was charged.')
  })

  it('can leave a payment pending and then deny it', async () => {
    const { id } = await sentInvoice(world)
    const { body } = await payAsBuyer(id, { outcome: 'PENDING' })

    const settled = await world.call('POST', `/sandbox/captures/${body.payment_id}/settle`, { outcome: 'DENIED' })

    expect(settled.body).toMatchObject({ status: 'DECLINED' })
    expect(await shown(world, id)).toMatchObject({ status: 'SENT', due_amount: usd('74.21') })
    expect(await typesOf(body.payment_id)).toEqual(['PAYMENT.CAPTURE.PENDING', 'PAYMENT.CAPTURE.DENIED'])
  })

  it('can have its approval reversed before anything is captured', async () => {
    const { id } = await sentInvoice(world)

    const { body } = await payAsBuyer(id, { outcome: 'REVERSED' })

    expect(body).toMatchObject({ invoice_status: 'SENT' })
    expect(await typesOf(body.order_id)).toEqual(['CHECKOUT.ORDER.APPROVED', 'CHECKOUT.PAYMENT-APPROVAL.REVERSED'])
  })

  it('does not exist for a draft or an unknown invoice', async () => {
    expect((await payAsBuyer('INV2-AAAA-BBBB-CCCC-DDDD')).status).toBe(404)
    expect((await payAsBuyer('nonsense')).status).toBe(404)
  })

  it('cannot be the merchant', async () => {
    const { id } = await sentInvoice(world, {
      primary_recipients: [{ billing_info: { email_address: world.people.merchant.email } }],
    })

    expect((await payAsBuyer(id)).status).toBe(422)
  })
})

describe('A refund of a payment made on the page', () => {
  it('in part and then in full shows on the invoice', async () => {
    const { id } = await sentInvoice(world)
    const { body } = await payAsBuyer(id)
    const refund = (amount?: string) =>
      world.merchant.post(`/v2/payments/captures/${body.payment_id}/refund`, amount ? { amount: usd(amount) } : {})

    await refund('14.21')
    await world.settle()
    const partly = await shown(world, id)
    await refund()
    await world.settle()
    const fully = await shown(world, id)

    expect(partly).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunds: { refund_amount: usd('14.21') } })
    expect(fully).toMatchObject({ status: 'REFUNDED', refunds: { refund_amount: usd('74.21') } })
    expect((await typesOf(id)).slice(-2)).toEqual(['INVOICING.INVOICE.REFUNDED', 'INVOICING.INVOICE.REFUNDED'])
  })
})
