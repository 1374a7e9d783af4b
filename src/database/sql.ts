import { createHash } from 'node:crypto'

/** SQL with `$n` placeholders, prepared once a connection under a name made from its text. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** A statement together with the values of its placeholders. */
export interface Query {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

const statements = new Map<string, Statement>()

/** The one statement with this text. Texts come from our source and from a bounded set of compositions, never from input. */
export function statementOf(text: string): Statement {
  let statement = statements.get(text)
  if (!statement) {
    statement = { name: createHash('sha256').update(text).digest('hex').slice(0, 32), text }
    statements.set(text, statement)
  }
  return statement
}

/** Fixed SQL: sql`select … where id = $1`. Nothing can be interpolated. */
export function sql(strings: TemplateStringsArray, ...none: never[]): Statement {
  if (none.length > 0) throw new Error('Fixed SQL takes no values; use query`…` where parts are put together.')
  return statementOf(strings.join(''))
}

/** A piece of SQL with values in it, for statements put together at run time. */
export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  /** Numbers the placeholders and gives the finished query. */
  toQuery(): Query {
    const values: unknown[] = []
    return { statement: statementOf(print(this, values)), values }
  }
}

/** SQL put together at run time: every interpolated value becomes a placeholder, every fragment is spliced in. */
export const fragment = (strings: TemplateStringsArray, ...values: unknown[]) => new Fragment(strings, values)

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
