import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort as anyFreePort } from '../../test/support/ports.ts'

/** A process of the lab. It goes with the lab, however that ends. */
export interface Running {
  readonly pid: number
  readonly log: string
  readonly ended: Promise<number | null>
  isRunning(): boolean
  end(signal?: NodeJS.Signals): Promise<number | null>
}

interface StartOptions {
  readonly env?: Record<string, string>
  /** As an ordinary user: PostgreSQL and its kin refuse to run as root. */
  readonly asNobody?: boolean
  /** What ends it when the lab is over; what it has under way is of no use to anybody then. */
  readonly endsBy?: NodeJS.Signals
  /** Told of everything it prints. */
  readonly onOutput?: (text: string) => void
}

const END_WITHIN_MS = 20_000
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

const grounds = new Set<Ground>()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => Promise.all([...grounds].map((ground) => ground.close())).then(() => process.exit(130)))

/** Where the lab stands: a folder, ports, and processes that end with it. */
export class Ground {
  readonly folder: string
  readonly #processes = new Map<Running, NodeJS.Signals>()
  readonly #closers: (() => unknown)[] = []

  constructor(name: string, { inFolder = tmpdir() } = {}) {
    this.folder = mkdtempSync(join(inFolder, `quittance-lab-${name}-`))
    this.#give(this.folder)
    grounds.add(this)
  }

  /** A folder of its own that the servers may write. */
  newFolder(name: string): string {
    const folder = join(this.folder, name)
    mkdirSync(folder, { mode: 0o700, recursive: true })
    this.#give(folder)
    return folder
  }

  #give(folder: string): void {
    if (isRoot) chownSync(folder, NOBODY, NOBODY)
  }

  start(name: string, [program, ...words]: readonly string[], options: StartOptions = {}): Running {
    const { env = {}, asNobody = false, onOutput, endsBy = 'SIGKILL' } = options
    const line = asNobody ? commandOfNobody(program!, words) : { program: program!, words }
    const log = join(this.folder, `${name}.log`)
    const file = createWriteStream(log, { flags: 'a' })
    const child = spawn(line.program, line.words, {
      env: { ...clean(process.env), ...env },
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(file, { end: false })
      if (onOutput) stream.setEncoding('utf8').on('data', onOutput)
    }
    const running = watched(child, log)
    this.#processes.set(running, endsBy)
    void running.ended.then(() => this.#processes.delete(running))
    // A process may have ended while what it said last is still in its pipes.
    child.once('close', () => file.end())
    return running
  }

  onClose(close: () => unknown): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    if (!grounds.delete(this)) return
    for (const close of this.#closers.reverse()) await close()
    await Promise.all([...this.#processes].reverse().map(([running, by]) => running.end(by)))
    if (process.env['LAB_KEEP'] === undefined) rmSync(this.folder, { recursive: true, force: true })
  }
}

function watched(child: ChildProcess, log: string): Running {
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve(null))
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  return {
    pid: child.pid ?? 0,
    log,
    ended,
    isRunning,
    async end(signal = 'SIGTERM') {
      if (!isRunning()) return child.exitCode
      child.kill('SIGCONT')
      child.kill(signal)
      const late = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS)
      const code = await ended
      clearTimeout(late)
      return code
    },
  }
}

/** Settings of whoever runs the lab must not reach the services it starts. */
const clean = ({ DATABASE_URL: _url, ...rest }: NodeJS.ProcessEnv) => rest

function commandOfNobody(program: string, words: readonly string[]) {
  if (!isRoot) return { program, words: [...words] }
  return { program: 'setpriv', words: ['--reuid=nobody', '--regid=nogroup', '--clear-groups', program, ...words] }
}

/** Runs a program of the servers to its end. */
export function runAsNobody([program, ...words]: readonly string[], env: Record<string, string> = {}): string {
  const line = commandOfNobody(program!, words)
  return execFileSync(line.program, line.words, {
    encoding: 'utf8',
    env: { ...clean(process.env), ...env },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const given = new Set<number>()

/** A port that no other process of the lab was given, though it may not listen yet. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await anyFreePort()
    if (given.has(port)) continue
    given.add(port)
    return port
  }
}

/** The processes whose parent this is. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid)
}

function parentOf(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`
  try {
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(') ').at(-1)!.split(' ')[1]) : undefined
  } catch {
    return undefined
  }
}

/** The command line of a process; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already.
  }
}
