import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuSeconds, cpuSecondsIn } from '../harness/processor.ts'

/**
 * What open consoles cost while nothing happens: npx tsx bench/scale/idle-consoles.ts [seconds]. A sandbox runs in a process of
 * its own, on the server it brings; processor time of both is read from /proc, so this runs on Linux alone. Ends with 1 when
 * it is more than we promise.
 */
const SECONDS = Number(process.argv[2] ?? 60)
const CONSOLES = 20
const SHARE_MOST = 0.05
const PORT = 18_790
const base = `http://127.0.0.1:${PORT}`

const say = (text: string) => process.stdout.write(`${text}\n`)

const dataDir = mkdtempSync(join(tmpdir(), 'quittance-idle-'))
const service = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', 'start'], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { ...process.env, PORT: String(PORT), QUITTANCE_DATA_DIR: dataDir, LOG_LEVEL: 'error' },
  stdio: ['ignore', 'ignore', 'inherit'],
})

async function share(seconds: number): Promise<{ service: number; server: number }> {
  const used = () => ({
    service: cpuSeconds(service.pid) ?? 0,
    server: cpuSecondsIn(dataDir),
  })
  await pause(3_000)
  const before = used()
  await pause(seconds * 1_000)
  const after = used()
  return { service: (after.service - before.service) / seconds, server: (after.server - before.server) / seconds }
}

for (let tries = 0; ; tries++) {
  const isReady = await fetch(`${base}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isReady) break
  if (tries > 600) throw new Error('The service did not start.')
  await pause(100)
}

const percent = (part: number) => `${(part * 100).toFixed(2)} %`
const told = ({ service: own, server }: { service: number; server: number }) =>
  `${percent(own + server)} of a core (service ${percent(own)}, its PostgreSQL ${percent(server)})`
const alone = await share(Math.min(SECONDS, 30))
const page = await (await fetch(`${base}/console`)).text()
const seq = /data-follow="(\d+)"/.exec(page)?.[1] ?? '0'
const following = new AbortController()
const streams = await Promise.all(
  Array.from({ length: CONSOLES }, () => fetch(`${base}/console/live?after=${seq}`, { signal: following.signal })),
)
const open = streams.filter(({ status }) => status === 200).length
for (const { body } of streams) void body?.pipeTo(new WritableStream()).catch(() => {})
const followed = await share(SECONDS)
say(`Over ${SECONDS} s in which nothing happens, load ${loadavg()[0]!.toFixed(1)}\n`)
say('| Consoles that follow | Processor time |\n|---|---|')
say(`| none | ${told(alone)} |`)
say(`| ${open} | ${told(followed)} |`)
const isMet = open === CONSOLES && followed.service + followed.server <= SHARE_MOST
say(`\nAt most ${percent(SHARE_MOST)} wanted: ${isMet ? 'met' : '**not met**'}`)

following.abort()
service.kill('SIGTERM')
await new Promise((resolve) => service.once('exit', resolve))
rmSync(dataDir, { recursive: true, force: true })
process.exit(isMet ? 0 : 1)
