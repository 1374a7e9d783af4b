import pg from 'pg'
import { boundMessage } from './message.ts'
import type { DriverConnection, Prepared, Shape } from './prepared.ts'
import type { Statement } from './sql.ts'

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

/** What the driver's types leave out: how a value is written. */
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): unknown } }).utils

const written = (value: unknown): unknown =>
  typeof value === 'string' ? value : Array.isArray(value) ? arrayText(value) : prepareValue(value)

const mustBeEscaped = /["\\]/

/**
 * The text of an array. Words of an invoice and columns of many rows travel as arrays; the driver would scan every element
 * twice.
 */
function arrayText(elements: readonly unknown[]): unknown {
  let text = ''
  for (const element of elements) {
    if (text !== '') text += ','
    if (element === null || element === undefined) text += 'NULL'
    else if (typeof element === 'string')
      text += mustBeEscaped.test(element) ? `"${element.replace(/["\\]/g, '\\$&')}"` : `"${element}"`
    else if (typeof element === 'object') return prepareValue(elements)
    else text += String(element)
  }
  return `{${text}}`
}

type Done = (error: Error | null, result?: pg.QueryResult) => void

/**
 * A query that the driver takes for its own, because of its prototype, but without what the driver's constructor sets up:
 * listeners, a result, a copy of its arguments. That took an eighth of the time of a read.
 */
export const BareQuery = class {} as unknown as new () => pg.Query
Object.setPrototypeOf(BareQuery.prototype, pg.Query.prototype)

/**
 * One statement on its way through the driver. The driver's own query copies its arguments, asks for the description of the
 * rows each time and emits an event for each row, which is a tenth of what a read costs.
 */
export class Query extends BareQuery {
  name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly callback: Done
  readonly #prepared: Prepared
  #shape: Shape | undefined
  #rows: Record<string, unknown>[] = []
  #command = ''
  #failure: Error | undefined
  #message: Buffer | undefined

  /** Whether other statements follow it in the same transaction. */
  isFollowed = false

  /** Must be sent right after this. */
  constructor(statement: Statement, values: readonly unknown[], prepared: Prepared, done: Done) {
    super()
    this.text = statement.text
    this.values = values
    this.callback = done
    const name = prepared.use(statement)
    this.name = name
    this.#prepared = prepared
    this.#shape = name === '' ? undefined : prepared.shapeOf(name)
  }

  prepare(connection: DriverConnection): void {
    try {
      this.write(connection)
    } catch (error) {
      this.#failure = error as Error
      connection.sync()
      return
    }
    this.send(connection)
  }

  /** Writes the messages to be sent. Throws if a value cannot be written. */
  write(connection: DriverConnection): void {
    const { name, values } = this
    if (!isParsed(name, connection)) this.#shape = undefined
    this.#message = boundMessage({ name, values, written, describes: !this.#shape, ends: !this.isFollowed })
  }

  send(connection: DriverConnection): void {
    const { name, text } = this
    if (!isParsed(name, connection)) {
      connection.parse({ name, text })
      if (name !== '') connection.submittedNamedStatements[name] = text
    }
    connection.stream.write(this.#message!)
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.#prepared.parserOf(dataTypeID)),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#failure) return
    const { names, parsers, empty } = this.#shape!
    const row: Record<string, unknown> = { ...empty }
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i]
        if (text !== null && text !== undefined) row[names[i]!] = parsers[i]!(text)
      }
    } catch (error) {
      this.#failure = error as Error
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#command = text.split(' ', 1)[0]!
  }

  handleReadyForQuery(): void {
    if (this.#failure) {
      this.callback(this.#failure)
      return
    }
    if (this.name !== '') this.#prepared.looks(this.name, this.#shape ?? nothing)
    // Of the result only the rows and the command are ever asked for.
    this.callback(null, { rows: this.#rows, command: this.#command } as pg.QueryResult)
  }
}

const isParsed = (name: string, { parsedStatements, submittedNamedStatements }: DriverConnection) =>
  name !== '' && (name in parsedStatements || name in submittedNamedStatements)

/** Of a statement that gives no rows. */
const nothing: Shape = { names: [], parsers: [], empty: {} }
