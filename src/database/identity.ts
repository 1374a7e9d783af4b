import { sql } from './sql.ts'

/** Tells one database from every other: its cluster, which a standby shares with its primary, and its number there. */
export const identityOf = sql`
  select (select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database()) as identity`
