import type pg from 'pg'
import type { Share, Statement } from './sql.ts'

/** Whether statements are prepared now, which behind a pooler turns out in time. */
export interface Naming {
  readonly prepares: boolean
}

/**
 * Which statements a connection holds prepared. PostgreSQL keeps each until it is told to close it, so of those put
 * together at run time the one used longest ago makes way for the next.
 */
export class Prepared {
  readonly #connection: DriverConnection
  readonly #names = new Map<Share, Set<string>>()
  readonly #naming: Naming

  constructor(client: pg.Client, naming: Naming) {
    this.#connection = client.connection as DriverConnection
    this.#naming = naming
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
  }
}

/** What the driver's types leave out; a test holds the driver to it. */
export interface DriverConnection extends pg.Connection {
  /** By name, the texts it takes for prepared. */
  readonly parsedStatements: Record<string, string>
  close(what: { type: 'S'; name: string }): void
}
