import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issuesOf, over, type Refusal, recipient, type Seen, sample, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

describe('A full update', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  const whole = { headers: { prefer: 'return=representation' } }
  const updating = (id: string, body: unknown, query?: Record<string, string>) =>
    world.merchant.put<Seen & Refusal>(shop.path(id), body, { ...whole, ...(query && { query }) })

  it('clears what is left out, but keeps number and date', async () => {
    const draft = await shop.drafts(
      sample(
        { additional_recipients: ['cc@example.com'] },
        { note: 'Hello', memo: 'Private', invoice_number: 'KEEP-1', invoice_date: '2026-02-01' },
      ),
    )

    const { status, body } = await updating(draft.id, { detail: { currency_code: 'USD' } })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: draft.id,
      items: [],
      primary_recipients: [],
      additional_recipients: [],
      amount: usd('0.00'),
    })
    expect(body.detail).toMatchObject({ invoice_number: 'KEEP-1', invoice_date: '2026-02-01' })
    expect(body.detail).not.toHaveProperty('note')
    expect(body.configuration.template_id).toBe(draft.configuration.template_id)
    expect(await shop.events(draft.id)).toEqual(['CREATED', 'UPDATED'])
    expect(await shop.mails(draft.id)).toEqual([])
  })

  it('says since when each file is with it', async () => {
    const [kept, more] = [{ id: 'A' }, { id: 'B', reference_url: 'https://files.example.com/b.pdf' }]
    const draft = await shop.drafts(
      sample({}, { attachments: [{ ...kept, create_time: '2001-01-01T00:00:00Z' }, { id: 'C' }] }),
    )
    const made = draft.detail.metadata['create_time']
    expect(draft.detail.attachments, 'what is read-only is ignored').toEqual([
      { ...kept, create_time: made },
      { id: 'C', create_time: made },
    ])
    await world.pass('PT1H')

    const attachments = [more, ...draft.detail.attachments!.slice(0, 1)]
    const { body } = await updating(draft.id, { ...draft, detail: { ...draft.detail, attachments } })

    const changed = `${world.now().slice(0, 19)}Z`
    expect(body.detail.metadata).toMatchObject({ last_update_time: changed })
    expect(body.detail.attachments).toEqual([
      { ...more, create_time: changed },
      { ...kept, create_time: made },
    ])
  })

  it('takes the due date away with the date that was shown, and refuses another beside no date', async () => {
    const draft = await shop.drafts(sample({}, { payment_term: { term_type: 'NET_30' } }))
    const withTerm = (payment_term: object) =>
      updating(draft.id, { ...draft, detail: { ...draft.detail, payment_term } })

    const none = await withTerm({ ...draft.detail.payment_term, term_type: 'NO_DUE_DATE' })
    expect(none.body.detail.payment_term).toEqual({ term_type: 'NO_DUE_DATE' })
    const both = await withTerm({ term_type: 'NO_DUE_DATE', due_date: '2030-01-01' })
    expect([both.status, issuesOf(both.body)]).toEqual([422, ['INVALID_DUE_DATE']])
  })

  it('answers with the same link as a creation', async () => {
    const { id } = await shop.drafts()

    const { body } = await world.merchant.put(shop.path(id), over('1.00'))

    expect(body).toMatchObject({ id, rel: 'self', method: 'GET' })
  })

  it('with what was read changes nothing but the time, and keeps the ids of items', async () => {
    const draft = await shop.sends(sample())

    const { status, body } = await updating(draft.id, draft, { send_to_recipient: 'false', send_to_invoicer: 'false' })

    expect(status).toBe(200)
    expect(body).toEqual({ ...draft, detail: { ...draft.detail, metadata: body.detail.metadata } })
  })

  it('with what was read leaves the taxes as they are, which a percentage lowers without being rounded', async () => {
    const line = (quantity: string, value: string, percent: string) => ({
      ...{ name: 'Work', quantity, unit_amount: usd(value), tax: { name: 'VAT', percent } },
    })
    const invoice_discount = { percent: '7' }
    const sent = await shop.sends({
      detail: { currency_code: 'USD' },
      primary_recipients: [recipient('payer@example.com')],
      items: [line('3', '24.07', '8.875'), line('5', '16.12', '7.25'), line('4', '9.95', '8.875')],
      amount: { breakdown: { discount: { invoice_discount } } },
    })
    expect(sent.due_amount).toEqual(usd('193.80'))

    const { status, body } = await updating(sent.id, { ...sent, detail: { ...sent.detail, note: 'Thank you.' } })

    expect(status).toBe(200)
    expect(body.amount).toEqual(sent.amount)
    expect(body.due_amount).toEqual(usd('193.80'))
  })

  it('with what was read leaves the discount of a line that takes back as it is', async () => {
    const chairs = (quantity: string) => ({
      ...{ name: 'A chair', quantity, unit_amount: usd('20.00'), discount: { percent: '10' } },
    })
    const draft = await shop.drafts({ detail: { currency_code: 'USD' }, items: [chairs('3'), chairs('-1')] })
    expect(draft.items.map(({ discount }) => discount!.amount.value)).toEqual(['-6.00', '2.00'])
    expect(draft.amount.value).toBe('36.00')

    expect((await updating(draft.id, draft)).body.amount).toEqual(draft.amount)
  })

  it('takes back the discounts that a percentage came to, which can be more than may be given', async () => {
    const item = { name: 'Work', quantity: '1000', unit_amount: usd('1000000.00'), discount: { percent: '5' } }
    const draft = await shop.drafts({
      detail: { currency_code: 'USD' },
      items: [item],
      amount: { breakdown: { discount: { invoice_discount: { percent: '10' } } } },
    })
    expect(draft.items[0]!.discount!.amount).toEqual(usd('-50000000.00'))

    const { status, body, text } = await updating(draft.id, draft)
    expect(status, text).toBe(200)
    expect(body.amount).toEqual(draft.amount)

    const alone = { ...draft, items: [{ ...item, discount: { amount: usd('-50000000.00') } }] }
    expect(issuesOf((await updating(draft.id, alone)).body)).toContain('INVALID_DECIMAL_VALUE')
  })

  describe('with what was read and one thing in it changed', () => {
    const line = (more: object = {}) => ({ name: 'Work', quantity: '1', unit_amount: usd('100.00'), ...more })
    const discounted = (invoice_discount: object, more: object = {}) => ({
      detail: { currency_code: 'USD' },
      items: [line(more)],
      amount: { breakdown: { discount: { invoice_discount } } },
    })
    const changed = async (draft: Seen, items: object[], invoice_discount?: object) => {
      const breakdown = { ...draft.amount.breakdown, ...(invoice_discount && { discount: { invoice_discount } }) }
      const { status, body, text } = await updating(draft.id, {
        ...draft,
        items,
        amount: { ...draft.amount, breakdown },
      })
      expect(status, text).toBe(200)
      return body
    }

    it('works out anew what its percentages come to', async () => {
      const draft = await shop.drafts(discounted({ percent: '10' }, { discount: { percent: '20' } }))
      expect(draft.amount.value).toBe('72.00')

      const twice = await changed(draft, [{ ...draft.items[0], quantity: '2' }])
      expect(twice.amount.value).toBe('144.00')
      expect(twice.items[0]!.discount).toEqual({ percent: '20', amount: usd('-40.00') })
      const half = { percent: '50', amount: usd('-40.00') }
      const cheaper = await changed(twice, [{ ...twice.items[0], discount: half }], {
        percent: '5',
        amount: usd('-16.00'),
      })
      expect(cheaper.amount.value).toBe('95.00')
    })

    it('has a percentage where there was no discount', async () => {
      const draft = await shop.drafts(discounted({}))
      expect(await changed(draft, draft.items, { percent: '10', amount: usd('0.00') })).toMatchObject({
        amount: { value: '90.00' },
      })
    })

    it('keeps an amount that was given, beside a percentage or alone', async () => {
      const both = { percent: '10', amount: usd('5.00') }
      const draft = await shop.drafts(discounted(both, { discount: both }))
      expect(draft.amount.value).toBe('90.00')
      expect((await changed(draft, [{ ...draft.items[0], quantity: '2' }])).amount.value).toBe('190.00')

      const alone = await shop.drafts(discounted({ amount: usd('5.00') }))
      expect((await changed(alone, [{ ...alone.items[0], quantity: '2' }])).amount.value).toBe('195.00')
      const byPercent = await shop.drafts(discounted({ percent: '10' }))
      const given = await changed(byPercent, byPercent.items, { percent: '20', amount: usd('10.00') })
      expect(given.amount.value).toBe('90.00')
    })

    it('has the number, the terms and the name that were changed, wherever that was', async () => {
      const name = { given_name: 'Ada', surname: 'Sample' }
      const draft = await shop.drafts(
        over(
          '10.00',
          {
            invoicer: { name },
            primary_recipients: [{ ...recipient('payer@example.com', { name }), shipping_info: { name } }],
          },
          { terms_and_conditions: 'Old terms', invoice_number: 'OLD-1' },
        ),
      )
      const renamed = { ...name, surname: 'Example', full_name: 'Ada Sample' }
      const { body } = await updating(draft.id, {
        ...draft,
        invoice_number: 'NEW-1',
        detail: { ...draft.detail, term: 'New terms' },
        invoicer: { name: renamed },
        primary_recipients: [
          { ...recipient('payer@example.com', { name: renamed }), shipping_info: { name: renamed } },
        ],
      })

      const shownAs = { name: { surname: 'Example', full_name: 'Ada Example' } }
      expect(body).toMatchObject({
        invoice_number: 'NEW-1',
        detail: { invoice_number: 'NEW-1', terms_and_conditions: 'New terms', term: 'New terms' },
        invoicer: shownAs,
        primary_recipients: [{ billing_info: shownAs, shipping_info: shownAs }],
      })

      const again = await updating(draft.id, {
        ...body,
        detail: { ...body.detail, invoice_number: 'NEW-2', terms_and_conditions: 'Newer terms' },
        primary_recipients: [recipient('payer@example.com', { name: { full_name: 'Ada Example' } })],
      })
      expect(again.body).toMatchObject({
        invoice_number: 'NEW-2',
        detail: { invoice_number: 'NEW-2', terms_and_conditions: 'Newer terms', term: 'Newer terms' },
        primary_recipients: [{ billing_info: { name: { full_name: 'Ada Example' } } }],
      })
    })

    it('means the same when it comes again, as from a client that lost the answer', async () => {
      const name = { given_name: 'Ada', surname: 'Sample' }
      const draft = await shop.drafts({
        ...discounted({ percent: '10' }, { discount: { percent: '5' } }),
        detail: { currency_code: 'USD', terms_and_conditions: 'Old terms', payment_term: { term_type: 'NET_10' } },
        primary_recipients: [recipient('payer@example.com', { name })],
      })
      const [item] = draft.items
      const sent = {
        ...draft,
        invoice_number: 'SENT-TWICE',
        detail: {
          ...draft.detail,
          term: 'New terms',
          payment_term: { ...draft.detail.payment_term, term_type: 'NO_DUE_DATE' },
        },
        primary_recipients: [
          recipient('payer@example.com', { name: { ...name, surname: 'Example', full_name: 'Ada Sample' } }),
        ],
        items: [{ ...item, discount: { ...item!.discount, percent: '20' } }],
      }

      const once = await updating(draft.id, sent)
      expect(once.body.amount.value).toBe('72.00')
      for (let n = 0; n < 2; n++) {
        const again = await updating(draft.id, sent)
        expect(again.status, again.text).toBe(200)
        expect(again.body).toEqual(once.body)
      }

      const other = await updating(draft.id, over('50.00', { primary_recipients: sent.primary_recipients }))
      expect(other.body.amount.value).toBe('50.00')
      // What was shown is something else by now, so the amount is one that was given.
      expect((await updating(draft.id, { ...sent, detail: { currency_code: 'USD' } })).body.amount.value).toBe('85.50')
    })

    it('has an item twice under two ids', async () => {
      const draft = await shop.drafts(discounted({}))
      const [item] = draft.items

      const { items } = await changed(draft, [item!, { ...item, name: 'More work' }])

      expect(items.map(({ id }) => id === item!.id)).toEqual([true, false])
    })
  })

  it('works out totals and due date anew', async () => {
    const { id } = await shop.drafts(over('100.00', {}, { payment_term: { term_type: 'NET_10' } }))

    const { body } = await updating(
      id,
      over('50.00', {}, { invoice_date: '2026-05-01', payment_term: { term_type: 'NET_10' } }),
    )

    expect(body).toMatchObject({ due_amount: usd('50.00'), detail: { payment_term: { due_date: '2026-05-11' } } })
  })

  it('of a sent invoice tells customer and merchant unless told otherwise', async () => {
    const { id } = await shop.sends()

    await updating(id, over('110.00'))
    await updating(id, over('120.00'), { send_to_recipient: 'false' })
    await updating(id, { ...over('130.00'), send_to_invoicer: false })
    await updating(id, { ...over('140.00'), send_to_recipient: false }, { send_to_invoicer: 'false' })

    expect((await shop.mails(id)).map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      'invoice recipient',
      'invoice-updated recipient',
      'invoice-updated invoicer',
      'invoice-updated invoicer',
      'invoice-updated recipient',
    ])
    expect((await shop.sees(id)).status).toBe('SENT')
  })

  it('never takes the status from the body', async () => {
    const { id } = await shop.drafts()

    const { body } = await updating(id, { ...over('1.00'), status: 'PAID' })

    expect(body.status).toBe('DRAFT')
  })

  it('cannot change the currency of a sent invoice, but of a draft', async () => {
    const euros = {
      detail: { currency_code: 'EUR' },
      items: [{ name: 'A', quantity: '1', unit_amount: { currency_code: 'EUR', value: '5.00' } }],
    }
    const { id: draft } = await shop.drafts()
    const { id: sent } = await shop.sends()

    expect((await updating(draft, euros)).status).toBe(200)
    const { status, body } = await updating(sent, euros)
    expect([status, issuesOf(body)]).toEqual([422, ['CURRENCY_CODE_MISMATCH']])
  })

  it('can move the date of a sent invoice to the future without scheduling it again', async () => {
    const { id } = await shop.sends()

    const { body } = await updating(id, over('100.00', {}, { invoice_date: '2026-12-24' }))

    expect(body.status).toBe('SENT')
  })

  it('of a partly paid invoice cannot go below what is paid; at what is paid it is paid', async () => {
    const { id } = await shop.has('PARTIALLY_PAID')

    const below = await updating(id, over('39.99'))
    expect([below.status, issuesOf(below.body)]).toEqual([422, ['PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE']])
    const { body } = await updating(id, over('40.00'))
    expect(body).toMatchObject({ status: 'MARKED_AS_PAID', due_amount: usd('0.00') })
  })

  it('can take a free number and not a taken one', async () => {
    await shop.drafts(over('1.00', {}, { invoice_number: 'TAKEN' }))
    const { id } = await shop.drafts(over('1.00', {}, { invoice_number: 'MINE' }))

    const taken = await updating(id, over('1.00', {}, { invoice_number: 'taken' }))
    expect([taken.status, issuesOf(taken.body)]).toEqual([422, ['DUPLICATE_INVOICE_NUMBER']])
    expect((await updating(id, over('1.00', {}, { invoice_number: 'mine' }))).status).toBe(200)
    expect((await updating(id, over('1.00', {}, { invoice_number: 'OTHER' }))).status).toBe(200)
    expect((await shop.drafts(over('1.00', {}, { invoice_number: 'MINE' }))).detail.invoice_number).toBe('MINE')
  })

  it('of somebody else is refused like an unknown invoice', async () => {
    const { id } = await shop.drafts()

    for (const attempt of [
      world.otherMerchant.put(shop.path(id), over('1.00')),
      world.otherMerchant.delete(shop.path(id)),
      world.otherMerchant.post(shop.path(id, '/send')),
      world.otherMerchant.post(shop.path(id, '/remind')),
      world.otherMerchant.post(shop.path(id, '/cancel')),
      world.otherMerchant.post(shop.path(id, '/payments'), { method: 'CASH' }),
      world.otherMerchant.post(shop.path(id, '/payments'), {}),
      world.otherMerchant.post(shop.path(id, '/refunds'), { method: 'CASH' }),
      world.otherMerchant.delete(shop.path(id, '/payments/EXTR-86F38350LX4353815')),
      world.otherMerchant.delete(shop.path(id, '/refunds/EXTR-86F38350LX4353815')),
      world.otherMerchant.post(shop.path(id, '/generate-qr-code')),
    ])
      expect((await attempt).status).toBe(404)
  })
})

describe('The recipients of an invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  const to = (email: string, more: object = {}) => over('100.00', { primary_recipients: [recipient(email, more)] })
  const changing = (id: string, body: unknown) => world.merchant.put<Refusal>(shop.path(id), body)

  it('change at most twice in any 72 hours, and a refused update changes nothing', async () => {
    const { id } = await shop.drafts(to('zero@example.com'))
    expect((await changing(id, to('one@example.com'))).status).toBe(200)
    await shop.pass('PT24H')
    expect((await changing(id, to('two@example.com'))).status).toBe(200)
    const before = await shop.sees(id)

    const third = await changing(id, { ...to('three@example.com'), items: [] })
    expect([third.status, issuesOf(third.body)]).toEqual([422, ['RECIPIENT_CHANGE_LIMIT_EXCEEDED']])
    expect(await shop.sees(id)).toEqual(before)

    await shop.pass('PT47H59M59S')
    expect((await changing(id, to('three@example.com'))).status).toBe(422)
    await shop.pass('PT1S')
    expect((await changing(id, to('three@example.com'))).status).toBe(200)
    expect((await changing(id, to('four@example.com'))).status).toBe(422)
    await shop.pass('PT24H')
    expect((await changing(id, to('four@example.com'))).status).toBe(200)
  })

  it('are the same in another case, with empty fields and with a name put together', async () => {
    const name = { given_name: 'Payer', surname: 'Sample' }
    const { id } = await shop.drafts(to('payer@example.com', { name }))

    for (const same of [
      to('PAYER@example.com', { name }),
      to('payer@example.com', { name: { ...name, full_name: 'Payer Sample' } }),
      to('payer@example.com', { name: { ...name, prefix: '' }, business_name: null, address: {} }),
      over('100.00', {
        primary_recipients: [recipient('payer@example.com', { name })],
        additional_recipients: ['cc@example.com'],
      }),
    ])
      expect((await changing(id, same)).status).toBe(200)

    expect((await changing(id, to('one@example.com'))).status).toBe(200)
    expect((await changing(id, to('two@example.com'))).status).toBe(200)
    expect((await changing(id, to('three@example.com'))).status).toBe(422)
  })
})
