import type pg from 'pg'
import type { Share, Statement } from './sql.ts'

/** How the rows of a prepared statement look. The server keeps this the same as long as the statement is prepared. */
export interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
  /** What every row begins as, so that the engine sees all rows as alike. */
  readonly empty: Readonly<Record<string, null>>
}

/** Whether statements are prepared now. Behind a pooler this is only known after a while. */
export interface Naming {
  readonly prepares: boolean
}

/**
 * The statements that a connection holds prepared. PostgreSQL keeps each until it is told to close it. So of those that are
 * put together at run time, the one used longest ago makes way for the next.
 */
export class Prepared {
  readonly #client: pg.Client
  readonly #connection: DriverConnection
  readonly #names = new Map<Share, Set<string>>()
  readonly #naming: Naming
  readonly #shapes = new Map<string, Shape>()

  constructor(client: pg.Client, naming: Naming) {
    this.#client = client
    this.#connection = client.connection as unknown as DriverConnection
    this.#naming = naming
  }

  /** How the rows of a prepared statement look. Undefined until that is known. */
  shapeOf(name: string): Shape | undefined {
    return this.#shapes.get(name)
  }

  /** Remembers how its rows look. */
  looks(name: string, shape: Shape): void {
    this.#shapes.set(name, shape)
  }

  /** How values of a type are read. */
  parserOf(type: number): (text: string) => unknown {
    return this.#client.getTypeParser(type, 'text') as (text: string) => unknown
  }

  /** The name to send a statement under, to be called right before sending. Empty for one that is not prepared. */
  use({ name, share }: Statement): string {
    if (!this.#naming.prepares) return ''
    if (share && name !== '') this.#keep(name, share)
    return name
  }

  #keep(name: string, share: Share): void {
    const names = this.#names.get(share) ?? new Set()
    this.#names.set(share, names)
    names.delete(name)
    names.add(name)
    if (names.size > share.max) this.#close(names)
  }

  #close(names: Set<string>): void {
    const [oldest] = names
    names.delete(oldest!)
    // The answer comes together with that of the next statement, and nobody waits for it.
    this.#connection.close({ type: 'S', name: oldest! })
    delete this.#connection.parsedStatements[oldest!]
    this.#shapes.delete(oldest!)
  }
}

/** What the driver's types leave out; a test holds the driver to it. */
export interface DriverConnection {
  /** By name, the texts it takes for prepared. */
  readonly parsedStatements: Record<string, string>
  /** The same of those whose preparation is on its way. */
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  readonly stream: { write(bytes: Buffer): boolean }
  sync(): void
  close(what: { type: 'S'; name: string }): void
}
