import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeAppStatus,
  deleteApp,
  findAccount,
  findApp,
  grantConsent,
  revokeConsent,
  saveAccount,
} from '../../../src/accounts/store.ts'
import { runCommand } from '../../../src/cli/run.ts'
import { statementsOf } from '../../support/statements.ts'
import { assertion, newWorld, type Person, type World } from '../../support/world.ts'

interface ErrorBody {
  name: string
  error?: string
  details: { issue: string; description: string }[]
}

const address = '/v2/payments/captures/UNKNOWN'
const seen = 404
const silent = { out: () => {}, err: () => {} }

describe('An access token', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const newPerson = () => world.personWithApp(world.people.merchant.id, ['payments/refund'])
  /** What the commands do: change, then tell every process. */
  const change = async (work: Parameters<World['app']['transact']>[0]) => {
    await world.app.transact(work)
    world.app.forgetTokens()
  }

  it('has accounts with ids of the published form, known by their former ids too', async () => {
    for (const { id } of Object.values(world.people)) expect(id).toMatch(/^[2-9A-HJ-NP-Z]{13}$/)
    const acting = world.person('sandbox-merchant-2', { actingFor: 'MERCHANT00001' })
    const { body } = await acting.post<{ href: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: [{ name: 'A', quantity: '1', unit_amount: { currency_code: 'USD', value: '1.00' } }],
    })
    const own = await world.merchant.get(body.href.slice(body.href.indexOf('/v2')))
    expect(own.status).toBe(200)
  })

  it('opens what its scopes name', async () => {
    expect((await world.merchant.get(address)).status).toBe(seen)
  })

  it('expires after the time it was given for, real time, however far the clock of a sandbox was moved', async () => {
    const person = await newPerson()
    expect((await person.get(address)).status).toBe(seen)
    await world.pass('P30D')
    expect((await person.get(address)).status).toBe(seen)
    world.passReally(9 * 60 * 60)

    const { status, body } = await person.get<ErrorBody>(address)
    expect(status).toBe(401)
    expect(body.error).toBe('invalid_token')
  })

  it('is ended for good when its app is disabled, also when the app is enabled again', async () => {
    const person = await newPerson()
    expect((await person.get(address)).status).toBe(seen)
    await change(async (tx) => changeAppStatus(tx, person.clientId, 'DISABLED'))
    expect((await person.get(address)).status).toBe(401)
    await change(async (tx) => changeAppStatus(tx, person.clientId, 'ENABLED'))
    expect((await person.get(address)).status).toBe(401)
    person.signOut()
    expect((await person.get(address)).status).toBe(seen)
  })

  it('stops at the next request when its app is deleted', async () => {
    const person = await newPerson()
    expect((await person.get(address)).status).toBe(seen)
    await change(async (tx) => deleteApp(tx, person.clientId))
    expect((await person.get(address)).status).toBe(401)
  })

  it('is ended for good when its account is suspended, also when the suspension is lifted', async () => {
    const person = await world.personWithApp(world.people.partner.id, ['payments/refund'])
    expect((await person.get(address)).status).toBe(seen)
    const suspend = (status: 'SUSPENDED' | 'ACTIVE') =>
      change(async (tx) => {
        const account = (await findAccount(tx, world.people.partner.id))!
        saveAccount(tx, account, { ...account, status })
      })
    await suspend('SUSPENDED')
    expect((await person.get(address)).status).toBe(401)
    await suspend('ACTIVE')
    expect((await person.get(address)).status).toBe(401)
    person.signOut()
    expect((await person.get(address)).status).toBe(seen)
  })

  it('is ended with the secrets that the command line revokes, and outlives a rotation that revokes none', async () => {
    const person = await newPerson()
    const rotate = (...words: string[]) =>
      runCommand(['apps', 'rotate-secret', person.clientId, ...words], { DATABASE_URL: world.databaseUrl }, silent)
    expect((await person.get(address)).status).toBe(seen)

    expect(await rotate()).toBe(0)
    expect((await person.get(address)).status).toBe(seen)
    expect(await rotate('--revoke')).toBe(0)
    expect((await person.get(address)).status).toBe(401)
  })

  it('is born ended when its app is disabled while it is being issued', async () => {
    const person = await newPerson()
    const { database } = world.app
    const isAsked = new Promise<void>((resolve) => {
      const { commit } = database
      // The disabling comes between the look at the credentials and the commit of the token.
      database.commit = async (statement, values) => {
        if (!statement.text.includes('insert into tokens')) return commit.call(database, statement, values) as never
        database.commit = commit
        await change(async (tx) => changeAppStatus(tx, person.clientId, 'DISABLED'))
        await change(async (tx) => changeAppStatus(tx, person.clientId, 'ENABLED'))
        resolve()
        return commit.call(database, statement, values) as never
      }
    })

    expect((await person.get(address)).status).toBe(401)
    await isAsked
    person.signOut()
    expect((await person.get(address)).status).toBe(seen)
  })

  it('carries dispute scopes only when disputes are a feature of the app', async () => {
    const scopes = ['disputes/read-seller', 'payments/refund']
    const person = await world.personWithApp(world.people.merchant.id, scopes, { features: ['payments'] })
    expect((await person.get('/v1/customer/disputes')).status).not.toBe(200)
    expect((await person.get(address)).status).toBe(seen)
  })
})

describe('An assertion', () => {
  let world: World
  let partner: Person
  const scopes = ['payments/refund']
  beforeAll(async () => {
    world = await newWorld()
    partner = await world.personWithApp(world.people.partner.id, scopes)
    await world.app.transact(async (tx) => {
      grantConsent(tx, world.people.merchant.id, (await findApp(tx, partner.clientId))!.id, scopes)
    })
  })
  afterAll(() => world.close())

  const as = (value: string, header = 'service-auth-assertion') =>
    partner.get<ErrorBody>(address, { headers: { [header]: value } })
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwt = (header: object, claims: object, signature = '') => `${encode(header)}.${encode(claims)}.${signature}`
  const claims = () => ({ iss: partner.clientId, payer_id: world.people.merchant.id })

  it('makes the call run as a merchant that gave consent, under either header name', async () => {
    const payment = await world.call<{ seller_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: { currency_code: 'USD', value: '10.00' },
      seller_email: world.people.merchant.email,
    })
    const url = `/v2/payments/captures/${payment.body.seller_transaction_id}`
    const value = assertion(partner.clientId, world.people.merchant.id)

    expect((await partner.get(url)).status).toBe(404)
    expect((await partner.get(url, { headers: { 'service-auth-assertion': value } })).status).toBe(200)
    expect((await partner.get(url, { headers: { 'paypal-auth-assertion': value } })).status).toBe(200)
    const byMail = assertion(partner.clientId, world.people.merchant.email)
    expect((await partner.get(url, { headers: { 'service-auth-assertion': byMail } })).status).toBe(200)
  })

  it('may be padded and in the other base64 alphabet', async () => {
    const padded = [{ alg: 'none' }, claims()]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64'))
      .join('.')
    expect((await as(`${padded}.`)).status).toBe(seen)
  })

  it('is refused with 401 when it is signed, even with the secret of the app: nothing is kept to check that', async () => {
    const signed = jwt({ alg: 'HS256' }, claims()).slice(0, -1)
    const secret = 'a secret of this app alone, long enough to be one of ours: ' + 'x'.repeat(21)
    const signature = createHmac('sha256', secret).update(signed).digest('base64url')
    expect((await as(`${signed}.${signature}`)).status).toBe(401)
    const { rows } = await world.app.database.query('select app_secrets::text as row from app_secrets')
    const kept = [secret, createHash('sha256').update(secret).digest('hex')]
    for (const { row } of rows) for (const text of kept) expect(row).not.toContain(text)
  })

  // biome-ignore format: a table reads best as a table
  const malformed: [what: string, value: () => string][] = [
    ['text that is no JWT',                   () => 'hello'],
    ['an empty header',                       () => '..'],
    ['the name of another app',               () => jwt({ alg: 'none' }, { ...claims(), iss: 'sandbox-merchant' })],
    ['no name of an app',                     () => jwt({ alg: 'none' }, { payer_id: world.people.merchant.id })],
    ['a signature that is wrong',             () => jwt({ alg: 'HS256' }, claims(), 'AAAA')],
    ['a signature that is missing',           () => jwt({ alg: 'HS256' }, claims())],
    ['an algorithm of its own choice',        () => jwt({ alg: 'RS256', jku: 'https://example.com' }, claims(), 'AAAA')],
    ['a signature under alg none',            () => jwt({ alg: 'none' }, claims(), 'AAAA')],
    ['four parts',                            () => `${jwt({ alg: 'none' }, claims())}.x`],
    ['more than ten thousand characters',     () => jwt({ alg: 'none' }, { ...claims(), x: 'y'.repeat(9000) })],
  ]
  for (const [what, value] of malformed)
    it(`is refused with 401 when it is ${what}`, async () => {
      const { status, body } = await as(value())
      expect(status).toBe(401)
      expect(body.error).toBe('invalid_token')
    })

  it('is refused with 403 for an account that is unknown or gave no consent, with the same words', async () => {
    const unknown = await as(assertion(partner.clientId, 'NOBODY0000000'))
    const unwilling = await as(assertion(partner.clientId, world.people.otherMerchant.id))
    expect([unknown.status, unwilling.status]).toEqual([403, 403])
    expect(unknown.body.details).toEqual(unwilling.body.details)
  })

  it('stops working when the consent is taken back', async () => {
    const value = assertion(partner.clientId, world.people.merchant.id)
    expect((await as(value)).status).toBe(seen)
    await world.app.transact(async (tx) => {
      revokeConsent(tx, world.people.merchant.id, (await findApp(tx, partner.clientId))!.id)
    })
    world.app.forgetTokens()
    expect((await as(value)).status).toBe(403)
  })

  it('asks as much about an account that does not exist as about one that gave no consent', async () => {
    const stranger = await world.personWithApp(world.people.partner.id, ['payments/refund'])
    const naming = (name: string) =>
      statementsOf(
        world,
        async () => {
          const headers = { 'service-auth-assertion': assertion(stranger.clientId, name) }
          expect((await stranger.get(address, { headers })).status).toBe(403)
        },
        { lookUps: true },
      )
    await naming('nobody@example.test')

    const [byEmail, byId] = [await naming('nobody@example.test'), await naming('NOBODY0000000')]

    expect(byEmail).not.toEqual([])
    expect(byId).not.toEqual([])
    expect(await naming(world.people.merchant.email)).toEqual(byEmail)
    expect(await naming(world.people.merchant.id)).toEqual(byId)
  })

  it('needs no consent when a seeded app of the sandbox names a sandbox account', async () => {
    const { status } = await world.merchant.get(address, {
      headers: { 'service-auth-assertion': assertion('sandbox-merchant', world.people.otherMerchant.id) },
    })
    expect(status).toBe(seen)
  })
})
