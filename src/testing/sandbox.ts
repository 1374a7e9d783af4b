import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { type App, type AppOptions, openApp } from '../app.ts'
import { logOptions } from '../cli/log.ts'
import { type Client, type ClientOptions, createClient } from '../client/index.ts'
import { openDatabase } from '../database/open.ts'
import { addressOf } from '../http/address.ts'
import { type Instant, parseInstant, systemClock } from '../kernel/clock.ts'
import { SandboxClock } from '../sandbox/clock.ts'
import { sandboxSecret } from '../sandbox/people.ts'
import { readSettings, type Settings, unknownSettings } from '../settings.ts'
import { explain } from './explain.ts'
import { type Inbox, openInbox } from './inbox.ts'
import { PATIENCE_MS } from './patience.ts'
import { leaveServer, ServerGoneError, type SharedServer, useServer, type WorldDatabase } from './server.ts'

export interface SandboxOptions {
  /** Which brand-dependent names answers carry; `service` by default. */
  readonly dialect?: 'service' | 'paypal'
  /** What the clock says at first: an instant. Real time by default. */
  readonly at?: string
  /** Whether the clock stands still until it is moved. */
  readonly frozen?: boolean
  /** Any setting of the service, by the name of its variable: `{ STRICT_FIELDS: 'true' }`. It wins over what is said above. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Who is there: typed clients, whose tokens are taken care of. */
export interface People {
  readonly merchant: Client
  readonly otherMerchant: Client
  readonly buyer: Client
  /** Acts for the merchant, which gave its consent. */
  readonly partner: Client
  /** Decides disputes of the merchant: in a sandbox every caller may. */
  readonly agent: Client
}

/** A letter that would have been sent. */
export type Mail = NonNullable<Awaited<ReturnType<Client['sandbox']['listMail']>>['mails']>[number]

/** What moving the clock did. */
type Moved = Awaited<ReturnType<Client['sandbox']['moveClock']>>

export interface TestClock {
  now(): Promise<string>
  /** Lets time pass (`P25D`, `PT36H`); everything that falls due on the way is done when this comes back. */
  advance(duration: string): Promise<Moved>
  to(instant: string): Promise<Moved>
  freeze(): Promise<void>
  /** Lets it run on from where it stands. */
  run(): Promise<void>
}

export interface InboxOptions {
  /** Whose webhook it is; the merchant's by default. */
  readonly of?: Client
}

/** A private sandbox: a whole service at a port of its own, in a world that nobody else sees. */
export interface Sandbox extends AsyncDisposable {
  readonly url: string
  readonly people: People
  readonly clock: TestClock
  /** A client with other credentials, or one that acts for another account. */
  client(options: Partial<Omit<ClientOptions, 'url'>>): Client
  /** Subscribes a receiver of its own to events of these types: `sandbox.inbox('CUSTOMER.DISPUTE.*')`. */
  inbox(types?: string | readonly string[], options?: InboxOptions): Promise<Inbox>
  /** Does everything that is due now, and comes back when it is done: deliveries, mail, whatever a call started. */
  settle(): Promise<void>
  /** What would have been mailed, newest first. */
  mail(to?: string): Promise<Mail[]>
  /** Goes back to the seeded people. */
  reset(): Promise<void>
  /** Keeps the present state under a name, to go back to it with `restore`. */
  snapshot(name: string): Promise<void>
  restore(name: string): Promise<void>
  /** The same world, twice: a second sandbox that begins as this one is now. */
  fork(): Promise<Sandbox>
  /** The last requests and events, and what falls due next. */
  explain(): Promise<string>
  /** For `afterEach`, in Vitest and `node:test`: prints what `explain` says when the test has failed. */
  readonly explainFailure: (context?: unknown) => Promise<void>
  /** Ends the service and drops the world. */
  stop(): Promise<void>
}

const TRIES = 10
const AGAIN_MS = 20

/** Starts a private sandbox on a copy of the template: nothing of it is seen elsewhere, and nothing of it is left. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const start = () =>
    inWorld(
      (server) => server.world(),
      async (server, world) => {
        if (options.at !== undefined || options.frozen) await setClock(world.url, options)
        return open(server, world, options)
      },
    )
  // Whoever asks a keeper that is just ending has lost nothing yet, and the next keeper can help. A keeper that was killed can
  // still be reached for a moment, so this is tried several times.
  for (let left = TRIES; ; left--)
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ServerGoneError) || left === 1) throw error
      await pause(AGAIN_MS)
    }
}

/** Starts a sandbox for as long as `work` takes; when it fails, what the sandbox knows of it is printed. */
export async function withSandbox<T>(work: (sandbox: Sandbox) => Promise<T>, options: SandboxOptions = {}): Promise<T> {
  await using sandbox = await startSandbox(options)
  try {
    return await work(sandbox)
  } catch (error) {
    process.stderr.write(`\n${await sandbox.explain()}\n`)
    throw error
  }
}

/** When the sandbox cannot be opened, nothing is left behind. */
async function inWorld(
  make: (server: SharedServer) => Promise<WorldDatabase>,
  openIn: (server: SharedServer, world: WorldDatabase) => Promise<Sandbox>,
): Promise<Sandbox> {
  const server = await useServer()
  let world: WorldDatabase | undefined
  try {
    world = await make(server)
    return await openIn(server, world)
  } catch (error) {
    // A failure to drop it is ignored: what counts is why it could not be opened.
    if (world) await server.drop(world.name).catch(() => {})
    leaveServer()
    throw error
  }
}

async function setClock(url: string, { at, frozen = false }: SandboxOptions): Promise<void> {
  const instant: Instant | undefined = at === undefined ? systemClock.now() : parseInstant(at)
  if (!instant) throw new TypeError('at must be an instant, for example 2026-03-02T09:00:00Z.')
  const database = openDatabase(url, { connectionsMax: 2, connectTimeoutMs: PATIENCE_MS })
  await new SandboxClock(database).set(instant, frozen)
  await database.close()
}

/** The event loop is also the test's, so its delay is no reason to refuse anything. */
const patient: Partial<AppOptions> = {
  loopDelay: { enable: () => true, disable: () => true, reset() {}, mean: 0 },
  connectTimeoutMs: PATIENCE_MS,
  statementTimeoutMs: PATIENCE_MS,
}

/** Few, because many worlds share the server. */
const CONNECTIONS = '6'

/** Settings that the world brings along. Set by a test, they would change nothing, or make it no sandbox. */
const ofTheWorld = [
  'QUITTANCE_ENVIRONMENT',
  'QUITTANCE_DATA_DIR',
  'QUITTANCE_SECRET',
  'QUITTANCE_SECRET_FILE',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
]

/** Refuses misspelt settings: a test with one would go on, and prove nothing. */
function settingsOf({ dialect, settings: given = {} }: SandboxOptions): Settings {
  const [unknown] = unknownSettings(given)
  if (unknown !== undefined) throw new TypeError(unknown)
  const its = ofTheWorld.find((name) => given[name] !== undefined)
  if (its !== undefined)
    throw new TypeError(`A sandbox of a test has a world of its own: leave ${its} out of its settings.`)
  return readSettings({
    LOG_LEVEL: 'silent',
    DATABASE_CONNECTIONS: CONNECTIONS,
    PORT: '0',
    QUITTANCE_DIALECT: dialect,
    ...given,
  })
}

async function open(server: SharedServer, world: WorldDatabase, options: SandboxOptions): Promise<Sandbox> {
  const settings = settingsOf(options)
  const { dialect } = settings
  const app: App = await openApp({
    ...patient,
    settings,
    databaseUrl: world.url,
    log: pino(logOptions(settings.logLevel)),
    works: true,
  })
  const publicUrl = await app.listen().catch((error: unknown) => app.close().then(() => Promise.reject(error)))
  const url = addressOf(settings.host, (app.server.server.address() as AddressInfo).port)
  const client: Sandbox['client'] = ({ clientId = 'sandbox-merchant', ...rest }) =>
    createClient({ url, clientId, clientSecret: sandboxSecret(clientId), dialect, ...rest })
  const merchant = client({})
  const people: People = {
    merchant,
    otherMerchant: client({ clientId: 'sandbox-merchant-2' }),
    buyer: client({ clientId: 'sandbox-buyer' }),
    partner: client({ clientId: 'sandbox-partner', actingFor: 'merchant@example.com' }),
    agent: client({}),
  }
  const inboxes: Inbox[] = []
  const forks: Sandbox[] = []
  // Whoever asks has a failure at hand already, and another failure must not hide it.
  const told = () =>
    explain(merchant).catch((error: Error) => `The sandbox cannot say what happened in it: ${error.message}`)
  let stopping: Promise<void> | undefined

  async function end(): Promise<void> {
    try {
      await Promise.all([...inboxes.map((inbox) => inbox.close()), ...forks.map((fork) => fork.stop())])
      await app.close()
      await server.drop(world.name)
    } finally {
      leaveServer()
    }
  }
  const stop = () => (stopping ??= end())

  return {
    url,
    people,
    client,
    clock: {
      now: async () => (await merchant.sandbox.showClock()).now,
      advance: (duration) => merchant.sandbox.moveClock({ advance: duration }),
      to: (instant) => merchant.sandbox.moveClock({ to: instant }),
      freeze: async () => void (await merchant.sandbox.moveClock({ freeze: true })),
      run: async () => void (await merchant.sandbox.moveClock({ freeze: false })),
    },
    async inbox(types = '*', { of = merchant } = {}) {
      const patterns = typeof types === 'string' ? [types] : types
      const inbox = await openInbox(patterns, { url, publicUrl, owner: of, explain: told })
      inboxes.push(inbox)
      return inbox
    },
    settle: () => app.drain(),
    async mail(to) {
      await app.drain()
      return merchant.sandbox.listMail(to === undefined ? {} : { to }).all()
    },
    reset: async () => void (await merchant.sandbox.reset()),
    snapshot: async (name) => void (await merchant.sandbox.saveSnapshot({ name })),
    restore: async (name) => void (await merchant.sandbox.loadSnapshot(name)),
    async fork() {
      // What is under way is finished first, so that the copy does not wait for work that was begun here.
      await app.drain()
      const copy = () => app.database.whileDisconnected(() => server.fork(world.name))
      // Links that lead to this sandbox would not lead to the fork, and this sandbox listens at these ports.
      const { PUBLIC_URL: _, PORT: _taken, STATUS_PORT: _too, ...settings } = options.settings ?? {}
      const fork = await inWorld(copy, (own, forked) => open(own, forked, { ...options, settings }))
      forks.push(fork)
      return fork
    },
    explain: told,
    async explainFailure(context) {
      if (hasFailed(context)) process.stderr.write(`\n${await told()}\n`)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** What test runners hand to `afterEach`: Vitest a task with its result, `node:test` whether it passed. */
function hasFailed(context: unknown): boolean {
  const { task, passed, error } = (context ?? {}) as {
    task?: { result?: { state?: string } }
    passed?: boolean
    error?: unknown
  }
  return task?.result?.state === 'fail' || passed === false || (error !== undefined && error !== null)
}
