import type { Logger } from 'pino'
import { expireAllTokens } from '../accounts/tokens.ts'
import type { Broadcast, Topic } from '../database/broadcast.ts'
import type { Database } from '../database/open.ts'
import type { TransactFor } from '../database/transaction.ts'
import { rulesOf } from '../disputes/house.ts'
import type { WorkSource } from '../jobs/work-source.ts'
import type { Worker } from '../jobs/worker.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Service } from '../room.ts'
import { ScenarioRuns } from '../scenarios/runs.ts'
import type { SandboxClock } from './clock.ts'
import type { SandboxParts } from './parts.ts'
import { type Keepable, startAnew } from './reset.ts'
import { TimeTravel, type TimeTravelParts } from './time-travel.ts'
import type { Faults } from './watch/faults.ts'
import { Following } from './watch/following.ts'
import { Recorder } from './watch/recorder.ts'
import { openWorlds, type WorldParts } from './worlds.ts'

export interface SandboxHouse extends Pick<TimeTravelParts, 'stepsMax'> {
  readonly service: Service
  readonly database: Database
  readonly clock: SandboxClock
  readonly realTime: Clock
  readonly transactFor: TransactFor
  readonly broadcast: Broadcast
  readonly sources: readonly WorkSource[]
  readonly worker: Worker
  /** Absent in live, where none of the operations exist. */
  readonly recorder: Recorder | undefined
  readonly faults: Faults
  readonly databaseUrl: string
  /** Where this process answers, whatever address it is reached at from outside. */
  localUrl(): string
  /** Opens a sandbox like this one on another database. */
  openFork: WorldParts['open']
  onError(error: unknown): void
}

/** Opens what the operations that only a sandbox has work with. */
export function openSandbox(house: SandboxHouse): SandboxParts {
  const { service, database, clock, realTime, transactFor, broadcast, recorder } = house
  const travel = new TimeTravel({ ...house, patienceSeconds: service.settings.clockPatienceSeconds })
  broadcast.on('reset', () => house.faults.clear())
  broadcast.on('notes', () => recorder?.flush())
  /** Makes every process write down what was noted until now: later, it would be added to a state that it is no part of. */
  const flush = async () => {
    await Promise.all([recorder?.flush(), broadcast.tell(['notes'])])
  }
  return {
    service,
    clock,
    recorder,
    faults: house.faults,
    disputeRules: rulesOf(service),
    following: recorder && new Following(recorder, broadcast),
    travel,
    worlds: openWorlds({
      ...house,
      travel,
      open: house.openFork,
      forksMax: service.settings.forksMax,
      flush,
    }),
    scenarios: new ScenarioRuns(() => house.localUrl()),
    expireTokens: () => expireAllTokens(database, realTime.now()).finally(() => broadcast.tell(['access'])),
    async reset(keep: readonly Keepable[]) {
      // Written down first, so that what was noted until now is removed with the rest.
      await flush()
      // The reset runs alone, because whoever calls meanwhile would find nobody there, not even themselves.
      const topics: Topic[] = ['access', 'clock']
      try {
        await database.alone(() => clock.anew(() => startAnew(transactFor, service, keep)))
        topics.push('reset')
      } finally {
        await broadcast.tell(topics)
      }
    },
  }
}

/** Remembers what happens, and tells those who follow it, in other processes too. */
export const openRecorder = ({
  database,
  clock,
  broadcast,
  log,
}: Pick<SandboxHouse, 'database' | 'broadcast'> & { readonly clock: Clock; readonly log: Logger }) =>
  new Recorder({
    database,
    clock,
    onTold: () => broadcast.send('happenings'),
    onError: (error) => log.warn({ err: error }, 'what happened could not be written down'),
  })
