import type { Logger } from 'pino'
import { Authenticator } from './accounts/authenticate.ts'
import { openClocks } from './clocks.ts'
import { Broadcast } from './database/broadcast.ts'
import { type DatabaseOptions, openDatabase } from './database/open.ts'
import { openReplica } from './database/open-replica.ts'
import { Outages } from './database/outages.ts'
import { Partitions } from './database/partitions.ts'
import { Recall } from './database/recall.ts'
import { makeTransact } from './database/transaction.ts'
import { addressOf } from './http/address.ts'
import type { ServerParts } from './http/server.ts'
import type { StatusParts } from './http/status.ts'
import type { Clock } from './kernel/clock.ts'
import { dialects } from './kernel/dialect.ts'
import { type Ids, idsIn, randomIds, seededIds } from './kernel/ids.ts'
import { makeMetrics } from './metrics.ts'
import type { Service, WorkParts } from './room.ts'
import { rooms } from './rooms.ts'
import { openRecorder, type SandboxHouse } from './sandbox/room.ts'
import type { Settings } from './settings.ts'
import { makeAnnounce } from './webhooks/fan-out.ts'

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

/** What everything else stands on: the database, the clock, units of work, who is calling, and the rooms. */
export function layFoundation(options: AppOptions) {
  const { settings, databaseUrl, works = false, dataDir } = options
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
  const outages = new Outages(options.log, database)
  const { log } = outages
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
  const authenticator = new Authenticator(service, database, realTime, () => broadcast.isListening)
  return {
    options,
    settings,
    log,
    works,
    dataDir,
    state,
    service,
    ids,
    database,
    outages,
    directUrl,
    replica,
    partitions,
    broadcast,
    clocks,
    clock,
    sandboxClock,
    realTime,
    transactFor,
    authenticator,
    metrics,
    recorder,
    opened,
    definitions,
  }
}
export type Foundation = ReturnType<typeof layFoundation>
