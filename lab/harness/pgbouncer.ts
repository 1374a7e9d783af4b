import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Ground } from './ground.ts'
import { canQuery, until } from './postgres.ts'

export type PoolMode = 'session' | 'transaction'

interface PoolerOptions {
  readonly mode: PoolMode
  readonly serverPort: number
  readonly poolSize: number
  /** How many prepared statements it keeps at a server; none when not said. */
  readonly statementsMax?: number
}

export interface Pgbouncer {
  readonly url: string
  /** Cuts every connection, and begins again. */
  restart(): Promise<void>
}

/** A newer one than the system's may be named. */
const program = process.env['LAB_PGBOUNCER'] ?? '/usr/sbin/pgbouncer'

/** What it calls its version, and whether that keeps the prepared statements of its clients. */
export function pgbouncerVersion(): { version: string; keepsStatements: boolean } {
  const [, version = '0.0'] = /PgBouncer (\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return { version, keepsStatements: major > 1 || minor >= 21 }
}

/** pgbouncer before a server, for any of its databases; it refuses start parameters, as it does when nobody tells it not to. */
export async function startPgbouncer(
  ground: Ground,
  { mode, serverPort, poolSize, statementsMax }: PoolerOptions,
): Promise<Pgbouncer> {
  const port = await freePort()
  const file = join(ground.newFolder(`pgbouncer-${mode}`), 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 2000
server_idle_timeout = 5
server_login_retry = 1
log_connections = 0
log_disconnections = 0
${statementsMax === undefined ? '' : `max_prepared_statements = ${statementsMax}\n`}`,
    { mode: 0o644 },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const start = async () => {
    const running = ground.start(`pgbouncer-${mode}`, [program, file], { asNobody: true })
    await until(() => canQuery(url), 30_000, 'pgbouncer')
    return running
  }
  let running = await start()
  return {
    url,
    async restart() {
      await running.end('SIGKILL')
      running = await start()
    },
  }
}
