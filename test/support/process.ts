import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { inMemory } from './server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How long a command may take that should come to its end. */
const END_MS_MAX = 90_000

/** What a finished command left behind. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Variables = Record<string, string>

/** A command of the program, which was compiled before the tests began. */
export const commandLine = (words: readonly string[]): [string, string[]] => [
  process.execPath,
  [join(root, 'dist/main.js'), ...words],
]

function launch([program, words]: [string, string[]], variables: Variables, cwd = root): ChildProcess {
  const { DATABASE_URL: _test, ...inherited } = process.env
  return spawn(program, words, { env: { ...inherited, ...variables }, cwd })
}

/** Runs a command to its end; one that does not come to its end by then is killed, and its code is null. */
export function runCommand(words: readonly string[], variables: Variables): Promise<Finished> {
  return runProgram(commandLine(words), variables)
}

export function runProgram(
  program: [string, string[]],
  variables: Variables,
  { cwd = root, within = END_MS_MAX } = {},
): Promise<Finished> {
  const child = launch(program, variables, cwd)
  const late = setTimeout(() => child.kill('SIGKILL'), within)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout!.on('data', (text) => stdout.push(text))
  child.stderr!.on('data', (text) => stderr.push(text))
  const text = (parts: Buffer[]) => Buffer.concat(parts).toString()
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(late)
      resolve({ code, stdout: text(stdout), stderr: text(stderr) })
    }),
  )
}

/** A service in a process of its own. */
export interface RunningService {
  readonly url: string
  readonly pid: number
  /** What it has printed so far. */
  said(): string
  /** Where that comes from, for those who stop listening. */
  readonly output: Readable
  /** Ends it with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Whether there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts the service and comes back when it says that it is ready. */
export function startService(variables: Variables, command = 'start'): Promise<RunningService> {
  return startProgram(commandLine([command]), variables)
}

/** Starts a program that sooner or later starts the service, whose output it passes on. */
export function startProgram(program: [string, string[]], variables: Variables): Promise<RunningService> {
  const child = launch(program, { PORT: '0', ...variables })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (text: Buffer) => {
      output += text
      const url = /is ready at ([^\s,]+)/.exec(output)?.[1] ?? (/does due work/.test(output) ? 'none' : undefined)
      if (url !== undefined)
        resolve({
          url,
          pid: child.pid!,
          said: () => output,
          output: child.stdout!,
          end: (signal) => {
            child.kill(signal)
            return ended
          },
        })
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    void ended.then((code) => reject(new Error(`the service ended with ${code}: ${output}`)))
  })
}

/**
 * A folder that is removed at the end, for data: where it lies in memory, no program can be run from it everywhere. The account
 * of an embedded server can enter it, or its data would lie elsewhere and stay.
 */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(inMemory() ?? tmpdir(), 'quittance-test-'))
  chmodSync(path, 0o755)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A token of a sandbox app, over the network. */
export async function tokenOver(url: string, clientId = 'sandbox-merchant'): Promise<string> {
  const response = await fetch(`${url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientId}-secret`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const body = (await response.json()) as { access_token: string }
  return body.access_token
}
