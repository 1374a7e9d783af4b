import { combine, type GatheredWrite } from './combine.ts'
import type { Statement } from './sql.ts'
import { TouchedRows } from './touched-rows.ts'

/** The changes of a unit of work, in the order in which they were gathered, until they are written as one. */
export class Writes {
  readonly #writes: GatheredWrite[] = []
  readonly #batches = new Map<Statement, unknown[][]>()
  readonly #names = new Set<string>()
  readonly #touched = new TouchedRows()

  get isEmpty(): boolean {
    return this.#writes.length === 0
  }

  add(write: GatheredWrite): void {
    const { statement, values, name } = write
    if (name !== undefined && this.#names.has(name))
      throw new Error(`Two writes of a unit of work are called ${name}, and later ones could not tell which is meant.`)
    if (name !== undefined) this.#names.add(name)
    this.#touched.add(statement, values)
    if (statement.batch) this.#addRow(write)
    else this.#writes.push(write)
  }

  /** Rows of one statement travel together, in the place where the first of them was gathered. */
  #addRow({ statement, values, guarded }: GatheredWrite): void {
    let columns = this.#batches.get(statement)
    if (!columns) {
      columns = values.map(() => [])
      this.#batches.set(statement, columns)
      this.#writes.push({ statement, values: columns, guarded })
    }
    for (const [i, column] of columns.entries()) column.push(values[i])
  }

  /** All of them as one statement, which is atomic by itself: no begin, no commit, one round trip. */
  asOne(): { statement: Statement; values: unknown[] } {
    const [only] = this.#writes
    if (this.#writes.length === 1 && !only!.guarded) return { statement: only!.statement, values: [...only!.values] }
    return { statement: combine(this.#writes), values: this.#writes.flatMap(({ values }) => values) }
  }
}
