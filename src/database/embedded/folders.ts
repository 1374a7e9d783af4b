import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { EmbeddedServerError } from './error.ts'

/** The server's folder within its home. */
export const SERVER = 'server'
/** In a data directory that the server's account cannot enter, this names a link to the place of its home. */
const ELSEWHERE = 'elsewhere'
/** Places that survive a restart of the machine and that every account can enter. */
const publicPlaces = ['/var/lib/quittance', '/var/tmp/quittance']

/** Makes the data directory so that only we can enter it. An existing one is left as it is. */
export function makeDataDir(dataDir: string): string {
  try {
    mkdirSync(dirname(dataDir), { recursive: true })
    if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // With the slash at the end, a file of this name is refused.
    accessSync(`${dataDir}/`, constants.W_OK)
    return realpathSync(dataDir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new EmbeddedServerError(
      `The data directory ${dataDir} cannot be written (${code}): set QUITTANCE_DATA_DIR to a folder that can, or set DATABASE_URL.`,
    )
  }
}

/** In a data directory whose data was moved to another database, this names the note that says where. */
const MOVED = 'moved'

/** Notes that the data lives elsewhere now, so that no service starts on what was left here and does its work a second time. */
export function markMoved(dataDir: string, where: string): void {
  writeFileSync(join(dataDir, MOVED), `${where}\n`)
}

export function refuseMoved(dataDir: string): void {
  const mark = join(dataDir, MOVED)
  if (existsSync(mark))
    throw new EmbeddedServerError(
      `The data in ${dataDir} was moved to ${readFileSync(mark, 'utf8').trim()}: set DATABASE_URL to that, or remove ${mark} to go on with what was left here.`,
    )
}

/** Where the server of this data directory has its home, if it has one. */
export function findHome(dataDir: string): string | undefined {
  if (existsSync(join(dataDir, SERVER))) return dataDir
  const link = join(dataDir, ELSEWHERE)
  if (!lstatSync(link, { throwIfNoEntry: false })) return undefined
  if (existsSync(link)) return realpathSync(link)
  throw new EmbeddedServerError(
    `${link} leads to where the data was, and nothing is there: put it back, or remove the link to start with no data.`,
  )
}

/** Gives the server a home: the data directory where its account can enter it, otherwise a place that it can. */
export function makeHome(dataDir: string, account: Account | undefined): string {
  if (canEnter(dataDir, account) || letPass(dataDir, account)) return dataDir
  const place = publicPlaces.find((place) => isSafe(place, account))
  if (!place)
    throw new EmbeddedServerError(
      `The account that runs PostgreSQL cannot enter ${dataDir}: set QUITTANCE_DATA_DIR to a folder that every account can enter, or set DATABASE_URL.`,
    )
  const home = mkdtempSync(join(place, 'data-'))
  chmodSync(home, 0o711)
  try {
    symlinkSync(home, join(dataDir, ELSEWHERE))
    for (const folder of [place, dirname(place)]) syncFolder(folder)
  } catch (error) {
    rmdirSync(home)
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return findHome(dataDir)!
}

/** Lets this account, and nobody else, pass through a folder that only we could enter. */
function letPass(folder: string, account: Account | undefined): boolean {
  const { uid, mode } = statSync(folder)
  if (!account || uid !== process.getuid?.()) return false
  // Another start may have just done so. With a second home there would be two servers, each with data of its own.
  if ((mode & 0o077) !== 0) return canEnter(folder, account)
  if (!canEnter(dirname(folder), account)) return false
  chownSync(folder, uid, account.gid)
  chmodSync(folder, 0o710)
  return true
}

/** Whether we can have a folder there that the account can enter, and into which nobody else can put things. */
function isSafe(place: string, account: Account | undefined): boolean {
  try {
    if (mkdirSync(place, { recursive: true })) chmodSync(place, 0o755)
    const { uid, mode } = lstatSync(place)
    return uid === process.getuid?.() && (mode & 0o022) === 0 && canEnter(place, account)
  } catch {
    return false
  }
}

/** Forces a folder to the disk: a new name in it is only safe then. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
