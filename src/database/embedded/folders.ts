import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from 'node:fs'
import { type Account, canEnter } from './account.ts'
import { EmbeddedServerError } from './error.ts'

/** Makes the data directory, which others may pass through but not list; one that exists is left as it is. */
export function makeDataDir(dataDir: string): string {
  try {
    if (mkdirSync(dataDir, { recursive: true })) chmodSync(dataDir, 0o711)
    accessSync(dataDir, constants.W_OK)
    return realpathSync(dataDir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new EmbeddedServerError(
      `The data directory ${dataDir} cannot be written (${code}): set QUITTANCE_DATA_DIR to a folder that can, or set DATABASE_URL.`,
    )
  }
}

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

/** A rename is on the disk only when its folder is. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
