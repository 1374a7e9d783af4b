import { type Environment, SettingError } from '../config.ts'
import { sql } from './sql.ts'
import type { Reader } from './transaction.ts'

const markEnvironment = sql`insert into deployment (environment) values ($1) on conflict do nothing`
const markedEnvironment = sql`select environment from deployment where only_row`
const markCell = sql`update deployment set cell = $1 where cell is null`
const markedCell = sql`select cell from deployment where only_row`

const refusals: Readonly<Record<Environment, string>> = {
  live: 'This database belongs to a live service, and a sandbox would empty it at a reset: set QUITTANCE_ENVIRONMENT=live, or give the sandbox a database of its own.',
  sandbox:
    'This database was made for a sandbox, whose credentials everybody knows: give the live service a database of its own, or set QUITTANCE_ENVIRONMENT=sandbox.',
}

/** Refuses to work in another environment than the database was made for. A database that was never used belongs to none yet. */
export async function requireEnvironment(db: Reader, environment: Environment): Promise<void> {
  const marked = await db.row<{ environment: Environment }>(markedEnvironment)
  if (marked && marked.environment !== environment) throw new SettingError(refusals[marked.environment])
}

/** Makes the database one of this environment for good, unless it is one of the other. */
export async function claimEnvironment(db: Reader, environment: Environment): Promise<void> {
  await db.rows(markEnvironment, [environment])
  await requireEnvironment(db, environment)
}

/** The cell that a database is; undefined when it is the only one. */
export const cellOf = async (db: Reader): Promise<string | undefined> =>
  (await db.row<{ cell: string | null }>(markedCell))?.cell ?? undefined

/** Refuses to work as another cell than the database is. */
export async function requireCell(db: Reader, cell: string | undefined): Promise<void> {
  const known = await cellOf(db)
  if (known === undefined || known === cell) return
  const wish = cell === undefined ? '' : `, or give cell ${cell} a database of its own`
  throw new SettingError(`This database is cell ${known}: set CELL=${known}${wish}.`)
}

/** Makes the database this cell for good, unless it is another. One that was alone until now may become one of several. */
export async function claimCell(db: Reader, cell: string | undefined): Promise<void> {
  if (cell !== undefined) await db.rows(markCell, [cell])
  await requireCell(db, cell)
}
