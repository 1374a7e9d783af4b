import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, type ExpectStatic, it } from 'vitest'
import { findHome } from '../../../src/database/embedded/folders.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import {
  commandLine,
  isAlive,
  type RunningService,
  runCommand,
  startProgram,
  startService,
  temporaryFolder,
  tokenOver,
} from '../../support/process.ts'

/** Comes back when nothing listens there any more. */
const refusesConnections = (expect: ExpectStatic, url: string) =>
  expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        () => 'answers',
        (error) => error.cause?.code,
      ),
    )
    .toBe('ECONNREFUSED')

const isGone = (expect: ExpectStatic, pid: number) => expect.poll(() => isAlive(pid)).toBe(false)

// Most of it is waiting, for graces to pass and processes to end: both halves, and all of the second, wait together.
describe.concurrent('A sandbox with a PostgreSQL of its own', () => {
  const folder = temporaryFolder()
  const variables = { QUITTANCE_DATA_DIR: folder.path }
  const serverFile = () => join(findHome(folder.path)!, 'server/cluster/postmaster.pid')
  const serverPid = () => Number(readFileSync(serverFile(), 'utf8').split('\n')[0])
  afterAll(() => folder.remove())

  it.sequential('ends with npm, which somebody told to end', async ({ expect }) => {
    const npm = await startProgram(['npm', ['start']], variables)
    const postgres = serverPid()

    await npm.end('SIGTERM')

    await refusesConnections(expect, npm.url)
    await isGone(expect, postgres)
  })

  it.sequential('takes its PostgreSQL along when it is killed, and starts again', async ({ expect }) => {
    const killed = await startService(variables)
    const postgres = serverPid()

    await killed.end('SIGKILL')

    await isGone(expect, postgres)
  })

  it.sequential('ends with the test runner that started it and was killed', async ({ expect }) => {
    const runner = `require('node:child_process').spawn(...JSON.parse(process.argv[1]), { stdio: ['ignore', 1, 2] })`
    const started = await startProgram(
      [process.execPath, ['-e', runner, JSON.stringify(commandLine(['start']))]],
      variables,
    )
    const postgres = serverPid()
    // Something that its secret seals.
    const headers = { authorization: `Bearer ${await tokenOver(started.url)}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ url: 'https://receiver.test/hook', event_types: [{ name: '*' }] })
    const made = await fetch(`${started.url}/v1/notifications/webhooks`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)

    await started.end('SIGKILL')

    await refusesConnections(expect, started.url)
    await isGone(expect, postgres)
  })

  it.sequential('leaves no PostgreSQL running when it finds that it cannot start on its data', async ({ expect }) => {
    const started: number[] = []
    const looking = setInterval(() => {
      if (existsSync(serverFile())) started.push(serverPid())
    }, 5)
    const secret = 'another secret than the sandbox of this test has'

    const refused = await runCommand(['start'], { ...variables, QUITTANCE_SECRET: secret, PORT: '0' })
    clearInterval(looking)

    expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringMatching(/is not the one/)])
    expect(started.length).toBeGreaterThan(0)
    for (const pid of new Set(started)) await isGone(expect, pid)
    expect(existsSync(serverFile())).toBe(false)
  })
})

describe.concurrent('A service that is told to stop', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database.drop())
  const start = (graceSeconds: number): Promise<RunningService> =>
    startService({ DATABASE_URL: database.url, SHUTDOWN_GRACE_SECONDS: String(graceSeconds) })

  it('fails no request of clients that ask whether it is ready, and answers for all of its grace', async ({
    expect,
  }) => {
    // Longer than what comes after may take.
    const graceMs = 16_000
    const service = await start(graceMs / 1000)
    const outcomes: (number | string)[] = []
    let isReady = true
    const clients = Array.from({ length: 8 }, async () => {
      while (isReady)
        outcomes.push(
          await fetch(`${service.url}/sandbox/clock`).then(
            (answer) => answer.arrayBuffer().then(() => answer.status),
            (error) => String(error.cause?.code),
          ),
        )
    })
    await expect.poll(() => outcomes.length).toBeGreaterThan(100)

    const began = performance.now()
    const ended = service.end('SIGTERM').then((code) => ({ code, afterMs: performance.now() - began }))
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(503)
    const last = await fetch(`${service.url}/sandbox/clock`)
    isReady = false
    await Promise.all(clients)
    // Half of it, so that a machine that stands still for a while does not ask too late.
    while (performance.now() - began < graceMs / 2) {
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
      await pause(250)
    }

    expect(last.headers.get('connection')).toBe('close')
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([])
    const { code, afterMs } = await ended
    expect(code).toBe(0)
    expect(afterMs).toBeGreaterThan(graceMs)
  })

  it('waits fifteen seconds after its grace for a request that never ends, and then goes', async ({ expect }) => {
    const service = await start(0)
    const { port, hostname } = new URL(service.url)
    const client = connect(Number(port), hostname).on('error', () => {})
    const head = 'POST /v1/oauth2/token HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n'
    await new Promise<void>((resolve) =>
      client.write(`${head}content-type: application/x-www-form-urlencoded\r\n\r\ng`, () => resolve()),
    )
    await fetch(`${service.url}/healthz`)
    const began = performance.now()

    const code = await service.end('SIGTERM')

    expect(performance.now() - began).toBeGreaterThan(15_000)
    expect(code).toBe(1)
    expect(service.said()).toContain('what was under way could not be finished in time')
    client.destroy()
  })

  it('ends also when whoever reads its lines is gone, or no longer reads', async ({ expect }) => {
    const [left, deaf] = await Promise.all([start(0), start(0)])
    left.output.destroy()
    deaf.output.pause()
    // More lines than a pipe and whoever reads it hold together: some three hundred.
    for (let i = 0; i < 40; i++)
      await Promise.all(Array.from({ length: 16 }, () => fetch(`${deaf.url}/v2/${'x'.repeat(200)}`)))

    expect(await Promise.all([left.end('SIGTERM'), deaf.end('SIGTERM')])).toEqual([0, 0])
  })

  it('does not take an interrupt that comes twice at once for impatience', async ({ expect }) => {
    const service = await start(1)

    process.kill(service.pid, 'SIGINT')
    expect(await service.end('SIGINT')).toBe(0)
  })
})
