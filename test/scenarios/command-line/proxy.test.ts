import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { ProxyAgent, fetch as throughProxy } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../src/cli/run.ts'
import { run } from '../../support/command.ts'
import { basic, newWorld, type World } from '../../support/world.ts'

let world: World
const folder = mkdtempSync(join(tmpdir(), 'quittance-proxy-'))
const authority = join(folder, 'authority.pem')
const stop = new AbortController()
const told: string[] = []
let ended: Promise<number>
let agent: ProxyAgent
let variables: Record<string, string>

beforeAll(async () => {
  world = await newWorld()
  variables = { QUITTANCE_URL: await world.app.listen() }
  const words = ['proxy', '--hosts', 'api.example.test,*.shop.test', '--proxy-port', '0', '--authority', authority]
  const output = {
    out: (text: string) => void told.push(text),
    err: (text: string) => void told.push(text),
    interrupted: stop.signal,
  }
  ended = runCommand(words, variables, output)
  await vi.waitFor(() => expect(told.join('')).toContain('Proxy at'), { timeout: 60_000, interval: 10 })
  const uri = /http:\S+/.exec(told.join(''))?.[0] ?? ''
  agent = new ProxyAgent({ uri, requestTls: { ca: readFileSync(authority, 'utf8') } })
})
afterAll(async () => {
  stop.abort()
  expect(await ended).toBe(0)
  await agent.close()
  await world.close()
  rmSync(folder, { recursive: true })
})

/** What a host answers to a line that no library would send. */
async function throughProxyRaw(line: string): Promise<string> {
  const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(told.join(''))!
  const tunnel = connect(Number(port), '127.0.0.1')
  tunnel.write('CONNECT api.example.test:443 HTTP/1.1\r\nhost: api.example.test\r\n\r\n')
  await once(tunnel, 'data')
  const socket = connectTls({ socket: tunnel, servername: 'api.example.test', ca: readFileSync(authority, 'utf8') })
  socket.write(`${line}\r\nhost: api.example.test\r\nconnection: close\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString()
}

describe('quittance proxy', () => {
  it('leads hosts to the sandbox under certificates that its authority vouches for', async () => {
    const token = await throughProxy('https://api.example.test/v1/oauth2/token', {
      dispatcher: agent,
      method: 'POST',
      headers: {
        authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    const { access_token } = (await token.json()) as { access_token: string }
    const made = await throughProxy('https://eu.shop.test/v2/invoicing/invoices', {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ detail: { currency_code: 'USD', note: 'x'.repeat(3_000) } }),
    })
    expect(made.status).toBe(201)
    expect(told.join('')).toContain('201  POST https://eu.shop.test/v2/invoicing/invoices')
  })

  it('refuses every other host without looking it up, and is not believed without its authority', async () => {
    await expect(throughProxy('https://elsewhere.invalid/', { dispatcher: agent })).rejects.toThrow()
    expect(told.join('')).toContain('refused  CONNECT elsewhere.invalid:443')
    const stranger = new ProxyAgent(/http:\S+/.exec(told.join(''))?.[0] ?? '')
    await expect(throughProxy('https://api.example.test/', { dispatcher: stranger })).rejects.toThrow()
    await stranger.close()
  })

  it('refuses what is no address, and goes on', async () => {
    const raw = await throughProxyRaw('GET // HTTP/1.1')
    expect(raw).toMatch(/^HTTP\/1\.1 400 /)
    expect((await throughProxy('https://api.example.test/healthz', { dispatcher: agent })).status).toBe(200)
  })

  it('says how it is called', async () => {
    for (const words of [
      [],
      ['--hosts', 'https://api.example.test'],
      ['--hosts', 'a.test', '--proxy-port', 'many'],
      ['--hosts', 'a.test', '--proxy-port', '70000'],
    ]) {
      const { code, stderr } = await run(['proxy', ...words], variables)
      expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
    }
  })
})
