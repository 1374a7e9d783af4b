import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { type Connector, cut } from './connector.ts'

/** Two clients of a pooler meet at the same server within so many tries, if they ever do. */
const TRIES = 5
/**
 * How long it may take to find out whether statements are kept. Otherwise it might never end: clients that hold all servers of
 * a pooler and want one more wait for each other, and a pooler may fall silent.
 */
const FIND_OUT_MS = 2_000
/** PostgreSQL's code for: there is no such prepared statement. */
const NOT_PREPARED = '26000'
const whichServer = 'select pg_backend_pid() as pid'

/** Whether a server other than the one that greeted us answers, so that there must be a pooler in between. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as pg.Client & { readonly processID: number | null }
  return processID !== null && processID !== (await serverOf(client))
}

/**
 * Whether a pooler lends connections for one transaction at a time. Then two clients can find themselves at the same server
 * while both are connected.
 */
export const isLentByTransaction = (connector: Connector): Promise<boolean> =>
  withTwo(connector, async (one, other) => {
    for (let i = 0; i < TRIES; i++) {
      const [mine, theirs] = [await serverOf(one), await serverOf(other)]
      if (mine === theirs || mine !== (await serverOf(one))) return true
    }
    return false
  })

/**
 * Whether a pooler keeps the prepared statements of its clients and brings them along to every server: whether one client
 * finds its statement at another server than the one it was prepared on. If it is never led to another server, the answer is
 * no, which is always safe; if that cannot be found out, it fails.
 */
export const keepsStatements = (connector: Connector): Promise<boolean> =>
  withTwo(connector, async (one, other) => {
    const late = setTimeout(() => [one, other].forEach(cut), FIND_OUT_MS)
    try {
      return await findsStatement(one, other)
    } finally {
      clearTimeout(late)
    }
  })

async function findsStatement(one: pg.Client, other: pg.Client): Promise<boolean> {
  // A name of its own, because somebody else may have left a statement behind at any of the servers.
  const probe = { name: `quittance_${randomBytes(8).toString('hex')}`, text: whichServer }
  for (let i = 0; i < TRIES; i++) {
    const first = await preparedOn(one, probe)
    // Whoever asks next mostly gets the server that was used last. So the other client takes that one, and this one has to
    // go elsewhere.
    await other.query('begin')
    await serverOf(other)
    const next = await preparedOn(one, probe)
    await other.query('rollback')
    if (first === undefined || next === undefined) return false
    if (first !== next) return true
  }
  return false
}

async function withTwo(
  connector: Connector,
  ask: (one: pg.Client, other: pg.Client) => Promise<boolean>,
): Promise<boolean> {
  const clients: pg.Client[] = []
  try {
    clients.push(await connector.connect(), await connector.connect())
    return await ask(clients[0]!, clients[1]!)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function serverOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(whichServer)
  return rows[0]?.pid
}

/** The server that ran the prepared statement; undefined when none did. */
async function preparedOn(client: pg.Client, probe: pg.QueryConfig): Promise<number | undefined> {
  try {
    const { rows } = await client.query<{ pid: number }>(probe)
    return rows[0]?.pid
  } catch (error) {
    if ((error as { code?: string }).code === NOT_PREPARED) return undefined
    throw error
  }
}
