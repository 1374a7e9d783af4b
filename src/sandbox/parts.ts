import type { Rules } from '../disputes/machine/rules.ts'
import type { Service } from '../room.ts'
import type { ScenarioRuns } from '../scenarios/runs.ts'
import type { SandboxClock } from './clock.ts'
import type { Keepable } from './reset.ts'
import type { TimeTravel } from './time-travel.ts'
import type { Faults } from './watch/faults.ts'
import type { Following } from './watch/following.ts'
import type { Recorder } from './watch/recorder.ts'
import type { Worlds } from './worlds.ts'

/** What the operations that only a sandbox has work with. */
export interface SandboxParts {
  readonly service: Service
  readonly recorder: Recorder | undefined
  readonly following: Following | undefined
  readonly faults: Faults
  readonly clock: SandboxClock
  readonly travel: TimeTravel
  readonly worlds: Worlds
  readonly scenarios: ScenarioRuns
  /** The rules by which disputes are decided here. */
  readonly disputeRules: Rules
  /** Empties the sandbox except for what is to be kept, and puts the seeded people back. */
  reset(keep: readonly Keepable[]): Promise<void>
  /** Ends every access token and tells how many there were. */
  expireTokens(): Promise<number>
}
