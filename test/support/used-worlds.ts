import type { App } from '../../src/app.ts'
import type { Ids } from '../../src/kernel/ids.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import type { SandboxClock } from '../../src/sandbox/clock.ts'
import { seedPeople } from '../../src/sandbox/people.ts'
import { emptySandbox, undisturbed } from '../../src/sandbox/reset.ts'
import { START } from './server.ts'

/** A running service on a database of its own. */
export interface Opened {
  readonly app: App
  readonly databaseUrl: string
  /** The address that it was told it has, if any. */
  readonly address: string | undefined
  /** What of it belongs to the test. */
  readonly state: { realSeconds: number; ids: Ids }
  drop(): Promise<void>
}

export const newState = (): Opened['state'] => ({ realSeconds: 0, ids: countingIds() })

/** Whatever a test did to tables, constraints, triggers or functions changes it; what it did to rows does not. */
const schema = `select md5(concat(
  (select string_agg(concat(oid, relkind, reloptions), ',' order by oid) from pg_class where relnamespace = current_schema()::regnamespace),
  (select string_agg(concat(oid, xmin), ',' order by oid) from pg_constraint),
  (select string_agg(concat(oid, xmin), ',' order by oid) from pg_trigger),
  (select string_agg(concat(oid, xmin), ',' order by oid) from pg_proc where pronamespace = current_schema()::regnamespace),
  (select concat(count(*), max(xmin::text::bigint)) from pg_attribute))) as digest`

const schemaOf = async ({ app }: Opened) => (await app.database.query<{ digest: string }>(schema)).rows[0]!.digest

const unused: Opened[] = []
const schemas = new WeakMap<Opened, string>()

/** One with the same address that an earlier test file of this worker is done with, or else a new one. */
export async function takeOr(address: string | undefined, open: () => Promise<Opened>): Promise<Opened> {
  const at = unused.findIndex((one) => one.address === address)
  if (at >= 0) return unused.splice(at, 1)[0]!
  const opened = await open()
  schemas.set(opened, await schemaOf(opened))
  return opened
}

/**
 * Makes it as it was when it was new, and keeps it for others; or says that it cannot. It is emptied as by a reset, which would begin
 * at the time that it is and leave tokens valid: here all begins when every world does.
 */
export async function takeBack(opened: Opened): Promise<boolean> {
  const { app, state } = opened
  if (app.server.server.listening || (await schemaOf(opened)) !== schemas.get(opened)) return false
  const { statusCode, body } = await app.server.inject({ method: 'DELETE', url: '/sandbox/faults' })
  if (statusCode !== 204) throw new Error(`a used world keeps its faults: ${body}`)
  // None is left to be written into the world of the next.
  await writeNotes(app)
  await undisturbed(() => emptySandbox(app.database))
  await app.database.query('delete from tokens')
  await (app.clock as SandboxClock).set(START, true)
  Object.assign(state, newState())
  await seedPeople(() => app.transact, app.service)
  app.forgetTokens()
  // What would write the notes later may not find the time: there are tests in which time stands still.
  await writeNotes(app)
  unused.push(opened)
  return true
}

/** Asked for, what was noted is written down. */
const writeNotes = (app: App) => app.server.inject({ url: '/sandbox/requests?page_size=1' })
