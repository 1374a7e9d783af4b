import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findingsOf, INVOICES, issuesOf, over, type Refusal, recipient, type Seen, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const TEMPLATES = '/v2/invoicing/templates'

interface Template {
  id: string
  name: string
  default_template: boolean
  standard_template: boolean
  unit_of_measure: string
  template_info: Record<string, unknown> & { detail: Record<string, unknown>; amount: { value: string } }
  settings?: object
  links: { rel: string }[]
}
interface Templates {
  addresses: object[]
  emails: string
  phones: object[]
  templates: Template[]
  links: { rel: string; href: string }[]
}

const whole = { headers: { prefer: 'return=representation' } }

describe('Templates', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  const making = (body: object) => world.merchant.post<Template & Refusal>(TEMPLATES, body, whole)
  const replacing = (id: string, body: object) =>
    world.merchant.put<Template & Refusal>(`${TEMPLATES}/${id}`, body, whole)
  const listing = async (query: Record<string, string> = {}) =>
    (await world.merchant.get<Templates>(TEMPLATES, { query })).body
  const system = async (name: string) =>
    (await listing({ page_size: '100' })).templates.find((template) => template.name === name)!

  it('three are there from the start, and cannot be changed or deleted', async () => {
    const { templates } = await listing()

    expect(
      templates.map(({ name, unit_of_measure, default_template, standard_template, links }) => [
        name,
        unit_of_measure,
        default_template,
        standard_template,
        links.map(({ rel }) => rel),
      ]),
    ).toEqual([
      ['Quantity', 'QUANTITY', true, true, ['self']],
      ['Hours', 'HOURS', false, true, ['self']],
      ['Amount', 'AMOUNT', false, true, ['self']],
    ])
    for (const { id, template_info } of templates) {
      expect(id).toMatch(/^TEMP-[0-9A-Z]{17}$/)
      expect(template_info.detail['currency_code']).toBe('USD')
      const removed = await world.merchant.delete<Refusal>(`${TEMPLATES}/${id}`)
      expect([removed.status, removed.body.name, issuesOf(removed.body)]).toEqual([
        403,
        'NOT_AUTHORIZED',
        ['CANNOT_DELETE_GLOBAL_TEMPLATE'],
      ])
      const replaced = await replacing(id, { name: 'Mine' })
      expect([replaced.status, issuesOf(replaced.body)]).toEqual([403, ['PERMISSION_DENIED']])
    }
  })

  it('the list has the business information of the merchant', async () => {
    const { addresses, emails, phones } = await listing()

    expect(emails).toBe('merchant@example.com')
    expect(addresses).toMatchObject([{ country_code: 'US' }])
    expect(phones).toHaveLength(1)
  })

  it('are created with a name, computed amounts and links', async () => {
    const { status, body, headers } = await making({
      name: 'Consulting',
      description: 'By the hour',
      template_info: {
        detail: {
          currency_code: 'USD',
          note: 'Thanks',
          term: 'No refunds',
          payment_term: { term_type: 'NET_10', due_date: '2020-01-01' },
        },
        items: [{ name: 'Advice', quantity: 2, unit_amount: usd('50.00'), tax: { name: 'VAT', percent: '10' } }],
        configuration: { tax_inclusive: true },
      },
      settings: {
        template_item_settings: [
          { field_name: 'items.discount', display_preference: { hidden: true } },
          { field_name: 'ITEMS_TAX' },
        ],
        template_subtotal_settings: [{ field_name: 'discount', display_preference: { hidden: false } }],
      },
      unit_of_measure: 'HOURS',
    })

    expect(status).toBe(201)
    expect(headers['location']).toMatch(new RegExp(`${TEMPLATES}/${body.id}$`))
    expect(body).toMatchObject({
      name: 'Consulting',
      description: 'By the hour',
      default_template: false,
      standard_template: false,
      unit_of_measure: 'HOURS',
      template_info: {
        detail: {
          note: 'Thanks',
          term: 'No refunds',
          terms_and_conditions: 'No refunds',
          payment_term: { term_type: 'NET_10' },
          metadata: { create_time: '2026-03-02T09:00:00Z', created_by: 'merchant@example.com' },
        },
        amount: { value: '100.00', breakdown: { tax_total: usd('9.09') } },
        due_amount: usd('100.00'),
      },
      settings: {
        template_item_settings: [
          { field_name: 'ITEMS_DISCOUNT', display_preference: { hidden: true } },
          { field_name: 'ITEMS_TAX' },
        ],
        template_subtotal_settings: [{ field_name: 'DISCOUNT' }],
      },
    })
    expect(body.links.map(({ rel }) => rel)).toEqual(['self', 'delete', 'replace'])
    expect((await world.merchant.get(`${TEMPLATES}/${body.id}`)).body).toEqual(body)
    expect((await world.otherMerchant.get(`${TEMPLATES}/${body.id}`)).status).toBe(404)
    expect((await world.otherMerchant.delete(`${TEMPLATES}/${body.id}`)).status).toBe(404)
  })

  it('get a name when they have none, and answer with a link', async () => {
    const { status, body } = await world.merchant.post<{ id: string; rel: string }>(TEMPLATES, {})

    expect([status, body.rel]).toEqual([201, 'self'])
    expect((await world.merchant.get<Template>(`${TEMPLATES}/${body.id}`)).body.name).toMatch(/^Template \d+$/)
  })

  it('have names of their own, whatever the case', async () => {
    await making({ name: 'Unique' })

    for (const name of ['unique', 'QUANTITY']) {
      const { status, body } = await making({ name })
      expect([status, body.name, findingsOf(body)]).toEqual([
        400,
        'INVALID_REQUEST',
        ['TEMPLATE_NAME_ALREADY_EXISTS /name'],
      ])
    }
    const { body: other } = await making({ name: 'Another' })
    expect(findingsOf((await replacing(other.id, { name: 'UNIQUE' })).body)).toEqual([
      'TEMPLATE_NAME_ALREADY_EXISTS /name',
    ])
    expect((await world.otherMerchant.post(TEMPLATES, { name: 'Unique' })).status).toBe(201)
  })

  it('are replaced whole', async () => {
    const { body: before } = await making({
      name: 'Before',
      description: 'Text',
      template_info: { detail: { currency_code: 'USD', note: 'Hi' } },
      unit_of_measure: 'AMOUNT',
    })

    const { status, body } = await replacing(before.id, { template_info: { detail: { currency_code: 'USD' } } })

    expect(status).toBe(200)
    expect(body).toMatchObject({ id: before.id, name: 'Before', unit_of_measure: 'QUANTITY' })
    expect(body).not.toHaveProperty('description')
    expect(body.template_info.detail).not.toHaveProperty('note')
  })

  it('are changed by whichever of two shown values was changed', async () => {
    const { body: made } = await making({
      name: 'Sent back',
      template_info: {
        detail: { currency_code: 'USD', terms_and_conditions: 'Old terms' },
        invoicer: { name: { given_name: 'Ada', surname: 'Sample' } },
        items: [{ name: 'T item', quantity: '1', unit_amount: usd('100.00'), discount: { percent: '10' } }],
        amount: { breakdown: { discount: { invoice_discount: { percent: '10' } } } },
      },
    })
    expect(made.template_info.amount.value).toBe('81.00')
    const info = made.template_info as typeof made.template_info & { items: object[] }
    const [item] = info.items

    const sent = {
      ...made,
      template_info: {
        ...info,
        detail: { ...info.detail, term: 'New terms' },
        invoicer: { name: { given_name: 'Ada', surname: 'Example', full_name: 'Ada Sample' } },
        items: [{ ...item, quantity: '2' }],
      },
    }
    const { body } = await replacing(made.id, sent)

    expect(body.template_info).toMatchObject({
      detail: { terms_and_conditions: 'New terms', term: 'New terms' },
      invoicer: { name: { full_name: 'Ada Example' } },
      amount: { value: '162.00' },
    })
    for (let n = 0; n < 2; n++) expect((await replacing(made.id, sent)).body, 'sent again').toEqual(body)
  })

  it('one is the default: setting it clears the other, deleting it brings back the first of the system', async () => {
    const { body: mine } = await making({ name: 'Default', default_template: true })
    expect(mine.default_template).toBe(true)
    expect((await shop.drafts()).configuration.template_id).toBe(mine.id)
    expect(
      (await listing({ page_size: '100' })).templates.filter(({ default_template }) => default_template),
    ).toHaveLength(1)

    const hours = await system('Hours')
    expect((await replacing(hours.id, { default_template: true })).body).toMatchObject({
      default_template: true,
      name: 'Hours',
    })
    expect((await world.merchant.get<Template>(`${TEMPLATES}/${mine.id}`)).body.default_template).toBe(false)

    await replacing(mine.id, { name: 'Default', default_template: true })
    expect((await world.merchant.delete(`${TEMPLATES}/${mine.id}`)).status).toBe(204)
    expect((await world.merchant.get(`${TEMPLATES}/${mine.id}`)).status).toBe(404)
    expect((await system('Quantity')).default_template).toBe(true)
    expect((await shop.drafts()).configuration.template_id).toBe((await system('Quantity')).id)
  })

  it('come in pages, with only names when asked', async () => {
    const { templates, links } = await listing({ page_size: '2', fields: 'none' })

    expect(templates).toHaveLength(2)
    expect(Object.keys(templates[0]!)).toEqual(['id', 'template_id', 'name', 'default_template', 'links'])
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'next'])
    expect((await listing({ page: '1000' })).templates).toEqual([])
  })

  // biome-ignore format: a table reads best as a table
  const refusals: readonly (readonly [body: object, finding: string])[] = [
    [{ name: 'x'.repeat(501) }, 'INVALID_STRING_LENGTH /name'],
    [{ description: 'x'.repeat(161) }, 'INVALID_STRING_LENGTH /description'],
    [{ template_info: { detail: {} } }, 'MISSING_REQUIRED_PARAMETER /template_info/detail/currency_code'],
    [{ template_info: { detail: { currency_code: 'XXX' } } }, 'NOT_SUPPORTED /template_info/detail/currency_code'],
    [{ template_info: { items: [{ name: 'A', quantity: '1' }] } }, 'MISSING_REQUIRED_PARAMETER /template_info/items/0/unit_amount'],
    [{ template_info: { items: [{ name: 'A', quantity: '1', unit_amount: usd('1.001') }] } }, 'INVALID_DECIMAL_VALUE /template_info/items/0/unit_amount/value'],
    [{ unit_of_measure: 'KILOS' }, 'INVALID_PARAMETER_VALUE /unit_of_measure'],
    [{ settings: { template_item_settings: [{ field_name: 'ITEMS_COLOUR' }] } }, 'INVALID_PARAMETER_VALUE /settings/template_item_settings/0/field_name'],
  ]
  for (const [body, finding] of refusals)
    it(`are refused: ${finding}`, async () => {
      const { status, body: answer } = await making(body)
      expect([status, findingsOf(answer)]).toEqual([400, [finding]])
    })

  it('are refused when their amounts contradict each other', async () => {
    const { status, body } = await making({
      template_info: {
        detail: { currency_code: 'EUR' },
        items: [{ name: 'A', quantity: '1', unit_amount: usd('1.00') }],
      },
    })

    expect([status, findingsOf(body)]).toEqual([
      422,
      ['CURRENCY_CODE_MISMATCH /template_info/items/0/unit_amount/currency_code'],
    ])
  })

  describe('in a new invoice', () => {
    const info = {
      detail: {
        currency_code: 'USD',
        note: 'T note',
        terms_and_conditions: 'T terms',
        memo: 'T memo',
        reference: 'T ref',
        payment_term: { term_type: 'NET_30' },
        attachments: [{ id: 'T file' }],
      },
      invoicer: { business_name: 'T business' },
      primary_recipients: [recipient('template@example.com')],
      additional_recipients: ['copy@example.com'],
      items: [{ name: 'T item', quantity: '1', unit_amount: usd('40.00'), tax: { name: 'VAT', percent: '10' } }],
      configuration: {
        tax_inclusive: true,
        allow_tip: true,
        tax_calculated_after_discount: false,
        partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('5.00') },
      },
      amount: {
        breakdown: {
          discount: { invoice_discount: { percent: '10' } },
          shipping: { amount: usd('3.00') },
          custom: { label: 'T', amount: usd('2.00') },
        },
      },
    }
    let template: Template
    beforeAll(async () => {
      template = (await making({ name: 'Copied', template_info: info })).body
    })
    const from = (body: object, detail: object = {}) =>
      shop.drafts({
        detail: { currency_code: 'USD', ...detail },
        ...body,
        configuration: { template_id: template.id, ...('configuration' in body ? (body.configuration as object) : {}) },
      })

    it('fill in what is absent', async () => {
      const invoice = await from({})

      expect(invoice).toMatchObject({
        detail: {
          note: 'T note',
          terms_and_conditions: 'T terms',
          memo: 'T memo',
          reference: 'T ref',
          payment_term: { term_type: 'NET_30', due_date: '2026-04-01' },
          attachments: [{ id: 'T file', create_time: '2026-03-02T09:00:00Z' }],
        },
        invoicer: { business_name: 'T business' },
        additional_recipients: ['copy@example.com'],
        items: [{ name: 'T item' }],
        configuration: {
          tax_inclusive: true,
          allow_tip: true,
          tax_calculated_after_discount: false,
          template_id: template.id,
          partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('5.00') },
        },
        amount: {
          value: '41.00',
          breakdown: { discount: { invoice_discount: { percent: '10', amount: usd('-4.00') } } },
        },
      })
      expect(invoice.primary_recipients[0]!.billing_info.email_address).toBe('template@example.com')
    })

    it('give way to what is present, whole', async () => {
      const invoice = await from(
        {
          items: [{ name: 'Own', quantity: '1', unit_amount: usd('100.00') }],
          primary_recipients: [],
          additional_recipients: [],
          invoicer: { tax_id: '7' },
          configuration: { allow_tip: false },
          amount: { breakdown: { shipping: { amount: usd('1.00') } } },
        },
        { note: 'Own note', payment_term: { term_type: 'NO_DUE_DATE' } },
      )

      expect(invoice).toMatchObject({
        detail: { note: 'Own note', memo: 'T memo', payment_term: { term_type: 'NO_DUE_DATE' } },
        invoicer: { tax_id: '7' },
        items: [{ name: 'Own' }],
        primary_recipients: [],
        additional_recipients: [],
        configuration: { allow_tip: false, tax_inclusive: true },
        amount: { value: '93.00' },
      })
      expect(invoice.invoicer).not.toHaveProperty('business_name')
    })

    it('leave a due date to the invoice that is to specify it, which can be sent back as it is shown', async () => {
      const { body: undated } = await making({
        template_info: { detail: { currency_code: 'USD', payment_term: { term_type: 'DUE_ON_DATE_SPECIFIED' } } },
      })
      const configuration = { template_id: undated.id }
      const made = await shop.drafts(over('5.00', { configuration }))

      expect(made.detail.payment_term).toEqual({ term_type: 'NO_DUE_DATE' })
      expect((await world.merchant.put(shop.path(made.id), made)).status).toBe(200)
      const term = { term_type: 'DUE_ON_DATE_SPECIFIED', due_date: '2026-12-24' }
      const dated = over('5.00', { configuration }, { payment_term: term })
      expect((await shop.drafts(dated)).detail.payment_term).toEqual(term)
    })

    it('leave money in another currency behind', async () => {
      const invoice = await from({}, { currency_code: 'EUR' })

      expect(invoice).toMatchObject({
        items: [],
        amount: { currency_code: 'EUR', value: '0.00' },
        configuration: { partial_payment: { allow_partial_payment: true } },
        detail: { note: 'T note' },
      })
    })

    it('lend a percentage whatever the currency, and no amount of another', async () => {
      const discounts = async (invoice_discount: object, currency_code: string) => {
        const { body: lent } = await making({
          template_info: {
            detail: { currency_code: 'USD' },
            amount: { breakdown: { discount: { invoice_discount } } },
          },
        })
        const unit_amount = { currency_code, value: '100.00' }
        const { amount } = await shop.drafts({
          detail: { currency_code },
          items: [{ name: 'Own', quantity: '1', unit_amount }],
          configuration: { template_id: lent.id },
        })
        return amount.value
      }
      expect(await discounts({ percent: '10' }, 'USD')).toBe('90.00')
      expect(await discounts({ percent: '10' }, 'EUR')).toBe('90.00')
      expect(await discounts({ amount: usd('5.00') }, 'USD')).toBe('95.00')
      expect(await discounts({ amount: usd('5.00') }, 'EUR')).toBe('100.00')
    })

    it('lend the amount of a discount that wins over its percentage', async () => {
      const { body: both } = await making({
        template_info: {
          detail: { currency_code: 'USD' },
          items: [{ name: 'T item', quantity: '1', unit_amount: usd('100.00') }],
          amount: { breakdown: { discount: { invoice_discount: { percent: '10', amount: usd('5.00') } } } },
        },
      })
      const { amount } = await shop.drafts({
        detail: { currency_code: 'USD' },
        configuration: { template_id: both.id },
      })

      expect([both.template_info.amount.value, amount.value]).toEqual(['95.00', '95.00'])
    })

    it('that do not exist are replaced by the default without a word', async () => {
      const invoice = await shop.drafts(over('1.00', { configuration: { template_id: 'TEMP-19V05281TU309413B' } }))

      expect(invoice.configuration.template_id).toBe((await system('Quantity')).id)
      const { status } = await world.otherMerchant.post<Seen>(
        INVOICES,
        over('1.00', { configuration: { template_id: template.id } }),
      )
      expect(status).toBe(201)
    })

    it('are copied, never linked: changing or deleting them changes no invoice', async () => {
      const before = await from({})

      await replacing(template.id, { name: 'Copied', template_info: { detail: { currency_code: 'USD', note: 'New' } } })
      expect(await shop.sees(before.id)).toEqual(before)
      await world.merchant.delete(`${TEMPLATES}/${template.id}`)
      expect(await shop.sees(before.id)).toEqual(before)
    })
  })

  it('without items may say what is to be paid at least, and take off or add what they like', async () => {
    const poor = await newWorld()
    const parts = { partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('10.00') } }
    const detail = { currency_code: 'USD' }
    const discount = { discount: { invoice_discount: { amount: usd('5.00') } } }
    const makes = (body: object) => poor.merchant.post<Template & Refusal>(TEMPLATES, body, whole)
    const made = await makes({
      name: 'In parts',
      default_template: true,
      template_info: { detail, configuration: parts, amount: { breakdown: discount } },
    })
    expect(made.status, made.text).toBe(201)
    expect(made.body.template_info).toMatchObject({ configuration: parts, due_amount: usd('0.00') })
    const nothing = { partial_payment: { ...parts.partial_payment, minimum_amount_due: usd('0.00') } }
    const none = await makes({ name: 'None', template_info: { detail, configuration: nothing } })
    expect([none.status, issuesOf(none.body)]).toEqual([422, ['INVALID_TOTAL_AMOUNT']])

    // What an invoice says itself must fit; what it has from the template goes where it does not.
    const minimumOf = async (value: string, configuration?: object) => {
      const { status, body } = await poor.merchant.post<Seen & Refusal>(
        INVOICES,
        over(value, { ...(configuration && { configuration }) }),
        whole,
      )
      return status === 201 ? body.configuration.partial_payment : `${status} ${issuesOf(body)}`
    }
    expect(await minimumOf('50.00')).toEqual(parts.partial_payment)
    expect(await minimumOf('12.00')).toEqual({ allow_partial_payment: true })
    expect(await minimumOf('12.00', parts)).toBe('422 INVALID_TOTAL_AMOUNT')
    await poor.close()
  })

  it('fifty are enough', async () => {
    const rich = await newWorld()
    for (let i = 0; i < 50; i++) expect((await rich.merchant.post(TEMPLATES, { name: `T${i}` })).status).toBe(201)

    const { status, body } = await rich.merchant.post<Refusal>(TEMPLATES, { name: 'One more' })

    expect([status, issuesOf(body)]).toEqual([422, ['TEMPLATE_LIMIT_EXCEEDED']])
    expect(
      (await rich.merchant.get<Templates>(TEMPLATES, { query: { page_size: '100' } })).body.templates
        .map(({ name }) => name)
        .slice(-4),
    ).toEqual(['T0', 'Quantity', 'Hours', 'Amount'])
    await rich.close()
  })
})
