import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import type { Instant } from '../../../src/kernel/clock.ts'
import type { SecretRing } from '../../../src/kernel/secrets.ts'
import { casePath, readCaseKey } from '../../../src/payer/case/link.ts'
import { issueFormToken, readFormToken } from '../../../src/payer/page/form-token.ts'
import type { Service } from '../../../src/room.ts'
import { readSettings } from '../../../src/settings.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { resealAll } from '../../../src/webhooks/signing/reseal.ts'
import { makeSeal, requireSameSecret } from '../../../src/webhooks/signing/seal.ts'
import { json, run } from '../../support/command.ts'
import { newDatabase } from '../../support/database.ts'
import { tokenOver } from '../../support/process.ts'
import { newWorld, patient } from '../../support/world.ts'

const A = 'the secret that the service began with and that leaves'
const B = 'the secret that takes its place and is as long and random'

/** One of those that serve a database. */
interface Process {
  readonly url: string
  end(): Promise<void>
}

describe('The secret of the service', () => {
  it('is replaced on two processes of one database without an outage, and nothing needs the old one afterwards', async () => {
    const database = await newDatabase()
    const variables = (QUITTANCE_SECRET: string) => ({ DATABASE_URL: database.url, QUITTANCE_SECRET })
    const start = async (ring: string): Promise<Process> => {
      const settings = readSettings({ ...variables(ring), PORT: '0' })
      const app = await openApp({ settings, databaseUrl: database.url, log: pino({ level: 'error' }), ...patient })
      await app.listen()
      return { url: app.service.publicUrl, end: () => app.close() }
    }
    const replace = async (service: Process, ring: string): Promise<Process> => {
      await service.end()
      return start(ring)
    }
    const resealing = (ring: string) =>
      json<{ resealed: number; clients_to_renew: string[] }>(['secrets', 'reseal'], variables(ring))
    const call = async <Body>(service: Process, token: string, path: string, body?: object): Promise<Body> => {
      const answer = await fetch(`${service.url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.status, `${path} ${await answer.clone().text()}`).toBeLessThan(300)
      return (await answer.json()) as Body
    }
    const subscribe = (service: Process, token: string, name: string) =>
      call<{ id: string; signing_secret: string }>(service, token, '/v1/notifications/webhooks', {
        url: `https://receiver.example.com/${name}`,
        event_types: [{ name: '*' }],
      })
    const secretOf = async (service: Process, token: string, id: string) =>
      (await call<{ signing_secret: string }>(service, token, `/v1/notifications/webhooks/${id}`)).signing_secret

    let [one, two] = await Promise.all([start(A), start(`${A}, ${B}`)])
    const token = await tokenOver(one.url)
    const hooks = [await subscribe(one, token, 'first')]
    /** Everything that was made so far works on both: the first token, the client secret, every sealed secret. */
    const worksOnBoth = async () => {
      for (const service of [one, two]) {
        await call(service, token, '/v2/invoicing/invoices')
        expect(await tokenOver(service.url)).toBe(token)
        for (const { id, signing_secret } of hooks) expect(await secretOf(service, token, id)).toBe(signing_secret)
      }
    }
    await worksOnBoth()

    one = await replace(one, `${B}\n${A}`)
    hooks.push(await subscribe(one, token, 'second'), await subscribe(two, token, 'third'))
    const made = await tokenOver(one.url, 'sandbox-buyer')
    await worksOnBoth()
    expect(await tokenOver(two.url, 'sandbox-buyer')).toBe(made)

    two = await replace(two, `${B},${A}`)
    await worksOnBoth()
    // Signing keys and the authority behind them are made with the first delivery that falls due.
    const first = await resealing(`${B},${A}`)
    expect(first.resealed).toBeGreaterThanOrEqual(2)
    expect(first.clients_to_renew).toEqual(['sandbox-buyer', 'sandbox-merchant-2', 'sandbox-partner'])
    for (const clientId of first.clients_to_renew) await tokenOver(two.url, clientId)
    expect(await resealing(`${B},${A}`)).toEqual({ resealed: 0, clients_to_renew: [] })

    one = await replace(one, B)
    await call(one, token, '/v2/invoicing/invoices')
    for (const { id, signing_secret } of hooks) expect(await secretOf(one, token, id)).toBe(signing_secret)
    const renewed = await tokenOver(one.url)
    expect(renewed).not.toBe(token)
    await call(two, renewed, '/v2/invoicing/invoices')
    expect((await run(['start'], { ...variables(A), PORT: '0' })).stderr).toContain('QUITTANCE_SECRET is not the one')

    await Promise.all([one.end(), two.end()])
    await database.drop()
  })

  it('seals everything anew: secrets of webhooks, those they replaced, keys, the authority behind them, whom somebody was erasing', async () => {
    const world = await newWorld({ settings: { QUITTANCE_SECRET: A } })
    const { database, transact, service } = world.app
    const hook = { url: 'https://receiver.example.com/hook', event_types: [{ name: '*' }] }
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', hook)
    await world.merchant.post(`/v1/notifications/webhooks/${body.id}/rotate-secret`, {})
    await new SigningKeys(database, makeSeal([A]), service, patient.newKeyPair).current()

    const whom = makeSeal([A]).close(Buffer.from('{}'), 'stopped')
    await database.query('insert into erasures values ($1, $2, $3)', ['stopped', whom, world.now()])

    const reseal = () => resealAll(database, transact, makeSeal([B, A]))

    expect([await reseal(), await reseal()]).toEqual([5, 0])
    const { rows } = await database.query<{ owner: string; sealed: Buffer }>(
      `select id as owner, secret as sealed from webhooks union all select id, previous_secret from webhooks
       union all select id, sealed from signing_keys union all select 'authority', sealed from signing_authority
       union all select code, sealed from erasures`,
    )
    for (const { owner, sealed } of rows) expect(() => makeSeal([B]).open(sealed, owner)).not.toThrow()

    // When both are lost, what docs/operating.md removes is all that another could not open.
    const docs = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
    await database.query(/`(delete from webhooks;[^`]+)`/.exec(docs)![1]!)
    const C = 'a third secret that takes the place of the two'
    await expect(requireSameSecret(database, makeSeal([C]))).resolves.toBeUndefined()
    expect(await resealAll(database, transact, makeSeal([C]))).toBe(0)
    await world.close()
  })

  it('signs links and forms with the first, and accepts those of every other in the ring', () => {
    const serviceWith = (...secrets: SecretRing) => ({ settings: { ...readSettings({}), secrets } }) as Service
    const key = (path: string) => path.split('/').at(-1)!
    const old = key(casePath(serviceWith(A), 'PP-D-1'))
    const now = '2026-03-02T09:00:00.000Z' as Instant
    const form = { session: 'one browser', purpose: 'pay 10.00' }
    const token = issueFormToken([A, B], form, now)

    expect(readCaseKey(serviceWith(B, A), old)).toBe('PP-D-1')
    expect(readCaseKey(serviceWith(B), old)).toBeUndefined()
    expect(key(casePath(serviceWith(B, A), 'PP-D-1'))).toBe(key(casePath(serviceWith(B), 'PP-D-1')))
    expect(readFormToken([B, A], form, token.text, now)).toBe(token.nonce)
    expect(readFormToken([B], form, token.text, now)).toBeUndefined()
  })

  it('must be long, each of several', () => {
    const read = (QUITTANCE_SECRET: string) => readSettings({ QUITTANCE_SECRET }).secrets

    expect(read(A)).toEqual([A])
    expect(read(`${B} ,${A}`)).toEqual([B, A])
    expect(read(`${B}\n${A}\n`)).toEqual([B, A])
    expect(read(`${A}, once`)).toEqual([`${A}, once`])
    expect(read(`${A}, ${B}\n`)).toEqual([`${A}, ${B}`])
    for (const wrong of ['short', 'short,short', ',', '\n', `${A}\nshort`])
      expect(() => read(wrong)).toThrow('QUITTANCE_SECRET must be')
    expect(readSettings({}).secrets).toEqual(['sandbox-secret-known-to-everybody'])
  })
})
