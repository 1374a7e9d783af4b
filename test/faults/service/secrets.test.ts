import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { assertion, newWorld } from '../../support/world.ts'

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

    const { rows: tables } = await world.app.database.pool.query(
      "select tablename from pg_tables where schemaname = 'public'",
    )
    const stored: string[] = []
    for (const { tablename } of tables) {
      const { rows } = await world.app.database.pool.query(`select t::text as row from ${tablename} t`)
      stored.push(...rows.map(({ row }) => row))
    }
    expect(logged.length).toBeGreaterThan(0)
    expect(stored.length).toBeGreaterThan(10)
    for (const place of [logged, bodies, stored])
      for (const canary of [token, token.slice(5, 60), secret])
        expect(place.filter((text) => text.includes(canary))).toEqual([])
    await world.close()
  })
})
