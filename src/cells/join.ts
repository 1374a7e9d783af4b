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
  await client.query('select directory_renew(array(select id from accounts where cell is null))')
  const { rowCount } = await client.query('select from pg_publication where pubname = $1', [PUBLICATION])
  if (rowCount === 0)
    await client.query(`create publication ${PUBLICATION} for table directory where (cell = '${cell}')`)
}

/** What hears from another cell, as a statement that a superuser can run as well. */
export const subscriptionStatement = (from: string, to: string, connection: string): string =>
  `create subscription ${subscriptionOf(from, to)} connection '${connection.replaceAll("'", "''")}' publication ${PUBLICATION}`

export const isPublished = async (client: pg.Client): Promise<boolean> =>
  (await client.query('select from pg_publication where pubname = $1', [PUBLICATION])).rowCount === 1

export const hears = async (client: pg.Client, from: string, to: string): Promise<boolean> =>
  (await client.query('select from pg_subscription where subname = $1', [subscriptionOf(from, to)])).rowCount === 1
