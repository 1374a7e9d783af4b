import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { runCommand } from '../../../src/cli/run.ts'
import { people, seedPeople } from '../../../src/sandbox/people.ts'
import { readSettings } from '../../../src/settings.ts'
import { newDatabase } from '../../support/database.ts'
import { live, newLiveWorld } from '../../support/live.ts'
import { assertion, newWorld, patient, type World } from '../../support/world.ts'

const quiet = pino({ level: 'silent' })

/** Runs a command as the program does, and gives its exit code with what it complains of. */
async function run(words: readonly string[], variables: Record<string, string>) {
  const stderr: string[] = []
  const output = { out: () => {}, err: (text: string) => void stderr.push(text) }
  return { code: await runCommand(words, { PORT: '0', ...variables }, output), stderr: stderr.join('') }
}

describe('A database', () => {
  it('of a live service takes no sandbox, nor its commands, and loses nothing', async () => {
    const world = await newLiveWorld()
    const { rows: before } = await world.app.database.query('select id from accounts order by id')

    // What ends by itself goes first: the others would go on for ever if nobody refused.
    for (const words of [['accounts', 'list'], ['start'], ['work']]) {
      const { code, stderr } = await run(words, { DATABASE_URL: world.databaseUrl })
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^quittance: This database belongs to a live .+\n$/)])
    }

    expect((await world.app.database.query('select id from accounts order by id')).rows).toEqual(before)
    await world.close()
  })

  it('of a sandbox takes no live service, also after a reset', async () => {
    const world = await newWorld()
    await world.call('POST', '/sandbox/reset')

    const { code, stderr } = await run(['start'], { DATABASE_URL: world.databaseUrl, ...live })

    expect([code, stderr]).toEqual([2, expect.stringMatching(/^quittance: This database was made for a sandbox.+\n$/)])
    await world.close()
  })

  it('is of one environment when two services of both start on it at once', async () => {
    const { url, drop } = await newDatabase()
    const started = await Promise.allSettled(
      [{}, live, {}, live].map((variables) =>
        openApp({ settings: readSettings({ PORT: '0', ...variables }), databaseUrl: url, log: quiet, ...patient }),
      ),
    )
    const kinds = started.flatMap((one) => (one.status === 'fulfilled' ? one.value.service.environment : []))

    expect(kinds).toHaveLength(2)
    expect(new Set(kinds).size).toBe(1)
    for (const one of started) if (one.status === 'fulfilled') await one.value.close()
    await drop()
  })
})

describe('Seeded apps in a live database', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: live })
    await seedPeople(() => world.app.transact, world.app.service)
  })
  afterAll(() => world.close())

  it('get no token for the secrets everybody knows', async () => {
    for (const client of ['sandbox-merchant', 'sandbox-buyer', 'sandbox-partner'])
      await expect(world.tokenFor(client)).rejects.toThrow('invalid_client')
  })

  it('are no apps there, whatever token or assertion they bring', async () => {
    const other = await world.personWithApp(people.merchant.id, ['payments/refund'])
    await world.app.database.query('update apps set sandbox = true where client_id = $1', [other.clientId])
    await expect(other.get('/v2/payments/captures/X')).rejects.toThrow('invalid_client')
    other.signOut()

    await world.app.database.query('update apps set sandbox = false where client_id = $1', [other.clientId])
    expect((await other.get('/v2/payments/captures/X')).status).toBe(404)
    await world.app.database.query('update apps set sandbox = true where client_id = $1', [other.clientId])
    world.app.forgetTokens()
    expect((await other.get('/v2/payments/captures/X')).status).toBe(401)
    const named = { headers: { 'service-auth-assertion': assertion(other.clientId, people.otherMerchant.id) } }
    expect((await other.get('/v2/payments/captures/X', named)).status).toBe(401)
  })
})

describe('The secret of a live service', () => {
  const guessable: [what: string, secret: string][] = [
    ['that of every sandbox', 'sandbox-secret-known-to-everybody'],
    ['one character over and over', 'x'.repeat(40)],
    ['few characters', 'abcabcaabbccabcabcaabbccabcabcaabbcc'],
    ['a word over and over', 'correct horse '.repeat(3)],
    ['digits in turn', '0123456789'.repeat(4)],
    ['the alphabet and the digits', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['runs that go down', 'zyxwvutsrqponmlkjihgfedcba-9876543210'],
  ]
  for (const [what, secret] of guessable)
    it(`must not be ${what}`, async () => {
      const { code, stderr } = await run(['start'], { ...live, QUITTANCE_SECRET: secret })
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^quittance: QUITTANCE_SECRET must be .+cannot be guessed.+\n$/),
      ])
    })

  it('may be anything random, in hexadecimal digits too', () => {
    for (const secret of ['9f86d081884c7d659a2feaa0c55ad015', 'Kz8vQ0r3n1p5w7y9B2d4f6h8J0k2m4P6'])
      expect(readSettings({ ...live, QUITTANCE_SECRET: secret }).secrets).toEqual([secret])
  })
})
