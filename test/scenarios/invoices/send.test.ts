import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, issuesOf, over, type Refusal, recipient, type Seen, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const withCopies = over('100.00', { additional_recipients: ['cc@example.com', 'Boss@example.com'] })

describe('Sending an invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  const sending = (id: string, body?: object) =>
    world.merchant.post<Refusal & { href: string; rel: string; links: object[] }>(shop.path(id, '/send'), body)

  it('makes it payable at once, tells recipients and copies, and leads to the hosted page', async () => {
    const { id, detail } = await shop.drafts(withCopies)

    const { status, body } = await sending(id, { subject: 'Your invoice', note: 'Thank you' })

    expect(status).toBe(200)
    expect(body).toEqual({
      href: detail.metadata['recipient_view_url'],
      rel: 'payer-view',
      method: 'GET',
      links: [{ href: body.href, rel: 'payer-view', method: 'GET' }],
    })
    expect(await shop.sees(id)).toMatchObject({
      status: 'SENT',
      detail: {
        metadata: {
          first_sent_time: '2026-03-02T09:00:00Z',
          last_sent_time: '2026-03-02T09:00:00Z',
          last_sent_by: 'merchant@example.com',
        },
      },
    })
    expect(await shop.mails(id)).toEqual([
      {
        account_id: world.people.merchant.id,
        invoice_id: id,
        kind: 'invoice',
        to: 'recipient',
        recipients: ['payer@example.com', 'cc@example.com', 'Boss@example.com'],
        subject: 'Your invoice',
        note: 'Thank you',
      },
    ])
    expect(await shop.events(id)).toEqual(['CREATED', 'SENT'])
  })

  it('accepts an empty body without a content type', async () => {
    const { id } = await shop.drafts()

    const { status } = await world.merchant.send('POST', shop.path(id, '/send'))

    expect(status).toBe(200)
  })

  it('tells only the chosen copies, and the merchant on demand', async () => {
    const { id } = await shop.drafts(withCopies)

    await sending(id, { additional_recipients: ['boss@example.com', 'stranger@example.com'], send_to_invoicer: true })

    expect((await shop.mails(id)).map(({ to, recipients }) => [to, recipients])).toEqual([
      ['recipient', ['payer@example.com', 'Boss@example.com']],
      ['invoicer', ['merchant@example.com']],
    ])
  })

  it('sends no mail when told so, and is SENT all the same', async () => {
    const { id } = await shop.drafts()

    const { status } = await sending(id, { send_to_recipient: false })

    expect([status, (await shop.sees(id)).status, await shop.mails(id)]).toEqual([200, 'SENT', []])
  })

  it('needs no address unless mail was asked for in so many words', async () => {
    const nobody = over('100.00', { primary_recipients: [{ billing_info: { business_name: 'Acme' } }] })
    const [one, other] = [await shop.drafts(nobody), await shop.drafts(nobody)]

    expect((await sending(one.id)).status).toBe(200)
    const { status, body } = await sending(other.id, { send_to_recipient: true })
    expect([status, issuesOf(body)]).toEqual([422, ['CANT_SEND_INVOICE_WITHOUT_EMAIL']])
    expect((await shop.sees(other.id)).status).toBe('DRAFT')
  })

  it.each([
    'ann@example.com,bob@example.com',
    'ann@example.com; bob@example.com',
    'Ann <ann@example.com>',
    'ann smith@example.com',
  ])('promises no mail to %s, which none can go to', async (email_address) => {
    const nobody = over('100.00', { primary_recipients: [{ billing_info: { email_address } }] })
    const [one, other] = [await shop.drafts(nobody), await shop.drafts(nobody)]

    const { status, body } = await sending(one.id, { send_to_recipient: true })
    expect([status, issuesOf(body)]).toEqual([422, ['CANT_SEND_INVOICE_WITHOUT_EMAIL']])
    expect((await sending(other.id)).status).toBe(200)
    expect([(await shop.sees(other.id)).status, await shop.mails(other.id)]).toEqual(['SENT', []])
    const reminded = await world.merchant.post<Refusal>(shop.path(other.id, '/remind'))
    expect(issuesOf(reminded.body)).toEqual(['CANT_REMIND_INVOICE_WITHOUT_BILLING_INFO'])
  })

  it('mails those in copy whom a mail can reach', async () => {
    const copies = ['cc@example.com', 'a@example.com,b@example.com']
    const { id } = await shop.sends(over('100.00', { additional_recipients: copies }))

    expect(await shop.mails(id)).toMatchObject([{ recipients: ['payer@example.com', 'cc@example.com'] }])
  })

  it('again has no effect: no mail, no event', async () => {
    const { id } = await shop.sends()
    const [mails, events] = [await shop.mails(id), await shop.events(id)]

    const { status, body } = await sending(id)

    expect([status, body.rel]).toEqual([200, 'payer-view'])
    expect([await shop.mails(id), await shop.events(id)]).toEqual([mails, events])
  })

  it('is refused without items or without anything to pay', async () => {
    const empty = await shop.drafts({ detail: { currency_code: 'USD' } })
    const free = await shop.drafts(over('0.00'))

    for (const { id } of [empty, free]) expect(issuesOf((await sending(id)).body)).toEqual(['INVALID_TOTAL_AMOUNT'])
  })

  it('takes texts and copies only within limits', async () => {
    const { id } = await shop.drafts()

    const { status, body } = await sending(id, {
      subject: 'x'.repeat(4001),
      note: 'x'.repeat(4001),
      additional_recipients: Array.from({ length: 101 }, () => 'a@b.example'),
    })

    expect(status).toBe(400)
    expect(issuesOf(body)).toEqual([
      'INVALID_STRING_MAX_LENGTH',
      'INVALID_STRING_MAX_LENGTH',
      'INVALID_ARRAY_MAX_ITEMS',
    ])
  })

  it("goes by the merchant's calendar: an invoice of the merchant's today is not one of tomorrow", async () => {
    const evening = await newWorld()
    const late = shopOf(evening)
    // In UTC it is the third of March already, in California still the second.
    await late.pass('PT16H')
    const today = await late.drafts(over('1.00', {}, { invoice_date: '2026-03-02' }))
    const tomorrow = await late.drafts(over('1.00', {}, { invoice_date: '2026-03-03' }))

    expect((await evening.merchant.post(late.path(today.id, '/send'))).status).toBe(200)
    expect((await evening.merchant.post(late.path(tomorrow.id, '/send'))).status).toBe(202)
    await evening.close()
  })
})

describe('A scheduled invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  const dated = (invoice_date: string) => over('100.00', {}, { invoice_date })

  it('goes out at seven in the morning of its issue date, once, to the customer and the merchant', async () => {
    const { id } = await shop.drafts(dated('2026-03-05'))
    const { status } = await world.merchant.post(shop.path(id, '/send'), { note: 'See you' })
    expect([status, (await shop.sees(id)).status]).toEqual([202, 'SCHEDULED'])
    expect(await shop.events(id)).toEqual(['CREATED', 'SCHEDULED'])
    expect(await shop.mails(id)).toEqual([])

    // One second before seven in California.
    await shop.pass('P3DT5H59M59S')
    expect((await shop.sees(id)).status).toBe('SCHEDULED')
    const fired = await shop.pass('PT1S')

    expect(fired).toContainEqual({ work: 'issue-invoice', at: '2026-03-05T15:00:00.000Z', key: `issue:${id}` })
    expect(await shop.sees(id)).toMatchObject({
      status: 'SENT',
      detail: { metadata: { first_sent_time: '2026-03-05T15:00:00Z' } },
    })
    expect((await shop.mails(id)).map(({ to, note }) => [to, note])).toEqual([
      ['recipient', 'See you'],
      ['invoicer', 'See you'],
    ])
    expect(await shop.events(id)).toEqual(['CREATED', 'SCHEDULED', 'SENT'])
    await shop.pass('P3D')
    expect(await shop.events(id)).toEqual(['CREATED', 'SCHEDULED', 'SENT'])
  })

  it('goes to the subscribers of the app that made it', async () => {
    const { id } = await shop.sends(dated('2026-03-20'))
    await shop.pass('P20D')

    const { body } = await world.merchant.get<{ events: { event_type: string; resource: { id: string } }[] }>(
      '/v1/notifications/webhooks-events',
    )

    expect(body.events.filter(({ resource }) => resource.id === id).map(({ event_type }) => event_type)).toEqual([
      'INVOICING.INVOICE.SENT',
      'INVOICING.INVOICE.SCHEDULED',
      'INVOICING.INVOICE.CREATED',
    ])
  })

  it('that was deleted is never sent, and its number is free at once', async () => {
    const { id, detail } = await shop.sends(dated('2026-04-20'))

    expect((await world.merchant.delete(shop.path(id))).status).toBe(204)
    expect((await world.merchant.get(shop.path(id))).status).toBe(404)
    expect(
      (await world.merchant.post(INVOICES, over('1.00', {}, { invoice_number: detail.invoice_number }))).status,
    ).toBe(201)
    expect((await shop.pass('P30D')).filter(({ key }) => key === `issue:${id}`)).toEqual([])
  })

  it('follows its issue date when that is changed', async () => {
    const { id } = await shop.sends(dated('2026-06-20'))

    await world.merchant.put(shop.path(id), dated('2026-05-01'))
    await shop.pass('P14D')

    expect(await shop.sees(id)).toMatchObject({
      status: 'SENT',
      detail: { metadata: { first_sent_time: '2026-05-01T14:00:00Z' } },
    })
  })

  it('whose date was moved to the past goes out with the next work', async () => {
    const { id } = await shop.sends(dated('2026-06-20'))

    await world.merchant.put(shop.path(id), dated('2026-04-01'))
    await world.settle()

    expect((await shop.sees(id)).status).toBe('SENT')
  })

  it('that was paid in part meanwhile is sent, and is so without the payment', async () => {
    const { id } = await shop.sends(dated('2026-06-20'))
    const payment = await shop.records(id, '40.00')
    await shop.pass('P150D')
    expect((await shop.sees(id)).status).toBe('PARTIALLY_PAID')

    await world.merchant.delete(shop.path(id, `/payments/${payment}`))

    expect((await shop.sees(id)).status).toBe('SENT')
  })

  it('goes out at seven also on the days the clocks change', async () => {
    const spring = await newWorld()
    const autumn = shopOf(spring)
    const { id: inMarch } = await autumn.sends(dated('2026-03-08'))
    const { id: inNovember } = await autumn.sends(dated('2026-11-01'))

    await autumn.pass('P300D')

    expect((await autumn.sees(inMarch)).detail.metadata['first_sent_time']).toBe('2026-03-08T14:00:00Z')
    expect((await autumn.sees(inNovember)).detail.metadata['first_sent_time']).toBe('2026-11-01T15:00:00Z')
    await spring.close()
  })
})

describe('Reminders and cancelling', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  const reminding = (id: string, body?: object) => world.merchant.post<Refusal>(shop.path(id, '/remind'), body)

  it('a reminder is a mail and nothing else', async () => {
    const { id } = await shop.sends(withCopies)
    const before = await shop.sees(id)

    const { status, text } = await reminding(id, { note: 'Please' })

    expect([status, text]).toEqual([204, ''])
    expect((await shop.mails(id)).at(-1)).toMatchObject({
      kind: 'reminder',
      recipients: ['payer@example.com', 'cc@example.com', 'Boss@example.com'],
      note: 'Please',
    })
    expect(await shop.sees(id)).toEqual(before)
    expect(await shop.events(id)).toEqual(['CREATED', 'SENT'])
  })

  it('goes out twice a day of the merchant, and again the next day', async () => {
    const { id } = await shop.sends()

    expect([(await reminding(id)).status, (await reminding(id)).status]).toEqual([204, 204])
    const third = await reminding(id)
    expect([third.status, issuesOf(third.body)]).toEqual([422, ['REMINDER_LIMIT_EXCEEDED']])

    // One hour short of midnight in California.
    await shop.pass('PT22H')
    expect((await reminding(id)).status).toBe(422)
    await shop.pass('PT1H')
    expect((await reminding(id)).status).toBe(204)
  })

  it('a repeated request id counts once', async () => {
    const { id } = await shop.sends()
    const keyed = { headers: { 'service-request-id': 'remind-1' } }

    for (let i = 0; i < 4; i++)
      expect((await world.merchant.post(shop.path(id, '/remind'), {}, keyed)).status).toBe(204)

    expect((await reminding(id)).status).toBe(204)
    expect((await reminding(id)).status).toBe(422)
  })

  it('needs somebody to remind', async () => {
    const { id } = await shop.sends(over('100.00', { primary_recipients: [] }))

    expect(issuesOf((await reminding(id)).body)).toEqual(['CANT_REMIND_INVOICE_WITHOUT_BILLING_INFO'])
  })

  it('a cancelled invoice stays readable, keeps its number and what was due, and tells as the flags say', async () => {
    const { id, detail } = await shop.sends(withCopies)

    const { status } = await world.merchant.post(shop.path(id, '/cancel'), {
      note: 'Sorry',
      send_to_invoicer: true,
      additional_recipients: [],
    })

    expect(status).toBe(204)
    expect(await shop.sees(id)).toMatchObject({
      status: 'CANCELLED',
      due_amount: usd('100.00'),
      detail: { metadata: { cancel_time: world.now().slice(0, 19) + 'Z', cancelled_by: 'merchant@example.com' } },
    })
    expect((await shop.mails(id)).slice(1)).toMatchObject([
      { kind: 'invoice-cancelled', to: 'recipient', recipients: ['payer@example.com'], note: 'Sorry' },
      { kind: 'invoice-cancelled', to: 'invoicer' },
    ])
    expect(await shop.events(id)).toEqual(['CREATED', 'SENT', 'CANCELLED'])
    const again = await world.merchant.post<Refusal>(
      INVOICES,
      over('1.00', {}, { invoice_number: detail.invoice_number }),
    )
    expect(issuesOf(again.body)).toEqual(['DUPLICATE_INVOICE_NUMBER'])
  })

  it('a cancelled invoice tells nobody when told so', async () => {
    const { id } = await shop.sends()

    await world.merchant.post<Seen>(shop.path(id, '/cancel'), { send_to_recipient: false })

    expect(await shop.mails(id)).toHaveLength(1)
  })

  it('recipients without an address get nothing, those with one do', async () => {
    const { id } = await shop.sends(
      over('10.00', {
        primary_recipients: [recipient('one@example.com'), { billing_info: {} }, recipient('two@example.com')],
      }),
    )

    expect((await shop.mails(id))[0]!.recipients).toEqual(['one@example.com', 'two@example.com'])
  })
})
