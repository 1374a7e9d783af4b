import type pg from 'pg'

/** What a cell tells the others is one publication, and what it hears from one of them one subscription. */
const PUBLICATION = 'quittance_directory'
export const subscriptionOf = (from: string, to: string) => `quittance_${from}_to_${to}`.toLowerCase()

/** Tables that are told of, with the kind and the key that they have in the directory. */
const told = [
  ['accounts', 'account', 'id'],
  ['apps', 'app', 'id'],
  ['tokens', 'token', 'digest'],
] as const
/** What only the cell of an account may change. */
const guarded = ['accounts', 'apps', 'app_secrets', 'consents'] as const

/** Tells the other cells of the accounts of this one, from now on and of all there are. */
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
  // Restores of an earlier version left it deaf.
  await client.query('alter table directory enable replica trigger directory_heard')
  // A restore makes the table anew, and leaves a publication of nothing.
  const { rowCount } = await client.query('select from pg_publication where pubname = $1', [PUBLICATION])
  const table = `table directory where (cell = '${cell}')`
  if (rowCount === 0) await client.query(`create publication ${PUBLICATION} for ${table}`)
  else if (!(await isPublished(client))) await client.query(`alter publication ${PUBLICATION} add ${table}`)
  // Those who listen already hear all of it again.
  await client.query('select directory_renew(array(select id from accounts where cell is null))')
}

/** What hears from another cell, as a statement that a superuser can run as well. */
export const subscriptionStatement = (from: string, to: string, connection: string): string =>
  `create subscription ${subscriptionOf(from, to)} connection '${connection.replaceAll("'", "''")}' publication ${PUBLICATION}`

export const isPublished = async (client: pg.Client): Promise<boolean> =>
  (
    await client.query(
      "select from pg_publication_tables where pubname = $1 and schemaname = current_schema() and tablename = 'directory'",
      [PUBLICATION],
    )
  ).rowCount === 1

/** Whether there is a subscription, and whether it is for the table as it is now, which a restore made anew. */
export async function hears(client: pg.Client, from: string, to: string): Promise<'all' | 'nothing' | undefined> {
  const { rows } = await client.query<{ whole: boolean }>(
    `select exists (select from pg_subscription_rel where srsubid = s.oid and srrelid = 'directory'::regclass) as whole
     from pg_subscription s where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())`,
    [subscriptionOf(from, to)],
  )
  return rows[0] && (rows[0].whole ? 'all' : 'nothing')
}

/** Whether what this cell tells is kept for another, whichever of its databases asked for that. */
export const isHeard = async (client: pg.Client, from: string, to: string): Promise<boolean> =>
  (await client.query('select from pg_replication_slots where slot_name = $1', [subscriptionOf(from, to)])).rowCount ===
  1

/** Forgets what a restored backup knew of another cell, which sends all of it again. */
export const forgetHeard = (client: pg.Client, from: string) =>
  client.query('delete from directory where cell = $1', [from])
