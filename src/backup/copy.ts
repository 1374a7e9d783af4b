import { once } from 'node:events'
import type pg from 'pg'

/** What the driver's connection can do for COPY, beyond what its types say. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** The methods that the driver calls on whatever is under way on a connection. */
interface CopyQuery extends pg.Submittable {
  handleError(error: Error): void
  handleReadyForQuery(): void
  handleCommandComplete(message: { text: string }): void
}

/** Rows are passed on in pieces of about this size. */
export const PIECE_BYTES = 64 * 1024
/** How many pieces may wait to be taken before the server has to wait. */
const WAITING_MAX = 16

/** Rows of a table as the server sends them, in pieces; at the end, how many rows there were. */
export async function* copyOut(client: pg.Client, statement: string): AsyncGenerator<Buffer, number> {
  const query = new CopyOut(statement)
  client.query(query)
  for (;;) {
    const piece = await query.next()
    if (!piece) return query.rows
    yield piece
  }
}

/** Sends rows as `copyOut` gave them, and tells how many the server took. */
export function copyIn(client: pg.Client, statement: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(statement, pieces, resolve, reject))
  })
}

/** `COPY 12` is what the server says when it took or gave twelve rows. */
const rowsOf = (tag: string) => Number(/^COPY (\d+)$/.exec(tag)?.[1] ?? 0)

class CopyOut implements CopyQuery {
  readonly #statement: string
  readonly #waiting: Buffer[] = []
  #piece = Buffer.allocUnsafe(PIECE_BYTES)
  #filled = 0
  #connection: pg.Connection | undefined
  #ended = false
  #error: Error | undefined
  #wake: () => void = () => {}
  rows = 0

  constructor(statement: string) {
    this.#statement = statement
  }

  /** The next piece; undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    while (this.#waiting.length === 0 && !this.#ended && !this.#error)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#error) throw this.#error
    const piece = this.#waiting.shift()
    if (this.#waiting.length < WAITING_MAX) this.#connection?.stream.resume()
    return piece
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection
    connection.query(this.#statement)
  }

  // The driver uses its buffer again, so each row is copied out of it at once.
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#filled + chunk.length > this.#piece.length) this.#hand(chunk.length)
    chunk.copy(this.#piece, this.#filled)
    this.#filled += chunk.length
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = rowsOf(text)
  }

  handleReadyForQuery(): void {
    this.#hand(0)
    this.#ended = true
    this.#wake()
  }

  handleError(error: Error): void {
    // The first error is what the server says; the end of the connection follows as a second one.
    this.#error ??= error
    this.#connection?.stream.resume()
    this.#wake()
  }

  #hand(next: number): void {
    if (this.#filled > 0) this.#waiting.push(this.#piece.subarray(0, this.#filled))
    this.#piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, next))
    this.#filled = 0
    if (this.#waiting.length >= WAITING_MAX) this.#connection?.stream.pause()
    this.#wake()
  }
}

class CopyIn implements CopyQuery {
  readonly #statement: string
  readonly #pieces: AsyncIterable<Buffer>
  readonly #resolve: (rows: number) => void
  readonly #reject: (error: unknown) => void
  #rows = 0
  #refused = false
  /** Why there are no more pieces, if the reason is not that all were sent. */
  #failure: unknown

  constructor(
    statement: string,
    pieces: AsyncIterable<Buffer>,
    resolve: (rows: number) => void,
    reject: (error: unknown) => void,
  ) {
    this.#statement = statement
    this.#pieces = pieces
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#statement)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).then(
      () => connection.endCopyFrom(),
      (error: unknown) => {
        this.#failure = error
        connection.sendCopyFail('there is no more to send')
      },
    )
  }

  async #send(connection: CopyConnection): Promise<void> {
    const { stream } = connection
    const sent = new AbortController()
    const gone = once(stream, 'close', { signal: sent.signal }).catch(() => {})
    try {
      for await (const piece of this.#pieces) {
        if (this.#refused) return
        connection.sendCopyFromChunk(piece)
        if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), gone])
      }
    } finally {
      sent.abort()
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = rowsOf(text)
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#rows)
  }

  handleError(error: Error): void {
    this.#refused = true
    this.#reject(this.#failure ?? error)
  }
}
