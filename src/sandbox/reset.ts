import type { Database } from '../database/open.ts'
import { sql, unprepared } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'

/** What a reset leaves alone: what the database is, and what clients may have kept: keys, access tokens, a place in the log. */
const kept = ['migrations', 'deployment', 'signing_keys', 'signing_authority', 'tokens', 'happenings_told']

const tablesToEmpty = sql`
  select format('%I', tablename) as name from pg_tables where schemaname = current_schema() and tablename <> all($1)`

/** What a reset may be asked to keep. */
export const keepable = ['webhooks'] as const
export type Keepable = (typeof keepable)[number]

const readWebhooks = sql`select coalesce(jsonb_agg(to_jsonb(webhooks)), '[]') as rows from webhooks`
/** Of apps that are there again after the reset. */
const putWebhooksBack = sql`
  insert into webhooks select kept.* from jsonb_populate_recordset(null::webhooks, $1) as kept
  where kept.app_id in (select id from apps)`

/** Does `empty` and puts back afterwards what is to be kept. */
export async function keeping(db: Reader, names: readonly Keepable[], empty: () => Promise<void>): Promise<void> {
  const webhooks = names.includes('webhooks') ? await db.row<{ rows: object[] }>(readWebhooks) : undefined
  await empty()
  if (webhooks) await db.rows(putWebhooksBack, [JSON.stringify(webhooks.rows)])
}

/** Empties every table of the sandbox at once. */
export async function emptySandbox(database: Database): Promise<void> {
  const tables = await database.rows<{ name: string }>(tablesToEmpty, [kept])
  await database.rows(unprepared(`truncate ${tables.map(({ name }) => name).join(', ')} restart identity`))
}
