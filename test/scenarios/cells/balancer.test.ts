import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ruleOf } from '../../../src/cells/routing.ts'
import { idsIn, randomIds } from '../../../src/kernel/ids.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { signText } from '../../../src/payer/pay/gateway-signature.ts'
import { describedService } from '../../../src/printed.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import {
  type Balanced,
  balance,
  type CellCaller,
  describeBalanced,
  type OpenCell,
  openCell,
} from '../../support/cells.ts'
import { run } from '../../support/command.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { GATEWAY_SECRET } from '../../support/gateway.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { patient, usd } from '../../support/world.ts'

const merchantScopes = ['invoicing', 'disputes/read-seller', 'disputes/update-seller']
const buyerScopes = ['disputes/create', 'disputes/read-buyer', 'disputes/update-buyer']

describe('Every operation', () => {
  it.each(['live', 'sandbox'] as const)('of %s finds its cell', (environment) => {
    const lost = describedRoutes({ ...describedService, environment }).filter((route) => ruleOf(route) === undefined)
    expect(
      lost.map(({ method, url }) => `${method} ${url}`),
      'say in src/cells/routing.ts what it is found by',
    ).toEqual([])
  })
})

describeBalanced('Behind haproxy, with nothing asked of a database,', () => {
  let databases: TestDatabase[]
  let k: OpenCell
  let m: OpenCell
  let n: OpenCell
  let balanced: Balanced
  let old: CellCaller
  let oldInvoice: string
  let map: string

  beforeAll(async () => {
    databases = [await newDatabase(), await newDatabase(), await newDatabase()]
    // Before it was a cell the ids of K had anything at the place of the mark, for instance the letter of M.
    const before = await openCell(databases[0]!.url, {}, { ids: idsIn('M', randomIds) })
    old = await before.newCaller(merchantScopes)
    const { body } = await over10(before, old)
    oldInvoice = body.id
    await before.app.close()
    k = await openCell(databases[0]!.url, { CELL: 'K' })
    m = await openCell(databases[1]!.url, { CELL: 'M', GATEWAY_SECRET, GATEWAY_URL: 'http://gateway.test' })
    n = await openCell(databases[2]!.url, { CELL: 'N' })
    balanced = await balance({ K: k, M: m, N: n })
    map = await balanced.start()
  })
  afterAll(async () => {
    await balanced.close()
    await k.app.close()
    await m.app.close()
    await n.app.close()
    for (const database of databases) await database.drop()
  })

  /** An invoice, straight from a service that is not behind the balancer. */
  async function over10({ app }: OpenCell, { clientId, secret }: CellCaller) {
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const token = await app.server.inject({
      ...{ method: 'POST', url: '/v1/oauth2/token', headers: { authorization, ...form } },
      payload: 'grant_type=client_credentials',
    })
    const headers = { authorization: `Bearer ${token.json().access_token}` }
    const made = await app.server.inject({ method: 'POST', url: INVOICES, headers, payload: over('10.00') })
    const sent = await app.server.inject({
      method: 'POST',
      url: `${INVOICES}/${made.json().id}/send`,
      headers,
      payload: {},
    })
    expect(sent.statusCode).toBeLessThan(300)
    return { body: made.json() as { id: string } }
  }

  const codeOf = (id: string) => id.replace(/^INV2-|-/g, '')

  it.each(['K', 'M', 'N'] as const)('a merchant of %s meets the own cell with every call', async (mark) => {
    const cell = { K: k, M: m, N: n }[mark]
    const caller = await cell.newCaller(merchantScopes)
    const merchant = await balanced.person(caller)
    const byForm = await balanced.call('POST', '/v1/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `grant_type=client_credentials&client_id=${caller.clientId}&client_secret=${encodeURIComponent(caller.secret)}`,
    })

    const { body: invoice } = await merchant.post<{ id: string }>(INVOICES, over('10.00'))
    const sent = await merchant.post(`${INVOICES}/${invoice.id}/send`, {})
    const shown = await merchant.get<{ id: string }>(`${INVOICES}/${invoice.id}`)
    const page = await balanced.call('GET', `/invoice/p/${codeOf(invoice.id).toLowerCase()}`)
    const details = await balanced.call('GET', `/invoice/details/${invoice.id}`)

    expect(byForm.status).toBe(200)
    expect([sent.status, shown.status, page.status, details.status]).toEqual([200, 200, 200, 200])
    expect(shown.body.id).toMatch(new RegExp(`^INV2-${mark}`))
  })

  it('a dispute is opened where the payment is, and found by whoever is part of it', async () => {
    const seller = await m.newCaller(merchantScopes)
    const payer = await m.newCaller(buyerScopes, 'PERSONAL')
    const payment = await m.app.transact(async (tx) =>
      makeLedger(m.app.service).capture(tx, {
        ...{ status: 'COMPLETED', gross: usd('9.00') },
        ...{ seller: { account_id: seller.account.id }, buyer: { account_id: payer.account.id } },
      }),
    )
    const buyer = await balanced.person(payer)
    const opened = await buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: payment.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('9.00'),
    })
    const path = new URL(opened.body.links[0]!.href).pathname

    expect(path).toMatch(/\/PP-R-M/)
    expect((await (await balanced.person(seller)).get(path)).status).toBe(200)
  })

  it('certificates, the gateway and the name of a cell lead to that cell', async () => {
    const { database, service, transact } = m.app
    const keys = new SigningKeys(database, makeSeal(service.settings.secrets!), service, patient.newKeyPair)
    const id = await transact((tx) => keys.rotate(tx))
    const certificate = await balanced.call('GET', `/v1/notifications/certs/${id}`)
    const said = JSON.stringify({ charge_id: 'M2345678901234567890123456', status: 'COMPLETED' })
    const callback = await balanced.call('POST', '/gateway/callback', {
      headers: {
        'content-type': 'application/json',
        'quittance-signature': signText(GATEWAY_SECRET, said, m.app.clock.now()),
      },
      payload: said,
    })
    const stranger = await balanced.person(await m.newCaller(merchantScopes), { host: 'cell-k.pay.test' })

    expect([id.slice(0, 6), certificate.status]).toEqual(['CERT-M', 200])
    // K has no gateway and would refuse it; M knows no such charge.
    expect(callback.status).toBe(404)
    expect((await stranger.get(INVOICES)).status).toBe(401)
  })

  it('what has moved is found where it went, and keeps its marks', async () => {
    const caller = await k.newCaller(merchantScopes)
    const merchant = await balanced.person(caller)
    const { body: invoice } = await merchant.post<{ id: string }>(INVOICES, over('10.00'))
    await merchant.post(`${INVOICES}/${invoice.id}/send`, {})
    const path = `/invoice/p/${codeOf(invoice.id)}`
    const words = ['accounts', 'move', caller.account.id, '--to', m.variables['DATABASE_URL']!]

    const { code, stderr } = await run([...words, '--home', 'http://cell-m.pay.test', '--json'], k.variables)
    expect([code, stderr]).toEqual([0, ''])
    // Until the map says so, the cell that it left does.
    const led = await balanced.call('GET', path)
    expect([led.status, led.headers['location']]).toEqual([303, `http://cell-m.pay.test${path}`])
    expect((await balanced.call('GET', path, { headers: { host: 'cell-m.pay.test' } })).status).toBe(200)
    await balanced.start()

    expect((await balanced.call('GET', path)).status).toBe(200)
    expect((await merchant.get(`${INVOICES}/${invoice.id}`)).status).toBe(200)
    const later = await (await balanced.person(caller)).post<{ id: string }>(INVOICES, over('5.00'))
    expect([invoice.id.slice(0, 6), later.body.id.slice(0, 6)]).toEqual(['INV2-K', 'INV2-M'])
    expect((await run(words, { ...k.variables, CELL: 'M' })).code).toBe(2)
    const same = await run(['accounts', 'move', 'X', '--to', k.variables['DATABASE_URL']!], k.variables)
    expect(same.stderr).toMatch(/The other database is cell K too/)
  })

  it('what is older than the cells is found through the map', async () => {
    const merchant = await balanced.person(old)

    expect((await merchant.get(`${INVOICES}/${oldInvoice}`)).status).toBe(200)
    expect((await balanced.call('GET', `/invoice/p/${codeOf(oldInvoice)}`)).status).toBe(200)
    for (const key of [old.account.id, old.clientId, codeOf(oldInvoice)]) expect(map).toContain(`${key} K\n`)
    // What its mark tells is not in it.
    expect(map).not.toMatch(/^(M|AM|PP-R-M)\S* M$/m)
  })
})
