import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countingIds, type IdKind, idsIn, randomIds } from '../../../src/kernel/ids.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { json, run } from '../../support/command.ts'
import { newDatabase } from '../../support/database.ts'
import { live, newLiveWorld } from '../../support/live.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { patient, usd, type World } from '../../support/world.ts'

const cell = 'K'
const settings = {
  CELL: cell,
  ...live,
  SEED: '1',
}

describe('A service that is one of several cells', () => {
  let world: World
  let variables: Record<string, string>

  beforeAll(async () => {
    world = await newLiveWorld(settings)
    variables = { ...settings, DATABASE_URL: world.databaseUrl }
  })
  afterAll(() => world.close())

  it('marks all that outsiders hold, in the published forms', async () => {
    const owner = ['--email', 'owner@example.com', '--name', 'Owner']
    const account = await json<{ id: string }>(['accounts', 'create', ...owner], variables)
    const app = await json<{ client_id: string; client_secret: string }>(['apps', 'create', account.id], variables)
    const buyers = ['apps', 'create', world.people.buyer.id]
    const other = await json<{ client_id: string; client_secret: string }>(buyers, variables)
    const merchant = world.person(app.client_id, { secret: app.client_secret })
    const buyer = world.person(other.client_id, { secret: other.client_secret })
    const token = await world.tokenFor(app.client_id, app.client_secret)
    const again = await world.tokenFor(app.client_id, app.client_secret)
    const events = { url: 'https://receiver.example.com/hook', event_types: [{ name: '*' }] }
    const { body: webhook } = await merchant.post<{ id: string }>('/v1/notifications/webhooks', events)
    const { body: invoice } = await merchant.post<{ id: string }>(INVOICES, over('10.00'))
    const wish = { name: 'Ours', template_info: { detail: { currency_code: 'USD' } } }
    const { body: template } = await merchant.post<{ id: string }>('/v2/invoicing/templates', wish)
    const payment = await world.app.transact(async (tx) =>
      makeLedger(world.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: account.id },
        buyer: { account_id: world.people.buyer.id },
        gross: usd('9.00'),
      }),
    )
    const disputed = {
      disputed_transactions: [{ buyer_transaction_id: payment.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('9.00'),
    }
    const { body: dispute } = await buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', disputed)
    const { database, service, transact } = world.app
    const { body: heard } = await merchant.get<{ events: { id: string }[] }>('/v1/notifications/webhooks-events')
    const keys = new SigningKeys(database, makeSeal(service.settings.secrets!), service, patient.newKeyPair)
    const certificate = await transact((tx) => keys.rotate(tx))

    expect(account.id).toMatch(/^K[2-9A-HJ-NP-Z]{12}$/)
    expect(app.client_id).toMatch(/^AK[\w-]{78}$/)
    expect(token).toMatch(/^A21AAK[\w-]{91}$/)
    expect(again).toBe(token)
    expect(webhook.id).toMatch(/^K[0-9A-Z]{16}$/)
    expect(heard.events[0]!.id).toMatch(/^WH-K[0-9A-Z]{16}-[0-9A-Z]{17}$/)
    expect(certificate).toMatch(/^CERT-K[0-9a-f]{7}(-[0-9a-f]{8}){2}$/)
    expect(invoice.id).toMatch(/^INV2-K[2-9A-HJ-NP-Z]{3}(-[2-9A-HJ-NP-Z]{4}){3}$/)
    expect(template.id).toMatch(/^TEMP-K[0-9A-Z]{16}$/)
    expect([payment.id, payment.buyer_transaction_id]).toEqual([
      expect.stringMatching(/^K[0-9A-Z]{16}$/),
      expect.stringMatching(/^K[0-9A-Z]{16}$/),
    ])
    expect(dispute.links[0]!.href).toMatch(/\/v1\/customer\/disputes\/PP-R-K[A-Z]{2}-\d{8}$/)
  })

  it('has a console at a name of its own', async () => {
    const invite = ['console', 'invite', '--email', 'ada@example.com', '--role', 'operator']
    const { link } = await json<{ link: string }>(invite, { ...variables, CONSOLE_URL: 'https://cell-k.pay.test' })

    expect(link).toMatch(/^https:\/\/cell-k\.pay\.test\/console\/sign-in\/link\//)
  })

  it('refuses to be another cell, or none', async () => {
    const start = (CELL: string) => run(['start'], { ...variables, PORT: '0', CELL })

    // First, because it ends by itself even if nobody refuses.
    expect((await run(['accounts', 'list'], { ...variables, CELL: 'M' })).code).toBe(2)
    expect(await start('M')).toMatchObject({
      code: 2,
      stderr: 'quittance: This database is cell K: set CELL=K, or give cell M a database of its own.\n',
    })
    expect(await start('')).toMatchObject({ code: 2, stderr: 'quittance: This database is cell K: set CELL=K.\n' })
    expect(await start('I')).toMatchObject({
      code: 2,
      stderr: 'quittance: CELL must be one letter, A to Z without I and O.\n',
    })
  })

  it('can tell the others before a service has started on its database', async () => {
    const own = await newDatabase()
    try {
      const unstarted = { ...variables, DATABASE_URL: own.url, CELL: 'M' }
      await json(['accounts', 'create', '--email', 'owner@example.com', '--name', 'Owner'], unstarted)

      expect(await json(['cells', 'join'], unstarted)).toEqual({ cell: 'M', tells: true, hears: [] })
    } finally {
      await own.drop()
    }
  })

  it('makes the same ids as ever when it is the only one', () => {
    expect(idsIn(undefined, randomIds)).toBe(randomIds)
    const [plain, ours] = [countingIds(), idsIn('K', countingIds())]
    const kinds: IdKind[] = ['invoice', 'dispute', 'client', 'secret', 'request']
    const differing = kinds.map((kind) => {
      const [was, is] = [plain.next(kind), ours.next(kind)]
      return [...was].filter((character, i) => character !== is[i]).length
    })
    expect(differing).toEqual([1, 1, 1, 0, 0])
  })
})
