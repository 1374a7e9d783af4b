import pg from 'pg'
import { conflict, malformed, type Problem, unavailable } from '../kernel/problem.ts'

/** By constraint or unique index name: what its breach means to the caller. */
export type Constraints = Readonly<Record<string, () => Problem>>

/** Values that no column or function can take, whatever the state of things. The schemas should have refused them. */
const unstorable = new Map([
  ['22001', 'A value is longer than it may be.'],
  ['22003', 'A number is outside the range that can be stored.'],
  ['22007', 'A date or time is not written correctly.'],
  ['22008', 'A date or time is outside the range that can be stored.'],
  ['22009', 'A time zone displacement is outside its range.'],
  ['2201W', 'The number of results asked for is outside its range.'],
  ['2201X', 'The page asked for is outside the range.'],
  ['22021', 'A text holds a character that cannot be stored.'],
  ['22P02', 'A value is not written as its type demands.'],
  ['22P05', 'A text holds a character that cannot be stored.'],
  ['54000', 'A value is longer than can be indexed.'],
  ['54001', 'The request is too complex.'],
])

/**
 * Errors that say there is no connection to a working server: SQLSTATEs, or the two characters that stand for a class of
 * them.
 */
const away = new Set([
  ...['08', '53300'], // connections that broke, or none left
  ...['57P01', '57P02', '57P03', '57P05'], // the server stops or starts
  '25006', // the server is a standby now
])
/** Errors that pass: we may wait for them, and callers may try again. Written in the same way. */
const passing = new Set([
  '53', // memory or disk used up
  ...['55P03', '57014', '25P03'], // waited too long for a lock, for a statement, inside a transaction
  ...['26000', '42P05'], // a pooler has just stopped keeping statements, within a transaction; the next try names none
  ...['40001', '40P01'], // a conflict outside a unit of work, which would have tried again itself
])

/** Raised by `account_moving`: the account lives in another database. */
const MOVED = 'QT002'

/** Raised by `directory_guard` in a sentence: the account lives in another cell. */
export const ELSEWHERE = 'QT003'

/** Something that was asked of the database and never answered, or never sent: there was no connection to a server. */
export class NoConnectionError extends Error {}

/** There are connections, but none came free in time. */
export class BusyError extends NoConnectionError {}

/** What an error of the database means to the caller, or undefined when it is our mistake. */
export function sqlProblem(error: unknown, constraints: Constraints): Problem | undefined {
  if (!(error instanceof Error)) return undefined
  const { constraint = '', ...rest } = error as Partial<Record<'constraint' | 'code', string>>
  const code = String(rest.code ?? '')

  const meaning = /^23/.test(code) && Object.hasOwn(constraints, constraint) ? constraints[constraint] : undefined
  if (meaning) return meaning()
  if (code === '23505')
    return conflict('DUPLICATE', 'Another resource has the same value where each must have its own.')

  const description = unstorable.get(code)
  if (description) return malformed({ issue: 'INVALID_PARAMETER_VALUE', description })

  if (code === ELSEWHERE) return conflict('ELSEWHERE', error.message)
  if (code === MOVED) return unavailable('This account is on its way to another place; send it again.')
  if (isPassing(error)) return unavailable('The database cannot answer now; try again shortly.')
  return undefined
}

/** Whether an error says that there is no connection to a server that works, and nothing about what was asked of it. */
export const isAway = (error: unknown): boolean => error instanceof NoConnectionError || isAmong(away, stateOf(error))

/** Whether an error says that the same may be answered later. */
export const isPassing = (error: unknown): boolean => isAway(error) || isAmong(passing, stateOf(error))

const stateOf = (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : '')

const isAmong = (states: ReadonlySet<string>, code: string) => states.has(code) || states.has(code.slice(0, 2))

/** Whether an error is the server's answer to the statement, so that the connection is as good as before. */
export function isAnswer(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError) || isAway(error)) return false
  return error.severity !== 'FATAL' && error.severity !== 'PANIC'
}

/** Why a connection was given up: the last error of the server, or that it failed without one. */
export const asFault = (error: Error) =>
  error instanceof pg.DatabaseError
    ? error
    : new NoConnectionError(`The connection failed: ${error.message}`, { cause: error })

/** Why a change of the schema failed. If other sessions were in the way, also what to do about them. */
export function failureOf(error: unknown): string {
  if (error instanceof pg.DatabaseError && error.code === '55P03')
    return 'others hold its tables; end their transactions (pg_stat_activity shows them) and start again'
  return error instanceof Error ? error.message : String(error)
}
