import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findHome } from '../../../src/database/embedded/folders.ts'
import { fillHome } from '../../support/cluster.ts'
import { run } from '../../support/command.ts'
import {
  commandLine,
  isAlive,
  type RunningService,
  startProgram,
  startService,
  temporaryFolder,
  tokenOver,
} from '../../support/process.ts'
import { times } from '../../support/size.ts'

const KILLS = times(1, 3)

describe('A service in a process of its own, on its own data directory', () => {
  const folder = temporaryFolder()
  const variables = { QUITTANCE_DATA_DIR: folder.path }
  let service: RunningService
  const acknowledged: string[] = []
  beforeAll(async () => {
    await fillHome(folder.path)
    service = await startService(variables)
  })
  afterAll(async () => {
    await service.end('SIGTERM')
    folder.remove()
  })

  const serverFile = () => join(findHome(folder.path)!, 'server/cluster/postmaster.pid')
  const serverPid = () => Number(readFileSync(serverFile(), 'utf8').split('\n')[0])
  const isGone = (pid: number) => expect.poll(() => isAlive(pid)).toBe(false)
  /** Comes back when nothing listens there any more. */
  const refusesConnections = (url: string) =>
    expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          () => 'answers',
          (error) => error.cause?.code,
        ),
      )
      .toBe('ECONNREFUSED')

  const pay = async (url: string, value: string) => {
    const response = await fetch(`${url}/sandbox/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: { currency_code: 'USD', value } }),
    })
    return ((await response.json()) as { seller_transaction_id: string }).seller_transaction_id
  }

  it('refuses a second start on the same directory with one clear sentence', async () => {
    const { code, stderr } = await run(['start'], { ...variables, PORT: '0' })

    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/^quittance: /)
  })

  it('answers its first example with a token and a page of results', async () => {
    const token = await tokenOver(service.url)
    const response = await fetch(`${service.url}/v2/invoicing/invoices`, {
      headers: { authorization: `Bearer ${token}` },
    })

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ items: [] })
  })

  it('may be killed at any moment, and takes its PostgreSQL along', async () => {
    // Something that its secret seals.
    const headers = { authorization: `Bearer ${await tokenOver(service.url)}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ url: 'https://receiver.test/hook', event_types: [{ name: '*' }] })
    const made = await fetch(`${service.url}/v1/notifications/webhooks`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)

    for (let round = 0; round < KILLS; round++) {
      if (round > 0) service = await startService(variables)
      const { url } = service
      let killed = false
      const writers = Array.from({ length: 4 }, async () => {
        while (!killed) {
          const id = await pay(url, '1.00').catch(() => undefined)
          if (id !== undefined) acknowledged.push(id)
        }
      })
      const enough = acknowledged.length + 10 + round * 7
      await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(enough)
      const postgres = serverPid()
      await service.end('SIGKILL')
      killed = true
      await Promise.all(writers)
      await isGone(postgres)
    }
  })

  it('leaves no PostgreSQL running when it finds that it cannot start on its data', async () => {
    const started: number[] = []
    const looking = setInterval(() => {
      if (existsSync(serverFile())) started.push(serverPid())
    }, 5)
    const secret = 'another secret than the sandbox of this test has'

    const refused = await run(['start'], { ...variables, QUITTANCE_SECRET: secret, PORT: '0' })
    clearInterval(looking)

    expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringMatching(/is not the one/)])
    expect(started.length).toBeGreaterThan(0)
    for (const pid of new Set(started)) await isGone(pid)
    expect(existsSync(serverFile())).toBe(false)
  })

  it('has every acknowledged write after that, started by a test runner', async () => {
    // As one does it that is a shell.
    const [program, words] = commandLine(['start'])
    service = await startProgram(['sh', ['-c', '"$@" & wait', 'runner', program, ...words]], variables)

    const token = await tokenOver(service.url)
    const found = await Promise.all(
      acknowledged.map(async (id) => {
        const response = await fetch(`${service.url}/v2/payments/captures/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        return response.status
      }),
    )
    expect(found.filter((status) => status !== 200)).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(KILLS * 10)
  })

  it('ends in order with that runner when it is killed: what was accepted is answered, and PostgreSQL goes along', async () => {
    const postgres = serverPid()
    const { port, hostname, host } = new URL(service.url)
    const client = connect(Number(port), hostname)
    const body = JSON.stringify({ amount: { currency_code: 'USD', value: '2.00' } })
    const head = `POST /sandbox/transactions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`
    client.write(head)
    // Says that it has taken the head, and waits for the body.
    const [accepted] = (await once(client, 'data')) as [Buffer]
    expect(accepted.toString()).toMatch(/^HTTP\/1\.1 100 /)

    await service.end('SIGKILL')
    await expect.poll(() => service.said()).toContain('"reason":"parent gone"')
    client.write(body)

    const answer = await client.toArray().catch((error: Error) => [Buffer.from(error.message)])
    expect(Buffer.concat(answer).toString(), service.said()).toMatch(/^HTTP\/1\.1 201 /)
    await refusesConnections(service.url)
    await isGone(postgres)
    // What keeps it from ending in order has a line of the level error.
    expect(service.said()).not.toMatch(/"level":[56]0/)
  })
})
