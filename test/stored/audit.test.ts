import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findApp, grantConsent } from '../../src/accounts/store.ts'
import { does, open } from '../scenarios/disputes/people.ts'
import { openSheet, PUBLIC_URL, sentInvoice } from '../support/payer.ts'
import { INVOICES, over } from '../support/shop.ts'
import { newWorld, type Person, type World } from '../support/world.ts'

interface Entry {
  time: string
  actor: string
  action: string
  account_id?: string
  resource_id?: string
  address?: string
  request_id?: string
  cause: string
}
interface Page {
  entries: Entry[]
  links: { rel: string; href: string }[]
}

const AUDIT = '/v1/operator/audit'

describe('The audit log', () => {
  let world: World
  let operator: Person
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
    operator = await world.personWithApp(world.people.otherMerchant.id, ['operator'])
  })
  afterAll(() => world.close())

  const log = async (query: Record<string, string>) => (await operator.get<Page>(AUDIT, { query })).body.entries
  const appOf = async (who: Person) => `app:${(await findApp(world.app.database, who.clientId))!.id}`
  const debugId = ({ headers }: { headers: Record<string, unknown> }) => String(headers['service-debug-id'])
  const rows = async <Row>(text: string, ...values: unknown[]) =>
    (await world.app.database.query(text, values)).rows as Row[]

  it('names the partner who accepted a claim for a merchant: there, in the moves and in the books', async () => {
    const { merchant, partner } = world.people
    const agency = await world.personWithApp(partner.id, ['disputes/update-seller'], { actingFor: merchant.id })
    const app = (await findApp(world.app.database, agency.clientId))!
    await world.app.transact(async (tx) => grantConsent(tx, merchant.id, app.id, ['disputes/update-seller']))
    const dispute = await open(world.buyer)
    await does(world.buyer, dispute, 'escalate', {})

    const accepted = await does(agency, dispute, 'accept-claim', { note: 'Sorry.' }, { 'service-request-id': 'once' })

    expect(accepted.status, accepted.text).toBe(200)
    const cause = debugId(accepted)
    const [entry] = await log({ resource_id: dispute })
    expect(entry).toEqual({
      time: world.now(),
      actor: `app:${app.id}`,
      action: 'disputeAcceptClaim',
      account_id: merchant.id,
      resource_id: dispute,
      address: '127.0.0.1',
      request_id: 'once',
      cause,
    })
    const [move] = await rows('select actor, cause from dispute_transitions order by create_time, version desc limit 1')
    expect(move).toEqual({ actor: `app:${app.id}`, cause })
    const booked = await rows<{ actor: string }>('select distinct actor from ledger_entries where cause = $1', cause)
    expect(booked).toEqual([{ actor: `app:${app.id}` }])
    expect(await log({ actor: `app:${app.id}`, account_id: merchant.id })).toContainEqual(entry)
  })

  it('ties what a job did to the request that asked for it', async () => {
    const { id } = await sentInvoice(world)
    const paid = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`)
    const refunded = await world.merchant.post(`/v2/payments/captures/${paid.body.payment_id}/refund`)
    await world.settle()

    const followed = await log({ cause: debugId(refunded) })

    expect(followed.map(({ actor, action, resource_id }) => [actor, action, resource_id])).toEqual([
      ['job:invoice-service-refund', 'invoice-service-refund', id],
      [await appOf(world.merchant), 'refundCapture', paid.body.payment_id],
    ])
    expect(
      await rows(
        'select actor, cause from invoice_transitions where invoice_id = $1 and action = $2',
        id,
        'refund-payment',
      ),
    ).toEqual([{ actor: 'job:invoice-service-refund', cause: debugId(refunded) }])
  })

  it('has a refund with the payment and with the dispute about it, whoever ordered it', async () => {
    const disputed = async () => {
      const amount = { currency_code: 'USD', value: '20.00' }
      const paid = await world.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
        '/sandbox/transactions',
        { amount },
      )
      const { buyer_transaction_id: transaction, seller_transaction_id: payment } = paid.body
      return { payment, dispute: await open(world.buyer, { transaction }) }
    }
    const [aside, within] = [await disputed(), await disputed()]

    const refunded = await world.merchant.post(`/v2/payments/captures/${aside.payment}/refund`)
    const accepted = await does(world.merchant, within.dispute, 'accept-claim', { note: 'Sorry.' })

    for (const [{ payment, dispute }, answer] of [
      [aside, refunded],
      [within, accepted],
    ] as const)
      for (const resource_id of [payment, dispute]) {
        const [newest] = await log({ resource_id })
        expect(newest!.cause).toBe(debugId(answer))
      }
  })

  it('leads from a delivery back to the request: what an app did, what a job did for it, and what was made up', async () => {
    const hook = { url: 'http://127.0.0.1:18009/causes', event_types: [{ name: '*' }] }
    const { body: webhook } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', hook)
    // What is for it is kept with it and goes nowhere.
    await world.merchant.post(`/v1/notifications/webhooks/${webhook.id}/disable`)
    const { id } = await sentInvoice(world)
    const paid = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`)
    const refunded = await world.merchant.post(`/v2/payments/captures/${paid.body.payment_id}/refund`)
    await world.settle()
    const simulated = await world.merchant.post('/v1/notifications/simulate-event', {
      webhook_id: webhook.id,
      event_type: 'INVOICING.INVOICE.CANCELLED',
    })

    const sent = '/v1/notifications/webhooks-transmissions'
    const { body } = await world.merchant.get<{ transmissions: { transmission_id: string; event_type: string }[] }>(
      sent,
    )
    const causes = new Map<string, string>()
    for (const { transmission_id, event_type } of body.transmissions) {
      const shown = await world.merchant.get<{ cause: string }>(`${sent}/${transmission_id}`)
      causes.set(event_type, shown.body.cause)
    }

    expect(Object.fromEntries(causes)).toMatchObject({
      'INVOICING.INVOICE.PAID': debugId(paid),
      'PAYMENT.CAPTURE.REFUNDED': debugId(refunded),
      'INVOICING.INVOICE.REFUNDED': debugId(refunded),
      'INVOICING.INVOICE.CANCELLED': debugId(simulated),
    })
    const app = await appOf(world.merchant)
    const ofRefund = 'select type, actor from events where cause = $1 order by type'
    expect(await rows(ofRefund, debugId(refunded))).toEqual([
      { type: 'INVOICING.INVOICE.REFUNDED', actor: 'job:invoice-service-refund' },
      { type: 'PAYMENT.CAPTURE.REFUNDED', actor: app },
    ])
    await world.merchant.delete(`/v1/notifications/webhooks/${webhook.id}`)
  })

  it('knows what time did, and whose request set the clock ticking', async () => {
    const own = await newWorld()
    const watcher = await own.personWithApp(own.people.otherMerchant.id, ['operator'])
    const dispute = await open(own.buyer)
    const escalated = await does(own.buyer, dispute, 'escalate', {})
    await own.pass('P30D')
    watcher.signOut()

    const [entry] = (await watcher.get<Page>(AUDIT, { query: { resource_id: dispute } })).body.entries

    expect(entry).toMatchObject({ actor: 'job:dispute-deadline', cause: debugId(escalated) })
    await own.close()
  })

  it('has a payer as a payer, with the address and without the link', async () => {
    const { id, path, code } = await sentInvoice(world)
    const { send } = await openSheet(world, path)

    expect((await send()).status).toBe(303)

    const [entry] = await log({ resource_id: id })
    expect(entry).toMatchObject({
      actor: 'payer',
      action: 'payInvoice',
      address: '127.0.0.1',
      account_id: world.people.merchant.id,
    })
    expect(JSON.stringify(await log({ actor: 'payer' }))).not.toContain(code)
  })

  it('has one entry for each change, none for what was only read or refused', async () => {
    const last = async () => (await log({ page_size: '1' }))[0]!.cause
    const made = await world.merchant.post<{ id: string }>(INVOICES, over('10.00'))
    expect(await last()).toBe(debugId(made))

    await world.merchant.get(`${INVOICES}/${made.body.id}`)
    await world.merchant.post(`${INVOICES}/${made.body.id}/cancel`, {})
    await world.merchant.post(
      `${INVOICES}/${made.body.id}/remind`,
      {},
      { headers: { 'service-request-id': 'refused' } },
    )
    await world.merchant.post(INVOICES, { items: 'nothing' })

    expect(await last()).toBe(debugId(made))
    expect(await log({ cause: debugId(made) })).toHaveLength(1)
    const again = { headers: { 'service-request-id': 'sent once' } }
    const sent = await world.merchant.post(`${INVOICES}/${made.body.id}/send`, {}, again)
    await world.merchant.post(`${INVOICES}/${made.body.id}/send`, {}, again)
    expect((await log({ resource_id: made.body.id })).map(({ cause }) => cause)).toEqual([debugId(sent), debugId(made)])
  })

  it('says who subscribed, who asked for a token and who made a template, naming each thing', async () => {
    const webhook = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'https://receiver.test/hook',
      event_types: [{ name: '*' }],
    })
    const template = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Plain',
      template_info: { detail: { currency_code: 'USD' } },
    })
    const asked = await world.tokenFor('sandbox-merchant', undefined, 'invoicing').then(() => log({ actor: 'public' }))

    const things = (await log({ actor: await appOf(world.merchant) })).map(({ action, resource_id }) => [
      action,
      resource_id,
    ])
    expect(things).toContainEqual(['createWebhook', webhook.body.id])
    expect(things).toContainEqual(['createTemplate', template.body.id])
    expect(asked[0]).toMatchObject({ action: 'createAccessToken', account_id: world.people.merchant.id })
  })

  it('is read page by page, newest first, and from an instant on', async () => {
    const first = await operator.get<Page>(AUDIT, { query: { page_size: '3', start_time: world.now() } })
    const seen = [...first.body.entries]
    let next = first.body.links.find(({ rel }) => rel === 'next')
    while (next) {
      const { body } = await operator.get<Page>(next.href.replace(PUBLIC_URL, ''))
      seen.push(...body.entries)
      next = body.links.find(({ rel }) => rel === 'next')
    }

    const [{ count }] = (await rows<{ count: string }>('select count(*) from audit_log')) as [{ count: string }]
    expect(seen).toHaveLength(Number(count))
    expect(seen).toEqual(await log({ page_size: '500' }))
    expect(await log({ start_time: '2030-01-01T00:00:00Z' })).toEqual([])
    for (const query of [{ page_token: 'x' }, { start_time: 'yesterday' }, { page_size: '0' }] as Record<
      string,
      string
    >[])
      expect((await operator.get(AUDIT, { query })).status).toBe(400)
  })

  it('finds one thing, and what one request did, wherever they stand in a long log', async () => {
    const { id, detail } = (
      await world.merchant.post<{ id: string; detail: object }>(INVOICES, over('10.00'), {
        headers: { prefer: 'return=representation' },
      })
    ).body
    const written: string[] = []
    for (const place of [70_000, 70_001, 10_000_000]) {
      await rows("select setval(pg_get_serial_sequence('audit_log', 'seq'), $1)", place)
      const changed = await world.merchant.put(`${INVOICES}/${id}`, { detail, items: [] })
      written.unshift(debugId(changed))
    }

    expect((await log({ resource_id: id })).map(({ cause }) => cause).slice(0, 3)).toEqual(written)
    for (const cause of written)
      expect(await log({ cause })).toMatchObject([{ action: 'updateInvoice', resource_id: id, cause }])
    expect(await log({ resource_id: id, cause: written[1]! })).toHaveLength(1)
    expect(await log({ resource_id: id, actor: 'app:NOBODY' })).toEqual([])
  })

  it('is for the operator alone', async () => {
    for (const who of [world.merchant, world.partner, world.buyer]) expect((await who.get(AUDIT)).status).toBe(403)
  })

  it('commits with the change or not at all', async () => {
    const before = await log({})
    await expect(
      world.app.transact(async (tx) => {
        tx.about(null, 'NEVER')
        tx.write({ name: '', text: 'insert into accounts (id, body, create_time) values (1, 2, 3)' } as never, [])
      }),
    ).rejects.toThrow()
    expect(await log({})).toEqual(before)
    expect(await log({ resource_id: 'NEVER' })).toEqual([])
  })

  it('cannot be changed or shortened, but goes when its time is over', async () => {
    const own = await newWorld({ settings: { AUDIT_RETENTION_DAYS: '30' } })
    const { query } = own.app.database
    const count = async () => Number((await query('select count(*) from audit_log')).rows[0].count)
    await own.merchant.post(INVOICES, over('10.00'))
    for (const change of ["update audit_log set actor = 'nobody'", 'delete from audit_log'])
      await expect(query(change)).rejects.toThrow('never changed')

    const written = await count()
    await own.app.sweep()
    expect(await count()).toBe(written)
    await own.pass('P31D')
    await own.app.sweep()
    expect(await count()).toBe(0)

    own.merchant.signOut()
    await own.merchant.post(INVOICES, over('10.00'))
    await expect(query('delete from audit_log')).rejects.toThrow('never changed')
    await own.close()
  })
})
