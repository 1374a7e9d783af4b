import type pg from 'pg'
import type { Connector } from './connector.ts'
import { isLentByTransaction, isPooled } from './pooler.ts'

/** Why the database cannot be brought to this version, in one sentence for the person who starts the service. */
export class MigrationError extends Error {}

/** The oldest version of PostgreSQL that will do, as its `server_version_num`. */
const SERVER_VERSION_MIN = 150_000

const asked = `
  select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding, to_regclass('migrations') is null as "isNew"`

/** Gives the server's version. Refuses a server or pooler that cannot be migrated through. */
export async function requireServer(client: pg.Client, connector: Connector): Promise<string> {
  const version = await requireVersion(client)
  if (await isPooled(client)) await requireSession(connector)
  return version
}

/** Gives the server's version. Refuses one on which our tables cannot be made, unless they exist already. */
export async function requireVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ number: number; version: string; encoding: string; isNew: boolean }>(asked)
  if (rows[0]!.number < SERVER_VERSION_MIN)
    throw new MigrationError(
      `This is PostgreSQL ${rows[0]!.version}, and Quittance needs 15 or newer: upgrade the server, or name another in DATABASE_URL.`,
    )
  // A database that already has tables was made before the encoding was checked, and may go on.
  if (rows[0]!.isNew && rows[0]!.encoding !== 'UTF8')
    throw new MigrationError(
      `The database has the encoding ${rows[0]!.encoding}, in which not every name can be written: create it with encoding 'UTF8' (and template template0).`,
    )
  return rows[0]!.version
}

/** Locks and notifications belong to a session, but a pooler gives the session to somebody else after each transaction. */
async function requireSession(connector: Connector): Promise<void> {
  if (await isLentByTransaction(connector))
    throw new MigrationError(
      'A pooler in transaction mode stands before the database, and migrations and notifications need a connection of their own: set DATABASE_DIRECT_URL to the address of the server itself.',
    )
}
