import type pg from 'pg'
import { type Naming, Prepared } from './prepared.ts'

/** A connection that stays silent for so much longer than the server lets a statement run has lost its server. */
export const SILENCE_MARGIN_MS = 2_000

/** Called once, with an error or with the results. */
export type Answered = (error?: Error, results?: readonly pg.QueryResult[]) => void

export interface PooledConnection {
  readonly client: pg.Client
  readonly prepared: Prepared
  /** What each statement that is under way is to be told. */
  readonly underWay: Set<Answered>
  /** Only quick reads are under way, so another may follow them. */
  shared: boolean
  /** A transaction has it to itself. */
  held: boolean
  /** How long the server lets a statement run on it; 0 is without end. */
  limitMs: number
  /** When it last had nothing to do or gave an answer. */
  movedAt: number
  /** Why it cannot be used any more. */
  failure?: Error
}

export const pooled = (
  client: pg.Client,
  { naming, statementTimeoutMs }: { readonly naming: Naming; readonly statementTimeoutMs: number },
): PooledConnection => ({
  client,
  prepared: new Prepared(client, naming),
  underWay: new Set(),
  shared: false,
  held: false,
  limitMs: statementTimeoutMs,
  movedAt: performance.now(),
})

/** Whether it was asked something, and its server has been silent for longer than any answer can take. */
export const isSilent = ({ underWay, limitMs, movedAt }: PooledConnection, now: number): boolean =>
  underWay.size > 0 && now - movedAt > (limitMs || Number.POSITIVE_INFINITY) + SILENCE_MARGIN_MS

/** Turns a callback for a single result into one for a list of results. */
export const ofOne =
  (answered: (error?: Error, result?: pg.QueryResult) => void): Answered =>
  (error, results) =>
    answered(error, results?.[0])
