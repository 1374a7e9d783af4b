import { statementOf } from './sql.ts'

/** SQL that tells one database from every other: its cluster, which a standby shares with its primary, and its number there. */
export const identity = `(select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database())`

export const identityOf = statementOf(`select ${identity} as identity`)
