import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { connectionSettings } from '../../src/database/address.ts'

/** What poolers let clients say when they connect. */
const PARAMETERS = new Set(['user', 'database', 'client_encoding', 'application_name'])

interface Lent {
  readonly stream: Socket
  client: Client | undefined
}

interface Client {
  readonly socket: Socket
  lent: Lent | undefined
  /** What came while there was no server for it. */
  waiting: Buffer[]
  /** Messages after which the server says that it is ready, and has not yet. */
  unanswered: number
  /** Something was sent that nothing of that kind has followed yet. */
  isOpen: boolean
}

/**
 * A pooler in transaction mode, as strict as they come: it refuses start parameters, lends the server that was used last
 * to whoever comes next, for one transaction, and leaves behind on it what was prepared there.
 */
export class TransactionPooler {
  readonly #server: Server
  readonly #target: string
  readonly #max: number
  readonly #taken: ReadonlySet<string>
  readonly #free: Lent[] = []
  readonly #clients = new Set<Client>()
  readonly #queue: Client[] = []
  readonly #opened: pg.Client[] = []
  /** How many servers there are to lend. */
  #count = 0
  /** What clients wanted to say at the start and may not. */
  readonly refused: string[] = []

  private constructor(databaseUrl: string, max: number, taken: ReadonlySet<string>) {
    this.#taken = taken
    this.#target = databaseUrl
    this.#max = max
    this.#server = createServer((socket) => this.#greet(socket))
  }

  static async before(
    databaseUrl: string,
    { servers = 3, takes = [] as readonly string[] } = {},
  ): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(databaseUrl, servers, new Set([...PARAMETERS, ...takes]))
    pooler.#server.listen(0, '127.0.0.1')
    await once(pooler.#server, 'listening')
    return pooler
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number }
    return `postgres://anybody@127.0.0.1:${port}/any`
  }

  async close(): Promise<void> {
    this.#server.close()
    for (const { socket } of this.#clients) socket.destroy()
    for (const client of this.#opened) client.connection.stream.destroy()
  }

  #greet(socket: Socket): void {
    const client: Client = { socket, lent: undefined, waiting: [], unanswered: 0, isOpen: false }
    this.#clients.add(client)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => this.#gone(client))
    socket.once('data', (start) => {
      const names = start.subarray(8).toString().split('\0')
      const unknown = names.find((name, i) => i % 2 === 0 && name !== '' && !this.#taken.has(name))
      if (unknown !== undefined) {
        this.refused.push(unknown)
        socket.end(message('E', `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`))
        return
      }
      // The number of no server: clients meet many.
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('K', Buffer.alloc(8, 1)), message('Z', 'I')]))
      let rest: Buffer = Buffer.alloc(0)
      socket.on('data', (data) => {
        const { messages, left } = split(Buffer.concat([rest, data]))
        rest = left
        for (const one of messages) this.#ask(client, one)
      })
    })
  }

  #ask(client: Client, one: Buffer): void {
    const type = String.fromCharCode(one[0]!)
    if (type === 'X') {
      client.socket.end()
      return
    }
    client.isOpen = type !== 'S' && type !== 'Q'
    if (!client.isOpen) client.unanswered++
    if (client.lent) client.lent.stream.write(one)
    else {
      client.waiting.push(one)
      if (client.waiting.length === 1) this.#queue.push(client)
      void this.#lend()
    }
  }

  async #lend(): Promise<void> {
    if (this.#queue.length === 0) return
    if (this.#free.length === 0) {
      if (this.#count < this.#max) await this.#open()
      return
    }
    const lent = this.#free.pop()!
    const client = this.#queue.shift()!
    lent.client = client
    client.lent = lent
    for (const one of client.waiting.splice(0)) lent.stream.write(one)
    void this.#lend()
  }

  /** The driver lets us in; then the connection is ours. */
  async #open(): Promise<void> {
    const client = new pg.Client(connectionSettings(this.#target))
    this.#opened.push(client)
    this.#count++
    client.on('error', () => {})
    await client.connect()
    const { stream } = client.connection
    stream.removeAllListeners('data')
    const lent: Lent = { stream: stream as Socket, client: undefined }
    let rest: Buffer = Buffer.alloc(0)
    stream.on('data', (data: Buffer) => {
      const { messages, left } = split(Buffer.concat([rest, data]))
      rest = left
      for (const one of messages) this.#answer(lent, one)
    })
    stream.on('close', () => {
      this.#count--
      const place = this.#free.indexOf(lent)
      if (place >= 0) this.#free.splice(place, 1)
      lent.client?.socket.destroy()
      void this.#lend()
    })
    this.#free.push(lent)
    void this.#lend()
  }

  #answer(lent: Lent, one: Buffer): void {
    const { client } = lent
    if (!client) return
    client.socket.write(one)
    if (one[0] !== 'Z'.charCodeAt(0)) return
    client.unanswered--
    const isInTransaction = one[5] !== 'I'.charCodeAt(0)
    if (isInTransaction || client.unanswered > 0 || client.isOpen) return
    client.lent = undefined
    lent.client = undefined
    this.#free.push(lent)
    void this.#lend()
  }

  #gone(client: Client): void {
    this.#clients.delete(client)
    const place = this.#queue.indexOf(client)
    if (place >= 0) this.#queue.splice(place, 1)
    // What it left unfinished goes with the server.
    client.lent?.stream.destroy()
  }
}

/** A message of either side: a letter, its length, and the rest. */
function message(type: string, body: string | Buffer): Buffer {
  const rest = Buffer.from(body as string)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(rest.length + 4, 1)
  return Buffer.concat([head, rest])
}

function split(data: Buffer): { messages: Buffer[]; left: Buffer } {
  const messages: Buffer[] = []
  let at = 0
  while (data.length - at >= 5) {
    const end = at + 1 + data.readInt32BE(at + 1)
    if (end > data.length) break
    messages.push(data.subarray(at, end))
    at = end
  }
  return { messages, left: data.subarray(at) }
}
