import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backendOf } from '../../src/cells/haproxy.ts'
import { freePort, type Ground } from './ground.ts'
import { until } from './postgres.ts'

export interface Balancer {
  readonly url: string
  /** Until it sends requests to the service of this place again. */
  whenUp(place: number): Promise<void>
  /** Why it took services for not ready, and how long it waited to be told. */
  turnedAway(): string[]
}

const SEEN_WITHIN_MS = 300_000
const nameOf = (place: number) => `service${place + 1}`

/** haproxy before services, as docs/high-availability.md sets it up. */
export async function startBalancer(ground: Ground, services: readonly string[]): Promise<Balancer> {
  const [port, statsPort] = [await freePort(), await freePort()]
  const file = join(ground.newFolder('balancer'), 'haproxy.cfg')
  const backend = backendOf(
    'services',
    services.map((url, place) => [nameOf(place), new URL(url).host]),
  )
  writeFileSync(
    file,
    `global
  maxconn 2000
  log stdout format timed local0 notice
defaults
  log global
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
frontend api
  bind 127.0.0.1:${port}
  default_backend services
listen stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
${backend.join('\n')}
`,
    { mode: 0o644 },
  )
  const { log } = ground.start('balancer', ['/usr/sbin/haproxy', '-f', file], { asNobody: true })
  const url = `http://127.0.0.1:${port}`
  await until(() => answers(`${url}/readyz`), SEEN_WITHIN_MS, 'the balancer')
  const isUp = async (place: number) =>
    (await fetch(`http://127.0.0.1:${statsPort}/;csv`).then((response) => response.text()))
      .split('\n')
      .some((line) => line.startsWith(`services,${nameOf(place)},`) && line.split(',')[STATUS] === 'UP')
  return {
    url,
    whenUp: (place) => until(() => isUp(place), SEEN_WITHIN_MS, 'the balancer to send requests again'),
    turnedAway: () =>
      readFileSync(log, 'utf8').match(/(?<=00 Server services\/)service\d+ is DOWN, reason: .*?\d+ms/g) ?? [],
  }
}

/** The column of haproxy's statistics. */
const STATUS = 17

export const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status === 200,
    () => false,
  )
