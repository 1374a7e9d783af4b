import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allScopes, expandScopes } from '../../../src/accounts/scopes.ts'
import { findAccount, findApp, grantConsent, saveAccount } from '../../../src/accounts/store.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { describedService } from '../../../src/printed.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { assertion, newWorld, type Person, usd, type World } from '../../support/world.ts'
import { DISPUTES, does, multipart, open, png, sees } from '../disputes/people.ts'

const routes = describedRoutes(describedService).filter(({ scopes }) => scopes !== 'public')
const scopesOf = ({ scopes }: AnyRoute) => scopes as readonly string[]
/** Nobody consents to having an operator. */
const scopes = allScopes.filter((scope) => scope !== 'operator')

/** What shows a merchant's disputes to a partner, and what lets it act in them. */
const views = ['disputes/read', 'disputes/read-partner', 'disputes/read-seller', 'disputes/read-marketplace']
const atSellers = [...views, 'disputes/update-seller', 'disputes/update-partner']

interface Things {
  dispute: string
  invoice: string
  template: string
  capture: string
  refund: string
  document: string
  receipt: string
  event: string
  webhook: string
  lookup: string
  transmission: string
  referral: string
}

/** The merchant's thing that stands where an address has a parameter. */
function addressOf({ url }: AnyRoute, things: Things): string {
  const ids: [prefix: string, id: string][] = [
    ['/v1/customer/disputes', things.dispute],
    ['/v1/customer/referred-disputes', things.referral],
    ['/v1/apis/requests', things.receipt],
    ['/v2/payments/captures', things.capture],
    ['/v2/payments/refunds', things.refund],
  ]
  return url
    .replace(':id', ids.find(([prefix]) => url.startsWith(prefix))?.[1] ?? ':id')
    .replace(':action_id', 'PA-1')
    .replace(':document_id', things.document)
    .replace(':n', '1')
    .replace(':template_id', things.template)
    .replace(':invoice_id', things.invoice)
    .replace(':webhook_id', things.webhook)
    .replace(':webhook_lookup_id', things.lookup)
    .replace(':event_id', things.event)
    .replace(':transmission_id', things.transmission)
    .replace(':transaction_id', 'X1')
}

/** A body that no operation takes: whoever may use it is told so, and nothing is done. */
const NONSENSE = '"nonsense"'

describe('What a partner may do for a merchant is what its token holds and what the merchant consented to', () => {
  let world: World
  let partner: Person
  let appId: string
  let things: Things
  let before: string
  beforeAll(async () => {
    world = await newWorld()
    partner = await world.personWithApp(world.people.partner.id, scopes)
    appId = (await findApp(world.app.database, partner.clientId))!.id
    things = await makeThings(world)
    before = await merchantsView()
  })
  afterAll(() => world.close())

  async function merchantsView(): Promise<string> {
    const { merchant } = world
    const shown = await Promise.all([
      merchant.get(`${DISPUTES}/${things.dispute}`),
      merchant.get(`/v2/invoicing/invoices/${things.invoice}`),
      merchant.get(`/v2/invoicing/templates/${things.template}`),
      merchant.get(`/v2/payments/captures/${things.capture}`),
    ])
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    return shown.map(({ text }) => text).join('\n')
  }

  async function consentTo(...granted: string[]): Promise<void> {
    await world.app.transact(async (tx) => grantConsent(tx, world.people.merchant.id, appId, granted))
    world.app.forgetTokens()
  }

  const json = { 'content-type': 'application/json' }
  const ask = (route: AnyRoute, { named }: { named: boolean }, body: unknown = NONSENSE) =>
    partner.send<{ name: string }>(route.method, addressOf(route, things), route.body ? body : undefined, {
      headers: {
        ...(route.body && json),
        ...(named && { 'service-auth-assertion': assertion(partner.clientId, world.people.merchant.id) }),
      },
    })

  /** Nothing is done by any of these calls, so they need not wait for each other. */
  const together = (all: readonly AnyRoute[], tried: (route: AnyRoute) => Promise<void>) => Promise.all(all.map(tried))

  const ofDisputes = routes.filter(({ url }) => /^\/v1\/customer\/disputes\/:id/.test(url))
  const ofOthers = routes.filter(({ url }) => url.includes(':') && !/^\/v1\/customer\/disputes\/:id/.test(url))
  const opens = (route: AnyRoute, scope: string) => scopesOf(route).some((one) => expandScopes([scope]).has(one))

  it('is tried with as many pairs and foreign ids as SECURITY.md says', () => {
    const scoped = routes.filter((one) => scopesOf(one).length > 0)
    const skipped = (scope: string) => scoped.filter((one) => one.method === 'DELETE' && opens(one, scope)).length
    const pairs = scopes.reduce((sum, scope) => sum + scoped.length - skipped(scope), 0)

    expect(pairs).toBeGreaterThanOrEqual(1_900)
    expect((ofDisputes.length + ofOthers.length) * scopes.length).toBeGreaterThanOrEqual(1_298)
  })

  it.each(scopes)('%s, with an assertion, opens the operations that take it and no other', async (scope) => {
    await consentTo(scope)
    // What may be deleted would be gone.
    const tried = routes.filter((one) => scopesOf(one).length > 0 && !(one.method === 'DELETE' && opens(one, scope)))
    await together(tried, async (route) => {
      const { status, text } = await ask(route, { named: true })
      if (!opens(route, scope)) expect(status, `${route.operation} ${text}`).toBe(403)
      else if (scope.startsWith('invoicing')) expect([200, 400], `${route.operation} ${text}`).toContain(status)
    })
  })

  it.each(scopes)('%s, without an assertion, opens of the merchant’s disputes no more than that', async (scope) => {
    await consentTo(scope)
    await together(ofDisputes, async (route) => {
      const { status, text } = await ask(route, { named: false })
      const isOpen = opens(route, scope) && atSellers.includes(scope)
      // There is no compensation to show here, and it is the buyer's.
      const open = route.operation === 'showReturnCompensation' ? [404] : [200, 400]
      const expected = isOpen ? open : atSellers.includes(scope) ? [403] : [404]
      expect(expected, `${route.operation} ${text}`).toContain(status)
    })
  })

  it.each(scopes)('%s, without an assertion, opens nothing else of the merchant', async (scope) => {
    await consentTo(scope)
    await together(ofOthers, async (route) => {
      const { status, text } = await ask(route, { named: false })
      const isDocument = route.operation === 'downloadDisputeDocument' && views.includes(scope)
      expect(isDocument ? [200] : [400, 404], `${route.operation} ${text}`).toContain(status)
    })
  })

  it('has changed nothing of the merchant’s by all that', async () => {
    expect(await merchantsView()).toBe(before)
  })

  it.each(scopes)('%s, without an assertion, decides what lists, figures and suggestions hold', async (scope) => {
    await consentTo(scope)
    const holds = async (path: string, body?: object) => {
      const { status, text } = await partner.send(body ? 'POST' : 'GET', path, body)
      expect(status, text).toBe(200)
      const { links: _links, ...shown } = JSON.parse(text)
      return /PP-R-|"count":/.test(JSON.stringify(shown))
    }
    const figures = ['disputes/read', 'disputes/read-seller'].includes(scope)

    expect(await holds(DISPUTES)).toBe(views.includes(scope))
    expect(await holds(`${DISPUTES}?fields=all`)).toBe(views.includes(scope))
    expect(await holds(`${DISPUTES}?disputed_transaction_id=${things.capture}`)).toBe(views.includes(scope))
    expect(await holds(`${DISPUTES}/compute-metrics`, { dimension: 'STATUS', measure: 'COUNT' })).toBe(figures)
    expect(await holds(`${DISPUTES}/search-suggestions?search_text=${things.dispute}`)).toBe(figures)
    for (const subject of [{ dispute_id: things.dispute }, { encrypted_transaction_id: things.capture }]) {
      const { status } = await partner.post(`${DISPUTES}/validate-eligibility`, subject)
      expect([400, 403, 404], JSON.stringify(subject)).toContain(status)
    }
  })

  it('shows the customer’s address only to whom the merchant opened everything, wherever it is shown', async () => {
    const { email } = world.people.buyer
    const seen = async () =>
      (
        await Promise.all([
          partner.get(`${DISPUTES}/${things.dispute}`),
          partner.get(`${DISPUTES}?fields=all`),
          partner.get(`${DISPUTES}/search-suggestions?search_text=${email.slice(0, 6)}&search_field=EMAIL`),
        ])
      ).map(({ text }) => text.includes(email))

    for (const scope of views.slice(1)) {
      await consentTo(scope)
      expect(await seen(), scope).toEqual([false, false, false])
    }
    await consentTo('disputes/read')
    expect(await seen()).toEqual([true, true, true])
  })

  it('moves no money without the scope that does, whatever else was consented to', async () => {
    await consentTo(...scopes.filter((scope) => scope !== 'disputes/update-seller'))
    const claims = [
      await partner.post(`${DISPUTES}/${things.dispute}/accept-claim`, { note: 'Yours.' }),
      await partner.post(`${DISPUTES}/${things.dispute}/make-offer`, {
        note: 'Have it.',
        offer_type: 'REFUND',
        offer_amount: usd('1.00'),
      }),
    ]
    expect(claims.map(({ status }) => status)).toEqual([403, 403])
    expect(await merchantsView()).toBe(before)
  })

  it('is nothing once the merchant is suspended or has taken the consent back', async () => {
    await consentTo('disputes/read-partner')
    expect((await partner.get(`${DISPUTES}/${things.dispute}`)).status).toBe(200)
    await setStatus(world, 'SUSPENDED')
    expect((await partner.get(`${DISPUTES}/${things.dispute}`)).status).toBe(404)
    expect((await partner.get(DISPUTES)).text).not.toContain(things.dispute)
    await setStatus(world, 'ACTIVE')
    expect((await partner.get(`${DISPUTES}/${things.dispute}`)).status).toBe(200)

    await consentTo()
    expect((await partner.get(`${DISPUTES}/${things.dispute}`)).status).toBe(404)
    expect((await partner.get(DISPUTES)).text).not.toContain(things.dispute)
  })
})

async function setStatus(world: World, status: 'ACTIVE' | 'SUSPENDED'): Promise<void> {
  await world.app.transact(async (tx) => {
    const account = (await findAccount(tx, world.people.merchant.id))!
    saveAccount(tx, account, { ...account, status })
  })
  world.app.forgetTokens()
}

/** One of everything that belongs to the merchant. */
async function makeThings(world: World): Promise<Things> {
  const { merchant, buyer, partner } = world
  const made = async <Body>(answer: Promise<{ status: number; text: string; body: Body }>): Promise<Body> => {
    const { status, text, body } = await answer
    expect(status, text).toBeLessThan(300)
    return body
  }
  const paid = await made(
    merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('50.00'),
    }),
  )
  const dispute = await open(buyer, { transaction: paid.buyer_transaction_id, amount: usd('50.00') })
  const action = { id: 'PA-1', name: 'PROVIDE_PROVISIONAL_CREDIT', status: 'PENDING', amount: usd('20.00') }
  await made(partner.patch(`${DISPUTES}/${dispute}`, [{ op: 'add', path: '/partner_actions/-', value: action }]))
  const message = multipart({ message: 'See.' }, [{ name: 'p.png', part: 'message_document', bytes: png }])
  await made(does(merchant, dispute, 'send-message', message.payload, message.headers))
  const note = [{ op: 'add', path: '/communication_details', value: { email: 'a@example.com', note: 'Hello.' } }]
  const accepted = await made(
    merchant.patch<{ links: { href: string }[] }>(`${DISPUTES}/${dispute}`, note, {
      headers: { prefer: 'respond-async' },
    }),
  )
  const document = (await sees(merchant, dispute)).messages![0]!.documents![0]!.url

  const item = { name: 'A chair', quantity: '1', unit_amount: usd('9.00') }
  const invoice = await made(
    merchant.post<{ id: string }>('/v2/invoicing/invoices', { detail: { currency_code: 'USD' }, items: [item] }),
  )
  const template = await made(
    merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Usual',
      template_info: { detail: { currency_code: 'USD' } },
    }),
  )
  const other = await made(
    merchant.post<{ seller_transaction_id: string }>('/sandbox/transactions', { amount: usd('5.00') }),
  )
  const refund = await made(
    merchant.post<{ id: string }>(`/v2/payments/captures/${other.seller_transaction_id}/refund`, {}),
  )
  const root = '/v1/notifications'
  const webhook = await made(
    merchant.post<{ id: string }>(`${root}/webhooks`, { url: 'http://127.0.0.1:18099/', event_types: [{ name: '*' }] }),
  )
  const lookup = await made(merchant.post<{ id: string }>(`${root}/webhooks-lookup`))
  const event = await made(
    merchant.post<{ id: string }>(`${root}/simulate-event`, {
      webhook_id: webhook.id,
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
    }),
  )
  const shown = await made(
    merchant.get<{ transmissions: { transmission_id: string }[] }>(`${root}/webhooks-events/${event.id}`),
  )
  const referrer = await world.personWithApp(world.people.merchant.id, ['referred-disputes/readwrite'])
  const referral = await made(
    referrer.post<{ links: { href: string }[] }>('/v1/customer/referred-disputes', {
      transaction: { id: 'T-1', gross_amount: usd('30.00') },
      reference_dispute: { id: 'THEIRS-1' },
    }),
  )
  const lastOf = (href: string) => href.split('/').at(-1)!
  return {
    dispute,
    invoice: invoice.id,
    template: template.id,
    capture: paid.seller_transaction_id,
    refund: refund.id,
    document: document.split('/').at(-4)!,
    receipt: lastOf(accepted.links[0]!.href),
    event: event.id,
    webhook: webhook.id,
    lookup: lookup.id,
    transmission: shown.transmissions[0]!.transmission_id,
    referral: lastOf(referral.links[0]!.href),
  }
}
