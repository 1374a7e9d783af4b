import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateBy } from '../../../src/database/migrate.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import {
  type Balanced,
  balance,
  type CellCaller,
  describeBalanced,
  type OpenCell,
  openCell,
} from '../../support/cells.ts'
import { newCluster } from '../../support/cluster.ts'
import { json, run } from '../../support/command.ts'
import { openPatiently } from '../../support/database.ts'
import { temporaryFolder } from '../../support/process.ts'
import { INVOICES, type Listed, over } from '../../support/shop.ts'
import { usd } from '../../support/world.ts'

const DISPUTES = '/v1/customer/disputes'
const WEBHOOKS = '/v1/notifications/webhooks'
const sellerScopes = ['invoicing', 'disputes/read-seller', 'disputes/update-seller']
const partnerScopes = ['invoicing', 'disputes/read-partner', 'disputes/update-partner', 'applications/webhooks']
const buyerScopes = ['disputes/create', 'disputes/read-buyer', 'disputes/update-buyer']

describeBalanced('Accounts that live in two cells', () => {
  let clusters: Awaited<ReturnType<typeof newCluster>>[]
  let k: OpenCell
  let m: OpenCell
  let balanced: Balanced
  let seller: CellCaller
  let partner: CellCaller
  let payer: CellCaller

  beforeAll(async () => {
    const settings = { wal_level: 'logical' }
    const one = await newCluster(settings)
    await migrateBy({ databaseUrl: one.cluster.url })
    await one.cluster.kill()
    clusters = [one, await newCluster(settings, one.cluster)]
    await one.cluster.start()
    const urls = clusters.map(({ cluster }) => cluster.url)
    k = await openCell(urls[0]!, { CELL: 'K' })
    m = await openCell(urls[1]!, { CELL: 'M' })
    // The directory tells of those who were there before it, and of those who come after.
    seller = await k.newCaller(sellerScopes)
    for (const { variables } of [k, m]) await json(['cells', 'join'], variables)
    expect(await json(['cells', 'join', urls[1]!], k.variables)).toEqual({ cell: 'K', tells: true, hears: ['M'] })
    expect(await json(['cells', 'join', urls[0]!], m.variables)).toEqual({ cell: 'M', tells: true, hears: ['K'] })
    partner = await m.newCaller(partnerScopes)
    payer = await m.newCaller(buyerScopes, 'PERSONAL')
    balanced = await balance({ K: k, M: m })
    await balanced.start()
  })
  afterAll(async () => {
    await balanced.close()
    await k.app.close()
    await m.app.close()
    for (const { remove } of clusters) await remove()
  })

  /** A payment of the buyer of one cell to the seller of the other. */
  const pay = () =>
    k.app.transact(async (tx) =>
      makeLedger(k.app.service).capture(tx, {
        ...{ status: 'COMPLETED', gross: usd('9.00') },
        ...{ seller: { account_id: seller.account.id }, buyer: { account_id: payer.account.id } },
      }),
    )
  const complaint = (buyer_transaction_id: string) => ({
    disputed_transactions: [{ buyer_transaction_id }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    dispute_amount: usd('9.00'),
  })
  /** What others tell arrives a moment later. */
  const consents = (cell: OpenCell, clientId: string, scopes: readonly string[]) =>
    expect
      .poll(
        async () =>
          (await run(['apps', 'consent', clientId, seller.account.id, '--scopes', scopes.join()], cell.variables)).code,
      )
      .toBe(0)

  it('let a partner act for a merchant who consents', async () => {
    await consents(k, partner.clientId, partnerScopes)
    const acting = await balanced.person(partner, { actingFor: seller.account.id })
    const byAddress = await balanced.person(partner, { actingFor: seller.account.email })

    await expect.poll(async () => (await acting.get(INVOICES)).status).toBe(200)
    const { body: invoice } = await acting.post<{ id: string }>(INVOICES, over('10.00'))
    expect(invoice.id).toMatch(/^INV2-K/)
    const { body: list } = await byAddress.get<Listed>(INVOICES)
    expect(list.items.map(({ id }) => id)).toEqual([invoice.id])
    const own = await balanced.person(partner)
    expect((await own.get<Listed>(INVOICES)).body.items).toEqual([])
  })

  it('stay known when one moves to the cell of the other, with what was consented to', async () => {
    const mover = await k.newCaller([...sellerScopes, 'applications/webhooks'])
    await json(['apps', 'consent', partner.clientId, mover.account.id, '--scopes', 'invoicing'], k.variables)
    const before = await balanced.person(partner, { actingFor: mover.account.id })
    const { body: invoice } = await before.post<{ id: string }>(INVOICES, over('10.00'))
    const words = ['accounts', 'move', mover.account.id, '--to', m.variables['DATABASE_URL']!]
    const itself = await balanced.person(mover)
    const { code, stderr } = await run([...words, '--json'], k.variables)
    expect([code, stderr]).toEqual([0, ''])
    // Until the map is loaded the cell that it left is asked, and says where it went, whatever it has heard from the other by then.
    const refusal = { status: 401, text: expect.stringContaining('This account has moved') }
    const isKnown = async () => (await run(['accounts', 'suspend', mover.account.id], k.variables)).stderr
    await expect.poll(isKnown).toContain('lives in cell M')
    expect(await itself.get(INVOICES)).toMatchObject(refusal)
    expect(await itself.post(INVOICES, over('10.00'))).toMatchObject(refusal)
    const hook = { url: 'https://receiver.example.com/mover', event_types: [{ name: '*' }] }
    expect(await itself.post(WEBHOOKS, hook)).toMatchObject(refusal)
    expect(await itself.get(DISPUTES)).toMatchObject({ ...refusal, text: expect.stringContaining('cell-k. before') })
    await balanced.start()
    expect((await itself.post(WEBHOOKS, hook)).status).toBe(201)
    expect((await itself.get<Listed>(INVOICES)).body.items.map(({ id }) => id)).toEqual([invoice.id])

    const after = await balanced.person(partner, { actingFor: mover.account.id })
    expect((await after.get(`${INVOICES}/${invoice.id}`)).status).toBe(200)
    // At the name of another cell than its own it makes nothing either.
    const stranger = await balanced.person(partner, { host: 'cell-k.pay.test' })
    expect(await stranger.post(INVOICES, over('10.00'))).toMatchObject({
      status: 401,
      text: expect.stringContaining('This account lives in cell M'),
    })
  })

  it('let a buyer, the seller and a partner meet in a dispute', async () => {
    const payment = await pay()
    // A partner hears of merchants in another cell through a webhook there.
    const atMerchants = await balanced.person(partner, { host: 'cell-k.pay.test' })
    const hook = { url: 'https://receiver.example.com/hook', event_types: [{ name: '*' }] }
    expect((await atMerchants.post(WEBHOOKS, hook)).status).toBe(201)
    const [buyer, merchant, helper] = [
      await balanced.person(payer),
      await balanced.person(seller),
      await balanced.person(partner),
    ]
    await expect.poll(async () => (await buyer.get(`${DISPUTES}/PP-R-KXX-00000000`)).status).toBe(404)
    const opened = await buyer.post<{ links: { href: string }[] }>(DISPUTES, complaint(payment.buyer_transaction_id))
    expect(opened.status).toBe(201)
    const path = new URL(opened.body.links[0]!.href).pathname

    expect(path).toMatch(/\/PP-R-K/)
    for (const person of [buyer, merchant, helper]) expect((await person.get(path)).status).toBe(200)
    expect((await merchant.post(`${path}/send-message`, { message: 'It is on its way.' })).status).toBe(200)
    expect((await buyer.post(`${path}/send-message`, { message: 'It is not.' })).status).toBe(200)
    const stranger = await balanced.person(await m.newCaller(buyerScopes, 'PERSONAL'))
    await expect.poll(async () => (await stranger.get(path)).status).toBe(404)
    const heard = await atMerchants.get<{ events: { event_type: string }[] }>('/v1/notifications/webhooks-events')
    expect(heard.body.events.map((event) => event.event_type)).toContain('CUSTOMER.DISPUTE.CREATED')
    // A list is that of one cell: the own, and by name any other.
    const ids = async (host?: string) => {
      const person = await balanced.person(payer, host === undefined ? {} : { host })
      return (await person.get<{ items: { dispute_id: string }[] }>(DISPUTES)).body.items.map((one) => one.dispute_id)
    }
    expect(await ids()).toEqual([])
    expect(await ids('cell-k.pay.test')).toEqual([path.split('/').at(-1)])
  })

  it('are changed where they live alone, and lose their access everywhere', async () => {
    const helper = await balanced.person(partner, { actingFor: seller.account.id })
    const suspend = ['accounts', 'suspend', partner.account.id]

    expect((await run(['apps', 'rotate-secret', partner.clientId], k.variables)).stderr).toBe(
      `quittance: Account ${partner.account.id} lives in cell M: do this there.\n`,
    )
    expect((await run(suspend, k.variables)).code).toBe(1)
    const listed = await json<{ id: string }[]>(['accounts', 'list'], k.variables)
    expect(listed.map(({ id }) => id)).toContain(seller.account.id)
    expect(listed.map(({ id }) => id)).not.toContain(partner.account.id)
    expect((await helper.get(INVOICES)).status).toBe(200)
    expect((await run(suspend, m.variables)).code).toBe(0)
    await expect.poll(async () => (await helper.get(INVOICES)).status).toBe(401)
    expect((await run(['accounts', 'activate', partner.account.id], m.variables)).code).toBe(0)
  })

  const query = async (cell: OpenCell, text: string) => {
    const database = openPatiently(cell.variables['DATABASE_URL']!)
    await database.query(text)
    await database.close()
  }

  it('are told of again when a cell was restored and has joined anew', async () => {
    const folder = temporaryFolder()
    const file = join(folder.path, 'k.backup')
    await json(['backup', file], k.variables)
    // The other goes on listening meanwhile.
    await k.app.close()
    await json(['restore', file, '--replace'], k.variables)
    folder.remove()
    const owner = (name: string) => ['accounts', 'create', '--email', `${name}@example.com`, '--name', name]
    const [ofK, ofM] = [
      await json<{ id: string }>(owner('new-in-k'), k.variables),
      await json<{ id: string }>(owner('new-in-m'), m.variables),
    ]

    await json(['cells', 'join'], k.variables)
    const slot = 'quittance_m_to_k'
    await query(k, `alter subscription ${slot} rename to old`)
    expect((await run(['cells', 'join', m.variables['DATABASE_URL']!], k.variables)).stderr).toContain(
      `select pg_drop_replication_slot('${slot}');`,
    )
    await query(k, `alter subscription old rename to ${slot}`)
    await json(['cells', 'join', m.variables['DATABASE_URL']!], k.variables)

    const suspending = async (id: string, cell: OpenCell) =>
      (await run(['accounts', 'suspend', id], cell.variables)).stderr
    for (const [id, cell, home] of [
      [ofM.id, k, 'M'],
      [partner.account.id, k, 'M'],
      [ofK.id, m, 'K'],
    ] as const)
      await expect.poll(() => suspending(id, cell)).toContain(`lives in cell ${home}: do this there.`)
  })
})
