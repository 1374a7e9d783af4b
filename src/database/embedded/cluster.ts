import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { type Binaries, notForThisSystem } from './binaries.ts'
import { diskIsFull, EmbeddedServerError, saysDiskFull } from './error.ts'
import { SERVER, syncFolder } from './folders.ts'

/** Where one server keeps everything: a folder of its own that only its account (and root) can enter. */
export interface Cluster {
  readonly folder: string
  readonly data: string
  /**
   * Beside the folder and not in it: we write this file, and must not follow a link that the server's account could have put
   * there.
   */
  readonly log: string
  /** The major version of PostgreSQL that made it. */
  readonly version: string
  /** The superuser's password, asked for on loopback TCP; the socket is protected by the folder. */
  readonly password: string
}

/** What the programs of the server see of our environment. */
export const serverEnvironment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' }

/** The cluster of this home, if it has been made. */
export function findCluster(home: string, dataDir: string, account: Account | undefined): Cluster | undefined {
  const folder = join(home, SERVER)
  if (!existsSync(folder)) return undefined
  const unusable = (remedy: string) =>
    new EmbeddedServerError(
      `The data in ${folder} cannot be used: ${remedy}, or set QUITTANCE_DATA_DIR to another folder.`,
    )
  if (!canEnter(home, account)) throw unusable('let every account pass through the folders above it (chmod o+x)')
  try {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim()
    return {
      folder,
      data: join(folder, 'cluster'),
      log: join(dataDir, 'postgres.log'),
      version: read('cluster/PG_VERSION'),
      password: read('password'),
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES') throw unusable('start as the account that made it')
    if (code === 'ENOENT') throw unusable('a part of it is gone; put it back from a backup')
    throw error
  }
}

/**
 * Makes a cluster. It is made under a passing name and then renamed, so that one that exists is complete, whenever we
 * were stopped before; when another start was faster, its cluster stays and ours goes.
 */
export async function createCluster(
  home: string,
  { initdb }: Binaries,
  { account, durable }: { account: Account | undefined; durable: boolean },
): Promise<void> {
  removeUnfinished(home)
  const made = join(home, `new-${process.pid}-${randomBytes(4).toString('hex')}`)
  underway.add(made)
  try {
    mkdirSync(made, { mode: 0o700 })
    writeFileSync(join(made, 'password'), randomBytes(24).toString('base64url'), { mode: 0o600 })
    if (account) for (const path of [made, join(made, 'password')]) chownSync(path, account.uid, account.gid)
    await runInitdb(initdb, made, { account, durable })
    renameSync(made, join(home, SERVER))
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(join(home, SERVER))) throw error
  } finally {
    underway.delete(made)
  }
  if (durable) for (const folder of [home, dirname(home)]) syncFolder(folder)
}

/** The clusters that this process is making now. */
const underway = new Set<string>()

async function runInitdb(
  initdb: string,
  folder: string,
  { account, durable }: { account: Account | undefined; durable: boolean },
): Promise<void> {
  const flags = [
    ...['--pgdata', join(folder, 'cluster'), '--username', 'postgres', '--pwfile', join(folder, 'password')],
    ...['--auth-local', 'trust', '--auth-host', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]
  const result = await new Promise<{ error: Error | null; said: string }>((resolve) => {
    execFile(initdb, flags, { ...account, cwd: '/', env: serverEnvironment }, (error, _, said) =>
      resolve({ error, said }),
    )
  })
  if (!result.error) return
  const { code } = result.error as { code?: number | string }
  // A name is the operating system's refusal to run it; 127 is the loader's, when a library or a symbol is missing.
  if (typeof code === 'string') throw notForThisSystem(result.error.message)
  if (code === 127) throw notForThisSystem(lastLine(result.said))
  if (saysDiskFull(result.said)) throw diskIsFull(dirname(folder))
  const reason = /(?:error|FATAL|PANIC): +(.*)/.exec(result.said)?.[1] ?? lastLine(result.said)
  throw new EmbeddedServerError(`PostgreSQL could not set up its data in ${dirname(folder)}: ${reason}`)
}

export const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''

/** Removes what starts that were stopped in the middle left behind. */
function removeUnfinished(home: string): void {
  for (const name of readdirSync(home)) {
    const pid = Number(/^new-(\d+)-/.exec(name)?.[1] ?? 0)
    const abandoned = pid === process.pid ? !underway.has(join(home, name)) : pid > 0 && !isAlive(pid)
    if (abandoned) removeAbandoned(home, name)
  }
}

/**
 * What a killed start had begun may still be written to. So it is put aside first, where its writer does not find it; what
 * comes in all the same is left to the next start.
 */
function removeAbandoned(home: string, name: string): void {
  const aside = join(home, `new-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    renameSync(join(home, name), aside)
    rmSync(aside, { recursive: true })
  } catch (error) {
    // Another start may be removing it as well.
    if (!['ENOENT', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Whether there is such a process. A zombie counts too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
