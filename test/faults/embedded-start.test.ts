import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { EmbeddedServerError, startEmbedded } from '../../src/database/embedded/server.ts'
import { dataFolderOf, folderOf, install, people, Refused, startService } from '../support/installation.ts'
import { removeData } from '../support/server.ts'

const me = people[0]!
const installed = folderOf(me)
const app = join(installed, 'app')
beforeAll(() => install(app))
afterAll(() => rmSync(installed, { recursive: true }))

const settingOf = async (url: string, name: string) => {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const { rows } = await client.query(`show ${name}`)
  await client.end()
  return rows[0][name]
}

// The ordinary user comes first and finds no links, which root then makes where the user may not.
describe.each(people.toReversed())('An embedded server started by $name', (person) => {
  it('works below a folder that nobody else can enter, durably, for one service at a time', async () => {
    const closed = folderOf(person, 0o700)
    const data = dataFolderOf(person, 0o700)
    const dataDir = join(data, 'data')
    const place = person === me ? join(closed, 'app') : app
    renameSync(app, place)
    const start = () => startService(place, dataDir, person)

    const first = await start()
    expect(await settingOf(first.url, 'fsync')).toBe('on')
    expect(await settingOf(first.url, 'synchronous_commit')).toBe('on')

    const second = await start().catch((refused: Refused) => refused)
    expect(second).toBeInstanceOf(Refused)
    expect(second).toHaveProperty(
      'message',
      `Another service is running on the data in ${dataDir}: stop it first, or set QUITTANCE_DATA_DIR to another folder.`,
    )

    await first.stop()
    const third = await start()
    expect(third.adopted).toBe(false)
    // It was stopped in order, so that there was nothing to recover.
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toMatch(/not properly shut down|was interrupted/)
    await third.stop()
    renameSync(place, app)
    removeData(dataDir)
    for (const folder of [closed, data]) rmSync(folder, { recursive: true })
  })
})

describe('An embedded server with data', () => {
  const strangeName = `it's, "Ünï" $HOME:1`
  const folder = dataFolderOf(me)
  const dataDir = join(folder, strangeName)
  afterAll(() => rmSync(folder, { recursive: true }))

  it('that two services start for the first time at once is made by one, and the other refuses', async () => {
    const results = await Promise.allSettled([startService(app, dataDir, me), startService(app, dataDir, me)])

    const started = results.filter((result) => result.status === 'fulfilled')
    const refused = results.filter((result) => result.status === 'rejected')
    expect([started.length, refused.length]).toEqual([1, 1])
    expect(refused[0]?.reason).toBeInstanceOf(Refused)
    await started[0]?.value.stop()
    expect(readdirSync(dataDir).sort()).toEqual(['postgres.log', 'server'])
  })

  it('lets a command join it, which leaves it running', async () => {
    const server = await startEmbedded({ dataDir, connectionsMax: 300 })
    const joined = await startEmbedded({ dataDir, join: true })

    expect(joined).toMatchObject({ url: server.url, adopted: true })
    await joined.stop()

    expect(await settingOf(server.url, 'max_connections')).toBe('320')
    await server.stop()
  })

  it('cuts its log when it has grown', async () => {
    const log = join(dataDir, 'postgres.log')
    writeFileSync(log, 'x'.repeat(6 * 1024 * 1024))

    await (await startEmbedded({ dataDir })).stop()

    expect(readFileSync(log).length).toBeLessThan(10_000)
    expect(existsSync(`${log}.1`)).toBe(true)
  })

  it('moves to loopback with a password where its path has become too long for a socket', async () => {
    const long = join(folder, 'long'.repeat(25))
    renameSync(dataDir, long)

    const server = await startEmbedded({ dataDir: long })

    expect(server.url).toMatch(/^postgres:\/\/postgres:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/)
    expect(await settingOf(server.url, 'unix_socket_directories')).toBe('')
    await expect(settingOf(server.url.replace(/:[\w-]{32}@/, ':guessed@'), 'port')).rejects.toThrow(/password/)
    await server.stop()
    renameSync(long, dataDir)
  })

  it('says what to do when another version made the data', async () => {
    const file = join(dataDir, 'server/cluster/PG_VERSION')
    const version = readFileSync(file)
    writeFileSync(file, '11\n')

    await expect(startEmbedded({ dataDir })).rejects.toThrow(/made by PostgreSQL 11 and this version .* brings 18/)
    writeFileSync(file, version)
  })
})

describe('A first start', () => {
  let folder: string
  beforeEach(() => {
    folder = folderOf(me)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('says that it needs DATABASE_URL where the programs cannot run', async () => {
    const native = join(folder, 'package/native')
    for (const name of ['bin', 'lib', 'share']) mkdirSync(join(native, name), { recursive: true })
    writeFileSync(join(folder, 'package/package.json'), '{"version":"18.0.0"}')
    for (const [script, reason] of [
      ['#!/lib/ld-musl-missing.so.1', /ENOENT/],
      ['#!/bin/sh\necho "libicu.so: cannot open shared object file" >&2; exit 127', /libicu\.so/],
    ] as const) {
      for (const name of ['initdb', 'postgres']) writeFileSync(join(native, 'bin', name), script, { mode: 0o755 })

      const start = startEmbedded({ dataDir: join(folder, 'data'), packageFolder: join(folder, 'package') })

      await expect(start).rejects.toThrow(/does not run on this system \(.*\): set DATABASE_URL to a PostgreSQL 15/)
      await expect(start).rejects.toThrow(reason)
    }
  })

  it('says what to do when the data directory cannot be one', async () => {
    const dataDir = join(folder, 'file')
    writeFileSync(dataDir, '')

    await expect(startEmbedded({ dataDir })).rejects.toThrow(EmbeddedServerError)
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/cannot be written .* QUITTANCE_DATA_DIR/)
  })
})
