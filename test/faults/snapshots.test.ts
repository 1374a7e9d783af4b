import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { connectionSettings, inDatabase } from '../../src/database/address.ts'
import { Receiver } from '../support/receiver.ts'
import { newWorld } from '../support/world.ts'

/** Connects to every database of the server as soon as it is there, as some monitors do, and stays. */
async function watchAll(url: string) {
  const connect = async (database: string) => {
    const client = new pg.Client(connectionSettings(inDatabase(url, database)))
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const server = await connect('postgres')
  const seen = new Map<string, Promise<pg.Client | undefined>>()
  let isOver = false
  const copies = "select datname from pg_database where datname like 'quittance_copy_%'"
  const watching = (async () => {
    while (!isOver)
      for (const { datname } of (await server.query<{ datname: string }>(copies)).rows)
        if (!seen.has(datname))
          seen.set(
            datname,
            connect(datname).catch(() => undefined),
          )
  })()
  return {
    async stop() {
      isOver = true
      await watching
      for (const client of await Promise.all(seen.values())) await client?.end()
      await server.end()
    },
  }
}

describe('A snapshot', () => {
  it('is loaded and written over while somebody looks into every database of the server', async () => {
    const world = await newWorld({ isOwn: true })
    const invoices = async () =>
      (await world.merchant.get<{ items: { id: string }[] }>('/v2/invoicing/invoices')).body.items.length
    const add = () => world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await add()
    const watcher = await watchAll(world.databaseUrl)

    for (let round = 1; round <= 3; round++) {
      expect((await world.call('POST', '/sandbox/snapshots', { name: 'watched' })).status).toBe(201)
      await add()
      expect((await world.call('POST', '/sandbox/snapshots/watched/load')).status).toBe(200)
      expect(await invoices()).toBe(1)
    }
    await watcher.stop()
    await world.close()
  })

  it('that cannot be loaded whole leaves the keys that sign', async () => {
    const world = await newWorld({ isOwn: true })
    const { database } = world.app
    const keys = async () => (await database.query('select id from signing_keys')).rows
    const receiver = await Receiver.open()
    const types = [{ name: 'INVOICING.INVOICE.CREATED' }]
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: types })
    await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.settle()
    const before = await keys()
    expect(before).toHaveLength(1)
    await database.query(`create function no_keys() returns trigger language plpgsql as $$ begin raise 'lost'; end $$;
      create trigger no_keys before insert on signing_keys for each row execute function no_keys()`)
    await world.call('POST', '/sandbox/snapshots', { name: 'keys' })

    expect((await world.call('POST', '/sandbox/snapshots/keys/load')).status).toBe(500)

    expect(await keys()).toEqual(before)
    await database.query('drop function no_keys cascade')
    expect((await world.call('POST', '/sandbox/snapshots', { name: 'keys' })).status).toBe(201)
    expect((await world.call('POST', '/sandbox/snapshots/keys/load')).status).toBe(200)
    expect(await keys()).toEqual(before)
    await receiver.close()
    await world.close()
  })
})
