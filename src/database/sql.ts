import { hash } from 'node:crypto'

/** SQL with `$n` placeholders. With a name it is prepared once on each connection; without one it is planned at each use. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Set if the statement takes many rows at once. */
  readonly batch?: Batch
  /** The share of a connection's prepared statements that it counts towards. Statements of the source are few and always stay. */
  readonly share?: Share
}

/** A statement whose parameters are arrays with one value for each row. */
export interface Batch {
  readonly table: string
  /** How many of a row's first values identify it. */
  readonly key: number
}

/** How many of the statements put together at run time a connection keeps prepared at once. */
export interface Share {
  readonly max: number
}

/** A statement together with the values of its placeholders. */
export interface Query {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/** The name a text is prepared under. It is the same in every process, so that a pooler can share the statement. */
export const nameOf = (text: string) => hash('sha256', text, 'hex').slice(0, 32)

const statements = new Map<string, Statement>()

/** All statements of the source, for the tests that look at every one of them. */
export const everyStatement = (): readonly Statement[] => [...statements.values()]

/**
 * The one statement with this text, prepared for as long as a connection lives. Only for texts of the source, when its
 * module is loaded: what is put together from a request is a `Fragment`.
 */
export function statementOf(text: string): Statement {
  let statement = statements.get(text)
  if (!statement) {
    statement = { name: nameOf(text), text }
    statements.set(text, statement)
  }
  return statement
}

/** SQL that is planned for its one use. */
export const unprepared = (text: string): Statement => ({ name: '', text })

/** Fixed SQL: sql`select … where id = $1`. Nothing can be interpolated. */
export function sql(strings: TemplateStringsArray, ...none: never[]): Statement {
  if (none.length > 0) throw new Error('Fixed SQL takes no values; use fragment`…` where parts are put together.')
  return statementOf(strings.join(''))
}

/** A longer text has so many parts that keeping its plan would cost more memory than it saves time. */
const TEXT_LENGTH_MAX = 10_000

/**
 * A statement of the source that takes many rows at once: each of its parameters is an array, for `unnest`. In a unit of
 * work it is gathered row by row and sent once, so that its size does not depend on how many there are.
 */
export function batched(batch: Batch, text: string): Statement {
  const statement = { name: nameOf(text), text, batch }
  statements.set(text, statement)
  return statement
}

/**
 * Statements put together at run time, of which callers can make any number. A statement that is used again while it is
 * remembered gets prepared. The memory they take is bounded here and in the server.
 */
export class BuiltStatements {
  readonly #share: Share
  readonly #max: number
  readonly #prepareAt: number
  readonly #remembered = new Map<string, { statement: Statement; uses: number }>()

  /** Prepares a text at its `prepareAt`th use, and remembers the `max` texts that were used last. */
  constructor({ max, preparedMax, prepareAt }: { max: number; preparedMax: number; prepareAt: number }) {
    this.#max = max
    this.#share = { max: preparedMax }
    this.#prepareAt = prepareAt
  }

  get size(): number {
    return this.#remembered.size
  }

  of(text: string): Statement {
    if (text.length > TEXT_LENGTH_MAX) return unprepared(text)
    const found = this.#remembered.get(text) ?? { statement: unprepared(text), uses: 0 }
    if (++found.uses === this.#prepareAt) found.statement = { name: nameOf(text), text, share: this.#share }
    this.#remembered.delete(text)
    this.#remembered.set(text, found)
    if (this.#remembered.size > this.#max) this.#remembered.delete(this.#remembered.keys().next().value!)
    return found.statement
  }
}

/** The lists and searches that callers ask for. A few are asked for all the time, and there is no end to the rest. */
export const listStatements = new BuiltStatements({ max: 128, preparedMax: 32, prepareAt: 2 })

/** A piece of SQL with values in it, for statements put together at run time. */
export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  /** Its text, with numbered placeholders, and their values. */
  printed(): { readonly text: string; readonly values: readonly unknown[] } {
    const values: unknown[] = []
    return { text: print(this, values), values }
  }

  /** The finished query, which is prepared when it is asked for again and again. */
  toQuery(): Query {
    const { text, values } = this.printed()
    return { statement: listStatements.of(text), values }
  }

  /** The same, but planned for exactly these values. */
  toUnpreparedQuery(): Query {
    const { text, values } = this.printed()
    return { statement: unprepared(text), values }
  }
}

/** SQL put together at run time: every interpolated value becomes a placeholder, every fragment is spliced in. */
export const fragment = (strings: TemplateStringsArray, ...values: unknown[]) => new Fragment(strings, values)

/** Text of the source as a piece of SQL, such as the name of a column. Never a caller's. */
export const raw = (text: string) => new Fragment([text], [])

/** A value that the planner cannot see. If it saw the values, it would plan a list anew each time it is asked for. */
export const unseen = (value: unknown, type: string) => fragment`(select ${value}${raw(`::${type}`)})`

/** Joins fragments, for example conditions with ` and `. The separator is our own text. */
export function joined(fragments: readonly Fragment[], separator: string): Fragment {
  const between = fragments.slice(1).map(() => separator)
  return new Fragment(fragments.length === 0 ? [''] : ['', ...between, ''], fragments)
}

function print(part: Fragment, values: unknown[]): string {
  return part.strings.reduce((text, string, i) => {
    if (i === 0) return string
    const value = part.values[i - 1]
    return text + (value instanceof Fragment ? print(value, values) : `$${values.push(value)}`) + string
  }, '')
}
