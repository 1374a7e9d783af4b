import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, issuesOf, over, type Refusal, type Seen, sample, shopOf, TODAY } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

describe('A new invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  it('answers with a link whose last part is the id, and the id itself', async () => {
    const { status, body, headers } = await world.merchant.post<{
      id: string
      rel: string
      href: string
      method: string
    }>(INVOICES, sample())

    expect(status).toBe(201)
    expect(body).toEqual({
      id: body.id,
      rel: 'self',
      href: expect.stringMatching(`/v2/invoicing/invoices/${body.id}$`),
      method: 'GET',
    })
    expect(body.id).toMatch(/^INV2(-[2-9A-HJ-NP-Z]{4}){4}$/)
    expect(headers['location']).toBe(body.href)
  })

  it('is a draft with computed amounts, defaults and addresses of its pages', async () => {
    const invoice = await shop.drafts(sample())

    expect(invoice).toMatchObject({
      status: 'DRAFT',
      detail: {
        invoice_number: expect.stringMatching(/^\d{4}$/),
        invoice_date: TODAY,
        payment_term: { term_type: 'NO_DUE_DATE' },
        category_code: 'SHIPPABLE',
        viewed_by_recipient: false,
        group_draft: false,
        archived: false,
        metadata: {
          create_time: '2026-03-02T09:00:00Z',
          created_by: 'merchant@example.com',
          last_update_time: '2026-03-02T09:00:00Z',
          created_by_flow: 'REGULAR_SINGLE',
          caller_type: 'API_V2_INVOICE',
        },
      },
      invoicer: {},
      configuration: {
        tax_calculated_after_discount: true,
        tax_inclusive: false,
        allow_tip: false,
        partial_payment: { allow_partial_payment: false },
        template_id: expect.stringMatching(/^TEMP-[0-9A-Z]{17}$/),
      },
      amount: {
        value: '74.21',
        breakdown: {
          item_total: usd('60.00'),
          discount: { item_discount: usd('-7.50'), invoice_discount: { percent: '5', amount: usd('-2.63') } },
          tax_total: usd('4.34'),
          shipping: { amount: usd('10.00'), tax: { amount: usd('0.73') } },
          custom: { label: 'Packing charges', amount: usd('10.00') },
        },
      },
      due_amount: usd('74.21'),
      unilateral: false,
    })
    const code = invoice.id.slice(5).replaceAll('-', '')
    expect(invoice.detail.metadata['recipient_view_url']).toMatch(new RegExp(`/invoice/p/#${code}$`))
    expect(invoice.detail.metadata['invoicer_view_url']).toMatch(new RegExp(`/invoice/details/${invoice.id}$`))
    expect(invoice.items[0]).toMatchObject({
      tax: { amount: usd('3.27') },
      discount: { percent: '5', amount: usd('-2.50') },
    })
    expect(invoice.items[0]!.id).toMatch(/^ITEM-[0-9A-Z]{17}$/)
    expect(invoice.items[0]!.tax!.id).toBe(invoice.items[1]!.tax!.id)
    expect(invoice.primary_recipients[0]!.billing_info.name).toMatchObject({ full_name: 'Stephanie Meyers' })
    expect(invoice.payments).toBeUndefined()
    expect(await shop.events(invoice.id)).toEqual(['CREATED'])
    expect(await shop.mails(invoice.id)).toEqual([])
  })

  it('is taxed on what a percentage leaves of each line, also where all of it together rounds to nothing', async () => {
    const line = (quantity: string, value: string, percent: string) => ({
      ...{ name: 'Work', quantity, unit_amount: usd(value), tax: { name: 'VAT', percent } },
    })
    const taxed = async (...items: object[]) => {
      const amount = { breakdown: { discount: { invoice_discount: { percent: '10' } } } }
      const { items: shown, amount: sum } = await shop.drafts({ detail: { currency_code: 'USD' }, items, amount })
      return [...shown.map(({ tax }) => tax!.amount.value), sum.value]
    }

    expect(await taxed(line('1', '0.04', '13'))).toEqual(['0.00', '0.04'])
    expect(await taxed(line('1', '100.00', '20'), line('-1', '99.99', '0'))).toEqual(['18.00', '0.00', '18.01'])
    expect(await taxed(line('1', '100.00', '20'), line('-1', '100.00', '10'))).toEqual(['18.00', '-9.00', '9.00'])
  })

  it('tells subscribers the whole invoice and its main fields beside it', async () => {
    const invoice = await shop.drafts(over('12.00', { invoicer: { business_name: 'Acme' } }))

    const [event] = await world.events(invoice.id)

    expect(event!.resource).toMatchObject({ id: invoice.id, status: 'DRAFT', amount: usd('12.00'), invoice })
  })

  it('needs only a currency', async () => {
    const { status, body } = await world.merchant.post<Seen>(
      INVOICES,
      { detail: { currency_code: 'EUR' } },
      { headers: { prefer: 'return=representation' } },
    )

    expect(status).toBe(201)
    expect(body).toMatchObject({ amount: { currency_code: 'EUR', value: '0.00' }, items: [] })
    expect(body.amount.breakdown).not.toHaveProperty('item_total')
  })

  it('takes numbers for amounts, quantities and percentages, and null and empty text for nothing', async () => {
    const invoice = await shop.drafts({
      detail: { currency_code: 'USD', note: '', memo: null, invoice_number: null },
      invoicer: null,
      items: [
        {
          name: 'A',
          description: '',
          quantity: 2,
          unit_amount: { currency_code: 'USD', value: 10.5 },
          tax: { name: 'VAT', percent: 7.5 },
        },
      ],
    })

    expect(invoice.items[0]).toMatchObject({
      quantity: '2',
      unit_amount: usd('10.50'),
      tax: { percent: '7.5', amount: usd('1.58') },
    })
    expect(invoice.detail).not.toHaveProperty('note')
  })

  it('ignores unknown and read-only fields', async () => {
    const invoice = await shop.drafts({
      ...over('10.00', {
        id: 'INV2-AAAA-AAAA-AAAA-AAAA',
        status: 'PAID',
        due_amount: usd('1.00'),
        payments: { paid_amount: usd('10.00') },
      }),
      base_status: 'SENT',
      app_id: 'APP-OTHER',
      reminder_times: [],
      surprise: true,
    })

    expect(invoice.id).not.toBe('INV2-AAAA-AAAA-AAAA-AAAA')
    expect(invoice).toMatchObject({ status: 'DRAFT', due_amount: usd('10.00') })
    for (const key of ['surprise', 'base_status', 'app_id', 'payments', 'reminder_times'])
      expect(invoice).not.toHaveProperty(key)
  })

  it('understands the other names of some fields', async () => {
    const invoice = await shop.drafts(
      over(
        '10.00',
        {
          additional_recipients: [{ email_address: 'cc@example.com' }, 'other@example.com'],
          primary_recipients: [{ billing_info: { additional_info_value: 'Floor 3' } }],
        },
        { term: 'No refunds after 30 days.' },
      ),
    )

    expect(invoice.additional_recipients).toEqual(['cc@example.com', 'other@example.com'])
    expect(invoice.primary_recipients[0]!.billing_info).toMatchObject({ additional_info: 'Floor 3' })
    expect(invoice.detail).toMatchObject({
      term: 'No refunds after 30 days.',
      terms_and_conditions: 'No refunds after 30 days.',
    })
  })

  // biome-ignore format: a table reads best as a table
  const terms: readonly (readonly [given: object | undefined, stored: object])[] = [
    [undefined, { term_type: 'NO_DUE_DATE' }],
    [{ due_date: '2018-12-24' }, { term_type: 'DUE_ON_DATE_SPECIFIED', due_date: '2018-12-24' }],
    [{ term_type: 'DUE_ON_DATE_SPECIFIED', due_date: '2018-12-01' }, { term_type: 'DUE_ON_DATE_SPECIFIED', due_date: '2018-12-01' }],
    [{ term_type: 'DUE_ON_RECEIPT' }, { term_type: 'DUE_ON_RECEIPT', due_date: '2018-11-12' }],
    [{ term_type: 'NET_10', due_date: '2018-11-13' }, { term_type: 'NET_10', due_date: '2018-11-22' }],
    [{ term_type: 'NET_14' }, { term_type: 'NET_14', due_date: '2018-11-26' }],
    [{ term_type: 'NET_90' }, { term_type: 'NET_90', due_date: '2019-02-10' }],
    [{ term_type: 'NET_365' }, { term_type: 'NET_365', due_date: '2019-11-12' }],
    [{ term_type: 'NO_DUE_DATE' }, { term_type: 'NO_DUE_DATE' }],
  ]
  for (const [given, stored] of terms)
    it(`with payment terms ${JSON.stringify(given)} is due as ${JSON.stringify(stored)}`, async () => {
      const invoice = await shop.drafts(
        over('10.00', {}, { invoice_date: '2018-11-12', ...(given && { payment_term: given }) }),
      )

      expect(invoice.detail.payment_term).toEqual(stored)
    })

  it('is refused a due date beside the term that says there is none', async () => {
    const payment_term = { term_type: 'NO_DUE_DATE', due_date: '2026-04-01' }
    const { status, body } = await world.merchant.post<Refusal>(INVOICES, over('10.00', {}, { payment_term }))

    expect([status, body.details?.map(({ issue, field }) => `${issue} ${field}`)]).toEqual([
      422,
      ['INVALID_DUE_DATE /detail/payment_term/due_date'],
    ])
  })

  it('is shown to its merchant and to nobody else', async () => {
    const { id } = await shop.drafts()

    expect((await world.merchant.get(shop.path(id))).status).toBe(200)
    const foreign = await world.otherMerchant.get<Refusal>(shop.path(id))
    const unknown = await world.otherMerchant.get<Refusal>(shop.path('INV2-AAAA-BBBB-CCCC-DDDD'))
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, debug_id: '' }).toEqual({ ...unknown.body, debug_id: '' })
  })

  it('is created once for one request id', async () => {
    const again = { headers: { 'service-request-id': 'order-1' } }
    const first = await world.merchant.post<Seen>(INVOICES, over('1.00'), again)
    const second = await world.merchant.post<Seen>(INVOICES, over('1.00'), again)

    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  it('is refused once for one request id, also where only storing it shows that it must be', async () => {
    const { id } = await shop.drafts(over('1.00', {}, { invoice_number: 'TAKEN-1' }))
    const creating = (key: string, body: object) =>
      world.merchant.post<Refusal>(INVOICES, body, { headers: { 'service-request-id': key } })
    const first = await creating('order-2', over('1.00', {}, { invoice_number: 'taken-1' }))
    await world.merchant.delete(shop.path(id))
    const second = await creating('order-2', over('1.00', {}, { invoice_number: 'taken-1' }))
    const other = await creating('order-2', over('1.00', {}, { invoice_number: 'FREE-1' }))

    expect([first.status, issuesOf(first.body)]).toEqual([422, ['DUPLICATE_INVOICE_NUMBER']])
    expect([second.status, second.body]).toEqual([422, first.body])
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(issuesOf(other.body)).toEqual(['DUPLICATE_REQUEST_ID'])
    expect((await creating('order-3', over('1.00', {}, { invoice_number: 'taken-1' }))).status).toBe(201)
  })

  it('can be made by a partner for the merchant', async () => {
    const partner = world.person('sandbox-partner', { actingFor: world.people.merchant.id })
    const { status, body } = await partner.post<Seen>(INVOICES, over('5.00'))

    expect(status).toBe(201)
    expect((await world.merchant.get(shop.path(body.id))).status).toBe(200)
  })

  it('shows the brand name of the configured dialect and reads either', async () => {
    const branded = await newWorld({ settings: { QUITTANCE_DIALECT: 'paypal' } })
    const { id } = await shopOf(branded).sends()
    await branded.merchant.post(`${INVOICES}/${id}/payments`, { method: 'PAYPAL', amount: usd('1.00') })
    await branded.merchant.post(`${INVOICES}/${id}/payments`, { method: 'SERVICE', amount: usd('1.00') })
    await shopOf(branded).isPaid(id, '98.00')

    const { payments } = await shopOf(branded).sees(id)
    expect(payments!.transactions.map(({ type, method }) => `${type} ${method}`)).toEqual([
      'EXTERNAL PAYPAL',
      'EXTERNAL PAYPAL',
      'PAYPAL PAYPAL',
    ])
    await branded.close()
  })

  describe('is refused', () => {
    const refusal = async (body: unknown) => {
      const { status, body: answer } = await world.merchant.post<Refusal>(INVOICES, body)
      return { status, issues: issuesOf(answer), fields: answer.details?.map(({ field }) => field) }
    }

    it('when its number is taken, in whatever case', async () => {
      await shop.drafts(over('1.00', {}, { invoice_number: 'Acme-7' }))

      expect(await refusal(over('1.00', {}, { invoice_number: 'ACME-7' }))).toEqual({
        status: 422,
        issues: ['DUPLICATE_INVOICE_NUMBER'],
        fields: ['/detail/invoice_number'],
      })
      const { status } = await world.otherMerchant.post(INVOICES, over('1.00', {}, { invoice_number: 'Acme-7' }))
      expect(status).toBe(201)
    })

    it('when its total would be negative', async () => {
      const body = over('1.00', { items: [{ name: 'A', quantity: '-1', unit_amount: usd('5.00') }] })
      expect(await refusal(body)).toMatchObject({ status: 422, issues: ['INVALID_TOTAL_AMOUNT'] })
    })

    it('when it is due before it is issued', async () => {
      const body = over('1.00', {}, { invoice_date: '2026-03-05', payment_term: { due_date: '2026-03-04' } })
      expect(await refusal(body)).toEqual({
        status: 422,
        issues: ['INVALID_DUE_DATE'],
        fields: ['/detail/payment_term/due_date'],
      })
    })

    it('when its terms lead beyond the last day there is', async () => {
      const net = (invoice_date: string) => over('1.00', {}, { invoice_date, payment_term: { term_type: 'NET_30' } })
      expect(await shop.drafts(net('9999-12-01'))).toMatchObject({
        detail: { payment_term: { due_date: '9999-12-31' } },
      })

      const { status, body } = await world.merchant.post<Refusal>(INVOICES, net('9999-12-02'))
      expect([status, body.details]).toEqual([
        422,
        [
          {
            issue: 'INVALID_DUE_DATE',
            field: '/detail/payment_term/term_type',
            description: 'NET_30 from 9999-12-02 leads beyond 9999-12-31, the last day there is.',
            location: 'body',
          },
        ],
      ])
    })

    it('when an amount is in another currency', async () => {
      const eur = { currency_code: 'EUR', value: '1.00' }
      const body = over('1.00', { amount: { breakdown: { shipping: { amount: eur } } } })
      expect(await refusal(body)).toEqual({
        status: 422,
        issues: ['CURRENCY_CODE_MISMATCH'],
        fields: ['/amount/breakdown/shipping/amount/currency_code'],
      })
    })

    it('when it has more than ten different taxes', async () => {
      const items = (count: number) =>
        Array.from({ length: count }, (_, i) => ({
          name: 'A',
          quantity: '1',
          unit_amount: usd('1.00'),
          tax: { name: 'T', percent: String(i) },
        }))
      expect(await refusal(over('1.00', { items: items(11) }))).toMatchObject({
        status: 422,
        issues: ['TOO_MANY_TAXES'],
      })
      expect(await refusal(over('1.00', { items: items(10) }))).toMatchObject({ status: 201 })
    })

    it('when the least that can be paid is above the total', async () => {
      const partial_payment = { allow_partial_payment: true, minimum_amount_due: usd('11.00') }
      expect(await refusal(over('10.00', { configuration: { partial_payment } }))).toMatchObject({
        status: 422,
        issues: ['INVALID_TOTAL_AMOUNT'],
      })
    })

    it('when the invoicer is somebody else and the service is strict about it', async () => {
      const body = over('10.00', { invoicer: { email_address: 'somebody@example.com' } })
      expect((await refusal(body)).status).toBe(201)
      const strict = await newWorld({ settings: { STRICT_INVOICER_EMAIL: 'true' } })

      const { status, body: answer } = await strict.merchant.post<Refusal>(INVOICES, body)
      expect([status, issuesOf(answer)]).toEqual([422, ['USER_NOT_FOUND']])
      await strict.close()
    })

    it('when a template says so, and the service is strict about it', async () => {
      const strict = await newWorld({ settings: { STRICT_INVOICER_EMAIL: 'true' } })
      const template = await strict.merchant.post<{ id: string }>('/v2/invoicing/templates', {
        template_info: { invoicer: { email_address: 'somebody@example.com' } },
      })
      const fromIt = over('10.00', { configuration: { template_id: template.body.id } })

      const { status, body: answer } = await strict.merchant.post<Refusal>(INVOICES, fromIt)
      expect([status, issuesOf(answer)]).toEqual([422, ['USER_NOT_FOUND']])
      const own = { ...fromIt, invoicer: { email_address: strict.people.merchant.email } }
      expect((await strict.merchant.post(INVOICES, own)).status).toBe(201)
      await strict.close()
    })
  })
})
