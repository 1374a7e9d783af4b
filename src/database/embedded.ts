import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { serverAccount } from './embedded/account.ts'
import { findBinaries } from './embedded/binaries.ts'
import { type Cluster, createCluster, existingCluster, findShelter, makeDataDir, SERVER } from './embedded/cluster.ts'
import { EmbeddedServerError } from './embedded/error.ts'
import { keepLogSmall } from './embedded/log.ts'
import { type Postmaster, readyPostmaster, startPostmaster, stopPostmaster } from './embedded/postmaster.ts'
import { serverSettings } from './embedded/settings.ts'
import { connectionSettings } from './open.ts'

export { EmbeddedServerError } from './embedded/error.ts'

export interface EmbeddedOptions {
  /** Where the data lies; made if it does not exist. */
  readonly dataDir: string
  /** False only for data that is thrown away: nothing is forced to the disk, and stopping does not save it either. */
  readonly durable?: boolean
  /** How many connections the service will open at most. */
  readonly connectionsMax?: number
  /** Joins the server of a running service instead of refusing, as a command beside the service must. */
  readonly join?: boolean
  /** Where the npm package with the binaries lies; found by itself when absent. */
  readonly packageFolder?: string
}

export interface EmbeddedServer {
  /** What `openDatabase` takes. The server exists for this service alone, so its first database is ours. */
  readonly url: string
  /** Whether the server was already running. */
  readonly adopted: boolean
  /** Ends the server, unless it was only joined. */
  stop(): Promise<void>
}

const PORT = 5432
/** The longest address of a unix socket, in bytes. */
const SOCKET_PATH_MAX = process.platform === 'linux' ? 107 : 103
/** Any number; the lock with it is held by the one service that owns the server. */
const OWNER_LOCK = 7_231_548_601
/** The server notices within moments that a service was killed; a lock that is still held after this is a live one's. */
const OWNER_WAIT_MS = 400
const ATTEMPTS_MAX = 20

/**
 * Starts the PostgreSQL that came with the npm packages on a data directory, or adopts the one a killed service left
 * running there. Only one service at a time owns a data directory; a second start refuses.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { durable = true, join: joins = false } = options
  const dataDir = makeDataDir(resolve(options.dataDir))

  for (let attempt = 1; ; attempt++) {
    try {
      const { cluster, postmaster, adopted } = await run(dataDir, options)
      const url = urlOf(cluster, postmaster)
      const owner = await takeOwnership(url)
      if (!owner && !joins)
        throw new EmbeddedServerError(
          `Another service is running on the data in ${dataDir}: stop it first, or set QUITTANCE_DATA_DIR to another folder.`,
        )
      const logKeeper = owner && keepLogSmall(cluster.log)
      return {
        url,
        adopted,
        async stop() {
          if (!owner) return
          logKeeper?.stop()
          await owner.end().catch(() => {})
          await stopPostmaster(cluster, { hard: !durable })
        },
      }
    } catch (error) {
      // A server that is ending under our hands, or whose last processes are; the next look finds it gone.
      if (error instanceof EmbeddedServerError || attempt === ATTEMPTS_MAX) throw error
      await pause(50)
    }
  }
}

async function run(dataDir: string, { durable = true, connectionsMax = 10, packageFolder }: EmbeddedOptions) {
  const account = serverAccount(join(dataDir, SERVER))
  let cluster = existingCluster(dataDir, account)
  const running = cluster && (await readyPostmaster(cluster))
  if (cluster && running) return { cluster, postmaster: running, adopted: true }

  const shelter = findShelter(dataDir, account)
  const binaries = findBinaries(account, shelter, packageFolder)
  if (!cluster) createCluster(dataDir, binaries, { account, shelter, durable })
  cluster ??= existingCluster(dataDir, account)!
  const settings = { ...serverSettings({ connectionsMax, durable }), ...(await listening(cluster)) }
  const postmaster = await startPostmaster(cluster, binaries.postgres, { account, settings })
  return { cluster, postmaster, adopted: false }
}

/** A unix socket in the server's own folder, or a free loopback port where there can be none. */
async function listening({ folder }: Cluster) {
  const path = join(folder, `.s.PGSQL.${PORT}`)
  if (process.platform !== 'win32' && Buffer.byteLength(path) <= SOCKET_PATH_MAX)
    return { listen_addresses: '', unix_socket_directories: folder, port: PORT }
  return { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: await freePort() }
}

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

/** A connection that holds the owner's lock for as long as this process lives, or undefined when another's does. */
async function takeOwnership(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ ...connectionSettings(url), application_name: 'quittance owner' })
  client.on('error', () => {})
  await client.connect()
  const deadline = performance.now() + OWNER_WAIT_MS
  do {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [OWNER_LOCK])
    if (rows[0]?.taken) return client
    await pause(20)
  } while (performance.now() < deadline)
  await client.end()
  return undefined
}
