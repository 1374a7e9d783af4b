import type pg from 'pg'
import { answerTo } from '../kernel/working.ts'
import { BusyError, isAnswer } from './errors.ts'
import type { Pool } from './pool.ts'
import type { Answered, PooledConnection } from './pooled-connection.ts'
import { waitLittle } from './session.ts'
import type { Query, Statement } from './sql.ts'

/** How many commits are written together at most. More would gain little, and each waits for the slowest. */
const TOGETHER_MAX = 8
/** How many groups may be under way. Commits gather meanwhile; with more groups, fewer commits would go together. */
const GROUPS_MAX = 2

interface Commit extends Query {
  /** Commits of the same line are written in the order in which they came. */
  readonly line: string | undefined
  /** Its place among all that came. */
  readonly place: number
  readonly answered: (error?: Error, result?: pg.QueryResult) => void
  /** It failed together with others, so it is sent again by itself. */
  isAlone: boolean
  /** Ends its waiting. Only set when it waits for longer than one round of the event loop. */
  timer?: NodeJS.Timeout | undefined
}

export interface CommitsParts {
  readonly pool: Pool
  /** How long a commit may wait until it is sent. */
  readonly waitMs: number
}

/**
 * Where units of work are written, each of which is one statement. Those that come up at the same time go to the server in one
 * piece, as one transaction: it is woken up, writes its log and answers once for all of them. When that fails nothing was
 * written, and each goes again by itself, so nobody learns of the others.
 *
 * Only what has proved quick goes together, and it waits for no lock for long: else whoever has to wait would keep others
 * waiting, or two groups each other.
 */
export class Commits {
  readonly #parts: CommitsParts
  readonly #waiting: Commit[] = []
  /** Lines of which commits are under way: in how many groups, and on which connection others may go behind them. */
  readonly #lines = new Map<string, { groups: number; connection?: PooledConnection }>()
  #groups = 0
  #places = 0
  #open = 0
  #isDue = false

  constructor(parts: CommitsParts) {
    this.#parts = parts
  }

  /** How many were given here and are not answered yet. One that is under way may come back, to go again by itself. */
  get openCount(): number {
    return this.#open
  }

  /**
   * Runs one statement that is a whole unit of work. Those of one line are written in the order in which they came, and each
   * finds what the ones before it wrote. Each must fail if the one before it was not written, because it may be on its way by then.
   */
  run(statement: Statement, values: readonly unknown[], line?: string): Promise<pg.QueryResult> {
    const { pool } = this.#parts
    if (line === undefined && !pool.isQuickWrite(statement)) return pool.run(statement, values)
    return answerTo((tell) => {
      const answered: Commit['answered'] = (error, result) => {
        this.#open--
        tell(error, result)
      }
      this.#open++
      this.#waiting.push({ statement, values, line, place: this.#places++, answered, isAlone: false })
      // A full group is sent at once. Until the end of this round the server would have nothing to do.
      if (this.#waiting.length >= TOGETHER_MAX && this.#groups < GROUPS_MAX) this.#send()
      else this.#sendSoon()
    })
  }

  /** At the end of this round of events, so that all that came up in it goes together. */
  #sendSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#send()
    })
  }

  #send(): void {
    for (let taken = this.#next(); taken.length > 0; taken = this.#next()) this.#sendTogether(taken)
    for (const commit of this.#waiting) commit.timer ??= setTimeout(() => this.#giveUp(commit), this.#parts.waitMs)
  }

  /** What goes to the server next. Nothing while all have to wait. */
  #next(): Commit[] {
    const taken = this.#chosen()
    const commits = taken.length > 0 ? taken : this.#followers()
    for (const commit of commits) {
      this.#waiting.splice(this.#waiting.indexOf(commit), 1)
      clearTimeout(commit.timer)
      commit.timer = undefined
    }
    return commits
  }

  /** One commit that goes alone, or some that go together. */
  #chosen(): Commit[] {
    const taken: Commit[] = []
    const passedOver = new Set<string>()
    for (const commit of this.#waiting) {
      const { line } = commit
      const isHeld = line !== undefined && (this.#lines.has(line) || passedOver.has(line))
      if (!isHeld && this.#goesWith(commit, taken)) taken.push(commit)
      else if (line !== undefined) passedOver.add(line)
      if (taken.length === TOGETHER_MAX || (taken[0] && this.#goesAlone(taken[0]))) break
    }
    return taken
  }

  /**
   * A full group of a line that is under way. It goes behind the one before, on the same connection: else the server would have
   * nothing to do from its answer until we have read it. A smaller group had better grow meanwhile.
   */
  #followers(): Commit[] {
    if (this.#groups >= GROUPS_MAX || this.#waiting.length < TOGETHER_MAX) return []
    for (const [line, { connection }] of this.#lines) {
      const next = this.#waiting.filter((commit) => commit.line === line).slice(0, TOGETHER_MAX)
      const isFull = next.length === TOGETHER_MAX && !next.some((commit) => this.#goesAlone(commit))
      if (isFull && connection && !connection.failure) return next
    }
    return []
  }

  #goesWith(commit: Commit, taken: readonly Commit[]): boolean {
    if (this.#goesAlone(commit)) return taken.length === 0
    return this.#groups < GROUPS_MAX
  }

  #goesAlone({ isAlone, statement }: Commit): boolean {
    return isAlone || !this.#parts.pool.isQuickWrite(statement)
  }

  #sendTogether(commits: readonly Commit[]): void {
    const places = this.#goesAlone(commits[0]!) ? 0 : 1
    this.#groups += places
    const lines = [...new Set(commits.flatMap(({ line }) => line ?? []))]
    const before = commits.length > 1 ? [{ statement: waitLittle, values: [] }] : []
    const answered: Answered = (error, results) => {
      this.#groups -= places
      for (const line of lines) this.#leave(line)
      if (error && commits.length > 1 && isAnswer(error)) this.#putBack(commits)
      else {
        // Each in a round of its own, so that all that follows from it is done before the next, and for whoever asked.
        for (const [i, { answered }] of commits.entries()) setImmediate(answered, error, results?.[before.length + i])
      }
      // Sent before the answers have any effect, because the server has nothing to do meanwhile.
      this.#send()
    }
    const [first] = lines
    const leader = first === undefined ? undefined : this.#lines.get(first)?.connection
    for (const line of lines) this.#enter(line)
    const queries = [...before, ...commits]
    if (leader) this.#parts.pool.runBehind(leader, queries, answered)
    else
      this.#parts.pool.runTogether(queries, answered, (connection) => {
        // Behind what goes alone, and may take its time, a group would keep its place from others all the while.
        if (places > 0) for (const line of lines) this.#lines.get(line)!.connection = connection
      })
  }

  #enter(line: string): void {
    const under = this.#lines.get(line) ?? { groups: 0 }
    under.groups++
    this.#lines.set(line, under)
  }

  #leave(line: string): void {
    if (--this.#lines.get(line)!.groups === 0) this.#lines.delete(line)
  }

  /** None of them was written. They keep their places: before all that came later, and behind those that failed before them. */
  #putBack(commits: readonly Commit[]): void {
    for (const commit of commits) commit.isAlone = true
    this.#waiting.unshift(...commits)
    this.#waiting.sort((one, other) => one.place - other.place)
  }

  #giveUp(commit: Commit): void {
    this.#waiting.splice(this.#waiting.indexOf(commit), 1)
    commit.answered(new BusyError('All connections to the database have been busy for too long.'))
  }
}
