import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  findingsOf,
  INVOICES,
  type Listed,
  over,
  type Refusal,
  recipient,
  type Seen,
  shopOf,
} from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const SEARCH = '/v2/invoicing/search-invoices'

describe('The list of invoices', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    for (let i = 1; i <= 5; i++) {
      await shop.drafts(
        over(
          `${i}.00`,
          { additional_recipients: ['cc@example.com'] },
          { invoice_number: `N-${i}`, reference: 'ref', memo: 'memo', note: 'note', attachments: [{ id: 'file' }] },
        ),
      )
      await shop.pass('PT1M')
    }
    await world.otherMerchant.post(INVOICES, over('99.00'))
  })
  afterAll(() => world.close())

  const listing = (query: Record<string, string> = {}) => world.merchant.get<Listed & Refusal>(INVOICES, { query })
  const numbers = ({ items }: Listed) => items.map(({ detail }) => detail.invoice_number)
  const rels = ({ links }: Listed) => links.map(({ rel, href }) => `${rel} ${new URL(href).search}`)

  it("is the merchant's own, newest first, and says nothing of totals unless asked", async () => {
    const { status, body } = await listing()

    expect(status).toBe(200)
    expect(numbers(body)).toEqual(['N-5', 'N-4', 'N-3', 'N-2', 'N-1'])
    expect(body).not.toHaveProperty('total_items')
    expect(rels(body)).toEqual(['self ?page=1&page_size=20&total_required=false'])
  })

  it('comes in pages with links to those around', async () => {
    const { body } = await listing({ page: '2', page_size: '2', total_required: 'true' })

    expect(numbers(body)).toEqual(['N-3', 'N-2'])
    expect(body).toMatchObject({ total_items: 5, total_pages: 3 })
    expect(rels(body)).toEqual([
      'self ?page=2&page_size=2&total_required=true',
      'first ?page=1&page_size=2&total_required=true',
      'prev ?page=1&page_size=2&total_required=true',
      'next ?page=3&page_size=2&total_required=true',
      'last ?page=3&page_size=2&total_required=true',
    ])
  })

  it('is empty past its end', async () => {
    const { status, body } = await listing({ page: '1000', total_required: 'true' })

    expect(status).toBe(200)
    expect(body).toMatchObject({ items: [], total_items: 5, total_pages: 1 })
    expect(rels(body).map((link) => link.split('&')[0])).toEqual([
      'self ?page=1000',
      'first ?page=1',
      'prev ?page=1',
      'last ?page=1',
    ])
  })

  it('counts pages of every size, the last one also when it is full', async () => {
    const pages = async (page_size: string) =>
      (await listing({ page_size, total_required: 'true' })).body as unknown as Record<string, number>

    for (const [size, total_pages] of Object.entries({ 1: 5, 2: 3, 4: 2, 5: 1, 100: 1 }))
      expect(await pages(size), size).toMatchObject({ total_items: 5, total_pages })
    expect((await listing({ total_required: 'false' })).body).not.toHaveProperty('total_pages')
  })

  it('counts beyond what pages can reach, and links to no page that would be refused', async () => {
    const many = await newWorld()
    await many.merchant.post(INVOICES, over('1.00'))
    await many.app.database.query(
      `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams)
       select account_id, id || n, jsonb_set(body, '{id}', to_jsonb(id || n)), create_time, number_key || n, amount_minor,
         emails, grams from invoices, generate_series(1, 1001) n`,
    )
    const at = async (page: string) => {
      const query = { page, page_size: '1', total_required: 'true' }
      const { status, body } = await many.merchant.get<Listed>(INVOICES, { query })
      expect([status, body.total_items, body.total_pages, body.items.length]).toEqual([200, 1002, 1002, 1])
      return body.links.map(({ rel, href }) => `${rel} ${new URL(href).searchParams.get('page')}`)
    }

    expect(await at('999')).toEqual(['self 999', 'first 1', 'prev 998', 'next 1000', 'last 1000'])
    expect(await at('1000')).toEqual(['self 1000', 'first 1', 'prev 999'])
    await many.close()
  })

  it('has no pages when there is nothing', async () => {
    const nobody = await newWorld()
    const { body } = await nobody.merchant.get<Listed>(INVOICES, { query: { total_required: 'true' } })

    expect(body).toMatchObject({ total_items: 0, total_pages: 0, items: [] })
    await nobody.close()
  })

  it('shows summaries', async () => {
    const { body } = await listing({ page_size: '1' })
    const [first] = body.items
    const whole = await shop.sees(first!.id)

    expect(first).toEqual({
      id: whole.id,
      invoice_number: 'N-5',
      status: 'DRAFT',
      detail: {
        reference: 'ref',
        currency_code: 'USD',
        note: 'note',
        memo: 'memo',
        invoice_number: 'N-5',
        invoice_date: whole.detail.invoice_date,
        viewed_by_recipient: false,
        group_draft: false,
        metadata: {
          create_time: whole.detail.metadata['create_time'],
          recipient_view_url: expect.any(String),
          invoicer_view_url: expect.any(String),
        },
      },
      invoicer: {},
      primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
      amount: usd('5.00'),
      due_amount: usd('5.00'),
      links: whole.links,
    })
  })

  it('shows whole invoices or the parts that are named', async () => {
    const all = await listing({ page_size: '1', fields: 'ALL' })
    expect(all.body.items[0]).toEqual(await shop.sees(all.body.items[0]!.id))
    expect(rels(all.body)[0]).toBe('self ?page=1&page_size=1&total_required=false&fields=ALL')

    const some = await listing({
      page_size: '1',
      fields: 'items, Additional_Recipients_Info,attachments,amount,unknown',
    })
    expect(some.body.items[0]).toMatchObject({
      items: [{ name: 'Work' }],
      additional_recipients: ['cc@example.com'],
      detail: { attachments: [{ id: 'file' }] },
      amount: { breakdown: {} },
    })
    expect(some.body.items[0]).not.toHaveProperty('configuration')
  })

  // biome-ignore format: a table reads best as a table
  const refusals: readonly (readonly [query: Record<string, string>, finding: string])[] = [
    [{ page: '0' }, 'INVALID_INTEGER_MIN_VALUE page'],
    [{ page: '1001' }, 'INVALID_INTEGER_MAX_VALUE page'],
    [{ page: 'one' }, 'INVALID_PARAMETER_SYNTAX page'],
    [{ page_size: '0' }, 'INVALID_INTEGER_MIN_VALUE page_size'],
    [{ page_size: '101' }, 'INVALID_INTEGER_MAX_VALUE page_size'],
    [{ total_required: 'perhaps' }, 'INVALID_PARAMETER_SYNTAX total_required'],
  ]
  for (const [query, finding] of refusals)
    it(`is refused with ${JSON.stringify(query)}`, async () => {
      const { status, body } = await listing(query)
      expect([status, findingsOf(body)]).toEqual([400, [finding]])
    })

  it('never shows a deleted invoice', async () => {
    const { id } = await shop.drafts(over('1.00', {}, { invoice_number: 'GONE', memo: 'gone' }))
    await world.merchant.delete(shop.path(id))

    expect(numbers((await listing()).body)).not.toContain('GONE')
    expect((await world.merchant.post<Listed>(SEARCH, { memo: 'gone' })).body.items).toEqual([])
  })
})

describe('Searching for invoices', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    const person = (given_name: string, surname: string, more: object = {}) => ({
      name: { given_name, surname },
      ...more,
    })
    await shop.drafts(
      over(
        '10.00',
        {
          primary_recipients: [
            recipient('Payer@Example.com', person('Payer', 'Sample', { business_name: 'Example Engines' })),
          ],
        },
        {
          invoice_number: 'One',
          reference: 'Order 77',
          memo: 'For the ENGINE 100%_done',
          invoice_date: '2026-02-01',
          payment_term: { term_type: 'NET_10' },
        },
      ),
    )
    await shop.pass('P1D')
    await shop.sends(
      over(
        '20.00',
        {
          primary_recipients: [recipient('another@example.com', person('Another', 'Example'))],
          additional_recipients: ['Payer@example.com'],
          items: [{ name: 'Compiler', description: 'Nanoseconds of wire', quantity: '2', unit_amount: usd('10.00') }],
        },
        { invoice_number: 'Two', reference: 'order 78', memo: 'Η ΟΔΟΣ', invoice_date: '2026-02-11' },
      ),
    )
    await shop.pass('P1D')
    const three = await shop.sends(
      over(
        '30.00',
        { primary_recipients: [recipient('x@example.com', { name: { full_name: '田中 Payer-Two' } })] },
        {
          invoice_number: 'Three',
          memo: 'ΟΔΟΣΑΣ',
          invoice_date: '2026-02-28',
          payment_term: { due_date: '2026-03-01' },
        },
      ),
    )
    await world.merchant.post(shop.path(three.id, '/payments'), {
      method: 'CASH',
      payment_date: '2026-02-15',
      amount: usd('5.00'),
    })
    await world.merchant.post(shop.path(three.id, '/payments'), {
      method: 'CASH',
      payment_date: '2026-02-20',
      amount: usd('5.00'),
    })
    await shop.pass('P1D')
    await shop.drafts({
      detail: { currency_code: 'EUR', invoice_number: 'Four' },
      items: [{ name: 'Tea', quantity: '1', unit_amount: { currency_code: 'EUR', value: '20.00' } }],
    })
    await world.otherMerchant.post(INVOICES, over('10.00', {}, { reference: 'Order 77', invoice_number: 'Foreign' }))
  })
  afterAll(() => world.close())

  const searching = (body?: unknown, query: Record<string, string> = {}) =>
    world.merchant.post<Listed & Refusal>(SEARCH, body, { query })
  const amounts = (lower: string, upper: string, currency_code = 'USD') => ({
    lower_amount: { currency_code, value: lower },
    upper_amount: { currency_code, value: upper },
  })

  // biome-ignore format: a table reads best as a table
  const criteria: readonly (readonly [criteria: Record<string, unknown>, found: string[]])[] = [
    [{}, ['Four', 'Three', 'Two', 'One']],
    [{ recipient_email: 'PAYER@example.com' }, ['Two', 'One']],
    [{ recipient_email: 'payer@example' }, []],
    [{ recipient_first_name: 'payer' }, ['Three', 'One']],
    [{ recipient_first_name: 'a' }, ['Three', 'Two', 'One']],
    [{ recipient_first_name: '田中' }, ['Three']],
    [{ recipient_first_name: '田' }, ['Three']],
    [{ recipient_last_name: 'XAMP' }, ['Two']],
    [{ recipient_last_name: 'two' }, ['Three']],
    [{ recipient_business_name: 'mple eng' }, ['One']],
    [{ invoice_number: 'two' }, ['Two']],
    [{ invoice_number: 'tw' }, []],
    [{ status: ['SENT'] }, ['Two']],
    [{ status: 'DRAFT' }, ['Four', 'One']],
    [{ status: ['DRAFT', 'PARTIALLY_PAID', 'DRAFT'] }, ['Four', 'Three', 'One']],
    [{ status: ['UNPAID', 'AUTO_CANCELLED', 'SHARED', 'PAID_EXTERNAL', 'REFUNDED_EXTERNAL'] }, []],
    [{ status: [] }, ['Four', 'Three', 'Two', 'One']],
    [{ status: [], reference: 'order 78' }, ['Two']],
    [{ reference: 'ORDER' }, ['Two', 'One']],
    [{ reference: 'r 7' }, ['Two', 'One']],
    [{ reference: 'order 77' }, ['One']],
    [{ currency_code: 'EUR' }, ['Four']],
    [{ memo: 'engine' }, ['One']],
    [{ memo: '100%_d' }, ['One']],
    [{ memo: '100_' }, []],
    [{ memo: '%' }, ['One']],
    [{ memo: 'ΟΔΟΣ' }, ['Three', 'Two']],
    [{ memo: 'οδοσ' }, ['Three', 'Two']],
    [{ memo: 'ς' }, ['Three', 'Two']],
    [{ memo: 'ΟΔΟΣΑ' }, ['Three']],
    [{ item_description: 'nanosec' }, ['Two']],
    [{ item_description: 'COMPILER' }, ['Two']],
    [{ item_description: 'work' }, ['Three', 'One']],
    [{ total_amount_range: amounts('10.00', '20') }, ['Two', 'One']],
    [{ total_amount_range: amounts('20.00', '20.00', 'EUR') }, ['Four']],
    [{ total_amount_range: amounts('-5', '9.99') }, []],
    [{ invoice_date_range: { start: '2026-02-01', end: '2026-02-11' } }, ['Two', 'One']],
    [{ due_date_range: { start: '2026-02-11', end: '2026-03-01' } }, ['Three', 'One']],
    [{ payment_date_range: { start: '2026-02-15', end: '2026-02-20' } }, ['Three']],
    [{ payment_date_range: { start: '2026-02-16T00:00:00Z', end: '2026-02-19T23:59:59Z' } }, []],
    [{ payment_date_range: { start: '2026-02-15T17:00:00-08:00', end: '2026-02-15T23:00:00-08:00' } }, ['Three']],
    [{ payment_date_range: { start: '2026-02-21T00:00:00+14:00', end: '2026-02-21T09:00:00+14:00' } }, []],
    [{ creation_date_range: { start: '2026-03-03T09:00:00Z', end: '2026-03-04T09:00:00Z' } }, ['Three', 'Two']],
    [{ creation_date_range: { start: '2026-03-02', end: '2026-03-03' } }, ['Two', 'One']],
    [{ creation_date_range: { start: '2026-03-03T01:00:00-08:00', end: '2026-03-03T10:00:00+01:00' } }, ['Two']],
    [{ archived: true }, []],
    [{ archived: false }, ['Four', 'Three', 'Two', 'One']],
    [{ archived: null, memo: '', status: null }, ['Four', 'Three', 'Two', 'One']],
    [{ recipient_first_name: 'payer', status: ['DRAFT'], total_amount_range: amounts('1', '100') }, ['One']],
    [{ reference: 'order', recipient_email: 'another@example.com', payment_date_range: { start: '2020-01-01', end: '2030-01-01' } }, []],
    [{ status: ['DRAFT'], creation_date_range: { start: '2026-03-02', end: '2026-03-02' } }, ['One']],
    [{ unknown: 'criterion' }, ['Four', 'Three', 'Two', 'One']],
  ]
  for (const [body, found] of criteria)
    it(`${JSON.stringify(body)} finds ${found.join(', ') || 'nothing'}`, async () => {
      const { status, body: answer } = await searching(body, { total_required: 'true' })

      expect(status).toBe(200)
      expect(answer.items.map(({ detail }) => detail.invoice_number)).toEqual(found)
      expect(answer.total_items).toBe(found.length)
    })

  it('counts what matches, over all its pages', async () => {
    const query = { page: '2', page_size: '2', total_required: 'true' }
    const { body } = await searching({ currency_code: 'USD' }, query)

    expect(body).toMatchObject({ total_items: 3, total_pages: 2, items: [{ detail: { invoice_number: 'One' } }] })
    expect(body.links.map(({ rel, href }) => `${rel} ${new URL(href).search}`)).toEqual([
      'self ?page=2&page_size=2&total_required=true',
      'first ?page=1&page_size=2&total_required=true',
      'prev ?page=1&page_size=2&total_required=true',
    ])
    const none = await searching({ invoice_number: 'Nobody has it' }, { total_required: 'true' })
    expect(none.body).toMatchObject({ total_items: 0, total_pages: 0, items: [] })
    expect((await searching({})).body).not.toHaveProperty('total_items')
  })

  // biome-ignore format: a table reads best as a table
  const pages: readonly (readonly [query: Record<string, string>, finding: string])[] = [
    [{ page: '0' }, 'INVALID_INTEGER_MIN_VALUE page'],
    [{ page: '1001' }, 'INVALID_INTEGER_MAX_VALUE page'],
    [{ page_size: '0' }, 'INVALID_INTEGER_MIN_VALUE page_size'],
    [{ page_size: '101' }, 'INVALID_INTEGER_MAX_VALUE page_size'],
    [{ total_required: '1' }, 'INVALID_PARAMETER_SYNTAX total_required'],
  ]
  for (const [query, finding] of pages)
    it(`is refused with ${JSON.stringify(query)}`, async () => {
      const { status, body } = await searching({}, query)
      expect([status, findingsOf(body)]).toEqual([400, [finding]])
    })

  it('without a body lists everything, in pages whose links are for POST', async () => {
    const { status, body } = await searching(undefined, { page_size: '3' })

    expect(status).toBe(200)
    expect(body.items).toHaveLength(3)
    expect(body.links.map(({ rel, method }) => `${method} ${rel}`)).toEqual(['POST self', 'POST next'])
    expect(new URL(body.links[0]!.href).pathname).toBe(SEARCH)
  })

  it('adds the named fields, given as a list or as text', async () => {
    const list = await searching({ invoice_number: 'Three', fields: ['payments', 'items'] })
    const text = await searching({ invoice_number: 'Three', fields: 'payments,items' })
    const all = await searching({ invoice_number: 'Three', fields: ['all'] })

    for (const { body } of [list, text])
      expect(body.items[0]).toMatchObject({ payments: { paid_amount: usd('10.00') }, items: [{ name: 'Work' }] })
    expect(all.body.items[0]).toEqual((await world.merchant.get<Seen>(shop.path(all.body.items[0]!.id))).body)
  })

  // biome-ignore format: a table reads best as a table
  const refusals: readonly (readonly [criteria: object, finding: string])[] = [
    [{ recipient_email: 'x'.repeat(255) }, 'INVALID_STRING_MAX_LENGTH /recipient_email'],
    [{ recipient_first_name: 'x'.repeat(141) }, 'INVALID_STRING_MAX_LENGTH /recipient_first_name'],
    [{ recipient_last_name: 'x'.repeat(141) }, 'INVALID_STRING_MAX_LENGTH /recipient_last_name'],
    [{ recipient_business_name: 'x'.repeat(301) }, 'INVALID_STRING_MAX_LENGTH /recipient_business_name'],
    [{ invoice_number: 'x'.repeat(26) }, 'INVALID_STRING_MAX_LENGTH /invoice_number'],
    [{ reference: 'x'.repeat(121) }, 'INVALID_STRING_MAX_LENGTH /reference'],
    [{ memo: 'x'.repeat(501) }, 'INVALID_STRING_MAX_LENGTH /memo'],
    [{ item_description: 'x'.repeat(1001) }, 'INVALID_STRING_MAX_LENGTH /item_description'],
    [{ currency_code: 'EURO' }, 'INVALID_STRING_LENGTH /currency_code'],
    [{ status: ['DRAFT', 'SENT', 'PAID', 'UNPAID', 'CANCELLED', 'REFUNDED'] }, 'INVALID_ARRAY_MAX_ITEMS /status'],
    [{ status: ['LOST'] }, 'INVALID_PARAMETER_VALUE /status/0'],
    [{ total_amount_range: { lower_amount: usd('1.00') } }, 'MISSING_REQUIRED_PARAMETER /total_amount_range/upper_amount'],
    [{ total_amount_range: amounts('2.00', '1.00') }, 'INVALID_PARAMETER_VALUE /total_amount_range'],
    [{ total_amount_range: amounts('1.001', '2.00') }, 'INVALID_DECIMAL_VALUE /total_amount_range/lower_amount/value'],
    [{ total_amount_range: { lower_amount: { currency_code: 'JPY', value: '1' }, upper_amount: { currency_code: 'JPY', value: '1.5' } } }, 'INVALID_INTEGER_VALUE /total_amount_range/upper_amount/value'],
    [{ total_amount_range: { lower_amount: usd('1.00'), upper_amount: { currency_code: 'EUR', value: '2.00' } } }, 'INVALID_PARAMETER_VALUE /total_amount_range/upper_amount/currency_code'],
    [{ invoice_date_range: { start: '2026-02-01' } }, 'MISSING_REQUIRED_PARAMETER /invoice_date_range/end'],
    [{ invoice_date_range: { start: '2026-02-01', end: '2026-02-30' } }, 'INVALID_PARAMETER_SYNTAX /invoice_date_range/end'],
    [{ invoice_date_range: { start: '2026-02-02', end: '2026-02-01' } }, 'INVALID_PARAMETER_VALUE /invoice_date_range'],
    [{ creation_date_range: { start: 'yesterday', end: '2026-02-01' } }, 'INVALID_PARAMETER_SYNTAX /creation_date_range/start'],
    [{ payment_date_range: { end: '2026-02-01' } }, 'MISSING_REQUIRED_PARAMETER /payment_date_range/start'],
    [{ archived: 'maybe' }, 'INVALID_PARAMETER_SYNTAX /archived'],
  ]
  for (const [body, finding] of refusals)
    it(`is refused: ${finding}`, async () => {
      const { status, body: answer } = await searching(body)
      expect([status, findingsOf(answer)]).toEqual([400, [finding]])
    })

  it('is refused with all that is wrong at once, in its schema and in its values', async () => {
    const { status, body } = await searching({
      status: ['LOST'],
      invoice_date_range: { start: '2026-02-02', end: '2026-02-01' },
      due_date_range: { start: '2026-02-02' },
      payment_date_range: { start: 'yesterday', end: '2026-02-01' },
      total_amount_range: { lower_amount: usd('1.001'), upper_amount: { currency_code: 'XQQ' } },
    })

    expect(status).toBe(400)
    expect(findingsOf(body)).toEqual([
      'INVALID_PARAMETER_VALUE /status/0',
      'INVALID_PARAMETER_VALUE /invoice_date_range',
      'MISSING_REQUIRED_PARAMETER /due_date_range/end',
      'INVALID_PARAMETER_SYNTAX /payment_date_range/start',
      'INVALID_DECIMAL_VALUE /total_amount_range/lower_amount/value',
      'MISSING_REQUIRED_PARAMETER /total_amount_range/upper_amount/value',
      'NOT_SUPPORTED /total_amount_range/upper_amount/currency_code',
      'INVALID_PARAMETER_VALUE /total_amount_range/upper_amount/currency_code',
    ])
  })
})
