import type pg from 'pg'
import type { Share, Statement } from './sql.ts'

/** How the rows of a prepared statement look: the server keeps that for as long as the statement is prepared. */
export interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
  /** What every row begins as, so that all of them are alike. */
  readonly empty: Readonly<Record<string, null>>
}

/** Whether statements are prepared now, which behind a pooler turns out in time. */
export interface Naming {
  readonly prepares: boolean
}

/**
 * Which statements a connection holds prepared. PostgreSQL keeps each until it is told to close it, so of those put
 * together at run time the one used longest ago makes way for the next.
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

  /** How the rows of a statement look that is prepared; undefined while nobody knows. */
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

  /** The name to send a statement under, right after this; none for one that is not prepared. */
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
    // The answer comes with those of the next statement, and nobody waits for it.
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
