import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { makeAdmission } from './accounts/admission.ts'
import { Authenticator } from './accounts/authenticate.ts'
import { sweepTokens } from './accounts/tokens.ts'
import { makeCellCheck } from './cells/visitors.ts'
import { openClocks } from './clocks.ts'
import { Broadcast } from './database/broadcast.ts'
import { claimCell, claimEnvironment } from './database/environment.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database/open.ts'
import { openReplica } from './database/open-replica.ts'
import { Partitions } from './database/partitions.ts'
import { Recall } from './database/recall.ts'
import { makeTransact, type Transact } from './database/transaction.ts'
import { addressOf } from './http/address.ts'
import { InnerCalls } from './http/inner.ts'
import type { AnyRoute } from './http/route.ts'
import { makeServer, type ServerParts } from './http/server.ts'
import { type StatusParts, statusRoutes } from './http/status.ts'
import { Runner } from './jobs/runner.ts'
import { Sweeper } from './jobs/sweep.ts'
import type { WorkSource } from './jobs/work-source.ts'
import { Worker } from './jobs/worker.ts'
import type { Clock } from './kernel/clock.ts'
import { dialects } from './kernel/dialect.ts'
import { type Ids, idsIn, randomIds, seededIds, seedOfFork } from './kernel/ids.ts'
import { makeMetrics } from './metrics.ts'
import { reasonsNotReady } from './readiness.ts'
import type { Service, WorkParts } from './room.ts'
import { rooms } from './rooms.ts'
import { routesOf } from './routes.ts'
import { seedIfEmpty, seedPeople } from './sandbox/people.ts'
import { openRecorder, openSandbox, type SandboxHouse } from './sandbox/room.ts'
import { Faults } from './sandbox/watch/faults.ts'
import type { Settings } from './settings.ts'
import { makeAnnounce } from './webhooks/fan-out.ts'

const HANG_UP_EVERY_MS = 50

/** How long things may take beside what they are: the defaults are right for anything but a test on a busy machine. */
type Limits = Pick<ServerParts, 'loopDelay'> &
  Pick<StatusParts, 'betweenFiguresMs'> &
  Pick<DatabaseOptions, 'connectTimeoutMs' | 'statementTimeoutMs'>

export interface AppOptions extends Limits, Pick<WorkParts, 'newKeyPair'>, Pick<SandboxHouse, 'stepsMax'> {
  readonly settings: Settings
  /** What `openDatabase` takes; migrated already. */
  readonly databaseUrl: string
  /** The way around a pooler, when that is where `databaseUrl` leads. */
  readonly directUrl?: string
  readonly log: Logger
  readonly ids?: Ids
  /** What access tokens live on; the machine's clock when not said. A sandbox's own clock moves nothing of them. */
  readonly realTime?: Clock
  /** Runs due work as it comes. Tests leave it off and let the clock drive. */
  readonly works?: boolean
  /** The folder of the embedded server: its disk must not run full, and no other process works on its database. */
  readonly dataDir?: string
}

/** The whole service, wired. */
export interface App {
  readonly service: Service
  readonly server: FastifyInstance
  /** Answers what is asked at `STATUS_PORT`; absent without one. */
  readonly statusServer: FastifyInstance | undefined
  readonly database: Database
  readonly transact: Transact
  readonly clock: Clock
  /** Does everything that is due now; what a worker would do by itself. */
  drain(): Promise<void>
  /** Removes what has run out of time; what a worker does every hour. */
  sweep(): Promise<void>
  /** Looks every token up again from now on; what a notification from another process does. */
  forgetTokens(): void
  listen(): Promise<string>
  /** Stops taking requests and work, finishes what is under way, and closes everything. */
  close(): Promise<void>
}

/** Opens the service on a migrated database. Nothing listens yet. */
export async function openApp(options: AppOptions): Promise<App> {
  const parts = build(options)
  const wired = wire(parts)
  try {
    await run(parts, wired)
  } catch (error) {
    await stop(parts, wired)
    throw error
  }
  const { service, settings, database, transactFor, clock, authenticator } = parts
  const { server, statusServer, sweeper, travel } = wired
  return {
    ...{ service, server, statusServer, database, clock },
    transact: transactFor({ kind: 'service', task: 'app' }),
    sweep: () => sweeper.run(),
    drain: async () => void (await travel.alone(() => travel.drain())),
    forgetTokens: () => authenticator.forget(),
    async listen() {
      await server.listen({ host: settings.host, port: settings.port })
      const bound = server.server.address()
      parts.state.port = typeof bound === 'object' && bound !== null ? bound.port : settings.port
      return service.publicUrl
    },
    close: () => stop(parts, wired),
  }
}

/** A second service of the same kind, at a free port. */
async function openFork({ directUrl: _pooled, settings: { seed, ...shared }, ...options }: AppOptions, number: number) {
  const own = { seed: seedOfFork(seed, number), port: 0, statusPort: undefined, publicUrl: undefined }
  const app = await openApp({ ...options, settings: { ...shared, ...own, databaseReadUrl: undefined } })
  return { url: await app.listen(), close: () => app.close() }
}

/** What everything else stands on: the database, the clock, units of work, who is calling, and the rooms. */
function build(options: AppOptions) {
  const { settings, databaseUrl, log, works = false, dataDir } = options
  const directUrl = options.directUrl ?? databaseUrl
  // Ids that can be told in advance would open what only their owners know.
  const { cell, environment } = settings
  const isSeeded = settings.seed !== undefined && environment !== 'live'
  const seeded = isSeeded ? seededIds(settings.seed, cell) : undefined
  const ids = idsIn(cell, options.ids ?? seeded?.ids ?? randomIds)
  const state = { port: settings.port, isDraining: false, forks: 0 }
  const service: Service = {
    environment,
    dialect: dialects[settings.dialect],
    settings,
    get publicUrl() {
      return settings.publicUrl ?? addressOf(settings.host, state.port)
    },
    recall: new Recall(settings.readMemoryMb),
    hasDatedEvents: () => partitions.isOn,
  }
  const connectionsMax = settings.databaseConnections
  const database = openDatabase(databaseUrl, { ...options, connectionsMax, pooled: options.directUrl !== undefined })
  const replica = openReplica(options, database)
  const partitions = new Partitions(database)
  const clocks = openClocks(environment, database)
  const { clock, sandboxClock } = clocks
  const { realTime = clocks.realTime } = options
  const broadcast = new Broadcast(directUrl, database)
  const recorder = environment === 'sandbox' ? openRecorder({ database, clock, broadcast, log }) : undefined
  const opened = rooms.map((open) => open(service))
  const definitions = opened.flatMap(({ jobs = [] }) => jobs)
  const urgent = new Set(definitions.filter(({ urgent }) => urgent).map(({ name }) => name))
  const transactFor = makeTransact({
    database,
    clock,
    ids,
    idsOf: seeded?.idsOf,
    partitions,
    announce: makeAnnounce(service),
    isUrgent: (name) => urgent.has(name),
    onWork: (kind) => broadcast.send(kind),
    ...(recorder && { onHappened: (unit) => recorder.happened(unit) }),
    onHintFailure: (error) => log.error({ err: error }, 'a hint after a commit failed'),
  })
  const metrics = makeMetrics({ database, clock, replica, log, environment })
  const authenticator = new Authenticator(service, database, realTime)
  return {
    ...{ options, directUrl, settings, log, ids, realTime, works, dataDir, state, service, replica },
    ...{ database, partitions, clocks, clock, sandboxClock, broadcast, transactFor },
    ...{ recorder, metrics, authenticator, opened, definitions },
  }
}
type Parts = ReturnType<typeof build>

/** What does the work of the service: of the rooms' jobs and routes, workers and a server. Nothing runs yet. */
function wire(parts: Parts) {
  const { service, settings, log, ids, realTime, database, sandboxClock, clock, broadcast, transactFor } = parts
  const { metrics, recorder, opened, definitions } = parts
  const runner = new Runner({
    ...{ database, transactFor, clock, definitions, parksUnknown: service.environment === 'sandbox' },
    onFailure(job, error) {
      const { name, attempts, parked, cause } = job
      metrics.jobFailed(name, parked)
      log.warn({ job: name, attempts, parked, cause, err: error }, 'a job failed')
      recorder?.jobFailed(job, error)
    },
    ...(recorder && { onDue: (job) => recorder.jobDue(job) }),
    onError: (error) => log.error({ err: error }, 'could not claim due jobs, will retry'),
  })
  const onError = (error: unknown) => log.error({ err: error }, 'background work failed')
  const faults = new Faults(service)
  const watched = recorder && { tell: recorder.attempt, faultOf: faults.onDelivery }
  const background = { database, clock, log, onError, newKeyPair: parts.options.newKeyPair, ...watched }
  const sources: WorkSource[] = [
    runner,
    ...opened.flatMap(({ work }) => work?.({ ...background, registry: metrics.registry }) ?? []),
  ]
  const worker = new Worker(sources)
  const sweeper = new Sweeper({
    ...{ database, clock, log, partitions: parts.partitions },
    sweeps: [{ tokens: sweepTokens(realTime) }, ...opened.map(({ sweeps = {} }) => sweeps)],
    onFailure: metrics.sweepFailed,
  })
  const forgetTokens = () => {
    parts.authenticator.forget()
    broadcast.send('access')
  }
  const sandbox = openSandbox({
    ...{ service, database, realTime, transactFor, broadcast, sources },
    ...{ worker, recorder, faults, onError, clock: sandboxClock, stepsMax: parts.options.stepsMax },
    // A pooler knows the databases it was told of, and keeps connections to those that are to be copied.
    databaseUrl: parts.directUrl,
    localUrl: () => addressOf(settings.host, parts.state.port),
    openFork: (databaseUrl) => openFork({ ...parts.options, databaseUrl }, ++parts.state.forks),
  })
  const { travel, worlds, following, scenarios } = sandbox
  const inner = new InnerCalls()
  const status: StatusParts = {
    notReady: () => reasonsNotReady(database, parts.state, parts.dataDir),
    ...{ metrics: () => metrics.print(), betweenFiguresMs: parts.options.betweenFiguresMs },
  }
  const routes: AnyRoute[] = routesOf(
    service,
    opened.flatMap((room) => room.routes ?? []),
    {
      console: {
        ...{ service, inner, db: database, clock, sandboxClock, realTime, onAccessChange: forgetTokens, database },
        ...{ routes: () => routes, server: () => server, isEnding: () => following?.closed ?? false },
      },
      ...{ sandbox, status },
      tokens: { realTime, clients: parts.authenticator.clients, onChange: forgetTokens },
    },
  )
  const serverParts: Omit<ServerParts, 'routes'> = {
    ...{ service, transactFor, clock, ids, log, db: database, isDraining: () => parts.state.isDraining },
    constraints: Object.assign({}, ...opened.map(({ constraints = {} }) => constraints)),
    ...(parts.replica && { replica: parts.replica }),
    authenticate: (headers, ip) => inner.callerOf(headers) ?? parts.authenticator.authenticate(headers, ip),
    ...{ requireCell: makeCellCheck(settings.cell), conditionOf: (caller) => inner.conditionOf(caller) },
    ...makeAdmission(settings),
    observe: metrics.observe,
    ...(recorder && { record: (request, reply) => recorder.answered(request, reply), disturb: faults.onRequest }),
    ...(parts.options.loopDelay && { loopDelay: parts.options.loopDelay }),
    // Without workers nothing drains by itself: whoever runs a service so wants to see the work that waits.
    ...(parts.works && { drain: () => travel.settle() }),
  }
  const server: FastifyInstance = makeServer({ ...serverParts, routes })
  const statusServer =
    settings.statusPort === undefined ? undefined : makeServer({ ...serverParts, routes: statusRoutes(status) })
  return { sources, worker, sweeper, travel, worlds, following, scenarios, server, statusServer }
}
type Wired = ReturnType<typeof wire>

/** Refuses a database that cannot be worked on, seeds a new sandbox, and sets everything going that runs by itself. */
async function run(parts: Parts, { sources, worker, sweeper }: Wired): Promise<void> {
  const { service, database, replica, sandboxClock, clocks, broadcast, transactFor, authenticator, opened } = parts
  await claimEnvironment(database, service.environment)
  await claimCell(database, service.settings.cell)
  await Promise.all([clocks.start(), replica?.start(), ...opened.map(({ check }) => check?.(database))])
  await parts.partitions.keepAhead(clocks.clock.now())
  if (service.environment === 'sandbox') {
    await seedIfEmpty(database, () => seedPeople(transactFor, service))
    broadcast.on('clock', () => sandboxClock.load())
  }
  broadcast.on('access', () => authenticator.forget())
  for (const { kind } of sources) broadcast.on(kind, () => worker.wake(kind))
  await broadcast.listen()
  if (!parts.works) return
  if (parts.dataDir !== undefined) await worker.takeOver()
  await Promise.all(opened.map(({ start }) => start?.(transactFor({ kind: 'service', task: 'start' }))))
  worker.start()
  sweeper.start()
}

/** Ends in the order in which nothing is missed by what still runs. Whatever never ran ends at once. */
async function stop(
  { settings, state, opened, clocks, broadcast, database, replica, recorder, metrics }: Parts,
  { server, statusServer, worker, worlds, following, scenarios, sweeper }: Wired,
): Promise<void> {
  // Balancers ask whether we are ready, so they are told first, and given time to ask.
  state.isDraining = true
  // Open streams are ended at once, and their readers go to another process; waiting for them would hold up the end.
  await Promise.all([following?.close(), scenarios.close()])
  if (server.server.listening) await pause(settings.shutdownGraceSeconds * 1000)
  // A connection that was busy when closing began is kept alive after its answer; it is closed once it is idle.
  const hangUp = setInterval(() => server.server.closeIdleConnections(), HANG_UP_EVERY_MS)
  const ends = [
    () => Promise.all([server.close(), statusServer?.close()]).finally(() => clearInterval(hangUp)),
    () => worker.stop(),
    () => worlds.close(),
    () => Promise.all(opened.map((room) => room.close?.())),
    () => sweeper.stop(),
    () => Promise.all([recorder?.close(), metrics.close()]),
    () => clocks.stop(),
    () => broadcast.close(),
    () => replica?.close(),
    () => database.close(),
  ]
  // Where the database is away some of these fail. The others must be closed all the same, because the process may go on.
  const failures: unknown[] = []
  for (const end of ends) await Promise.resolve(end()).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
