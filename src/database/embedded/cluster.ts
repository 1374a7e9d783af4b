import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { type Binaries, notForThisSystem } from './binaries.ts'
import { EmbeddedServerError } from './error.ts'

/** Where one server keeps everything: a folder of its own that only its account (and root) can enter. */
export interface Cluster {
  readonly folder: string
  readonly data: string
  readonly log: string
  /** The superuser's password, asked for on loopback TCP; the socket is protected by the folder. */
  readonly password: string
}

/** What the programs of the server see of our environment. */
export const serverEnvironment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' }

/** Below this name the data directory holds the server's folder, or a link to it. */
export const SERVER = 'server'
/** Folders that exist on every Unix, survive a restart and can be entered by every account. */
const shelters = ['/var/lib/quittance', '/var/tmp/quittance']

/** The data directory where the account can enter it, otherwise a place that it can. */
export function findShelter(dataDir: string, account: Account | undefined): string {
  if (canEnter(dataDir, account)) return dataDir
  for (const shelter of shelters) {
    try {
      mkdirSync(shelter, { recursive: true, mode: 0o755 })
      const { uid, mode } = lstatSync(shelter)
      if (uid === process.getuid?.() && !(mode & 0o022) && canEnter(shelter, account)) return shelter
    } catch {
      // Read-only here; the next place may not be.
    }
  }
  throw new EmbeddedServerError(
    `The account that runs PostgreSQL cannot enter ${dataDir}, nor is there another place for it: set QUITTANCE_DATA_DIR to a folder that every account can enter, or set DATABASE_URL.`,
  )
}

/** The cluster of this data directory, if it has been made. */
export function existingCluster(dataDir: string, account: Account | undefined): Cluster | undefined {
  const path = join(dataDir, SERVER)
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
  try {
    const folder = realpathSync(path)
    if (!canEnter(folder, account)) throw new Error('a folder above it is closed')
    return {
      folder,
      data: join(folder, 'cluster'),
      log: join(folder, 'postgres.log'),
      password: readFileSync(join(folder, 'password'), 'utf8'),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedServerError(
      `The data in ${path} cannot be used by this account (${reason}): start as the account that made it, or set QUITTANCE_DATA_DIR to another folder.`,
    )
  }
}

/**
 * Makes a cluster. It is made under a passing name and then renamed, so that one that exists is complete, whenever we
 * were stopped before; when another start was faster, its cluster stays and ours goes.
 */
export function createCluster(
  dataDir: string,
  { initdb }: Binaries,
  { account, shelter, durable }: { account: Account | undefined; shelter: string; durable: boolean },
): void {
  removeUnfinished(shelter)
  const made = join(shelter, `new-${process.pid}`)
  mkdirSync(made, { mode: 0o700 })
  writeFileSync(join(made, 'password'), randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (account) for (const path of [made, join(made, 'password')]) chownSync(path, account.uid, account.gid)
  runInitdb(initdb, made, account, durable)

  const place = join(dataDir, SERVER)
  try {
    if (shelter === dataDir) renameSync(made, place)
    else {
      const kept = join(shelter, randomBytes(8).toString('hex'))
      renameSync(made, kept)
      symlinkSync(kept, place)
    }
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  }
  if (durable) for (const folder of new Set([shelter, dataDir, dirname(dataDir)])) syncFolder(folder)
}

function runInitdb(initdb: string, folder: string, account: Account | undefined, durable: boolean): void {
  const flags = [
    ...['--pgdata', join(folder, 'cluster'), '--username', 'postgres', '--pwfile', join(folder, 'password')],
    ...['--auth-local', 'trust', '--auth-host', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]
  const { status, error, stderr } = spawnSync(initdb, flags, {
    ...account,
    cwd: '/',
    env: serverEnvironment,
    encoding: 'utf8',
  })
  if (status === 0) return
  rmSync(folder, { recursive: true, force: true })
  // 127 is the loader's answer when a library or a symbol is missing.
  if (error || status === 127) throw notForThisSystem(error?.message ?? lastLine(stderr))
  throw new EmbeddedServerError(`PostgreSQL could not set up its data in ${folder}: ${lastLine(stderr)}`)
}

export const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''

/** What starts that were stopped in the middle left behind. */
function removeUnfinished(shelter: string): void {
  for (const name of readdirSync(shelter)) {
    const pid = /^new-(\d+)$/.exec(name)?.[1]
    if (pid && (Number(pid) === process.pid || !isAlive(Number(pid))))
      rmSync(join(shelter, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A rename is on the disk only when its folder is. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Makes the data directory, which others may pass through but not list; one that exists is left as it is. */
export function makeDataDir(dataDir: string): string {
  const made = mkdirSync(dataDir, { recursive: true })
  if (made) chmodSync(dataDir, 0o711)
  return realpathSync(dataDir)
}
