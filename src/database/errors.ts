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

/** Ours to wait for, the caller's to try again: by SQLSTATE, or the first two characters that stand for its class. */
const passing = new Set([
  ...['08', '53'], // connections that broke; memory, disk or connections used up
  ...['57P01', '57P02', '57P03', '57P05'], // the server stops or starts
  ...['55P03', '57014', '25P03'], // waited too long for a lock, for a statement, inside a transaction
  ...['40001', '40P01'], // a conflict outside a unit of work, which would have tried again itself
  '25006', // the server is a standby now
])

/** What the operating system says of a connection that cannot be made or broke. */
const brokenConnection = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
/** Names that do not resolve, and sockets without a server, count only while connecting. */
const notConnected = new Set(['ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EAGAIN', 'EACCES'])
/** The driver's own words; it gives these no code. */
const driverSays =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)/

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

  if (passing.has(code) || passing.has(code.slice(0, 2)) || isConnectionError(error))
    return unavailable('The database cannot answer now; try again shortly.')
  return undefined
}

function isConnectionError(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionError)
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  return (
    brokenConnection.has(code) ||
    (notConnected.has(code) && ['connect', 'getaddrinfo'].includes(syscall)) ||
    driverSays.test(error.message)
  )
}
