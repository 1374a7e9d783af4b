import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { connectionSettings, inDatabase } from '../address.ts'
import { isAlive } from './cluster.ts'
import { diskIsFull, EmbeddedServerError, NotYetError, saysDiskFull } from './error.ts'
import { makeDataDir, refuseMoved } from './folders.ts'
import { type Guardian, guard } from './guardian.ts'
import { keepLogSmall } from './log.ts'
import { stopPostmaster } from './postmaster.ts'
import { type Running, runServer, STARTER } from './run.ts'

export { EmbeddedServerError } from './error.ts'

export interface EmbeddedOptions {
  /** Where the data lies; made if it does not exist. */
  readonly dataDir: string
  /** False only for data that is thrown away: nothing is forced to the disk, and stopping saves nothing either. */
  readonly durable?: boolean
  /** How many connections the service will open at most. */
  readonly connectionsMax?: number
  /** Joins the server of a running service instead of refusing. A command beside the service needs that. */
  readonly join?: boolean
  /** Where the npm package with the binaries lies; found by itself when absent. */
  readonly packageFolder?: string
}

export interface EmbeddedServer {
  /** What `openDatabase` takes. The server exists for this service alone, so we use its first database. */
  readonly url: string
  /** Whether the server was running already. */
  readonly adopted: boolean
  /** Ends the server, unless it was only joined. */
  stop(): Promise<void>
}

/** An arbitrary number. The lock with this number is held by the one service that owns the server. */
const OWNER_LOCK = 7_231_548_601
/** Where that lock is held: not in the service's own database, which nobody may be connected to while it is copied. */
const OWNER_DATABASE = 'quittance_owner'
/** How long a lock may outlive its holder: the server notices within moments that a process was killed. */
const OWNER_GONE_MS = 5_000
/** How long a living holder of the lock is given to end. It may be a process that was killed and is not gone yet. */
const OWNER_ALIVE_MS = 100
const OWNER_POLL_MS = 10
/** How often a server that is just ending is looked at again, and the pause before each look. */
const TRIES_MAX = 400
const RETRY_MS = 50
const REVIVE_MS = 1_000

/**
 * Starts the PostgreSQL that came with the npm packages on a data directory, or adopts the one a killed service left
 * running there, and brings it back if it dies. Only one service at a time owns a data directory; a second refuses.
 */
export async function startEmbedded({
  durable = true,
  connectionsMax = 10,
  join = false,
  packageFolder,
  ...options
}: EmbeddedOptions): Promise<EmbeddedServer> {
  const dataDir = makeDataDir(resolve(options.dataDir))
  refuseMoved(dataDir)
  let guardian: Guardian | undefined
  const starter = `${process.pid}-${randomBytes(4).toString('hex')}`
  const hold = async (port?: number) => {
    const held = await holdServer({ dataDir, durable, connectionsMax, packageFolder, port, starter })
    guardian?.release()
    // The owner of the server ends it, whether it started or adopted it. A server that belongs to another service ends with
    // that one.
    if (held.owner) guardian = held.guardian ?? guard(held.cluster, { hard: !durable })
    else held.guardian?.release()
    return held
  }

  const { cluster, postmaster, url, adopted, owner } = await hold()
  if (!owner) {
    if (join) return { url, adopted, stop: async () => {} }
    throw new EmbeddedServerError(
      `Another service is running on the data in ${dataDir}: stop it first, or set QUITTANCE_DATA_DIR to another folder.`,
    )
  }
  const log = keepLogSmall(cluster.log)
  const watch = keepHeld(owner, () => hold(postmaster.port))
  return {
    url,
    adopted,
    async stop() {
      log.stop()
      await watch.stop()
      // The lock is held until the server has ended, so that nobody adopts a server that is about to go.
      await stopPostmaster(cluster, { hard: !durable })
      guardian?.release()
    },
  }
}

interface Held extends Running {
  /** Undefined when another service owns the server. */
  readonly owner: pg.Client | undefined
}

async function holdServer(options: Parameters<typeof runServer>[0]): Promise<Held> {
  for (let attempt = 1; ; attempt++) {
    try {
      const running = await runServer(options)
      const owner = await takeOwnership(running.url, options.starter).catch((error: unknown) => {
        running.guardian?.release()
        throw lost(error)
      })
      return { ...running, owner }
    } catch (error) {
      if (error instanceof EmbeddedServerError) throw error
      if (!(error instanceof NotYetError) || attempt === TRIES_MAX) {
        const reason = error instanceof Error ? error.message : String(error)
        if (saysDiskFull(reason)) throw diskIsFull(options.dataDir)
        throw new EmbeddedServerError(`The embedded PostgreSQL in ${options.dataDir} cannot be used: ${reason}`)
      }
      await pause(RETRY_MS)
    }
  }
}

/**
 * A connection that holds the owner's lock as long as this process lives, or undefined if another process has it. Unlike a
 * lock file, a lock in the server can never be stale: it goes with the process that holds it, however that ends.
 */
async function takeOwnership(url: string, starter: string): Promise<pg.Client | undefined> {
  const client = await connectAsOwner(url)
  const began = performance.now()
  const waited = () => performance.now() - began
  while (await isAboutToBeTaken(client, starter)) {
    if (waited() > OWNER_GONE_MS) break
    await pause(OWNER_POLL_MS)
  }
  for (;;) {
    const { rows } = await client.query<{ taken: boolean; holder: string | null }>(tryLock, [OWNER_LOCK])
    if (rows[0]?.taken) return client
    const holder = Number(rows[0]?.holder?.split(' ').at(-1) ?? 0)
    const limitMs = holder > 0 && isAlive(holder) ? OWNER_ALIVE_MS : OWNER_GONE_MS
    if (waited() > limitMs) break
    await pause(OWNER_POLL_MS)
  }
  await client.end()
  return undefined
}

/**
 * A server is there a moment before the service that started it has the lock. In that moment the lock is free, but it is
 * not left behind: the service that has just brought back its killed server must not lose it to one that only comes.
 */
async function isAboutToBeTaken(client: pg.Client, starter: string): Promise<boolean> {
  const { rows } = await client.query<{ starter: string | null; free: boolean }>(
    `select current_setting('${STARTER}', true) as starter, not exists (${holder}) as free`,
    [OWNER_LOCK],
  )
  const other = rows[0]?.starter
  return rows[0]?.free === true && !!other && other !== starter && isAlive(Number.parseInt(other, 10))
}

/** The first start on a data directory makes the database; of several at once, one does. */
async function connectAsOwner(url: string): Promise<pg.Client> {
  const connect = async (database: string) => {
    const application_name = `quittance process ${process.pid}`
    const client = new pg.Client({ ...connectionSettings(inDatabase(url, database)), application_name })
    // A broken connection also emits `end`, and there is a listener for that.
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return connect(OWNER_DATABASE).catch(async (error: { code?: string }) => {
    if (error.code !== NO_SUCH_DATABASE) throw error
    const maker = await connect('template1')
    await maker.query(`create database ${OWNER_DATABASE} template template0`).catch((refusal: { code?: string }) => {
      if (!ALREADY_MADE.includes(refusal.code ?? '')) throw refusal
    })
    await maker.end()
    return connect(OWNER_DATABASE)
  })
}
const NO_SUCH_DATABASE = '3D000'
/** Codes for a database that exists already, even if another process only just made it. */
const ALREADY_MADE = ['42P04', '23505']

const holder = `
  select application_name from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and (classid::bigint << 32) + objid::bigint = $1`
const tryLock = `select pg_try_advisory_lock($1) as taken, (${holder} limit 1) as holder`

const lost = (error: unknown) =>
  new NotYetError(`the connection failed: ${error instanceof Error ? error.message : error}`)

/** Brings the server and the lock back whenever the connection that holds the lock breaks, because then the server has died. */
function keepHeld(first: pg.Client, hold: () => Promise<Held>): { stop(): Promise<void> } {
  let stopping = false
  let reviving = Promise.resolve()

  const revive = async () => {
    while (!stopping) {
      const owner = await hold().then(
        (held) => held.owner,
        () => undefined,
      )
      if (owner) return listen(owner)
      await pause(REVIVE_MS)
    }
  }
  const listen = (client: pg.Client) => {
    client.once('end', () => {
      if (!stopping) reviving = revive()
    })
  }
  listen(first)

  return {
    async stop() {
      stopping = true
      await reviving
    },
  }
}
