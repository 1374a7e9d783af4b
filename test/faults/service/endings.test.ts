import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
import { live } from '../../support/live.ts'
import { commandLine, type RunningService, startProgram, startService } from '../../support/process.ts'

/** What a service says that cannot answer in time, of all that may keep it from answering. */
const tooMuchWork = 'The service has more work than it can do in time'

// Most of it is waiting, for graces to pass and processes to end: all of it waits together.
describe.concurrent('A service that is told to stop', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database.drop())
  const start = (graceSeconds: number): Promise<RunningService> =>
    startService({ DATABASE_URL: database.url, SHUTDOWN_GRACE_SECONDS: String(graceSeconds) })

  it('fails no request of clients that ask whether it is ready, and answers for all of its grace, whoever is gone that read its lines', async ({
    expect,
  }) => {
    // Longer than what comes after may take.
    const graceMs = 16_000
    const service = await start(graceMs / 1000)
    service.output.destroy()
    const outcomes: (number | string)[] = []
    let isReady = true
    const ask = async (): Promise<number | string> => {
      const answer = await fetch(`${service.url}/sandbox/clock`)
      const text = await answer.text()
      return answer.status === 503 && text.includes(tooMuchWork) ? 'too much work' : answer.status
    }
    const clients = Array.from({ length: 8 }, async () => {
      while (isReady) outcomes.push(await ask().catch((error) => String(error.cause?.code)))
    })
    await expect.poll(() => outcomes.length).toBeGreaterThan(100)

    const began = performance.now()
    // An interrupt that comes twice at once is no impatience.
    process.kill(service.pid, 'SIGINT')
    const ended = service.end('SIGINT').then((code) => ({ code, afterMs: performance.now() - began }))
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
    // A machine that is very busy may have the service refuse, which has nothing to do with its end.
    expect(outcomes.filter((outcome) => outcome !== 200 && outcome !== 'too much work')).toEqual([])
    expect(outcomes).toContain(200)
    const { code, afterMs } = await ended
    expect(code).toBe(0)
    expect(afterMs).toBeGreaterThan(graceMs)
  })

  it('in live ends with npx, which tells it nothing', async ({ expect }) => {
    const own = await newDatabase()
    const [program, words] = commandLine(['start'])
    const variables = { ...live, DATABASE_URL: own.url, SHUTDOWN_GRACE_SECONDS: '0', npm_command: 'exec' }
    // As npx does it: by a shell, which is what it ends.
    const service = await startProgram(['sh', ['-c', '"$@" & wait', 'npx', program, ...words]], variables)

    // Whoever runs it hears that customers will not get there.
    await expect.poll(() => service.said()).toContain(`PUBLIC_URL is not set: links in mails, answers and certificates`)
    await service.end('SIGTERM')

    await expect.poll(() => service.said()).toContain('"reason":"parent gone"')
    const isOver = () =>
      fetch(`${service.url}/healthz`).then(
        () => false,
        () => true,
      )
    await expect.poll(isOver).toBe(true)
    await own.drop()
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

  it('does not wait for a connection on which nothing was asked, as browsers and balancers open them', async ({
    expect,
  }) => {
    const service = await start(0)
    const { port, hostname } = new URL(service.url)
    const silent = connect(Number(port), hostname).on('error', () => {})
    await once(silent, 'connect')
    await fetch(`${service.url}/healthz`)

    expect(await service.end('SIGTERM')).toBe(0)
    expect(service.said()).not.toContain('could not be finished')
  })

  it('ends a command with what started it, and the sandbox that it started, as with npx', async ({ expect }) => {
    const own = await newDatabase()
    const [program, words] = commandLine(['listen', '--port', '0', '--database-url', own.url])
    // As npx does it: by a shell, which is what it ends.
    const npx = spawn('sh', ['-c', '"$@" & wait', 'npx', program, ...words])
    const closed = once(npx, 'close')
    let said = ''
    for (const stream of [npx.stdout, npx.stderr]) stream.on('data', (text: Buffer) => (said += text))
    await expect.poll(() => said).toContain('Ctrl-C ends it.')

    npx.kill('SIGTERM')

    // Its output is closed when the command has ended as well: it has the same.
    await closed
    await own.drop()
  })

  it('ends also when whoever reads its lines no longer reads', async ({ expect }) => {
    const deaf = await start(0)
    deaf.output.pause()
    // More lines than a pipe and whoever reads it hold together: some three hundred.
    for (let i = 0; i < 28; i++)
      await Promise.all(Array.from({ length: 16 }, () => fetch(`${deaf.url}/v2/${'x'.repeat(200)}`)))

    expect(await deaf.end('SIGTERM')).toBe(0)
  })

  it('says of a fork that it could not drop what becomes of it, and nothing of its settings', async ({ expect }) => {
    const own = await newDatabase({ stopped: true })
    const proxy = await FaultyProxy.before(own.url)
    const service = await startService({ DATABASE_URL: proxy.url(own.url), SHUTDOWN_GRACE_SECONDS: '0' })
    const ask = () => fetch(`${service.url}/sandbox/forks`, { method: 'POST' })
    let fork = await ask()
    for (let again = 0; fork.status === 503 && again < 20; again++) fork = await ask()
    const { name, ...rest } = (await fork.json()) as { name: string }
    expect(fork.status, JSON.stringify(rest)).toBe(201)

    proxy.set('closes')
    const code = await service.end('SIGTERM')

    expect(code).toBe(1)
    expect(service.said()).toMatch(
      new RegExp(`quittance: .* could not drop the database of its fork ${name} \\(.*: it goes `),
    )
    expect(service.said()).not.toContain('DATABASE_URL')
    proxy.close()
    await own.drop()
  })
})
