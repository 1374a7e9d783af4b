import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { makeAdmission } from './accounts/admission.ts'
import { BELIEVED_MS } from './accounts/authenticate.ts'
import { sweepTokens } from './accounts/tokens.ts'
import { makeCellCheck } from './cells/visitors.ts'
import type { Foundation } from './foundation.ts'
import { addressOf } from './http/address.ts'
import { InnerCalls } from './http/inner.ts'
import type { AnyRoute } from './http/route.ts'
import { makeServer, type ServerParts } from './http/server.ts'
import { type StatusParts, statusRoutes } from './http/status.ts'
import { Runner } from './jobs/runner.ts'
import { Sweeper } from './jobs/sweep.ts'
import type { WorkSource } from './jobs/work-source.ts'
import { Worker } from './jobs/worker.ts'
import { reasonsNotReady } from './readiness.ts'
import { routesOf } from './routes.ts'
import { openSandbox, type SandboxHouse } from './sandbox/room.ts'
import { Faults } from './sandbox/watch/faults.ts'

/** What does the work of the service: of the rooms' jobs and routes, workers and a server. Nothing runs yet. */
export function wire(parts: Foundation, openFork: SandboxHouse['openFork']) {
  const { service, settings, log, ids, realTime, database, sandboxClock, clock, broadcast, transactFor } = parts
  const { metrics, recorder, opened, definitions } = parts
  const runner = new Runner({
    database,
    transactFor,
    clock,
    definitions,
    parksUnknown: service.environment === 'sandbox',
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
    database,
    clock,
    log,
    partitions: parts.partitions,
    sweeps: [{ tokens: sweepTokens(realTime) }, ...opened.map(({ sweeps = {} }) => sweeps)],
    onFailure: metrics.sweepFailed,
  })
  /** Comes back when every process has forgotten what it believed of tokens, or when none can believe it any longer. */
  const forgetTokens = async () => {
    const isOver = pause(BELIEVED_MS, undefined, { ref: false })
    const areTold = await Promise.race([broadcast.tell(['access']), isOver])
    if (!areTold) await isOver
  }
  const sandbox = openSandbox({
    service,
    database,
    clock: sandboxClock,
    realTime,
    transactFor,
    broadcast,
    sources,
    worker,
    recorder,
    faults,
    stepsMax: parts.options.stepsMax,
    onError,
    // A pooler knows the databases it was told of, and keeps connections to those that are to be copied.
    databaseUrl: parts.directUrl,
    localUrl: () => addressOf(settings.host, parts.state.port),
    openFork,
  })
  const { travel, worlds, following, scenarios } = sandbox
  const inner = new InnerCalls()
  const status: StatusParts = {
    notReady: () => reasonsNotReady(database, parts.state, parts.dataDir),
    metrics: () => metrics.print(),
    betweenFiguresMs: parts.options.betweenFiguresMs,
  }
  const routes: AnyRoute[] = routesOf(
    service,
    opened.flatMap((room) => room.routes ?? []),
    {
      console: {
        service,
        inner,
        db: database,
        clock,
        sandboxClock,
        realTime,
        onAccessChange: forgetTokens,
        routes: () => routes,
        server: () => server,
        isEnding: () => following?.closed ?? false,
      },
      sandbox,
      status,
      tokens: { realTime, clients: parts.authenticator.clients, onChange: forgetTokens },
    },
  )
  const serverParts: Omit<ServerParts, 'routes'> = {
    service,
    db: database,
    transactFor,
    clock,
    ids,
    log,
    isDraining: () => parts.state.isDraining,
    constraints: Object.assign({}, ...opened.map(({ constraints = {} }) => constraints)),
    ...(parts.replica && { replica: parts.replica }),
    authenticate: (headers, ip) => inner.callerOf(headers) ?? parts.authenticator.authenticate(headers, ip),
    requireCell: makeCellCheck(settings.cell),
    conditionOf: (caller) => inner.conditionOf(caller),
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
export type Wired = ReturnType<typeof wire>
