import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Ground } from './ground.ts'
import { canQuery, until } from './postgres.ts'

export type PoolMode = 'session' | 'transaction'

/** pgbouncer before a server, for any of its databases; it refuses start parameters, as it does when nobody tells it not to. */
export async function startPgbouncer(
  ground: Ground,
  { mode, serverPort, poolSize }: { mode: PoolMode; serverPort: number; poolSize: number },
): Promise<string> {
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
log_connections = 0
log_disconnections = 0
`,
    { mode: 0o644 },
  )
  ground.start(`pgbouncer-${mode}`, ['/usr/sbin/pgbouncer', file], { asNobody: true })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await until(() => canQuery(url), 30_000, 'pgbouncer')
  return url
}
