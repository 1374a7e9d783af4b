import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EmbeddedServerError, startEmbedded } from '../../src/database/embedded/server.ts'
import { dataFolderOf, folderOf, install, people, Refused, settingOf, startService } from '../support/installation.ts'
import { removeData } from '../support/own-server.ts'

const me = people[0]!
const installed = folderOf(me)
const app = join(installed, 'app')
beforeAll(() => install(app))
afterAll(() => rmSync(installed, { recursive: true }))

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
