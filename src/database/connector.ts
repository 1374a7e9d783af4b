import pg from 'pg'
import type { Address } from './address.ts'

/** For one connection, however many servers are tried for it. */
export const CONNECT_TIMEOUT_MS = 2_000
/** The same for commands, where nobody else waits for an answer. */
export const COMMAND_CONNECT_TIMEOUT_MS = 5_000
/**
 * When a connection was lost lately, the next of several servers is asked if one has not answered for so long. It may never
 * answer.
 */
const NEXT_AFTER_MS = 200
const TROUBLED_MS = 10_000

/** None of several servers can be used. Holds the reason for each. */
export class NoServerError extends AggregateError {}

interface ConnectorOptions {
  /** For all servers together. The default is what a command may take. */
  readonly limitMs?: number
  /** The address leads to a pooler, which may repeat for all servers what one of them once said about itself. */
  readonly pooled?: boolean
}

/**
 * Opens connections to the first server of an address that fits. The one that fitted last time is asked first, so after a
 * failover only the first connection has to try another one. Nobody waits for a silent server while another one would do.
 */
export class Connector {
  readonly #address: Address
  readonly #settings: pg.ClientConfig
  readonly #limitMs: number
  readonly #pooled: boolean
  #first = 0
  /** How many connections are open. */
  #standing = 0
  #troubleAt = Number.NEGATIVE_INFINITY

  constructor(
    address: Address,
    settings: pg.ClientConfig,
    { limitMs = COMMAND_CONNECT_TIMEOUT_MS, pooled = false }: ConnectorOptions = {},
  ) {
    this.#address = address
    this.#settings = settings
    this.#limitMs = limitMs / address.servers.length
    this.#pooled = pooled
  }

  /**
   * For how long no connection has been lost, and one could be made whenever it was wanted. A server that has no connection
   * left, but goes on serving the open ones, is no trouble: it has been there all the while.
   */
  get steadyMs(): number {
    return performance.now() - this.#troubleAt
  }

  /** A connection that can be used. Whatever happens to it later never ends the process. */
  connect(): Promise<pg.Client> {
    const { servers } = this.#address
    const order = servers.map((_, i) => (this.#first + i) % servers.length)
    const failures = new Map<number, Error>()
    // If any server will do, a slow first server is not passed over, because the next one may not take writes.
    const isTroubled = this.#address.role !== 'any' && this.steadyMs < TROUBLED_MS
    return new Promise((resolve, reject) => {
      let asked = 0
      let isOver = false
      let silence: NodeJS.Timeout | undefined
      const askNext = () => {
        clearTimeout(silence)
        const place = order[asked++]
        if (isOver || place === undefined) return
        if (isTroubled) silence = setTimeout(askNext, NEXT_AFTER_MS)
        this.#connectTo(servers[place]!.settings).then(
          (client) => {
            if (isOver) return cut(client)
            isOver = true
            clearTimeout(silence)
            this.#first = place
            resolve(client)
          },
          (error: Error) => {
            failures.set(place, error)
            if (failures.size < order.length) askNext()
            else if (!isOver) reject(this.#refusal(order, failures))
          },
        )
      }
      askNext()
    })
  }

  #refusal(order: readonly number[], failures: ReadonlyMap<number, Error>): Error {
    const errors = order.map((place) => failures.get(place)!)
    if (this.#standing === 0 || !errors.some(isFull)) this.#troubleAt = performance.now()
    if (errors.length === 1) return errors[0]!
    const reasons = order.map((place) => `${this.#address.servers[place]!.name}: ${failures.get(place)!.message}`)
    return new NoServerError(errors, `None of the database servers can be used: ${reasons.join('; ')}.`)
  }

  async #connectTo(server: pg.ClientConfig): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#settings, ...server, connectionTimeoutMillis: this.#limitMs })
    const role = this.#pooled ? {} : watchRole(client)
    let isRefused = false
    // Without a listener, an error would end the process. It also fails what is under way, and is noticed there.
    client.on('error', () => {
      if (!isRefused) this.#troubleAt = performance.now()
    })
    try {
      await client.connect()
      if (this.#address.role === 'primary') await requireWritable(client, role, this.#limitMs)
      if (this.#address.role === 'standby') requireStandby(client, role)
      this.#standing++
      client.once('end', () => this.#standing--)
      return client
    } catch (error) {
      // The driver would wait for the server to end the connection, which a server that is stopping or starting may never do.
      isRefused = true
      cut(client)
      throw error
    }
  }
}

const isFull = (error: Error) => (error as { code?: string }).code === '53300'

/** Ends a connection without telling the server. */
export function cut(client: pg.Client): void {
  client.connection.stream.destroy()
}

/** What the server says of itself while the connection is made. */
interface Role {
  in_hot_standby?: string
  default_transaction_read_only?: string
}

function watchRole(client: pg.Client): Role {
  const role: Role = {}
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
    if (parameterName === 'in_hot_standby' || parameterName === 'default_transaction_read_only')
      role[parameterName] = parameterValue!
  })
  return role
}

/** Refuses a server that only reads: a standby, or a primary that was told to. */
async function requireWritable(client: pg.Client, role: Role, limitMs: number): Promise<void> {
  // A pooler may not pass on what the server said.
  const readOnly =
    role.in_hot_standby === undefined
      ? await readOnlyNow(client, limitMs)
      : role.in_hot_standby === 'on' || role.default_transaction_read_only === 'on'
  if (readOnly) throw Object.assign(new Error('the database server takes no writes'), { code: '25006' })
}

/** Refuses a primary. Should the standby become one later, it is left after its next answer, so that another can be found. */
function requireStandby(client: pg.Client, role: Role): void {
  if (role.in_hot_standby === 'off') throw new Error('the database server is no replica')
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'off') cut(client)
  })
}

async function readOnlyNow(client: pg.Client, limitMs: number): Promise<boolean> {
  const late = setTimeout(() => cut(client), limitMs)
  try {
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
    return rows[0]?.transaction_read_only === 'on'
  } finally {
    clearTimeout(late)
  }
}
