import { createServer } from 'node:net'
import { join } from 'node:path'
import { serverAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, createCluster, findCluster } from './cluster.ts'
import { EmbeddedServerError } from './error.ts'
import { findHome, makeHome, SERVER } from './folders.ts'
import { type Guardian, guard } from './guardian.ts'
import { type Postmaster, readyPostmaster, SOCKET_PORT, startPostmaster } from './postmaster.ts'
import { serverSettings } from './settings.ts'

export interface RunOptions {
  readonly dataDir: string
  readonly durable: boolean
  readonly connectionsMax: number
  readonly packageFolder: string | undefined
  /** If a lost server listened on a port: the port that its successor has to use. */
  readonly port: number | undefined
  /** Who starts the server if it is not running: a process id, and after a dash what tells its services apart. */
  readonly starter: string
}

/** A server that runs and where it can be reached. */
export interface Running {
  readonly cluster: Cluster
  readonly postmaster: Postmaster
  readonly url: string
  /** Whether it was running already. */
  readonly adopted: boolean
  /** Of a server that we started. */
  readonly guardian?: Guardian
}

/** The server's setting that says who started it. */
export const STARTER = 'quittance.started_by'

/** The longest address of a unix socket, in bytes. */
export const SOCKET_PATH_MAX = process.platform === 'linux' ? 107 : 103

/** Finds the running server of a data directory or starts one, making the cluster if there is none. */
export async function runServer({
  dataDir,
  durable,
  connectionsMax,
  packageFolder,
  port,
  starter,
}: RunOptions): Promise<Running> {
  const existing = findHome(dataDir)
  const account = serverAccount(join(existing ?? dataDir, SERVER))
  let cluster = existing && findCluster(existing, dataDir, account)
  const running = cluster && (await readyPostmaster(cluster))
  if (cluster && running) return { cluster, postmaster: running, url: urlOf(cluster, running), adopted: true }

  const home = existing ?? makeHome(dataDir, account)
  const binaries = findBinaries(account, home, packageFolder)
  if (!cluster) {
    await createCluster(home, binaries, { account, durable })
    cluster = findCluster(home, dataDir, account)!
  }
  if (cluster.version !== binaries.version)
    throw new EmbeddedServerError(
      `The data in ${dataDir} was made by PostgreSQL ${cluster.version} and this version of Quittance brings ${binaries.version}: run "quittance backup" with the version that made it, and "quittance restore" with this one on another folder.`,
    )
  const settings = {
    ...serverSettings({ connectionsMax, durable }),
    ...(await listening(cluster, port)),
    [STARTER]: starter,
  }
  // Before the server, so that there is no moment in which it could outlive us.
  const guardian = guard(cluster, { hard: !durable })
  try {
    const postmaster = await startPostmaster(cluster, binaries.postgres, { account, settings })
    return { cluster, postmaster, url: urlOf(cluster, postmaster), adopted: false, guardian }
  } catch (error) {
    guardian.release()
    throw error
  }
}

/** A unix socket in the server's own folder, or a free loopback port where there can be none. */
async function listening({ folder }: Cluster, port: number | undefined) {
  const path = join(folder, `.s.PGSQL.${SOCKET_PORT}`)
  if (process.platform !== 'win32' && Buffer.byteLength(path) <= SOCKET_PATH_MAX)
    return { listen_addresses: '', unix_socket_directories: quoted(folder), port: SOCKET_PORT }
  return { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: port ?? (await freePort()) }
}

/** The setting is a list. A name with commas or spaces must stand between quotes. */
const quoted = (folder: string) => `"${folder.replaceAll('"', '""')}"`

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const urlOf = ({ password }: Cluster, { socketFolder, port }: Postmaster) =>
  socketFolder
    ? `socket:${socketFolder}:${port}/postgres`
    : `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
