import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { claimCell, claimEnvironment } from './database/environment.ts'
import type { Database } from './database/open.ts'
import type { Transact } from './database/transaction.ts'
import { type AppOptions, type Foundation, layFoundation } from './foundation.ts'
import type { Clock } from './kernel/clock.ts'
import { seedOfFork } from './kernel/ids.ts'
import type { Service } from './room.ts'
import { seedIfEmpty, seedPeople } from './sandbox/people.ts'
import { type Wired, wire } from './wiring.ts'

export type { AppOptions } from './foundation.ts'

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
  const parts = layFoundation(options)
  const wired = wire(parts, (databaseUrl) => openFork({ ...options, databaseUrl }, ++parts.state.forks))
  try {
    await run(parts, wired)
  } catch (error) {
    await stop(parts, wired)
    throw error
  }
  const { service, settings, database, transactFor, clock, authenticator } = parts
  const { server, statusServer, sweeper, travel } = wired
  return {
    service,
    server,
    statusServer,
    database,
    clock,
    transact: transactFor({ kind: 'service', task: 'app' }),
    sweep: () => sweeper.run(),
    drain: async () => void (await travel.alone(() => travel.drain())),
    forgetTokens: () => authenticator.forget(),
    async listen() {
      await server.listenAt({ host: settings.host, port: settings.port })
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

/** Refuses a database that cannot be worked on, seeds a new sandbox, and sets everything going that runs by itself. */
async function run(parts: Foundation, { sources, worker, sweeper }: Wired): Promise<void> {
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
  { settings, state, opened, clocks, broadcast, database, outages, replica, recorder, metrics }: Foundation,
  { server, statusServer, worker, worlds, following, scenarios, sweeper }: Wired,
): Promise<void> {
  // Balancers ask whether we are ready, so they are told first, and given time to ask.
  state.isDraining = true
  // Open streams are ended at once, and their readers go to another process; waiting for them would hold up the end.
  await Promise.all([following?.close(), scenarios.close()])
  if (server.server.listening) await pause(settings.shutdownGraceSeconds * 1000)
  const ends = [
    () => Promise.all([server.close(), statusServer?.close()]),
    () => worker.stop(),
    () => worlds.close(),
    () => Promise.all(opened.map((room) => room.close?.())),
    () => sweeper.stop(),
    () => Promise.all([recorder?.close(), metrics.close()]),
    () => clocks.stop(),
    () => broadcast.close(),
    () => replica?.close(),
    () => outages.close(),
    () => database.close(),
  ]
  // Where the database is away some of these fail. The others must be closed all the same, because the process may go on.
  const failures: unknown[] = []
  for (const end of ends) await Promise.resolve(end()).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
