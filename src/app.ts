import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Authenticator } from './accounts/authenticate.ts'
import { clientIdOf, expireAllTokens, sweepTokens, type TokenParts, tokenRoutes } from './accounts/tokens.ts'
import type { Settings } from './config.ts'
import { pendingMigrations } from './database/migrate.ts'
import { Notices } from './database/notices.ts'
import { type Database, openDatabase } from './database/open.ts'
import { sql } from './database/sql.ts'
import { makeTransact, type Transact } from './database/transaction.ts'
import { disputesFollow, openDisputes } from './disputes/room.ts'
import { describeApi } from './http/openapi.ts'
import { networkOf, RateLimit } from './http/rate-limit.ts'
import { type ReferencePage, referencePage } from './http/reference-page.ts'
import type { AnyRoute } from './http/route.ts'
import { makeServer } from './http/server.ts'
import { type StatusParts, statusRoutes } from './http/status.ts'
import { openInvoices } from './invoices/room.ts'
import { Runner } from './jobs/runner.ts'
import { Sweeper } from './jobs/sweep.ts'
import type { WorkSource } from './jobs/work-source.ts'
import { Worker } from './jobs/worker.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { dialects } from './kernel/dialect.ts'
import { type Ids, randomIds } from './kernel/ids.ts'
import { openLedger } from './ledger/routes.ts'
import { makeMetrics } from './metrics.ts'
import { openPayer } from './payer/room.ts'
import { freeDiskShare } from './platform.ts'
import type { OpenRoom, Service } from './room.ts'
import { SandboxClock } from './sandbox/clock.ts'
import { seedPeople } from './sandbox/people.ts'
import { emptySandbox } from './sandbox/reset.ts'
import { type SandboxParts, sandboxRoutes } from './sandbox/routes.ts'
import { TimeTravel } from './sandbox/time-travel.ts'
import { version } from './version.ts'
import { makeAnnounce } from './webhooks/fan-out.ts'
import { openWebhooks } from './webhooks/room.ts'

/** Every room with operations or promises of its own. */
const rooms: readonly OpenRoom[] = [openLedger(disputesFollow), openInvoices, openDisputes, openWebhooks, openPayer]

const DISK_SHARE_MIN = 0.05
const READY_WITHIN_MS = 500
const HANG_UP_EVERY_MS = 50
const ping = sql`select 1`
const anyAccount = sql`select 1 from accounts limit 1`

export interface AppOptions {
  readonly settings: Settings
  /** What `openDatabase` takes; migrated already. */
  readonly databaseUrl: string
  readonly log: Logger
  readonly ids?: Ids
  /** What access tokens live on; the machine's clock when not said. A sandbox's own clock moves nothing of them. */
  readonly realTime?: Clock
  /** Runs due work as it comes. Tests leave it off and let the clock drive. */
  readonly works?: boolean
  /** The folder whose disk must not run full; only with the embedded server. */
  readonly dataDir?: string
}

/** The whole service, wired. */
export interface App {
  readonly service: Service
  readonly server: FastifyInstance
  readonly database: Database
  readonly transact: Transact
  readonly clock: Clock
  /** Does everything that is due now; what a worker would do by itself. */
  drain(): Promise<void>
  /** Removes what has run out of time; what a worker does every hour. */
  sweep(): Promise<void>
  /** Looks every token up again from now on; what a notice from another process does. */
  forgetTokens(): void
  listen(): Promise<string>
  /** Stops taking requests and work, finishes what is under way, and closes everything. */
  close(): Promise<void>
}

/** Opens the service on a migrated database. Nothing listens yet. */
export async function openApp({
  settings,
  databaseUrl,
  log,
  ids = randomIds,
  realTime = systemClock,
  works = false,
  dataDir,
}: AppOptions): Promise<App> {
  const { environment } = settings
  const isSandbox = environment === 'sandbox'
  let address: string | undefined
  const service: Service = {
    environment,
    dialect: dialects[settings.dialect],
    settings,
    get publicUrl() {
      return settings.publicUrl ?? address ?? `http://${settings.host}:${settings.port}`
    },
  }

  const database = openDatabase(databaseUrl, { connectionsMax: settings.databaseConnections })
  const sandboxClock = new SandboxClock(database)
  const clock: Clock = isSandbox ? sandboxClock : systemClock
  const notices = new Notices(databaseUrl, database)
  const transact = makeTransact({
    database,
    clock,
    ids,
    announce: makeAnnounce(service),
    onWork: () => notices.send('work'),
  })
  const metrics = makeMetrics(database, clock)
  const { registry } = metrics
  const authenticator = new Authenticator(service, database, realTime)
  const opened = rooms.map((open) => open(service))
  await Promise.all(opened.map(({ check }) => check?.(database))).catch(async (error) => {
    await database.close()
    throw error
  })

  const runner = new Runner({
    database,
    transact,
    clock,
    definitions: opened.flatMap(({ jobs = [] }) => jobs),
    onFailure({ name, attempts, parked }, error) {
      metrics.jobFailed(name, parked)
      log.warn({ job: name, attempts, parked, err: error }, 'a job failed')
    },
  })
  const onError = (error: unknown) => log.error({ err: error }, 'work failed')
  const sources: WorkSource[] = [
    runner,
    ...opened.flatMap(({ work }) => work?.({ database, transact, clock, registry, onError }) ?? []),
  ]
  const workers = sources.map(
    (source) => new Worker(source, (error) => log.error({ err: error }, 'work cannot be taken')),
  )
  const sweeper = new Sweeper({
    database,
    clock,
    sweeps: [sweepTokens(realTime), ...opened.flatMap(({ sweep = [] }) => sweep)],
    onError: (error) => log.warn({ err: error }, 'sweeping failed, and goes on in an hour'),
  })
  const travel = new TimeTravel({ clock: sandboxClock, sources, workers, notices })

  async function seed(): Promise<void> {
    await transact(async (tx) => seedPeople(tx, service))
  }
  function forgetTokens(): void {
    authenticator.forget()
    notices.send('access')
  }
  const expireTokens = () => expireAllTokens(database, realTime.now()).finally(forgetTokens)
  async function reset(): Promise<void> {
    await emptySandbox(database)
    await sandboxClock.load()
    await seed()
    forgetTokens()
    notices.send('clock')
  }

  const requestLimit = new RateLimit(settings.rateLimitPerMinute, settings.rateLimitBurst)
  const tokenLimit = new RateLimit(settings.tokenRateLimitPerMinute, settings.tokenRateLimitPerMinute)
  const pageLimit = new RateLimit(settings.pageRateLimitPerMinute, settings.pageRateLimitPerMinute)
  let draining = false
  let page: ReferencePage | undefined
  const routes = routesOf(
    service,
    opened.flatMap((room) => room.routes ?? []),
    {
      sandbox: { clock: sandboxClock, travel, reset, expireTokens },
      tokens: { realTime, onChange: forgetTokens },
      status: {
        notReady: () => reasonsNotReady(database, draining, dataDir),
        metrics: () => metrics.print(),
        openapi: () => describeApi(routes, { version, publicUrl: service.publicUrl }),
        page: () => (page ??= referencePage(describeApi(routes, { version, publicUrl: service.publicUrl }))),
      },
    },
  )
  const server = makeServer({
    service,
    routes,
    constraints: Object.assign({}, ...opened.map(({ constraints = {} }) => constraints)),
    db: database,
    transact,
    clock,
    ids,
    log,
    authenticate: (headers) => authenticator.authenticate(headers),
    admit: ({ errors, limitedBy }, { caller, headers, ip }) => {
      if (caller) return requestLimit.take(caller.appId)
      if (limitedBy === 'address') return pageLimit.take(networkOf(ip))
      // By address too, so that a stranger who guesses cannot keep the owner of a client id out.
      return errors === 'oauth' ? tokenLimit.take(`${ip} ${clientIdOf(headers)}`) : {}
    },
    observe: metrics.observe,
  })

  if (isSandbox) {
    await sandboxClock.load()
    if (!(await database.row(anyAccount))) await seed()
  }
  notices.on('access', () => authenticator.forget())
  if (isSandbox) notices.on('clock', () => void sandboxClock.load().catch(() => {}))
  if (works) for (const worker of workers) notices.on('work', () => worker.wake())
  await notices.listen()
  if (works) for (const worker of workers) worker.start()
  if (works) sweeper.start()

  return {
    service,
    server,
    database,
    transact,
    clock,
    sweep: () => sweeper.run(),
    drain: async () => void (await travel.alone(() => travel.drain())),
    forgetTokens: () => authenticator.forget(),
    async listen() {
      await server.listen({ host: settings.host, port: settings.port })
      const bound = server.server.address()
      const port = typeof bound === 'object' && bound !== null ? bound.port : settings.port
      address = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`
      return service.publicUrl
    },
    async close() {
      draining = true
      if (server.server.listening)
        await new Promise((resolve) => setTimeout(resolve, settings.shutdownGraceSeconds * 1000))
      // A connection that was busy when closing began is kept alive after its answer; it is closed once it is idle.
      const hangUp = setInterval(() => server.server.closeIdleConnections(), HANG_UP_EVERY_MS)
      await server.close().finally(() => clearInterval(hangUp))
      await Promise.all(workers.map((worker) => worker.stop()))
      await Promise.all(sources.map((source) => source.close?.()))
      await Promise.all(opened.map((room) => room.close?.()))
      await sweeper.stop()
      await notices.close()
      await database.close()
    },
  }
}

interface RouteParts {
  readonly sandbox: SandboxParts
  readonly status: StatusParts
  readonly tokens: TokenParts
}

/** Every operation of the service; those of a sandbox only there. */
function routesOf(service: Service, ofRooms: readonly AnyRoute[], { sandbox, status, tokens }: RouteParts): AnyRoute[] {
  const routes = [...tokenRoutes(service, tokens), ...ofRooms, ...sandboxRoutes(sandbox), ...statusRoutes(status)]
  const isHidden = ({ environment, url }: AnyRoute) =>
    environment !== undefined && environment !== service.environment && url.startsWith('/sandbox')
  return routes.filter((route) => !isHidden(route))
}

/** The operations as data, without anything that runs: what the printed documents and the tests of them read. */
export function describedRoutes(service: Service): AnyRoute[] {
  // Handlers keep what they are given for later and are never called here.
  const unused = {} as never
  return routesOf(
    service,
    rooms.flatMap((open) => open(service).routes ?? []),
    {
      sandbox: unused,
      status: unused,
      tokens: unused,
    },
  )
}

async function reasonsNotReady(database: Database, draining: boolean, dataDir: string | undefined): Promise<string[]> {
  if (draining) return ['shutting down']
  const late = new Promise<string[]>((resolve) =>
    setTimeout(() => resolve([`the database did not answer within ${READY_WITHIN_MS} ms`]), READY_WITHIN_MS).unref(),
  )
  const asked = async () => {
    await database.rows(ping)
    const pending = await pendingMigrations(database)
    return pending.length === 0 ? [] : [`migrations not applied: ${pending.join(', ')}`]
  }
  const reasons = await Promise.race([asked().catch(() => ['the database cannot be reached']), late])
  const free = dataDir === undefined ? 1 : await freeDiskShare(dataDir)
  return free < DISK_SHARE_MIN ? [...reasons, 'the disk is almost full'] : reasons
}
