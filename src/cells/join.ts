import type pg from 'pg'

/** Everything a cell tells the others is one publication. What it hears from one of them is one subscription. */
const PUBLICATION = 'quittance_directory'
export const subscriptionOf = (from: string, to: string) => `quittance_${from}_to_${to}`.toLowerCase()

/** Tables whose changes other cells are told of, with the kind and the key that their rows have in the directory. */
const told = [
  ['accounts', 'account', 'id'],
  ['apps', 'app', 'id'],
  ['tokens', 'token', 'digest'],
] as const
/** What only the cell of an account may change. */
const guarded = ['accounts', 'apps', 'app_secrets', 'consents'] as const

/** Makes this cell tell the others about its accounts: about all there are, and about every change from now on. */
export async function publish(client: pg.Client, cell: string): Promise<void> {
  for (const [table, kind, key] of told)
    await client.query(
      `create or replace trigger directory_tells after insert or update or delete on ${table}
       for each row execute function directory_tell('${kind}', '${key}')`,
    )
  for (const table of guarded)
    await client.query(
      `create or replace trigger directory_guards before insert or update or delete on ${table}
       for each row execute function directory_guard()`,
    )
  // A restore by an earlier version left this trigger off for replicated rows, so the cell heard nothing.
  await client.query('alter table directory enable replica trigger directory_heard')
  // A restore makes the table anew, which leaves the publication empty.
  const { rowCount } = await client.query('select from pg_publication where pubname = $1', [PUBLICATION])
  const table = `table directory where (cell = '${cell}')`
  if (rowCount === 0) await client.query(`create publication ${PUBLICATION} for ${table}`)
  else if (!(await isPublished(client))) await client.query(`alter publication ${PUBLICATION} add ${table}`)
  // Cells that listen already hear all of it again.
  await client.query('select directory_renew(array(select id from accounts where cell is null))')
}

/** The statement that subscribes to another cell. It is kept as text, so that a superuser can run it as well. */
export const subscriptionStatement = (from: string, to: string, connection: string): string =>
  `create subscription ${subscriptionOf(from, to)} connection '${connection.replaceAll("'", "''")}' publication ${PUBLICATION}`

export const isPublished = async (client: pg.Client): Promise<boolean> =>
  (
    await client.query(
      "select from pg_publication_tables where pubname = $1 and schemaname = current_schema() and tablename = 'directory'",
      [PUBLICATION],
    )
  ).rowCount === 1

/** Whether there is a subscription, and whether it covers the table as it is now: a restore makes the table anew. */
export async function hears(client: pg.Client, from: string, to: string): Promise<'all' | 'nothing' | undefined> {
  const { rows } = await client.query<{ whole: boolean }>(
    `select exists (select from pg_subscription_rel where srsubid = s.oid and srrelid = 'directory'::regclass) as whole
     from pg_subscription s where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())`,
    [subscriptionOf(from, to)],
  )
  return rows[0] && (rows[0].whole ? 'all' : 'nothing')
}

/** Whether what this cell tells is kept for another one, whichever of its databases asked for that. */
export const isHeard = async (client: pg.Client, from: string, to: string): Promise<boolean> =>
  (await client.query('select from pg_replication_slots where slot_name = $1', [subscriptionOf(from, to)])).rowCount ===
  1

/** Forgets what a restored backup knew of another cell, which sends all of it again. */
export const forgetHeard = (client: pg.Client, from: string) =>
  client.query('delete from directory where cell = $1', [from])
