import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findHome } from '../../src/database/embedded/folders.ts'
import { startEmbedded } from '../../src/database/embedded/server.ts'

interface OwnServerOptions {
  /** What the name of its folder begins with. */
  readonly name: string
  /** Where its folder is made: the system's temporary folder when not said. */
  readonly within?: string | undefined
  /** Whether a commit is on the disk when it is acknowledged, as with the service's own server; not when not said. */
  readonly durable?: boolean
  readonly connectionsMax: number
  /** Called before its first start, with the folder of its data. */
  prepare?(dataDir: string): Promise<void>
}

/** A PostgreSQL in a folder of its own, which goes with this process however that ends. */
export async function startOwnServer(options: OwnServerOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { name, within = tmpdir(), durable = false, connectionsMax, prepare } = options
  const dataDir = mkdtempSync(join(within, `quittance-${name}-`))
  // Where we are root, the server runs as somebody else, who has to get in; else its data would lie elsewhere.
  chmodSync(dataDir, 0o711)
  const watch = watchOver(dataDir)
  await prepare?.(dataDir)
  const server = await startEmbedded({ dataDir, durable, connectionsMax })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      removeData(dataDir)
      watch.stop()
    },
  }
}

/** A shell that takes the server down when the pipe to us breaks, as it does even when we are killed. */
function watchOver(dataDir: string) {
  if (process.platform === 'win32') return { stop() {} }
  const script = `cat
    home=$(cd "$0/elsewhere" && pwd -P || echo "$0")
    kill -QUIT $(head -n 1 "$home/server/cluster/postmaster.pid")
    sleep 1
    rm -rf "$home" "$0"`
  const shell = spawn('sh', ['-c', script, dataDir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  return { stop: () => process.kill(-shell.pid!, 'SIGKILL') }
}

/** Removes a data directory together with what of it lies elsewhere. */
export function removeData(dataDir: string): void {
  for (const folder of [findHome(dataDir), dataDir]) if (folder) rmSync(folder, { recursive: true, force: true })
}
