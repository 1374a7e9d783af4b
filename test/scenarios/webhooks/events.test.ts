import { Webhook } from 'standardwebhooks'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const root = '/v1/notifications'

interface WebhookBody {
  id: string
  signing_secret: string
}
interface TransmissionBody {
  transmission_id: string
  webhook_id: string
  webhook_url: string
  status: string
  attempts: number
  http_status?: number
  error_message?: string
  next_attempt_time?: string
}
interface EventBody {
  id: string
  event_type: string
  resource: Record<string, unknown>
  status: string
  transmissions: TransmissionBody[]
  links: { rel: string; href: string }[]
}
interface EventListBody {
  events: EventBody[]
  count: number
  links: { rel: string; href: string }[]
}

describe('Events', () => {
  let world: World
  let receiver: Receiver
  let webhook: WebhookBody
  beforeEach(async () => {
    if (world) {
      await world.call('POST', '/sandbox/reset')
      await receiver.close()
    } else world = await newWorld()
    // A reset lets the clock run; these stories need it to stand still.
    await world.call('POST', '/sandbox/clock', { freeze: true })
    receiver = await Receiver.open()
    webhook = await subscribe(world.merchant)
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  async function subscribe(person: World['merchant'], path = '/hook', names = ['*']): Promise<WebhookBody> {
    const event_types = names.map((name) => ({ name }))
    return (await person.post<WebhookBody>(`${root}/webhooks`, { url: receiver.url(path), event_types })).body
  }
  const invoiceBody = {
    detail: { currency_code: 'USD' },
    items: [{ name: 'A', quantity: '1', unit_amount: usd('10') }],
  }
  async function newInvoice(person: World['merchant'] = world.merchant): Promise<string> {
    const { status, body, text } = await person.post<{ href: string }>('/v2/invoicing/invoices', invoiceBody)
    if (status !== 201) throw new Error(text)
    return body.href.split('/').at(-1)!
  }
  const list = async (query: Record<string, string> = {}, person = world.merchant) =>
    (await person.get<EventListBody>(`${root}/webhooks-events`, { query })).body
  const follow = async (page: EventListBody, rel: string) => {
    const href = page.links.find((link) => link.rel === rel)?.href
    return href === undefined
      ? undefined
      : (await world.merchant.get<EventListBody>(href.slice(href.indexOf('/v1')))).body
  }
  const show = async (id: string) => (await world.merchant.get<EventBody>(`${root}/webhooks-events/${id}`)).body
  const simulate = async (body: object = {}) =>
    (
      await world.merchant.post<EventBody>(`${root}/simulate-event`, {
        event_type: 'INVOICING.INVOICE.PAID',
        webhook_id: webhook.id,
        ...body,
      })
    ).body

  it('of an invoice arrive in the order they were committed, with the invoice both ways', async () => {
    const id = await newInvoice()
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    await world.merchant.post(`/v2/invoicing/invoices/${id}/payments`, { method: 'CASH', amount: usd('4') })
    await world.settle()

    expect(receiver.types).toEqual(['INVOICING.INVOICE.CREATED', 'INVOICING.INVOICE.SENT', 'INVOICING.INVOICE.PAID'])
    const { event } = receiver.received[2]!
    expect(event.resource).toMatchObject({ id, status: 'PARTIALLY_PAID', invoice: { id, status: 'PARTIALLY_PAID' } })
  })

  it('are there to be read at once, newest first, whoever delivers them when', async () => {
    const id = await newInvoice()
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})

    const { events, count } = await list()
    expect(count).toBe(2)
    expect(events.map((event) => [event.event_type, event.status])).toEqual([
      ['INVOICING.INVOICE.SENT', 'PENDING'],
      ['INVOICING.INVOICE.CREATED', 'PENDING'],
    ])
    await world.settle()
    expect((await show(events[0]!.id)).transmissions).toMatchObject([
      { status: 'SUCCESS', http_status: 200, attempts: 1, webhook_url: receiver.url() },
    ])
  })

  it('are filtered by type, time and any id inside', async () => {
    const [one] = [await newInvoice(), await newInvoice()]
    await world.merchant.post(`/v2/invoicing/invoices/${one}/send`, {})
    await world.pass('PT1H')
    const paid = await world.merchant.post<{ payment_id: string }>(`/v2/invoicing/invoices/${one}/payments`, {
      method: 'CASH',
      amount: usd('4'),
    })

    expect((await list({ event_type: 'INVOICING.INVOICE.CREATED' })).count).toBe(2)
    expect((await list({ transaction_id: one })).events.map((event) => event.event_type)).toEqual([
      'INVOICING.INVOICE.PAID',
      'INVOICING.INVOICE.SENT',
      'INVOICING.INVOICE.CREATED',
    ])
    expect((await list({ transaction_id: paid.body.payment_id })).count).toBe(1)
    expect((await list({ transaction_id: 'NOBODYS' })).count).toBe(0)
    // A piece of a text is no id, however often it stands in the events.
    expect((await list({ transaction_id: 'e' })).count).toBe(0)
    expect((await list({ start_time: world.now() })).count).toBe(1)
    expect((await list({ end_time: '2020-01-01T00:00:00Z' })).count).toBe(0)
  })

  it('of a payment and of its dispute are found by the ids of the payment', async () => {
    const paid = await world.call<{ buyer_transaction_id: string; seller_transaction_id: string }>(
      'POST',
      '/sandbox/transactions',
      { amount: usd('50.00') },
    )
    await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
      extensions: { merchandize_dispute_properties: { issue_type: 'PRODUCT' } },
    })
    const found = await list({ transaction_id: paid.body.seller_transaction_id })
    expect(found.events.map((event) => event.event_type)).toContain('CUSTOMER.DISPUTE.CREATED')
    const simulated = await simulate({ resource: { deep: [{ payment_id: 'MADE-UP-1' }] } })
    expect((await list({ transaction_id: 'MADE-UP-1' })).events.map((event) => event.id)).toEqual([simulated.id])
    expect((await list({ transaction_id: 'MADE-UP-1' }, world.otherMerchant)).count).toBe(0)
  })

  it('of a dispute are found by the ids of the refunds in it, those made and those told of', async () => {
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'REFUNDEDLATER1' }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
    })
    const url = new URL(opened.body.links[0]!.href).pathname
    await world.merchant.post(`${url}/provide-evidence`, {
      evidences: [{ evidence_type: 'PROOF_OF_REFUND', evidence_info: { refund_ids: ['BY-BANK-1'] } }],
    })
    await world.merchant.post(`${url}/adjudicate`, { adjudication_outcome: 'BUYER_FAVOR' })
    const { body } = await world.merchant.get<{ refund_details: { transactions: { id: string }[] } }>(url)
    const typesOf = async (id: string) =>
      (await list({ transaction_id: id })).events.map((event) => event.event_type).sort()

    expect(await typesOf(body.refund_details.transactions[0]!.id)).toEqual([
      'CUSTOMER.DISPUTE.RESOLVED',
      'PAYMENT.CAPTURE.REVERSED',
    ])
    expect(await typesOf('BY-BANK-1')).toEqual(['CUSTOMER.DISPUTE.RESOLVED', 'CUSTOMER.DISPUTE.UPDATED'])
  })

  it.each([
    [{ page_size: '0' }],
    [{ page_size: '301' }],
    [{ page_size: 'many' }],
    [{ start_time: 'yesterday' }],
    [{ start_time: '2026-03-02T10:00:00Z', end_time: '2026-03-02T09:00:00Z' }],
  ])('are not listed for %j', async (query) => {
    const { status, body } = await world.merchant.get<{ name: string }>(`${root}/webhooks-events`, { query })
    expect([status, body.name]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('are paged forth and back without loss', async () => {
    for (let i = 0; i < 7; i++) await newInvoice()
    const all = (await list({ page_size: '100' })).events.map((event) => event.id)
    const first = await list({ page_size: '3' })
    const second = (await follow(first, 'next'))!
    const third = (await follow(second, 'next'))!
    expect([first, second, third].flatMap((page) => page.events.map((event) => event.id))).toEqual(all)
    expect(await follow(third, 'next')).toBeUndefined()
    expect(await follow(first, 'previous')).toBeUndefined()
    const back = (await follow(third, 'previous'))!
    expect(back.events).toEqual(second.events)
    expect((await follow(back, 'previous'))!.events).toEqual(first.events)
  })

  it('of one type are paged forth and back between those of others', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(await newInvoice())
    for (const id of ids) await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    await newInvoice()
    const query = { event_type: 'INVOICING.INVOICE.SENT', page_size: '2' }
    const all = (await list({ page_size: '100' })).events.filter((event) => event.event_type === query.event_type)

    const first = await list(query)
    const second = (await follow(first, 'next'))!
    const third = (await follow(second, 'next'))!
    expect([first, second, third].flatMap((page) => page.events)).toEqual(all)
    expect(all).toHaveLength(5)
    expect(await follow(third, 'next')).toBeUndefined()
    const back = (await follow(third, 'previous'))!
    expect(back.events).toEqual(second.events)
    expect((await follow(back, 'previous'))!.events).toEqual(first.events)
    expect((await list({ event_type: 'INVOICING.INVOICE.CANCELLED' })).count).toBe(0)
  })

  it('of one type are those the app was told of, of its own account and of those that consented', async () => {
    const acting = world.person('sandbox-partner', { actingFor: world.people.merchant.id })
    const told = await newInvoice(acting)
    await newInvoice(world.merchant)
    const query = { event_type: 'INVOICING.INVOICE.CREATED' }
    const about = ({ events }: EventListBody) => events.map(({ resource }) => (resource as { id: string }).id)

    expect(about(await list(query, world.partner))).toEqual([told])
    expect((await list(query)).count).toBe(2)
    expect((await list(query, world.otherMerchant)).count).toBe(0)
  })

  it('go to the webhooks that named them', async () => {
    await subscribe(world.merchant, '/sent', ['INVOICING.INVOICE.SENT'])
    const id = await newInvoice()
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    await world.settle()

    expect(receiver.received.filter(({ path }) => path === '/sent').length).toBe(1)
    expect(receiver.received.filter(({ path }) => path === '/hook').length).toBe(2)
  })

  it('of a partner go to the partner and to the merchant, and to nobody else', async () => {
    await subscribe(world.partner, '/partner')
    await subscribe(world.otherMerchant, '/stranger')
    const acting = world.person('sandbox-partner', { actingFor: world.people.merchant.id })
    await newInvoice(acting)
    await newInvoice(world.merchant)
    await world.settle()

    const paths = receiver.received.map(({ path }) => path).sort()
    expect(paths).toEqual(['/hook', '/hook', '/partner'])
    expect((await list({}, world.otherMerchant)).count).toBe(0)
    // Whoever it acts for, an app reads what was told to itself.
    for (const person of [world.partner, acting]) expect((await list({}, person)).count).toBe(1)
    const [event] = (await list()).events
    expect((await world.otherMerchant.get(`${root}/webhooks-events/${event!.id}`)).status).toBe(404)
  })

  it('of a dispute go to the seller and to partners with consent, not to the buyer', async () => {
    await subscribe(world.partner, '/partner')
    await subscribe(world.otherMerchant, '/stranger')
    const paid = await world.call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd('50.00'),
    })
    const opened = await world.buyer.post<{ links: object[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
      extensions: { merchandize_dispute_properties: { issue_type: 'PRODUCT' } },
    })
    expect(opened.status).toBeLessThan(300)
    await world.settle()

    const created = receiver.received.filter(({ event }) => event.event_type === 'CUSTOMER.DISPUTE.CREATED')
    expect(created.map(({ path }) => path).sort()).toEqual(['/hook', '/partner'])
  })

  it('that no app caused go to the app the resource came from and to apps with a lookup', async () => {
    const emit = (resourceId: string) =>
      world.app.transact(async (tx) =>
        tx.emit({
          accountId: world.people.merchant.id,
          type: 'INVOICING.INVOICE.PAID',
          resourceId,
          resource: { id: resourceId },
          summary: 'Paid on the page.',
        }),
      )
    const id = await newInvoice()
    await world.settle()
    receiver.forget()
    await emit(id)
    await emit('NOBODYS')
    await world.settle()
    expect(receiver.received.map(({ event }) => event.resource['id'])).toEqual([id])

    await world.merchant.post(`${root}/webhooks-lookup`)
    await emit('NOBODYS')
    await world.settle()
    expect(receiver.received.map(({ event }) => event.resource['id'])).toEqual([id, 'NOBODYS'])
  })

  it('are resent on demand with a new transmission, unless one is under way', async () => {
    const other = await subscribe(world.merchant, '/other', ['A.B'])
    const event = await simulate()
    const early = await world.merchant.post(`${root}/webhooks-events/${event.id}/resend`)
    expect(early.status).toBe(202)
    await world.settle()
    expect(receiver.received.length).toBe(1)

    await world.merchant.post(`${root}/webhooks-events/${event.id}/resend`)
    await world.merchant.post(`${root}/webhooks-events/${event.id}/resend`, { webhook_ids: [other.id] })
    await world.settle()
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook', '/hook', '/other'])
    const [first, ...others] = receiver.received
    for (const again of others) {
      expect(again.body).toBe(first!.body)
      expect(again.headers['service-transmission-id']).not.toBe(first!.headers['service-transmission-id'])
    }
    const unknown = await world.merchant.post<{ name: string }>(`${root}/webhooks-events/${event.id}/resend`, {
      webhook_ids: ['UNKNOWN'],
    })
    expect([unknown.status, unknown.body.name]).toEqual([404, 'INVALID_RESOURCE_ID'])
  })

  it('can be simulated, every kind of them', async () => {
    const types = await world.merchant.get<{ event_types: { name: string }[] }>(`${root}/webhooks-event-types`)
    for (const { name } of types.body.event_types) {
      const event = await simulate({ event_type: name })
      expect(await show(event.id)).toMatchObject({ event_type: name, resource: expect.any(Object) })
    }
    await world.settle()
    expect(receiver.received.length).toBe(20)
  })

  it('of an invoice have, when they are simulated, what real ones have', async () => {
    const id = await newInvoice()
    const at = `/v2/invoicing/invoices/${id}`
    await world.merchant.post(`${at}/send`, {})
    await world.merchant.post(`${at}/payments`, { method: 'OTHER', amount: usd('10') })
    await world.merchant.post(`${at}/refunds`, { method: 'OTHER', amount: usd('10') })
    const [real] = (await list({ event_type: 'INVOICING.INVOICE.REFUNDED' })).events
    const sample = await simulate({ event_type: 'INVOICING.INVOICE.REFUNDED' })

    const shapeOf = ({ resource }: EventBody) => {
      const { invoice, ...beside } = resource as { invoice: Record<'payments' | 'refunds', { transactions: object[] }> }
      const { payments, refunds } = invoice
      const parts = [beside, payments, refunds, payments.transactions[0], refunds.transactions[0]]
      return parts.map((part) => Object.keys(part!))
    }
    const shape = shapeOf(real!)
    for (const [i, names] of shapeOf(sample).entries()) expect(shape[i]).toEqual(expect.arrayContaining(names))
    expect(shapeOf(sample)[0]).toEqual(shape[0])
  })

  it('lead where real ones lead when they are simulated: to operations there are', async () => {
    interface Linked {
      readonly href: string
      readonly method: string
    }
    const linksIn = (value: unknown): Linked[] => {
      if (typeof value !== 'object' || value === null) return []
      return 'href' in value ? [value as Linked] : Object.values(value).flatMap(linksIn)
    }
    const { paths } = (await world.call<{ paths: Record<string, object> }>('GET', '/openapi.json')).body
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
    )
    const types = await world.merchant.get<{ event_types: { name: string }[] }>(`${root}/webhooks-event-types`)
    const led = new Set<string>()
    for (const { name } of types.body.event_types)
      for (const { href, method } of linksIn((await simulate({ event_type: name })).resource))
        led.add(`${method} ${new URL(href).pathname.replace(/[A-Z0-9-]{17,}/g, '{}')}`)

    expect([...led].filter((operation) => !operations.includes(operation))).toEqual([])
    expect(led.size).toBeGreaterThan(4)
  })

  it('can be simulated for an address that is no webhook, and still be verified', async () => {
    const event = await simulate({ webhook_id: undefined, url: receiver.url('/elsewhere') })
    await world.settle()
    const [call] = receiver.received
    expect([call!.path, call!.event.id]).toEqual(['/elsewhere', event.id])
    const { signing_secret: secret } = event as EventBody & { signing_secret: string }
    const headers = call!.headers as Record<string, string>
    expect(new Webhook(secret).verify(call!.body, headers)).toEqual(call!.event)
    const verified = await world.merchant.post<{ verification_status: string }>(`${root}/verify-webhook-signature`, {
      auth_algo: call!.headers['service-auth-algo'],
      cert_url: call!.headers['service-cert-url'],
      transmission_id: call!.headers['service-transmission-id'],
      transmission_sig: call!.headers['service-transmission-sig'],
      transmission_time: call!.headers['service-transmission-time'],
      webhook_id: 'WEBHOOK_ID',
      webhook_event: call!.event,
    })
    expect(verified.body.verification_status).toBe('SUCCESS')
  })

  it.each([
    [{ event_type: '*' }, 'event_type'],
    [{ event_type: 'not known' }, 'event_type'],
    [{ webhook_id: undefined }, 'webhook_id'],
    [{ webhook_id: undefined, url: 'nonsense' }, 'url'],
    [{ event_type: undefined }, 'event_type'],
  ])('are not simulated with %j', async (changes, field) => {
    const { status, body } = await world.merchant.post<{ name: string; details: { field: string }[] }>(
      `${root}/simulate-event`,
      { event_type: 'INVOICING.INVOICE.PAID', webhook_id: webhook.id, ...changes },
    )
    expect([status, body.name, body.details[0]!.field]).toEqual([400, 'VALIDATION_ERROR', field])
  })
})
