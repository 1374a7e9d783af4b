import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect } from 'vitest'
import type { Account } from '../../src/accounts/schema.ts'
import { addAccount } from '../../src/accounts/store.ts'
import { type App, openApp } from '../../src/app.ts'
import { type Ids, randomIds } from '../../src/kernel/ids.ts'
import { people } from '../../src/sandbox/people.ts'
import { readSettings } from '../../src/settings.ts'
import { addNewApp } from './apps.ts'
import { run } from './command.ts'
import { liveUnlimited } from './live.ts'
import { freePort } from './ports.ts'
import { temporaryFolder } from './process.ts'
import { assertion, basic, patient } from './world.ts'

const HAPROXY = '/usr/sbin/haproxy'
/** Those who have no haproxy may leave these out; `.ci/run` installs it, and there they run or fail. */
export const describeBalanced = describe.runIf(existsSync(HAPROXY) || process.env['CI'] !== undefined)
const START_MS = 30_000

export const cellVariables = {
  ...liveUnlimited,
  PUBLIC_URL: 'http://pay.test',
  LOG_LEVEL: 'error',
  PORT: '0',
  HOST: '127.0.0.1',
  SHUTDOWN_GRACE_SECONDS: '0',
}

type Variables = Record<string, string>

/** A service in this process, on a database that is a cell or will be one. */
export async function openCell(databaseUrl: string, variables: Variables, { ids = randomIds, works = false } = {}) {
  const all: Variables = { ...cellVariables, ...variables }
  const settings = readSettings(all)
  const log = pino({ level: 'error' })
  const app: App = await openApp({ ...patient, settings, databaseUrl, log, ids: ids as Ids, works })
  await app.listen()
  const bound = app.server.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    app,
    address: `127.0.0.1:${port}`,
    variables: { ...all, DATABASE_URL: databaseUrl },
    /** An account with an app, as the command line would make them. */
    async newCaller(scopes: readonly string[], kind: Account['kind'] = 'BUSINESS') {
      const account = await app.transact(async (tx) => {
        const id = tx.newId('account')
        const like = kind === 'BUSINESS' ? people.merchant : people.buyer
        const made = { ...like, id, email: `${id.toLowerCase()}@example.com`, create_time: tx.now }
        addAccount(tx, made)
        return made
      })
      const made = await app.transact(async (tx) =>
        addNewApp(tx, { accountId: account.id, scopes, secrets: settings.secrets! }),
      )
      return { account, ...made }
    },
  }
}
export type OpenCell = Awaited<ReturnType<typeof openCell>>
export type CellCaller = Awaited<ReturnType<OpenCell['newCaller']>>

export interface Told<Body> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: Body
}

/** haproxy before cells, as the commands print it: the first is the default. */
export async function balance(cells: Readonly<Record<string, OpenCell>>) {
  const folder = temporaryFolder()
  const port = await freePort()
  const [configuration, mapFile] = [join(folder.path, 'haproxy.cfg'), join(folder.path, 'cells.map')]
  const names = Object.entries(cells).map(([mark, { address }]) => `${mark}=${address}`)
  const places = ['--listen', `127.0.0.1:${port}`, '--map', mapFile]
  const printed = await run(['cells', 'haproxy', ...names, ...places], {})
  expect([printed.code, printed.stderr]).toEqual([0, ''])
  writeFileSync(configuration, printed.stdout)
  let child: ChildProcess | undefined

  async function stop(): Promise<void> {
    if (!child) return
    const ended = new Promise((resolve) => child!.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    child = undefined
  }

  /** Prints the map anew and starts haproxy with it. */
  async function start(): Promise<string> {
    await stop()
    const lines = await Promise.all(
      Object.values(cells).map(async ({ variables }) => {
        const { code, stdout, stderr } = await run(['cells', 'map', ...Object.keys(cells)], variables)
        expect([code, stderr]).toEqual([0, ''])
        return stdout
      }),
    )
    writeFileSync(mapFile, lines.join(''))
    child = spawn(HAPROXY, ['-db', '-f', configuration], { stdio: 'ignore' })
    const until = performance.now() + START_MS
    while ((await call('GET', '/readyz').catch(() => undefined))?.status !== 200) {
      if (performance.now() > until || child.exitCode !== null) throw new Error('haproxy did not start')
      await pause(20)
    }
    return lines.join('')
  }

  function call<Body = Record<string, never>>(
    method: string,
    path: string,
    { headers = {}, payload }: { headers?: Record<string, string>; payload?: object | string } = {},
  ): Promise<Told<Body>> {
    const body = payload === undefined || typeof payload === 'string' ? payload : JSON.stringify(payload)
    const type = typeof payload === 'object' ? { 'content-type': 'application/json' } : {}
    return new Promise((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port, method, path, agent: false, headers: { ...type, ...headers } },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part) => parts.push(part))
          answer.on('end', () => {
            const text = Buffer.concat(parts).toString()
            const isJson = String(answer.headers['content-type']).startsWith('application/json')
            const parsed = (isJson ? JSON.parse(text) : undefined) as Body
            resolve({ status: answer.statusCode!, headers: answer.headers, text, body: parsed })
          })
        },
      )
      asked.on('error', reject)
      asked.end(body)
    })
  }

  async function tokenOf({ clientId, secret }: Pick<CellCaller, 'clientId' | 'secret'>): Promise<string> {
    const { status, text, body } = await call<{ access_token: string }>('POST', '/v1/oauth2/token', {
      headers: { authorization: basic(clientId, secret), 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=client_credentials',
    })
    if (status !== 200) throw new Error(`no token: ${text}`)
    return body.access_token
  }

  return {
    start,
    call,
    tokenOf,
    /** Somebody who calls with a token, perhaps for another account, perhaps at a name of one cell. */
    async person(caller: CellCaller, { actingFor, host }: { actingFor?: string; host?: string } = {}) {
      const headers = {
        authorization: `Bearer ${await tokenOf(caller)}`,
        ...(actingFor !== undefined && { 'service-auth-assertion': assertion(caller.clientId, actingFor) }),
        ...(host !== undefined && { host }),
      }
      return {
        get: <Body = Record<string, never>>(path: string) => call<Body>('GET', path, { headers }),
        post: <Body = Record<string, never>>(path: string, payload: object) =>
          call<Body>('POST', path, { headers, payload }),
      }
    },
    async close() {
      await stop()
      folder.remove()
    },
  }
}
export type Balanced = Awaited<ReturnType<typeof balance>>
