import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findingsOf, INVOICES, over, type Refusal, recipient, sample, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const item = (more: object = {}) => ({ name: 'A', quantity: '1', unit_amount: usd('1.00'), ...more })
const withItem = (more: object) => over('1.00', { items: [item(more)] })
const withDetail = (more: Record<string, unknown>) => over('1.00', {}, more)
const withBilling = (more: object) => over('1.00', { primary_recipients: [{ billing_info: more }] })
const withInvoicer = (more: object) => over('1.00', { invoicer: more })
const withBreakdown = (breakdown: object) => over('1.00', { amount: { breakdown } })
const long = (length: number) => 'x'.repeat(length + 1)
const many = <Entry>(length: number, entry: Entry) => Array.from({ length: length + 1 }, () => entry)
const jpy = (value: string) => ({ currency_code: 'JPY', value })

/** Each body breaks one rule; beside it what the answer must name. */
// biome-ignore format: a table reads best as a table
const breaches: readonly (readonly [finding: string, body: unknown])[] = [
  ['MISSING_REQUIRED_PARAMETER /detail', {}],
  ['MISSING_REQUIRED_PARAMETER /detail', { detail: null }],
  ['MISSING_REQUIRED_PARAMETER /detail/currency_code', { detail: {} }],
  ['MISSING_REQUIRED_PARAMETER /detail/currency_code', { detail: { currency_code: '' } }],
  ['INVALID_STRING_LENGTH /detail/currency_code', { detail: { currency_code: 'US' } }],
  ['INVALID_STRING_LENGTH /detail/currency_code', { detail: { currency_code: 'USDX' } }],
  ['NOT_SUPPORTED /detail/currency_code', { detail: { currency_code: 'XXX' } }],
  ['INVALID_STRING_MAX_LENGTH /detail/reference', withDetail({ reference: long(120) })],
  ['INVALID_STRING_MAX_LENGTH /detail/note', withDetail({ note: long(4000) })],
  ['INVALID_STRING_MAX_LENGTH /detail/terms_and_conditions', withDetail({ terms_and_conditions: long(4000) })],
  ['INVALID_STRING_MAX_LENGTH /detail/memo', withDetail({ memo: long(4000) })],
  ['INVALID_STRING_MAX_LENGTH /detail/invoice_number', withDetail({ invoice_number: long(25) })],
  ['INVALID_ARRAY_MAX_ITEMS /detail/attachments', withDetail({ attachments: many(5, { id: 'x' }) })],
  ['INVALID_STRING_LENGTH /detail/attachments/0/id', withDetail({ attachments: [{ id: long(255) }] })],
  ['INVALID_STRING_LENGTH /detail/attachments/0/reference_url', withDetail({ attachments: [{ reference_url: `https://a.example/${long(2000)}` }] })],
  ['INVALID_STRING_LENGTH /detail/invoice_date', withDetail({ invoice_date: '2026-3-2' })],
  ['INVALID_PARAMETER_SYNTAX /detail/invoice_date', withDetail({ invoice_date: '2026-02-30' })],
  ['INVALID_PARAMETER_SYNTAX /detail/invoice_date', withDetail({ invoice_date: '02/03/2026' })],
  ['INVALID_PARAMETER_SYNTAX /detail/payment_term/due_date', withDetail({ payment_term: { due_date: '2026-13-01' } })],
  ['MISSING_REQUIRED_PARAMETER /detail/payment_term/due_date', withDetail({ payment_term: { term_type: 'DUE_ON_DATE_SPECIFIED' } })],
  ['INVALID_PARAMETER_VALUE /detail/payment_term/term_type', withDetail({ payment_term: { term_type: 'NET_366' } })],
  ['INVALID_PARAMETER_VALUE /detail/payment_term/term_type', withDetail({ payment_term: { term_type: 'WHENEVER' } })],
  ['INVALID_ARRAY_MAX_ITEMS /items', over('1.00', { items: many(100, item()) })],
  ['MISSING_REQUIRED_PARAMETER /items/0/name', withItem({ name: null })],
  ['MISSING_REQUIRED_PARAMETER /items/0/name', withItem({ name: '' })],
  ['INVALID_STRING_MAX_LENGTH /items/0/name', withItem({ name: long(200) })],
  ['INVALID_STRING_MAX_LENGTH /items/0/description', withItem({ description: long(1000) })],
  ['MISSING_REQUIRED_PARAMETER /items/0/quantity', withItem({ quantity: undefined })],
  ['INVALID_STRING_LENGTH /items/0/quantity', withItem({ quantity: '1.0000000000000' })],
  ['INVALID_PARAMETER_SYNTAX /items/0/quantity', withItem({ quantity: '1,5' })],
  ['INVALID_PARAMETER_SYNTAX /items/0/quantity', withItem({ quantity: '1e3' })],
  ['INVALID_DECIMAL_VALUE /items/0/quantity', withItem({ quantity: '1000000.1' })],
  ['INVALID_DECIMAL_VALUE /items/0/quantity', withItem({ quantity: '1.000001' })],
  ['MISSING_REQUIRED_PARAMETER /items/0/unit_amount', withItem({ unit_amount: undefined })],
  ['MISSING_REQUIRED_PARAMETER /items/0/unit_amount/currency_code', withItem({ unit_amount: { value: '1' } })],
  ['MISSING_REQUIRED_PARAMETER /items/0/unit_amount/value', withItem({ unit_amount: { currency_code: 'USD' } })],
  ['INVALID_PARAMETER_SYNTAX /items/0/unit_amount/value', withItem({ unit_amount: usd('ten') })],
  ['INVALID_PARAMETER_SYNTAX /items/0/unit_amount/value', withItem({ unit_amount: usd('0x10') })],
  ['INVALID_DECIMAL_VALUE /items/0/unit_amount/value', withItem({ unit_amount: usd('1.001') })],
  ['INVALID_DECIMAL_VALUE /items/0/unit_amount/value', withItem({ unit_amount: usd('1000000.01') })],
  ['INVALID_DECIMAL_VALUE /items/0/unit_amount/value', withItem({ unit_amount: usd('12345678.00') })],
  ['INVALID_INTEGER_VALUE /items/0/unit_amount/value', { detail: { currency_code: 'JPY' }, items: [item({ unit_amount: jpy('10.5') })] }],
  ['INVALID_INTEGER_VALUE /items/0/unit_amount/value', { detail: { currency_code: 'JPY' }, items: [item({ unit_amount: jpy('12345678') })] }],
  ['MISSING_REQUIRED_PARAMETER /items/0/tax/name', withItem({ tax: { percent: '5' } })],
  ['MISSING_REQUIRED_PARAMETER /items/0/tax/percent', withItem({ tax: { name: 'VAT' } })],
  ['INVALID_STRING_MAX_LENGTH /items/0/tax/name', withItem({ tax: { name: long(100), percent: '5' } })],
  ['INVALID_DECIMAL_VALUE /items/0/tax/percent', withItem({ tax: { name: 'VAT', percent: '100.01' } })],
  ['INVALID_DECIMAL_VALUE /items/0/tax/percent', withItem({ tax: { name: 'VAT', percent: '-1' } })],
  ['INVALID_PARAMETER_SYNTAX /items/0/tax/percent', withItem({ tax: { name: 'VAT', percent: 'a lot' } })],
  ['INVALID_PARAMETER_SYNTAX /items/0/item_date', withItem({ item_date: '2026-02-31' })],
  ['INVALID_DECIMAL_VALUE /items/0/discount/percent', withItem({ discount: { percent: '101' } })],
  ['INVALID_DECIMAL_VALUE /items/0/discount/amount/value', withItem({ discount: { amount: usd('1000000.01') } })],
  ['INVALID_PARAMETER_VALUE /items/0/unit_of_measure', withItem({ unit_of_measure: 'KILOS' })],
  ['INVALID_ARRAY_MAX_ITEMS /primary_recipients', over('1.00', { primary_recipients: many(100, {}) })],
  ['INVALID_ARRAY_MAX_ITEMS /additional_recipients', over('1.00', { additional_recipients: many(100, 'a@b.example') })],
  ['INVALID_PARAMETER_SYNTAX /additional_recipients/0', over('1.00', { additional_recipients: ['nobody'] })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/email_address', withBilling({ email_address: 'a@' })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/email_address', withBilling({ email_address: `${long(250)}@b.example` })],
  ['INVALID_PARAMETER_SYNTAX /primary_recipients/0/billing_info/email_address', withBilling({ email_address: 'nobody' })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/name/given_name', withBilling({ name: { given_name: long(140) } })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/name/surname', withBilling({ name: { surname: long(140) } })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/business_name', withBilling({ business_name: long(300) })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/additional_info', withBilling({ additional_info: long(40) })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/language', withBilling({ language: 'e' })],
  ['INVALID_PARAMETER_SYNTAX /primary_recipients/0/billing_info/language', withBilling({ language: 'EN-us' })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/address/address_line_1', withBilling({ address: { address_line_1: long(300) } })],
  ['INVALID_STRING_MAX_LENGTH /primary_recipients/0/billing_info/address/postal_code', withBilling({ address: { postal_code: long(60) } })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/address/country_code', withBilling({ address: { country_code: 'USA' } })],
  ['INVALID_PARAMETER_SYNTAX /primary_recipients/0/billing_info/address/country_code', withBilling({ address: { country_code: 'us' } })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/phones/0/national_number', withBilling({ phones: [{ country_code: '1', national_number: '123456789012345' }] })],
  ['INVALID_PARAMETER_SYNTAX /primary_recipients/0/billing_info/phones/0/national_number', withBilling({ phones: [{ country_code: '1', national_number: '555-0100' }] })],
  ['INVALID_STRING_LENGTH /primary_recipients/0/billing_info/phones/0/country_code', withBilling({ phones: [{ country_code: '1234', national_number: '1' }] })],
  ['MISSING_REQUIRED_PARAMETER /primary_recipients/0/billing_info/phones/0/country_code', withBilling({ phones: [{ national_number: '1' }] })],
  ['INVALID_PARAMETER_VALUE /primary_recipients/0/billing_info/phones/0/phone_type', withBilling({ phones: [{ country_code: '1', national_number: '1', phone_type: 'SHIP' }] })],
  ['INVALID_STRING_MAX_LENGTH /invoicer/website', withInvoicer({ website: long(2048) })],
  ['INVALID_STRING_MAX_LENGTH /invoicer/tax_id', withInvoicer({ tax_id: long(100) })],
  ['INVALID_STRING_MAX_LENGTH /invoicer/additional_notes', withInvoicer({ additional_notes: long(4000) })],
  ['INVALID_STRING_MAX_LENGTH /invoicer/logo_url', withInvoicer({ logo_url: long(4000) })],
  ['INVALID_STRING_MAX_LENGTH /amount/breakdown/custom/label', withBreakdown({ custom: { label: long(50), amount: usd('1.00') } })],
  ['MISSING_REQUIRED_PARAMETER /amount/breakdown/custom/label', withBreakdown({ custom: { amount: usd('1.00') } })],
  ['MISSING_REQUIRED_PARAMETER /amount/breakdown/custom/amount', withBreakdown({ custom: { label: 'Packing' } })],
  ['MISSING_REQUIRED_PARAMETER /amount/breakdown/shipping/amount', withBreakdown({ shipping: { tax: { name: 'VAT', percent: '5' } } })],
  ['INVALID_DECIMAL_VALUE /amount/breakdown/shipping/amount/value', withBreakdown({ shipping: { amount: usd('-1.00') } })],
  ['INVALID_DECIMAL_VALUE /amount/breakdown/discount/invoice_discount/percent', withBreakdown({ discount: { invoice_discount: { percent: '101' } } })],
  ['INVALID_STRING_MAX_LENGTH /configuration/template_id', over('1.00', { configuration: { template_id: long(30) } })],
  ['INVALID_PARAMETER_SYNTAX /configuration/allow_tip', over('1.00', { configuration: { allow_tip: 'maybe' } })],
  ['INVALID_STRING_MAX_LENGTH /configuration/partial_payment/minimum_amount_due/value', over('1.00', { configuration: { partial_payment: { minimum_amount_due: usd('1'.repeat(33)) } } })],
  ['INVALID_PARAMETER_SYNTAX /items', over('1.00', { items: {} })],
]

describe('A create or update is malformed', () => {
  let world: World
  let id: string
  beforeAll(async () => {
    world = await newWorld()
    id = (await shopOf(world).drafts()).id
  })
  afterAll(() => world.close())

  for (const [i, [finding, body]] of breaches.entries())
    it(`${i + 1}: ${finding}`, async () => {
      const created = await world.merchant.post<Refusal>(INVOICES, body)
      const updated = await world.merchant.put<Refusal>(`${INVOICES}/${id}`, body)

      for (const { status, body: answer } of [created, updated]) {
        expect({ status, name: answer.name }).toEqual({ status: 400, name: 'INVALID_REQUEST' })
        expect(findingsOf(answer)).toContain(finding)
      }
    })

  it('says everything that is wrong at once, in the order of the document', async () => {
    const body = sample(
      { items: [item({ name: long(200) }), item({ quantity: 'x' })], invoicer: { email_address: 'x' } },
      { note: long(4000) },
    )

    const { body: answer } = await world.merchant.post<Refusal>(INVOICES, body)

    expect(findingsOf(answer)).toEqual([
      'INVALID_STRING_MAX_LENGTH /detail/note',
      'INVALID_STRING_MAX_LENGTH /items/0/name',
      'INVALID_PARAMETER_SYNTAX /items/1/quantity',
      'INVALID_STRING_LENGTH /invoicer/email_address',
    ])
  })

  it('says what its schema finds together with what its values do, each thing once', async () => {
    const detail = {
      currency_code: 'XXX',
      payment_term: { term_type: 'DUE_ON_DATE_SPECIFIED', due_date: 'soon-ish at' },
    }
    const wrong = {
      amount: { breakdown: { shipping: { amount: usd('-1.00') }, custom: { label: 'Packing' } } },
      items: [
        item({ name: '', unit_amount: usd('1.001') }),
        'two',
        item({ quantity: 'x', tax: { name: 'VAT', percent: '101' } }),
      ],
      detail,
    }
    const details = [
      'INVALID_DECIMAL_VALUE /amount/breakdown/shipping/amount/value',
      'MISSING_REQUIRED_PARAMETER /amount/breakdown/custom/amount',
      'MISSING_REQUIRED_PARAMETER /items/0/name',
      'INVALID_DECIMAL_VALUE /items/0/unit_amount/value',
      'INVALID_PARAMETER_SYNTAX /items/1',
      'INVALID_PARAMETER_SYNTAX /items/2/quantity',
      'INVALID_DECIMAL_VALUE /items/2/tax/percent',
      'NOT_SUPPORTED /detail/currency_code',
      'INVALID_STRING_LENGTH /detail/payment_term/due_date',
    ]
    const created = await world.merchant.post<Refusal>(INVOICES, wrong)
    const updated = await world.merchant.put<Refusal>(`${INVOICES}/${id}`, wrong)
    const template = { template_info: { items: wrong.items } }
    const { body: refused } = await world.merchant.post<Refusal>('/v2/invoicing/templates', template)
    const { body: recorded } = await world.merchant.post<Refusal>(`${INVOICES}/${id}/payments`, { amount: usd('0.00') })

    expect([created.status, findingsOf(created.body)]).toEqual([400, details])
    expect([updated.status, findingsOf(updated.body)]).toEqual([400, details])
    const ofItems = details.slice(2, 7).map((finding) => finding.replace(' ', ' /template_info'))
    expect(findingsOf(refused)).toEqual(ofItems)
    expect(findingsOf(recorded)).toEqual(['MISSING_REQUIRED_PARAMETER /method', 'VALUE_CANNOT_BE_ZERO /amount/value'])
  })

  it('names at most fifty mistakes', async () => {
    const body = over('1.00', { items: Array.from({ length: 80 }, () => item({ quantity: 'x' })) })

    const { body: answer } = await world.merchant.post<Refusal>(INVOICES, body)

    expect(answer.details).toHaveLength(50)
  })

  it('is not JSON', async () => {
    const { status, body } = await world.merchant.send<Refusal>('POST', INVOICES, '{"detail":', {
      headers: { 'content-type': 'application/json' },
    })

    expect([status, body.details?.[0]?.issue]).toEqual([400, 'MALFORMED_REQUEST_JSON'])
  })

  it('is not called JSON', async () => {
    const { status } = await world.merchant.send('POST', INVOICES, 'detail=1', {
      headers: { 'content-type': 'text/plain' },
    })

    expect(status).toBe(415)
  })

  it('is never stored with a character the database cannot hold', async () => {
    for (const text of ['a\u0000b', '\ud800', 'İstanbul \u202e', '👩‍👩‍👧', "'; drop table invoices; --", '%_\\']) {
      const { status } = await world.merchant.post(
        INVOICES,
        over(
          '1.00',
          { primary_recipients: [recipient('a@b.example', { name: { given_name: text } })] },
          { reference: text, memo: text },
        ),
      )
      expect([201, 400]).toContain(status)
      const search = await world.merchant.post('/v2/invoicing/search-invoices', {
        reference: text,
        memo: text,
        recipient_first_name: text,
        item_description: text,
        recipient_email: text,
      })
      expect([200, 400]).toContain(search.status)
    }
  })

  it('says that the invoice does not exist before it says what is wrong with the body', async () => {
    const nothing = { method: 'CASH', amount: usd('0.00') }
    const unknownCurrency = { template_info: { detail: { currency_code: 'XXX' } } }

    for (const body of [{}, withItem({ unit_amount: usd('1.001') })])
      expect((await world.otherMerchant.put(`${INVOICES}/${id}`, body)).status).toBe(404)
    for (const records of ['payments', 'refunds'])
      for (const body of [{}, nothing])
        expect((await world.otherMerchant.post(`${INVOICES}/${id}/${records}`, body)).status).toBe(404)
    for (const body of [{ name: 5 }, unknownCurrency])
      expect((await world.merchant.put('/v2/invoicing/templates/TEMP-0', body)).status).toBe(404)
  })
})
