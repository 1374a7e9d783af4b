import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Ground } from './ground.ts'
import { until } from './postgres.ts'

/** How often the balancer asks a service whether it is ready, and how many refusals make it turn away. */
export const CHECK_MS = 500
export const FALL = 2

/** haproxy before services, as docs/high-availability.md sets it up. */
export async function startBalancer(ground: Ground, services: readonly string[]): Promise<string> {
  const port = await freePort()
  const servers = services.map((url, i) => `  server service${i + 1} ${new URL(url).host} check`)
  const file = join(ground.newFolder('balancer'), 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 2s
frontend api
  bind 127.0.0.1:${port}
  default_backend services
backend services
  balance roundrobin
  option httpchk GET /readyz
  option redispatch
  default-server inter ${CHECK_MS}ms fall ${FALL} rise 1
${servers.join('\n')}
`,
    { mode: 0o644 },
  )
  ground.start('balancer', ['/usr/sbin/haproxy', '-f', file], { asNobody: true })
  const url = `http://127.0.0.1:${port}`
  await until(() => answers(`${url}/readyz`), 30_000, 'the balancer')
  return url
}

export const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status === 200,
    () => false,
  )
