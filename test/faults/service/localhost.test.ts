import { once } from 'node:events'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { readSettings } from '../../../src/settings.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { patient } from '../../support/world.ts'

/** What stands for the second address of this machine; only Linux has it without being told. */
const second = '127.0.0.2'

/** Has the name stand for two addresses, whatever this machine says of it. Gives what takes that back. */
function localhostIs(addresses: readonly string[]): () => void {
  const found = addresses.map((address) => ({ address, family: 4 }))
  const [callbacks, promises] = ['node:dns', 'node:dns/promises'].map(createRequire(import.meta.url))
  const original = { lookup: callbacks.lookup, promised: promises.lookup }
  callbacks.lookup = (name: string, ...given: [...({ all?: boolean } | number)[], (...found: unknown[]) => void]) => {
    const done = given.at(-1) as (...found: unknown[]) => void
    const [options] = given
    if (name !== 'localhost') original.lookup(name, ...given)
    else if (typeof options === 'object' && options.all) done(null, found)
    else done(null, found[0]!.address, 4)
  }
  promises.lookup = async (name: string, options: object) =>
    name === 'localhost' ? found : original.promised(name, options)
  syncBuiltinESMExports()
  return () => {
    callbacks.lookup = original.lookup
    promises.lookup = original.promised
    syncBuiltinESMExports()
  }
}

describe.skipIf(process.platform !== 'linux')('A service at localhost, which is two addresses', () => {
  let takeBack: () => void
  let database: TestDatabase
  let app: App
  let port: number
  beforeEach(async () => {
    takeBack = localhostIs(['127.0.0.1', second])
    database = await newDatabase({ stopped: true })
    const settings = readSettings({ HOST: 'localhost', PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE_SECONDS: '0' })
    app = await openApp({ settings, databaseUrl: database.url, log: pino({ level: 'silent' }), ...patient })
    port = Number(new URL(await app.listen()).port)
  })
  afterEach(async () => {
    await database.drop()
    takeBack()
  })
  const connected = async (): Promise<Socket> => {
    const socket = connect(port, second).on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  it('answers alike at both, also what is no request at all', async () => {
    const answers = ['127.0.0.1', second].map(async (host) => {
      const socket = connect(port, host)
      socket.end('GET / HTTP/1.1\r\nno header\r\n\r\n')
      return (await text(socket)).replaceAll(/"debug_id":"[^"]*"|(date|service-debug-id): .*/gi, '')
    })

    const [one, other] = await Promise.all(answers)
    expect(one).toContain('INVALID_REQUEST')
    expect(other).toBe(one)
    await app.close()
  })

  it('finishes what is under way at the second, and leaves no connection open on which nothing was asked', async () => {
    const silent = await connected()
    const isGone = once(silent.resume(), 'close')
    const busy = await connected()
    const form = 'grant_type=client_credentials&client_id=sandbox-merchant&client_secret=sandbox-merchant-secret'
    const head = `POST /v1/oauth2/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${form.length}\r\n`
    busy.write(`${head}content-type: application/x-www-form-urlencoded\r\n\r\n${form.slice(0, 10)}`)
    await fetch(`http://${second}:${port}/healthz`)

    const closed = app.close()
    expect(await Promise.race([closed.then(() => 'closed'), pause(500)])).toBeUndefined()
    busy.write(form.slice(10))

    expect(await text(busy)).toMatch(/^HTTP\/1\.1 200 /)
    await closed
    await isGone
  })
})
