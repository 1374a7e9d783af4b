import type pg from 'pg'
import type { DriverConnection, Prepared } from './prepared.ts'
import { BareQuery, Query } from './query.ts'
import type { Query as Sent } from './sql.ts'

type Done = (error: Error | null, results?: readonly pg.QueryResult[]) => void

/** Makes the query that the driver sends at once: one statement, or several as one transaction. */
export function queryOf(queries: readonly Sent[], prepared: Prepared, done: Done): pg.Query {
  const [{ statement, values }, ...others] = queries as [Sent, ...Sent[]]
  if (others.length === 0)
    return new Query(statement, values, prepared, (error, result) => done(error, result && [result]))
  return new Group(queries, prepared, done)
}

/**
 * Several statements followed by a single Sync message, which makes them one transaction. They are answered when its end has
 * come.
 */
class Group extends BareQuery {
  /** The name of the statement that is being answered. The driver looks here for what it has parsed. */
  name = ''
  text = ''
  /** The driver asks for this to know whether a query is sent in parts, with its values. */
  readonly queryMode = 'extended'
  readonly #members: readonly Query[]
  readonly #results: pg.QueryResult[] = []
  readonly #done: Done
  #at = 0
  #failure: Error | undefined

  constructor(queries: readonly Sent[], prepared: Prepared, done: Done) {
    super()
    this.#done = done
    const answered = (error: Error | null, result?: pg.QueryResult) => {
      if (error) this.#failure ??= error
      else this.#results.push(result!)
    }
    this.#members = queries.map(({ statement, values }) => new Query(statement, values, prepared, answered))
    for (const member of this.#members.slice(0, -1)) member.isFollowed = true
    this.#turnTo(0)
  }

  #turnTo(place: number): void {
    this.#at = place
    const { name = '', text = '' } = this.#members[place] ?? {}
    Object.assign(this, { name, text })
  }

  get #current(): Query {
    return this.#members[this.#at]!
  }

  prepare(connection: DriverConnection): void {
    try {
      for (const member of this.#members) member.write(connection)
    } catch (error) {
      this.#failure = error as Error
      connection.sync()
      return
    }
    for (const member of this.#members) member.send(connection)
  }

  handleRowDescription(description: Parameters<Query['handleRowDescription']>[0]): void {
    this.#current.handleRowDescription(description)
  }

  handleDataRow(row: Parameters<Query['handleDataRow']>[0]): void {
    this.#current.handleDataRow(row)
  }

  handleCommandComplete(complete: Parameters<Query['handleCommandComplete']>[0]): void {
    this.#current.handleCommandComplete(complete)
    this.#turnTo(this.#at + 1)
  }

  handleReadyForQuery(): void {
    if (!this.#failure) for (const member of this.#members) member.handleReadyForQuery()
    if (this.#failure) this.#done(this.#failure)
    else this.#done(null, this.#results)
  }

  /** The statements after the one that failed were not even parsed. */
  handleError(error: Error, connection: DriverConnection): void {
    for (const { name } of this.#members.slice(this.#at)) delete connection.submittedNamedStatements[name]
    this.#done(error)
  }
}
