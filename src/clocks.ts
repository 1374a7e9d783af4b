import type { Environment } from './config.ts'
import { DatabaseClock } from './database/database-clock.ts'
import type { Database } from './database/open.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { SandboxClock } from './sandbox/clock.ts'

/** What a service goes by. */
export interface Clocks {
  /** Of units of work and all that falls due. */
  readonly clock: Clock
  /** Only moved in a sandbox. */
  readonly sandboxClock: SandboxClock
  /** Of access tokens, which nobody moves. */
  readonly realTime: Clock
  start(): Promise<void>
  stop(): void
}

export function openClocks(environment: Environment, database: Database): Clocks {
  const sandboxClock = new SandboxClock(database)
  if (environment === 'sandbox')
    return { clock: sandboxClock, sandboxClock, realTime: systemClock, start: () => sandboxClock.load(), stop() {} }
  const live = new DatabaseClock(database)
  return { clock: live, sandboxClock, realTime: live, start: () => live.start(), stop: () => live.stop() }
}
