import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  changeAppStatus,
  findAccount,
  findApp,
  grantConsent,
  revokeConsent,
  saveAccount,
} from '../../../src/accounts/store.ts'
import { openSheet, PUBLIC_URL, sentInvoice, shown } from '../../support/payer.ts'
import { Receiver } from '../../support/receiver.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { assertion, newWorld, type Person, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

const ROOT = '/v1/notifications'
const created = [{ name: 'CUSTOMER.DISPUTE.CREATED' }, { name: 'INVOICING.INVOICE.CREATED' }]

async function setStatus(world: World, accountId: string, status: 'ACTIVE' | 'SUSPENDED'): Promise<void> {
  await world.app.transact(async (tx) => {
    const account = (await findAccount(tx, accountId))!
    saveAccount(tx, account, { ...account, status })
  })
  world.app.forgetTokens()
}

describe('The page of a suspended merchant', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
  })
  afterAll(() => world.close())

  it('shows the invoice and charges nobody, also whoever had opened the sheet before', async () => {
    const { merchant } = world.people
    const { id, path } = await sentInvoice(world)
    const sheet = await openSheet(world, path)
    expect((await world.call('GET', path)).text).toContain(`action="${path}/pay"`)

    await setStatus(world, merchant.id, 'SUSPENDED')

    const page = await world.call('GET', path)
    expect(page.status).toBe(200)
    expect(page.text).not.toContain(`action="${path}/pay"`)
    expect(page.text).toContain('This merchant cannot take payments at the moment.')
    expect((await world.call('GET', `${path}/pay`)).status).toBe(422)
    expect((await sheet.send()).status).toBe(422)
    expect((await world.call('POST', `/sandbox/invoices/${id}/pay`, {})).status).toBe(422)

    await setStatus(world, merchant.id, 'ACTIVE')
    world.merchant.signOut()
    expect(await shown(world, id)).toMatchObject({ status: 'SENT' })
    expect((await world.call('POST', `/sandbox/invoices/${id}/pay`, {})).status).toBe(201)
  })

  it('waits for scheduled invoices too: they go out the first morning after it is lifted, or at once by hand', async () => {
    const { merchant } = world.people
    const schedule = async () => {
      const made = await world.merchant.post<{ id: string }>(
        INVOICES,
        over('10.00', {}, { invoice_date: '2026-03-05' }),
      )
      await world.merchant.post(`${INVOICES}/${made.body.id}/send`, {})
      return made.body.id
    }
    const [first, second] = [await schedule(), await schedule()]
    await world.settle()
    await setStatus(world, merchant.id, 'SUSPENDED')
    const mails = async () => (await world.call<{ mails: unknown[] }>('GET', '/sandbox/mail')).body.mails.length
    const mailed = await mails()

    await world.pass('P6D')

    expect(await mails()).toBe(mailed)
    await setStatus(world, merchant.id, 'ACTIVE')
    world.merchant.signOut()
    expect(await shown(world, first)).toMatchObject({ status: 'SCHEDULED' })
    expect((await world.merchant.post(`${INVOICES}/${first}/send`, {})).status).toBe(200)
    expect(await shown(world, first)).toMatchObject({ status: 'SENT' })
    expect(await shown(world, second)).toMatchObject({ status: 'SCHEDULED' })

    const fired = await world.pass('P2D')
    expect(await shown(world, second)).toMatchObject({ status: 'SENT' })
    expect(fired.filter(({ work }) => work === 'issue-invoice')).toHaveLength(1)
  })

  it('turns no e-mail address into an account: an order tells what is on the invoice', async () => {
    const { buyer } = world.people
    const { id } = await sentInvoice(world, {
      primary_recipients: [{ billing_info: { email_address: buyer.email } }],
    })
    const paid = await world.call<{ order_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {})

    const [approved] = await world.events(paid.body.order_id)
    expect(approved).toMatchObject({
      type: 'CHECKOUT.ORDER.APPROVED',
      resource: { payer: { email_address: buyer.email } },
    })
    for (const text of [buyer.id, buyer.name]) expect(JSON.stringify(approved)).not.toContain(text)
  })
})

describe('Events of a merchant', () => {
  let world: World
  let receiver: Receiver
  let partner: Person
  let appId: string
  let webhook: string
  beforeAll(async () => {
    world = await newWorld()
    receiver = await Receiver.open()
  })
  beforeEach(async () => {
    receiver.forget()
    receiver.behaviour = { status: 200 }
    const scopes = ['disputes/read-partner', 'invoicing/invoices/readwrite', 'applications/webhooks']
    partner = await world.personWithApp(world.people.partner.id, scopes)
    appId = (await findApp(world.app.database, partner.clientId))!.id
    const made = await partner.post<{ id: string }>(`${ROOT}/webhooks`, {
      url: receiver.url(`/${appId}`),
      event_types: created,
    })
    webhook = made.body.id
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const consent = async (...scopes: string[]) => {
    const { id } = world.people.merchant
    await world.app.transact(async (tx) =>
      scopes.length > 0 ? grantConsent(tx, id, appId, scopes) : revokeConsent(tx, id, appId),
    )
    world.app.forgetTokens()
  }
  const arrived = () => receiver.received.filter(({ path }) => path === `/${appId}`).map(({ event }) => event)
  const listed = async (who = partner) =>
    (await who.get<{ events: { id: string; event_type: string }[] }>(`${ROOT}/webhooks-events`)).body.events.filter(
      ({ event_type }) => event_type.endsWith('.CREATED'),
    )
  const replay = async () =>
    (
      await partner.post<{ replayed: number }>(`${ROOT}/webhooks/${webhook}/replay`, {
        start_time: world.now(),
        end_time: world.now(),
        include: 'ALL',
      })
    ).body.replayed
  const ever = () => ({ start_time: '2026-03-01T00:00:00Z', end_time: world.now() })
  const acting = (path: string, body: object) =>
    partner.post<{ id: string }>(path, body, {
      headers: { 'service-auth-assertion': assertion(partner.clientId, world.people.merchant.id) },
    })
  const draft = () =>
    acting('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: [{ name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '9.00' } }],
    })

  it.each([
    ['disputes/read-partner', ['DISPUTE']],
    ['disputes/webhooks', []],
    ['disputes/update-partner', []],
    ['disputes/read-marketplace', []],
    ['invoicing/invoices/read', []],
    ['invoicing', ['INVOICE']],
    ['applications/webhooks', []],
  ])('are told to a partner as far as both its scopes and the consent show them: %s', async (scope, expected) => {
    await consent(scope)
    await open(world.buyer)
    await draft()
    await world.settle()

    const kinds = new Set(arrived().map(({ event_type }) => event_type.split('.')[1]))
    expect([...kinds]).toEqual(expected)
    expect(new Set((await listed()).map(({ event_type }) => event_type.split('.')[1]))).toEqual(kinds)
  })

  it('are neither listed, shown, sent again nor attempted again once the consent is taken back', async () => {
    await consent('disputes/read-partner')
    await open(world.buyer)
    await world.settle()
    const [event] = await listed()
    const { transmissions } = (
      await partner.get<{ transmissions: { transmission_id: string }[] }>(`${ROOT}/webhooks-events/${event!.id}`)
    ).body
    const one = `${ROOT}/webhooks-transmissions/${transmissions[0]!.transmission_id}`
    expect(arrived()).toHaveLength(1)
    expect((await partner.get(one)).status).toBe(200)

    await consent()

    expect(await listed()).toEqual([])
    expect(await replay()).toBe(0)
    expect((await partner.get(`${ROOT}/webhooks-events/${event!.id}`)).status).toBe(404)
    expect((await partner.post(`${ROOT}/webhooks-events/${event!.id}/resend`)).status).toBe(404)
    expect((await partner.get(one)).status).toBe(404)
    expect((await partner.post(`${one}/attempt`)).status).toBe(404)
    expect((await partner.get(`${ROOT}/webhooks-transmissions`)).text).not.toContain(event!.id)
    await world.settle()
    expect(arrived()).toHaveLength(1)

    await consent('disputes/read-partner')
    expect(await listed()).toHaveLength(1)
    expect(await replay()).toBe(1)
  })

  it('are not told any more, nor tried again, once the consent is taken back', async () => {
    await consent('disputes/read-partner')
    receiver.behaviour = { status: 500 }
    const id = await open(world.buyer)
    await world.settle()
    expect(arrived()).toHaveLength(1)

    await consent()
    receiver.behaviour = { status: 200 }
    await does(world.merchant, id, 'send-message', { message: 'Hello.' })
    await world.pass('P4D')
    expect(arrived()).toHaveLength(1)

    await consent('disputes/read-partner')
    const [sent] = (
      await partner.get<{ transmissions: { status: string; error_message: string }[] }>(
        `${ROOT}/webhooks-transmissions`,
      )
    ).body.transmissions
    expect(sent).toMatchObject({ status: 'FAILURE', error_message: expect.stringContaining('consent') })
  })

  it('are not sent to a suspended partner, who finds and replays what it missed when that is lifted', async () => {
    const { id } = world.people.partner
    await consent('disputes/read-partner')
    receiver.behaviour = { status: 500 }
    await open(world.buyer)
    await world.settle()
    expect(arrived()).toHaveLength(1)

    await setStatus(world, id, 'SUSPENDED')
    receiver.behaviour = { status: 200 }
    await open(world.buyer)
    await world.pass('P4D')
    expect(arrived()).toHaveLength(1)

    await setStatus(world, id, 'ACTIVE')
    partner.signOut()
    const { transmissions } = (
      await partner.get<{ transmissions: { status: string; error_message: string }[] }>(
        `${ROOT}/webhooks-transmissions`,
      )
    ).body
    expect(transmissions.map(({ status }) => status)).toEqual(['FAILURE', 'FAILURE'])
    for (const { error_message } of transmissions) expect(error_message).toContain('suspended')
    expect((await partner.post(`${ROOT}/webhooks/${webhook}/replay`, ever())).body).toEqual({ replayed: 2 })
    await world.settle()
    expect(arrived()).toHaveLength(3)
  })

  it('are not sent any more to an app that was disabled, and what waited can be replayed when it is enabled', async () => {
    const setApp = (status: 'ENABLED' | 'DISABLED') =>
      world.app.transact(async (tx) => changeAppStatus(tx, partner.clientId, status))
    await consent('disputes/read-partner')
    receiver.behaviour = { status: 500 }
    await open(world.buyer)
    await world.settle()
    expect(arrived()).toHaveLength(1)

    await setApp('DISABLED')
    receiver.behaviour = { status: 200 }
    await world.pass('P4D')
    expect(arrived()).toHaveLength(1)

    await setApp('ENABLED')
    partner.signOut()
    const [sent] = (
      await partner.get<{ transmissions: { status: string; error_message: string }[] }>(
        `${ROOT}/webhooks-transmissions`,
      )
    ).body.transmissions
    expect(sent).toMatchObject({ status: 'FAILURE', error_message: 'The app was disabled before this attempt.' })
    expect((await partner.post(`${ROOT}/webhooks/${webhook}/replay`, ever())).body).toEqual({ replayed: 1 })
    await world.settle()
    expect(arrived()).toHaveLength(2)
  })

  it.each(['suspended', 'disabled'])(
    'are not simulated any more for an address of its own: the partner is %s',
    async (how) => {
      const event = { event_type: 'INVOICING.INVOICE.PAID', url: receiver.url(`/${appId}`) }
      receiver.behaviour = { status: 500 }
      await partner.post(`${ROOT}/simulate-event`, event)
      await world.settle()
      expect(arrived()).toHaveLength(1)

      const isSuspended = how === 'suspended'
      if (isSuspended) await setStatus(world, world.people.partner.id, 'SUSPENDED')
      else await world.app.transact(async (tx) => changeAppStatus(tx, partner.clientId, 'DISABLED'))
      receiver.behaviour = { status: 200 }
      await world.pass('P4D')

      expect(arrived()).toHaveLength(1)
      if (isSuspended) await setStatus(world, world.people.partner.id, 'ACTIVE')
    },
  )

  it('of a suspended merchant are not told to its partners, and its own apps keep them for a replay', async () => {
    const { id } = world.people.merchant
    await consent('disputes/read-partner')
    const made = await world.merchant.post<{ id: string }>(`${ROOT}/webhooks`, {
      url: receiver.url(`/own-${appId}`),
      event_types: created,
    })
    await setStatus(world, id, 'SUSPENDED')
    await open(world.buyer, { transaction: `SUSPENDED${appId.slice(-5)}` })
    await world.settle()
    expect(receiver.received).toEqual([])

    await setStatus(world, id, 'ACTIVE')
    world.merchant.signOut()
    expect((await listed(world.merchant))[0]!.event_type).toBe('CUSTOMER.DISPUTE.CREATED')
    await world.merchant.post(`${ROOT}/webhooks/${made.body.id}/replay`, ever())
    await world.settle()
    expect(receiver.received.map(({ path }) => path)).toEqual([`/own-${appId}`])
  })
})
