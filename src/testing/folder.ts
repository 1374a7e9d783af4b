import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SOCKET_PATH_MAX } from '../database/embedded/run.ts'
import { version } from '../version.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Where the server of all tests of this user lies, with the template that worlds are copied from. Another version of the
 * schema has another folder. It stays from run to run, because making it takes a second or two.
 */
export function serverFolder(): string {
  const schema = createHash('sha256').update(version)
  for (const name of readdirSync(migrations).sort()) schema.update(name).update(readFileSync(join(migrations, name)))
  const user = process.getuid?.() ?? userInfo().username
  const folder = join(tmpdir(), `quittance-testing-${user}-${schema.digest('hex').slice(0, 12)}`)
  // The system would cut a longer path off, and whatever lies at the shorter one is not ours.
  if (process.platform !== 'win32' && Buffer.byteLength(keeperAddress(folder)) > SOCKET_PATH_MAX)
    throw new Error(`A socket in ${folder} would have too long a path: set TMPDIR to a folder with a shorter one.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  // Anybody can make folders where temporary files go, and this one must not be somebody else's.
  if (
    process.getuid !== undefined &&
    (uid !== process.getuid() || (mode & 0o022) !== 0 || (mode & 0o170000) !== 0o040000)
  )
    throw new Error(`${folder} is not a folder of yours alone: remove it, or set TMPDIR to a folder of your own.`)
  return folder
}

/** The address at which the keeper of that server is asked for worlds. */
export const keeperAddress = (folder: string) =>
  process.platform === 'win32' ? `\\\\.\\pipe\\${folder.split('\\').at(-1)}` : join(folder, 'keeper.sock')
