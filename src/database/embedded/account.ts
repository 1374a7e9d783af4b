import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { EmbeddedServerError } from './error.ts'

/** An account of the operating system. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

const unprivileged = ['postgres', 'nobody', 'daemon']

/**
 * The account the server must run under, or undefined when it can run under ours: PostgreSQL refuses to run as root.
 * Data that exists stays with the account it belongs to.
 */
export function serverAccount(existingData: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(existingData, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }

  const known = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of unprivileged) {
    const entry = known.find((fields) => fields[0] === name)
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) }
  }
  throw new EmbeddedServerError(
    'PostgreSQL does not run as root and there is no account "postgres" or "nobody" to run it under: start the service as an ordinary user, or set DATABASE_URL.',
  )
}

/** Whether the account has these rights (4 read, 2 write, 1 enter or execute) on this one file or folder. */
function has(rights: number, path: string, { uid, gid }: Account): boolean {
  const status = statSync(path)
  const shift = status.uid === uid ? 6 : status.gid === gid ? 3 : 0
  return ((status.mode >> shift) & rights) === rights
}

/** Whether the account can reach this file or folder and read and enter (or execute) it. Our own always can. */
export function canUse(path: string, account: Account | undefined): boolean {
  return !account || (has(5, path, account) && canEnter(dirname(path), account))
}

/** Whether the account can pass through this folder and all above it. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  if (!account) return true
  const above = dirname(folder)
  return has(1, folder, account) && (above === folder || canEnter(above, account))
}
