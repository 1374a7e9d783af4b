import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { runCommand } from '../../../src/cli/run.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { assertion, newWorld, patient } from '../../support/world.ts'

describe('Secrets', () => {
  it('stand neither in the logs, nor in error bodies, nor anywhere in the database', async () => {
    const logged: string[] = []
    const log = pino(
      { level: 'trace' },
      new Writable({
        write(chunk, _encoding, done) {
          logged.push(String(chunk))
          done()
        },
      }),
    )
    const world = await newWorld({ log })
    const secret = 'a secret of this app alone, long enough to be one of ours: '
    const person = await world.personWithApp(world.people.merchant.id, ['payments/refund'])
    const bodies: string[] = []
    const keep = async (answer: Promise<{ text: string }>) => void bodies.push((await answer).text)

    await keep(person.get('/v2/payments/captures/UNKNOWN'))
    await keep(
      person.post(
        '/v2/payments/captures/UNKNOWN/refund',
        { amount: 'wrong' },
        { headers: { 'service-request-id': 'secrets' } },
      ),
    )
    await keep(
      person.get('/v2/payments/captures/UNKNOWN', {
        headers: { 'service-auth-assertion': assertion(person.clientId, 'NOBODY') },
      }),
    )
    await keep(person.get('/v1/customer/disputes'))
    const token = await world.tokenFor('sandbox-merchant')
    await keep(
      world.call('GET', '/v2/payments/captures/X', undefined, { headers: { authorization: `Bearer ${token}x` } }),
    )
    await expect(world.tokenFor(person.clientId, `${secret} but wrong`)).rejects.toThrow('invalid_client')

    const { rows: tables } = await world.app.database.query(
      "select tablename from pg_tables where schemaname = 'public'",
    )
    const stored: string[] = []
    for (const { tablename } of tables) {
      const { rows } = await world.app.database.query(`select t::text as row from ${tablename} t`)
      stored.push(...rows.map(({ row }) => row))
    }
    expect(logged.length).toBeGreaterThan(0)
    expect(stored.length).toBeGreaterThan(10)
    for (const place of [logged, bodies, stored])
      for (const canary of [token, token.slice(5, 60), secret])
        expect(place.filter((text) => text.includes(canary))).toEqual([])
    await world.close()
  })

  it('that another QUITTANCE_SECRET sealed keep the service from starting and commands from making others', async () => {
    const world = await newWorld()
    const { query } = world.app.database
    const running = async (...words: string[]) => {
      const said: string[] = []
      const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) }
      const variables = { DATABASE_URL: world.databaseUrl, PORT: '0', QUITTANCE_SECRET: 'x'.repeat(32) }
      return [await runCommand(words, variables, output), said.join('')]
    }
    const refusal = [2, expect.stringMatching(/^quittance: QUITTANCE_SECRET is not the one .+\n$/)]
    const webhook = { url: 'https://receiver.example.com/hook', event_types: [{ name: '*' }] }
    // Nothing is sealed yet: the secrets of clients tell.
    expect(await running('start')).toEqual(refusal)
    expect((await world.merchant.post('/v1/notifications/webhooks', webhook)).status).toBe(201)

    expect(await running('start')).toEqual(refusal)
    // The key of the first delivery, which outlives every webhook.
    await new SigningKeys(
      world.app.database,
      makeSeal(world.app.service.settings.secrets!),
      world.app.service,
      patient.newKeyPair,
    ).current()
    await query('delete from webhooks')
    for (const command of ['start', 'serve', 'work']) expect(await running(command)).toEqual(refusal)
    expect(await running('apps', 'create', world.people.merchant.id)).toEqual(refusal)
    expect(await running('apps', 'rotate-secret', world.merchant.clientId)).toEqual(refusal)

    await query('delete from signing_keys')
    expect(await running('serve')).toEqual(refusal)
    await query('delete from app_secrets')
    const next = await openApp({
      settings: { ...world.app.service.settings, secrets: ['x'.repeat(32)] },
      databaseUrl: world.databaseUrl,
      log: pino({ level: 'silent' }),
    })
    await next.close()
    await world.close()
  })
})
