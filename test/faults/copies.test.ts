import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { connectionSettings } from '../../src/database/address.ts'
import { Copies } from '../../src/database/copies.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { readSettings } from '../../src/settings.ts'
import { times } from '../support/size.ts'
import { newWorld, patient, type World } from '../support/world.ts'

const CONNECTIONS = 30

/** As many connections as a busy process has, each of which is back at once when it is cut off. */
function keepConnecting(url: string) {
  let isOver = false
  const comeBack = async () => {
    while (!isOver) {
      const client = new pg.Client(connectionSettings(url))
      const isGone = new Promise((resolve) => client.once('error', resolve).once('end', resolve))
      await client.connect().then(
        () => isGone,
        () => {},
      )
      await client.end().catch(() => {})
    }
  }
  const all = Array.from({ length: CONNECTIONS }, comeBack)
  return {
    stop() {
      isOver = true
      return all
    },
  }
}

describe('Copies of a sandbox that has a second process', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
  })
  afterAll(() => world.close())

  it('are made while that is back as soon as it is cut off', async () => {
    const busy = keepConnecting(world.databaseUrl)
    const saved = await world.call('POST', '/sandbox/snapshots', { name: 'busy' })
    const loaded = await world.call('POST', '/sandbox/snapshots/busy/load')
    const fork = await world.call<{ name: string }>('POST', '/sandbox/forks')
    const all = busy.stop()
    await world.app.database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await Promise.all(all)

    expect([saved.status, loaded.status, fork.status], saved.text + loaded.text + fork.text).toEqual([201, 200, 201])
    expect((await world.call('DELETE', `/sandbox/forks/${fork.body.name}`)).status).toBe(204)
  })

  it('are left behind when nobody holds them any more', async () => {
    const ours = new Copies(world.databaseUrl)
    const release = await ours.hold('held_one')
    await ours.fork('held_one')
    const tidied = async () => {
      await new Copies(world.databaseUrl).tidy('held_')
      return (await ours.list()).map(({ name }) => name).filter((name) => name.startsWith('held_'))
    }

    expect(await tidied()).toEqual(['held_one'])
    await release()
    await expect.poll(tidied).toEqual([])
  })

  it('are not taken for left behind by the other before anybody is connected to them', async () => {
    const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
    const parts = { settings, databaseUrl: world.databaseUrl, log: pino({ level: 'silent' }), ids: randomIds }
    const second = await openApp({ ...patient, ...parts })
    /** Whoever is copying cuts the other off, which then may ask its caller to come back. */
    const fork = async ({ server }: App) => {
      const ask = () => server.inject({ method: 'POST', url: '/sandbox/forks' })
      let made = await ask()
      for (let again = 0; made.statusCode === 503 && again < 20; again++) made = await ask()
      return made
    }
    for (let round = 0; round < times(4, 20); round++) {
      const made = await Promise.all([world.app, second].map(fork))
      expect(
        made.map(({ statusCode }) => statusCode),
        made.map(({ body }) => body).join(),
      ).toEqual([201, 201])
      for (const [i, app] of [world.app, second].entries()) {
        const { name, url } = made[i]!.json<{ name: string; url: string }>()
        expect((await fetch(`${url}/readyz`)).status).toBe(200)
        const ended = await app.server.inject({ method: 'DELETE', url: `/sandbox/forks/${name}` })
        expect(ended.statusCode).toBe(204)
      }
    }
    await second.close()
  })
})
