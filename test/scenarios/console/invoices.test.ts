import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf, formsIn, written } from '../../support/console.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const TEMPLATES = '/v2/invoicing/templates'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const total = async () => (await world.merchant.get<{ items: object[] }>('/v2/invoicing/invoices')).body.items.length

describe('Writing an invoice at the console', () => {
  it('shows the paper as the server works it out, and keeps nothing of it', async () => {
    const merchant = consoleOf(world)
    const before = await total()
    const page = await merchant.send('/console/invoices/new', { ...written, instead: 'preview' })
    const part = await merchant.send('/console/invoices/new', { ...written, instead: 'preview', part: 'true' })

    expect(page.status).toBe(200)
    for (const { text } of [page, part]) expect(text).toContain('$108.90')
    expect(page.text).toContain('value="49.50"')
    expect(part.text).not.toContain('<html')
    const wrong = await merchant.send('/console/invoices/new', {
      ...written,
      '/items/0/quantity': 'many',
      instead: 'preview',
      part: 'true',
    })
    expect([wrong.status, wrong.text.includes('108.90')]).toEqual([200, false])
    expect(await total()).toBe(before)
  })

  it('says in place of the paper which field is wrong, by its name and in words', async () => {
    const { text } = await consoleOf(world).send('/console/invoices/new', {
      ...written,
      '/primary_recipients/0/billing_info/email_address': 'nobody',
      '/items/2/name': 'Mug',
      '/items/2/quantity': 'many',
      '/items/2/unit_amount/value': '12.50',
      instead: 'preview',
      part: 'true',
    })

    expect(text).toContain('<b>E-mail address</b><br>Must be an e-mail address, such as buyer@example.com.')
    expect(text).toContain('<b>Line 3, Quantity</b><br>Must be a number of digits')
    expect(text).not.toContain('pattern')
  })

  it('shows the paper by the template and the number that the merchant has now', async () => {
    const preview = async () =>
      (await consoleOf(world).send('/console/invoices/new', { ...written, instead: 'preview', part: 'true' })).text
    await world.merchant.post(INVOICES, over('10.00'))
    const discount = { invoice_discount: { amount: usd('5.00') } }
    const template = await world.merchant.post<{ id: string }>(TEMPLATES, {
      name: 'Five less',
      default_template: true,
      template_info: { detail: { currency_code: 'USD' }, amount: { breakdown: { discount } } },
    })
    expect(template.status, template.text).toBe(201)
    expect(await preview()).toContain('$103.40')

    await world.merchant.delete(`${TEMPLATES}/${template.body.id}`)
    expect(await preview()).toContain('$108.90')
    // A preview takes no number: the next invoice has the one that it showed.
    const [, shown] = /<dt>Number<\/dt><dd>(\d+)</.exec(await preview())!
    const made = await world.merchant.post<{ detail: { invoice_number: string } }>(INVOICES, over('10.00'), {
      headers: { prefer: 'return=representation' },
    })
    expect(made.body.detail.invoice_number).toBe(shown)
    expect(await preview()).not.toContain(`<dd>${shown}<`)
  })

  it('saves and sends in one go, or says why it was only saved', async () => {
    const merchant = consoleOf(world)
    const to = { '/primary_recipients/0/billing_info/email_address': 'buyer@example.com' }
    const sent = await merchant.send('/console/invoices/new', { ...written, ...to, instead: 'send' })
    expect(await merchant.page(sent.location)).toContain('Sent')

    const edited = await merchant.send(`${sent.location}/edit`, {
      ...written,
      '/items/0/quantity': '3',
      instead: 'preview',
    })
    expect(edited.text).toContain('$163.35')
    const unsent = await merchant.send('/console/invoices/new', { '/detail/currency_code': 'USD', instead: 'send' })
    expect(await merchant.told(unsent)).toMatchObject({
      tone: 'bad',
      said: expect.stringContaining('The draft was saved, but not sent'),
    })
  })
})

const paid = async () => {
  const merchant = consoleOf(world)
  const to = { '/primary_recipients/0/billing_info/email_address': 'buyer@example.com' }
  const { location } = await merchant.send('/console/invoices/new', { ...written, ...to, instead: 'send' })
  const id = location.split('/').at(-1)!
  const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`)
  return { merchant, id, at: location, action: `${location}/payments/${body.payment_id}/refund` }
}

describe('A payment through the service', () => {
  const standing = async (id: string) =>
    (await world.merchant.get<{ status: string; refunds?: { refund_amount: object } }>(`/v2/invoicing/invoices/${id}`))
      .body

  it('is refunded in part and then all that is left, and a second click changes nothing', async () => {
    const { merchant, id, at, action } = await paid()
    const page = await merchant.page(at)
    expect(formsIn(page)).toContain(action)
    expect(page).not.toContain('Nothing: it is')
    expect(page).toContain('value="108.90"')

    const part = { '/amount/value': '8.90', '/amount/currency_code': 'USD', 'request-id': 'console-part' }
    for (const sent of [await merchant.send(action, part), await merchant.send(action, part)])
      expect([sent.status, sent.location], sent.text).toEqual([303, at])
    await world.settle()
    expect(await standing(id)).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunds: { refund_amount: usd('8.90') } })
    expect(await merchant.page(at)).toContain('value="100.00"')

    const all = { '/amount/value': '', '/amount/currency_code': 'USD', 'request-id': 'console-all' }
    for (const sent of [await merchant.send(action, all), await merchant.send(action, all)])
      expect([sent.status, sent.location], sent.text).toEqual([303, at])
    await world.settle()
    expect(await standing(id)).toMatchObject({ status: 'REFUNDED', refunds: { refund_amount: usd('108.90') } })
    expect(await merchant.page(at)).not.toContain(action)
    const late = await merchant.send(action, { ...all, 'request-id': 'console-late' })
    expect([late.status, late.text.includes('Nothing was changed.')]).toEqual([422, true])
  })

  it('says beside the amount why it was not refunded, and is no other invoice’s', async () => {
    const { merchant, id, action } = await paid()
    const much = await merchant.send(action, { '/amount/value': '999.00', '/amount/currency_code': 'USD' })
    expect([much.status, much.text.includes('value="999.00"')]).toEqual([422, true])
    const { at } = await paid()
    expect((await merchant.send(`${at}${action.slice(action.indexOf('/payments/'))}`)).status).toBe(404)
    expect((await consoleOf(world, 'merchant2').send(action)).status).toBe(404)
    await world.settle()
    expect((await standing(id)).refunds).toBeUndefined()
  })
})

describe('What happened to an invoice', () => {
  it('is told in words, and what nobody owes is not to be paid', async () => {
    const { merchant, at } = await paid()
    const page = await merchant.page(at)
    for (const words of ['Sent <span class="soft">by the merchant', 'Paid <span class="soft">by the customer'])
      expect(page).toContain(words)
    expect(page).not.toContain('Open and pay')
    expect(await consoleOf(world, 'agent').page('/console/invoices')).toContain('An agent writes no invoices')
  })
})

describe('Templates at the console', () => {
  it('are written, changed, made the usual one, used and deleted', async () => {
    const merchant = consoleOf(world)
    const inside = Object.fromEntries(Object.entries(written).map(([name, value]) => [`/template_info${name}`, value]))
    const fields = { '/name': 'Chairs <b>', ...inside, '/template_info/detail/note': 'Thank you.' }
    expect((await merchant.send('/console/templates/new', fields)).location).toBe('/console/templates')
    const again = await merchant.send('/console/templates/new', fields)
    expect([again.status, again.text.includes('id="template-name-problem"')]).toEqual([422, true])

    const list = await merchant.page('/console/templates')
    expect(list).toContain('Chairs &lt;b&gt;')
    const at = /href="(\/console\/templates\/[^"]+)\/edit"/.exec(list)![1]!
    const id = at.split('/').at(-1)!
    expect(await merchant.page(`${at}/edit`)).toContain('value="49.50"')
    await merchant.send(`${at}/edit`, { ...fields, '/name': 'Stools' })
    await merchant.send(`${at}/default`)
    const shown = (await world.merchant.get<Record<string, unknown>>(`/v2/invoicing/templates/${id}`)).body
    expect(shown).toMatchObject({
      name: 'Stools',
      default_template: true,
      template_info: { detail: { note: 'Thank you.' }, items: [{ name: 'A chair', unit_amount: usd('49.50') }] },
    })

    const begun = await merchant.page(`/console/invoices/new?template=${id}`)
    expect(begun).toContain('value="A chair"')
    const made = await merchant.send('/console/invoices/new', { ...written, '/configuration/template_id': id })
    expect(await merchant.page(made.location)).toContain('Thank you.')
    const standard = /action="(\/console\/templates\/[^"]+\/default)"/.exec(
      await merchant.page('/console/templates'),
    )![1]!
    expect((await merchant.send(standard)).status).toBe(303)

    for (const path of [`${at}/edit`, `${at}/default`, `${at}/delete`])
      expect((await consoleOf(world, 'merchant2').send(path, fields)).status, path).toBe(404)
    expect((await merchant.send(`${at}/delete`)).location).toBe('/console/templates')
    await merchant.page(`${at}/edit`, 404)
    expect(await consoleOf(world, 'buyer').page('/console/templates')).toContain('writes no invoices')
  })

  it('are told of in a sentence that a browser keeps until the next page, whatever they are called', async () => {
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: '請求書'.repeat(150),
      template_info: { detail: { currency_code: 'USD' } },
    })
    const made = await consoleOf(world).send(`/console/templates/${body.id}/default`)
    const [cookie] = String(made.headers['set-cookie']).split(';')

    expect(made.status).toBe(303)
    expect(cookie!.length).toBeLessThan(4096)
    expect(decodeURIComponent(cookie!)).toMatch(/^console-notice=(請求書)+.{0,2}…$/)
  })

  it('keep what their form does not ask for', async () => {
    const kept = {
      unit_of_measure: 'HOURS',
      settings: { template_item_settings: [{ field_name: 'ITEMS_DATE', display_preference: { hidden: true } }] },
    }
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'By the hour',
      description: 'For advice',
      ...kept,
      template_info: { detail: { currency_code: 'USD' } },
    })
    const edited = await consoleOf(world).send(`/console/templates/${body.id}/edit`, {
      '/name': 'By the day',
      '/description': '',
      '/template_info/detail/currency_code': 'USD',
    })

    expect(edited.status, edited.text.slice(0, 500)).toBe(303)
    const after = (await world.merchant.get<Record<string, unknown>>(`/v2/invoicing/templates/${body.id}`)).body
    expect(after).toMatchObject({ name: 'By the day', ...kept })
    expect(after).not.toHaveProperty('description')
  })
})

describe('The list of invoices', () => {
  const as = () => consoleOf(world, 'merchant2')
  const sent = async (detail: object, billing_info: object, unit_amount: { currency_code: string; value: string }) => {
    const made = await world.otherMerchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: unit_amount.currency_code, ...detail },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com', ...billing_info } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount }],
    })
    await world.otherMerchant.post(`/v2/invoicing/invoices/${made.body.id}/send`, {})
    return made.body.id
  }
  const dueOn = (due_date: string) => ({ payment_term: { term_type: 'DUE_ON_DATE_SPECIFIED', due_date } })
  let ids: string[]
  const shown = (page: string) => ids.map((id) => (page.includes(`/console/invoices/${id}"`) ? '+' : '-')).join('')

  it('adds up what is owed, late, paid and on its way out, and counts beside the views', async () => {
    expect(await as().page('/console/invoices')).not.toContain('Outstanding</dt>')
    ids = [
      await sent({ invoice_date: '2026-02-01', ...dueOn('2026-02-20') }, { business_name: 'Late Ltd' }, usd('100.00')),
      await sent({ invoice_date: '2026-02-02' }, { business_name: 'Other Ltd' }, usd('11.00')),
      await sent(
        { invoice_date: '2026-02-03', reference: 'PO-77' },
        { name: { given_name: 'Ada', surname: 'Lovelace' } },
        { currency_code: 'EUR', value: '50.00' },
      ),
      await sent({ invoice_date: '2026-04-01', invoice_number: 'NEXT-1' }, {}, usd('7.00')),
    ]
    await world.otherMerchant.post(`/v2/invoicing/invoices/${ids[2]}/payments`, {
      method: 'CASH',
      payment_date: '2026-03-01',
      amount: { currency_code: 'EUR', value: '20.00' },
    })
    const page = await as().page('/console/invoices')
    expect(page).toMatch(/Outstanding<.*?>\$111\.00<.*?3 invoices, and €30\.00</s)
    expect(page).toMatch(/Overdue<.*?class="warn">\$100\.00<.*?1 invoice, since 10 days</s)
    expect(page).toMatch(/Paid in March<.*?>€20\.00<.*?1 payment</s)
    expect(page).toMatch(/Goes out next<.*?1 Apr 2026<.*?invoice NEXT-1, \$7\.00</s)
    for (const [view, count] of Object.entries({ Scheduled: 1, Outstanding: 3, Overdue: 1 }))
      expect(page).toMatch(new RegExp(`>${view} <span class="count">${count}</span>`))
  })

  it('is narrowed by day, currency and total, and found by whatever stands on it', async () => {
    const list = async (query: string) => shown(await as().page(`/console/invoices?${query}`))
    expect(await list('')).toBe('++++')
    expect(await list('from=2026-02-02&to=2026-02-03')).toBe('-++-')
    expect(await list('from=2026-02-03&to=2026-02-02')).toBe('-++-')
    expect(await list('from=&to=&currency=EUR&least=&most=')).toBe('--+-')
    expect(await list('least=10&most=99.999')).toBe('-+--')
    expect(await list('currency=EUR&least=60&most=40')).toBe('--+-')
    expect(await list('view=overdue&currency=EUR')).toBe('----')
    expect(await list('q=lovelace')).toBe('--+-')
    expect(await list('q=ada')).toBe('--+-')
    expect(await list('q=Ada%20Lovelace')).toBe('--+-')
    expect(await list('q=Ada%20Turing')).toBe('----')
    expect(await list('q=PO-77')).toBe('--+-')
    expect(await list('q=next-1')).toBe('---+')
    expect(await list('q=ltd&to=2026-02-01')).toBe('+---')
    const found = await as().page('/console/invoices?q=lovelace')
    expect(found).toContain('found by last name')
    expect(found).not.toContain('Outstanding</dt>')
    const [, all] = /class="all-that-match" href="([^"]+)"/.exec(found)!
    const page = await as().page(all!.replaceAll('&amp;', '&'))
    expect(page).toMatch(/One invoice matches.*by last name/s)
    const cookie = { cookie: 'console-eyes=merchant2' }
    const file = await world.call('GET', '/console/invoices/csv?currency=EUR', undefined, { headers: cookie })
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
    // A filter that is none is not taken for all.
    const wrong = await as().send('/console/invoices/remind-all', { currency: 'euro' })
    expect([wrong.status, wrong.text.includes('Choose the invoices')]).toEqual([422, true])
    for (const query of ['from=soon', 'least=-1', 'in=nowhere', 'currency=eur'])
      await as().page(`/console/invoices?${query}`, 400)
    for (const path of ['all', 'csv']) await as().page(`/console/invoices/${path}?least=10`, 400)
    expect((await as().send('/console/invoices/remind-all', { most: '10' })).status).toBe(400)
    expect(await as().page('/console/invoices?q=%20')).not.toContain('undefined')
  })
})

describe('All that match', () => {
  it('says how many first, reminds those that can be, and is a file to take along', async () => {
    const merchant = consoleOf(world)
    for (const [name, reference] of [
      ['=HYPERLINK("x")', 'of a sale;=HYPERLINK("y");-1'],
      ['Plain, "quoted"', 'of a sale; "=A1"'],
    ]) {
      const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
        detail: { currency_code: 'USD', reference },
        primary_recipients: [{ billing_info: { business_name: name, email_address: 'buyer@example.com' } }],
        items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
      })
      await world.merchant.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    }
    expect(await merchant.page('/console/invoices?view=outstanding')).toContain(
      '/console/invoices/all?view=outstanding',
    )
    const page = await merchant.page('/console/invoices/all?view=outstanding')
    expect(page).toMatch(/3 invoices match.*3 of them can be reminded/s)
    const file = await world.call('GET', '/console/invoices/csv?view=outstanding')
    expect(file.headers['content-type']).toContain('text/csv')
    expect(file.text.split('\r\n')).toHaveLength(5)
    expect(file.text).toContain(`"'=HYPERLINK(""x"")"`)
    expect(file.text).toContain('"Plain, ""quoted"""')
    // Many a spreadsheet begins a new cell after a semicolon as well, wherever quotes stand.
    expect(file.text).toContain(`"of a sale;'=HYPERLINK(""y"");'-1"`)
    expect(file.text).toContain(`"of a sale; '""=A1"""`)

    const start = () => merchant.send('/console/invoices/remind-all', { view: 'outstanding' })
    const first = await start()
    expect(first.location).toMatch(/^\/console\/bulks\/[\da-f-]{36}$/)
    expect(await merchant.page(first.location)).toMatch(/data-again.*0 of 3/s)
    // One at a time for an account.
    expect((await start()).location).toBe(first.location)
    expect(await merchant.page('/console/invoices/all?view=outstanding')).toContain('are going out already')
    await consoleOf(world, 'merchant2').page(first.location, 404)
    await world.settle()
    expect(await merchant.page(first.location)).toMatch(/All were gone through.*3 of 3.*All were reminded/s)
    // What fails on the way is tried again within minutes.
    await start()
    await world.pass('PT10M')
    const third = await start()
    expect(third.status, third.text).toBe(303)
    await world.pass('PT10M')
    expect(await merchant.page(third.location)).toMatch(/Not reminded.*the next can go tomorrow/s)
    expect(await merchant.page('/console/invoices/all?view=cancelled')).toContain('None of them can be reminded')
  })
  it('gives up what did not go on for a day, says so, and lets another begin', async () => {
    const merchant = consoleOf(world)
    const start = () => merchant.send('/console/invoices/remind-all', { view: 'outstanding' })
    const loseJob = () => world.app.database.query(`delete from jobs where name = 'console-bulk'`)
    await world.pass('P1D')
    const first = await start()
    await loseJob()
    expect((await start()).location).toBe(first.location)
    await world.pass('P1D')
    expect(await merchant.page(first.location)).toMatch(/Given up halfway.*0 of 3.*Left out/s)
    expect(await merchant.page('/console/invoices/all?view=outstanding')).toContain('Remind 3 customers')

    const second = await start()
    expect(second.status, second.text).toBe(303)
    await loseJob()
    await world.pass('P1D')
    await world.app.sweep()
    await world.pass('P1D')
    const third = await start()
    await world.settle()
    expect(await merchant.page(third.location)).toContain('All were gone through')
    for (const { location } of [first, second])
      expect(await merchant.page(location)).toMatch(/Given up halfway.*0 of 3/s)
    expect(await merchant.page('/console/invoices/all')).toContain('0 of 3, given up')
  })

  it('is a file of all of them, however many there are', async () => {
    const body = { detail: { currency_code: 'USD' }, items: [] }
    const { id } = (await world.otherMerchant.post<{ id: string }>('/v2/invoicing/invoices', body)).body
    // More than a statement reads, some at the same instant.
    await world.app.database.query(
      `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams)
       select account_id, 'INV2-' || n, jsonb_set(body, '{id}', to_jsonb('INV2-' || n)), create_time, 'many-' || n, 0, emails, grams
       from invoices, generate_series(1, 1200) as n where id = $1`,
      [id],
    )
    const file = async (view: string) => {
      const cookie = { cookie: 'console-eyes=merchant2' }
      const { text } = await world.call('GET', `/console/invoices/csv?view=${view}`, undefined, { headers: cookie })
      return text.trim().split('\r\n').slice(1)
    }
    expect(new Set(await file('drafts')).size).toBe(1201)
    expect(await file('paid')).toEqual([])
    expect(await consoleOf(world, 'merchant2').page('/console/invoices/all')).toContain('100,000 rows at most')
    await consoleOf(world, 'buyer').page('/console/invoices/csv', 404)
  })
})

describe('The month of an account', () => {
  it('counts what came and went, not what is held or was there from the start, and shows what is pending', async () => {
    const sells = async (value: string) =>
      (
        await world.buyer.post<{ seller_transaction_id: string; buyer_transaction_id: string }>(
          '/sandbox/transactions',
          {
            amount: usd(value),
            seller_email: world.people.otherMerchant.email,
          },
        )
      ).body
    const { buyer_transaction_id } = await sells('20.00')
    const opened = await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('20.00'),
      messages: [{ content: 'Nothing came.' }],
    })
    expect(opened.status, opened.text).toBe(201)
    const { seller_transaction_id } = await sells('5.00')
    await world.otherMerchant.post(`/v2/payments/captures/${seller_transaction_id}/refund`, {})
    const made = await world.otherMerchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A stool', quantity: '1', unit_amount: usd('3.33') }],
    })
    await world.otherMerchant.post(`/v2/invoicing/invoices/${made.body.id}/send`, {})
    await world.call('POST', `/sandbox/invoices/${made.body.id}/pay`, { outcome: 'PENDING' })

    const page = await consoleOf(world, 'merchant2').page('/console/money')
    expect(page).toContain('By day: $25.00 came in, $5.00 went out in 30 days')
    expect(page).toContain('Hold placed')
    expect(page).toContain('$3.33 pending')
  })
})
