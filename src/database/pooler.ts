import type pg from 'pg'
import type { Connector } from './connector.ts'

/** Two clients of a pooler meet at one server within so many tries, if they meet at all. */
const TRIES = 5
const probe = { name: 'quittance_probe', text: 'select pg_backend_pid() as pid' }

/** Whether the server at the other end is not the one that answered: a pooler stands in between. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as pg.Client & { readonly processID: number | null }
  return processID !== null && processID !== (await serverOf(client))
}

/**
 * Whether connections are lent for a transaction at a time: then two clients find themselves at the same server, one of
 * them while the other is connected.
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
 * Whether a pooler keeps the prepared statements of its clients apart and brings them along to every server. Two clients
 * that share servers find out; where they do not come to share one, the answer is no, which is always safe.
 */
export const keepsStatements = (connector: Connector): Promise<boolean> =>
  withTwo(connector, async (one, other) => {
    for (let i = 0; i < TRIES; i++) {
      const mine = await preparedOn(one)
      await other.query('begin')
      const theirs = await preparedOn(other)
      // With its server held by the other, the first one is led to another.
      const next = await preparedOn(one)
      await other.query('rollback')
      if (mine === undefined || theirs === undefined || next === undefined) return false
      if (mine === theirs && mine !== next) return true
    }
    return false
  })

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
  const { rows } = await client.query<{ pid: number }>(probe.text)
  return rows[0]?.pid
}

/** The server that ran the prepared statement; undefined when none did. */
async function preparedOn(client: pg.Client): Promise<number | undefined> {
  try {
    const { rows } = await client.query<{ pid: number }>(probe)
    return rows[0]?.pid
  } catch (error) {
    if (notKept.has(String((error as { code?: string }).code))) return undefined
    throw error
  }
}

/** There is no such prepared statement, or one of another client has the name. */
const notKept = new Set(['26000', '42P05'])
