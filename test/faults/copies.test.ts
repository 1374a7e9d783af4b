import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { connectionSettings } from '../../src/database/address.ts'
import { Copies } from '../../src/database/copies.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { readSettings } from '../../src/settings.ts'
import { FaultyProxy } from '../support/faulty-proxy.ts'
import { times } from '../support/size.ts'
import { newWorld, patient, type World } from '../support/world.ts'

describe('Copies of a sandbox that has a second process', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
  })
  afterAll(() => world.close())

  it('are made while that is back as soon as it is cut off', async () => {
    const back: pg.Client[] = []
    let proxy: FaultyProxy
    const through = async (url: string) => {
      proxy = await FaultyProxy.before(url, async (bytes) => {
        if (!/(create|alter) database/.test(bytes.toString('latin1'))) return
        const client = new pg.Client(connectionSettings(url))
        client.on('error', () => {})
        back.push(client)
        // It may be cut off again before it is there.
        await client.connect().catch(() => {})
      })
      return { databaseUrl: proxy.url(url) }
    }
    const { call, close } = await newWorld({ isOwn: true, through })

    expect(await call('POST', '/sandbox/snapshots', { name: 'busy' })).toMatchObject({ status: 201 })
    expect(await call('POST', '/sandbox/snapshots/busy/load')).toMatchObject({ status: 200 })
    const fork = await call<{ name: string }>('POST', '/sandbox/forks')

    expect(fork).toMatchObject({ status: 201 })
    expect(back.length).toBeGreaterThan(3)
    expect((await call('DELETE', `/sandbox/forks/${fork.body.name}`)).status).toBe(204)
    for (const client of back) await client.end()
    await close()
    proxy!.close()
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
