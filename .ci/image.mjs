// Runs every step of the Dockerfile in a clean folder, where no builder of images is at hand: stages are folders, COPY
// copies, RUN runs with this machine's Node, and at the end the service is started and the health check asked.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const READY_MS_MAX = 60_000
const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'quittance-image-'))
const context = join(place, 'context')
const stages = new Map()
let stage
let service

const run = (command, words, options) => {
  const { status } = spawnSync(command, words, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}`)
}
/** A path of the image, within the folder that stands for the stage. */
const within = (of, path) => join(of.folder, path.startsWith('/') ? path : join(of.workdir, path))
const inFolder = (text) => text.replaceAll(/(?<=^|\s)\/data\b/g, join(stage.folder, 'data'))

const steps = {
  FROM(words) {
    const folder = join(place, `stage-${stages.size}`)
    mkdirSync(folder)
    stage = { folder, workdir: '/', env: {} }
    stages.set(words.split(' AS ')[1] ?? 'last', stage)
  },
  WORKDIR(path) {
    stage.workdir = path
    mkdirSync(within(stage, '.'), { recursive: true })
  },
  ENV(words) {
    for (const word of words.split(' ')) stage.env[word.split('=')[0]] = word.split('=')[1]
  },
  COPY(words) {
    const [, from, paths] = /^(?:--from=(\S+) )?(.*)$/.exec(words)
    const sources = paths.split(' ')
    const target = within(stage, sources.pop())
    for (const source of sources) {
      const path = from ? within(stages.get(from), source) : join(context, source)
      const isWhole = source === '.' || sources.length === 1
      cpSync(path, isWhole ? target : join(target, basename(source)), { recursive: true, verbatimSymlinks: true })
    }
  },
  RUN: (command) => run('sh', ['-ec', inFolder(command)], { cwd: within(stage, '.') }),
  HEALTHCHECK: (words) => {
    stage.health = words.slice(words.indexOf('CMD ') + 4)
  },
  ENTRYPOINT: (words) => {
    stage.program = JSON.parse(words)
  },
  CMD: (words) => {
    stage.words = JSON.parse(words)
  },
  USER() {},
  VOLUME() {},
  EXPOSE() {},
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

try {
  mkdirSync(context)
  run('sh', ['-ec', 'git archive HEAD | tar -x -C "$0"', context], { cwd: root })
  for (const line of readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')) {
    const [, step, words] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (step === undefined) continue
    console.error(`== ${line}`)
    steps[step](words)
  }
  const { folder, env, program, words, health } = stage
  const image = { ...env, PORT: String(await freePort()), HOST: '127.0.0.1', QUITTANCE_DATA_DIR: join(folder, 'data') }
  const options = { cwd: within(stage, '.'), env: { PATH: process.env.PATH, ...image } }
  service = spawn(program[0], [...program.slice(1), ...words], { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  const deadline = performance.now() + READY_MS_MAX
  while (spawnSync('sh', ['-c', health], options).status !== 0) {
    if (performance.now() > deadline) throw new Error('The service did not get healthy.')
    await pause(200)
  }
  console.error('== healthy')
} finally {
  if (service) {
    const ended = new Promise((resolve) => service.once('exit', resolve))
    service.kill('SIGTERM')
    await ended
  }
  rmSync(place, { recursive: true, force: true })
}
