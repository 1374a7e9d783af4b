import type { Database } from '../database/open.ts'
import { sql, unprepared } from '../database/sql.ts'

/** What a reset leaves alone: what the database is, and what clients may have kept: keys and access tokens. */
const kept = ['migrations', 'deployment', 'signing_keys', 'tokens']

const tablesToEmpty = sql`
  select format('%I', tablename) as name from pg_tables where schemaname = current_schema() and tablename <> all($1)`

/** Empties every table of the sandbox at once. */
export async function emptySandbox(database: Database): Promise<void> {
  const tables = await database.rows<{ name: string }>(tablesToEmpty, [kept])
  await database.rows(unprepared(`truncate ${tables.map(({ name }) => name).join(', ')} restart identity`))
}
