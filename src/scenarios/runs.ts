import { refused } from '../kernel/problem.ts'
import { openClient } from './client.ts'
import { type Played, type PlayOptions, play } from './play.ts'
import type { Scenario } from './scenario.ts'

/** A scenario that the service itself plays or has played, as far as it got. */
export interface Run {
  readonly id: string
  readonly scenario: string
  readonly status: 'RUNNING' | 'DONE' | 'FAILED'
  /** Why it could not go on, if its last step does not tell that. */
  readonly error?: string
  readonly steps: readonly Played[]
}

const RUNS_KEPT = 20
const WAIT_MAX_MS = 10_000

/** Plays scenarios against the service that it is part of, one at a time and over HTTP, as anybody would. */
export class ScenarioRuns {
  readonly #url: () => string
  readonly #runs = new Map<string, Run>()
  readonly #waiting = new Set<() => void>()
  readonly #ending = new AbortController()
  /** The end of the present run, or of the last one. */
  #played: Promise<void> = Promise.resolve()
  #count = 0

  /** `url` is asked only when a run starts, because a service does not know before where it listens. */
  constructor(url: () => string) {
    this.#url = url
  }

  /** Starts a run and comes back at once. */
  start(scenario: Scenario, options: PlayOptions): Run {
    const running = [...this.#runs.values()].find(({ status }) => status === 'RUNNING')
    if (running)
      throw refused(
        'SCENARIO_RUNNING',
        `${running.scenario} is being played as ${running.id}, and two would share one clock; wait for its end.`,
      )
    const run: Run = { id: `RUN-${++this.#count}`, scenario: scenario.name, status: 'RUNNING', steps: [] }
    this.#keep(run)
    this.#played = this.#play(run, scenario, { ...options, signal: this.#ending.signal })
    return run
  }

  /** Stops playing, and lets go of whoever waits. Before it comes back, what a story set up for its time is taken away. */
  async close(): Promise<void> {
    this.#ending.abort()
    for (const check of this.#waiting) check()
    await this.#played
  }

  find(id: string): Run | undefined {
    return this.#runs.get(id)
  }

  /** Comes back with the run once it has more than this many steps or has ended, or with the run as it is after a while. */
  async after(id: string, steps: number): Promise<Run | undefined> {
    const isEnough = () => {
      const run = this.#runs.get(id)
      return !run || run.steps.length > steps || run.status !== 'RUNNING' || this.#ending.signal.aborted
    }
    if (!isEnough())
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(late)
          this.#waiting.delete(check)
          resolve()
        }
        const check = () => {
          if (isEnough()) done()
        }
        const late = setTimeout(done, WAIT_MAX_MS).unref()
        this.#waiting.add(check)
      })
    return this.#runs.get(id)
  }

  async #play(run: Run, scenario: Scenario, options: PlayOptions): Promise<void> {
    let now = run
    try {
      for await (const played of play(scenario, openClient(this.#url()), options)) {
        const status = played.failures.length > 0 ? 'FAILED' : 'RUNNING'
        now = { ...now, status, steps: [...now.steps, played] }
        this.#keep(now)
      }
      if (now.status === 'RUNNING') this.#keep({ ...now, status: 'DONE' })
    } catch (error) {
      this.#keep({ ...now, status: 'FAILED', error: this.#reasonOf(error) })
    }
  }

  #reasonOf(error: unknown): string {
    if (this.#ending.signal.aborted) return 'The service ended before the story did.'
    return error instanceof Error ? error.message : String(error)
  }

  #keep(run: Run): void {
    this.#runs.set(run.id, run)
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > RUNS_KEPT && oldest !== undefined) this.#runs.delete(oldest)
    for (const check of this.#waiting) check()
  }
}
