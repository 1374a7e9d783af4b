import { totalmem } from 'node:os'

const MEBI = 1024 * 1024

/** A share of the machine, within what is sensible for a server that lives beside its only client. */
const sharedBuffersMb = Math.round(Math.min(256, Math.max(32, totalmem() / MEBI / 16)))

/** How the server runs. Commits are on the disk before they are acknowledged unless `durable` is false. */
export function serverSettings({ connectionsMax, durable }: { connectionsMax: number; durable: boolean }) {
  return {
    max_connections: Math.max(100, connectionsMax + 20),
    shared_buffers: `${sharedBuffersMb}MB`,
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '512MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    // Values that callers sent do not belong in a log, and a refused duplicate is no event.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(durable
      ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  }
}
