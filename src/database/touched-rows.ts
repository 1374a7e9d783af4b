import type { Batch, Statement } from './sql.ts'

/** The rows a statement changes, as far as its text names them: a table, and which column must equal which value. */
interface Target {
  readonly table: string
  readonly kind: 'insert' | 'change'
  /** By column: the place of its value among the values of the statement. */
  readonly places: ReadonlyMap<string, number>
}

interface Touched {
  readonly kind: Target['kind']
  readonly values: ReadonlyMap<string, unknown>
}

/**
 * Which rows a unit of work has changed so far. In the one statement of the commit no change sees the effect of
 * another: PostgreSQL would drop the second change of a row without a word. So it is refused while the work gathers,
 * where whoever wrote it sees it. Statements whose text does not name single rows are not looked at.
 */
export class TouchedRows {
  readonly #byTable = new Map<string, Touched[]>()
  readonly #batched = new Set<string>()

  add(statement: Statement, values: readonly unknown[]): void {
    if (statement.batch) this.#addBatched(statement.batch, values)
    const target = targetOf(statement)
    if (!target) return
    const { table, kind, places } = target
    const touched = { kind, values: new Map([...places].map(([column, place]) => [column, values[place]])) }
    const others = this.#byTable.get(table) ?? []
    if (others.some((other) => areSame(touched, other))) throw twice(table)
    this.#byTable.set(table, [...others, touched])
  }

  #addBatched({ table, key }: Batch, values: readonly unknown[]): void {
    const row = [table, ...values.slice(0, key)].join(' ')
    if (this.#batched.has(row)) throw twice(table)
    this.#batched.add(row)
  }
}

const twice = (table: string) =>
  new Error(`A unit of work changes a row of ${table} twice, and the second change would be lost.`)

/** Whether both certainly name the same row. Two plain inserts are left to the unique index. */
function areSame(a: Touched, b: Touched): boolean {
  if (a.kind === 'insert' && b.kind === 'insert') return false
  const aIsWider = b.kind === 'insert' || (a.kind === 'change' && a.values.size <= b.values.size)
  const [fewer, more] = aIsWider ? [a.values, b.values] : [b.values, a.values]
  return [...fewer].every(([column, value]) => more.has(column) && String(more.get(column)) === String(value))
}

const targets = new WeakMap<Statement, { readonly target: Target | undefined }>()

function targetOf(statement: Statement): Target | undefined {
  const known = targets.get(statement)
  if (known) return known.target
  const target = readTarget(statement.text)
  targets.set(statement, { target })
  return target
}

/** A row with a new version is still the same row. */
const VERSION = 'version'

function readTarget(text: string): Target | undefined {
  const change = /^\s*(?:update|delete\s+from)\s+(\w+)\b.*?\bwhere\b([^()]+)$/is.exec(text)
  if (change) return target(change[1]!, 'change', conditionsOf(change[2]!.replace(/\breturning\b.*/is, '')))
  const insert =
    /^\s*insert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*\(([^()]+)\)\s*values\s*\((.+?)\)\s*(on\s+conflict.*)?$/is.exec(text)
  if (!insert) return undefined
  const given = insert[3]!.split(',').map((value) => /^\s*\$(\d+)\s*$/.exec(value)?.[1])
  const inserted = insert[2]!.split(',').map((column, i) => [column.trim(), given[i]] as const)
  const upsert = /^on\s+conflict\s*\(([^()]+)\)\s*do\s+update\b/is.exec(insert[4] ?? '')
  if (!upsert) return target(insert[1]!, 'insert', inserted)
  const key = upsert[1]!.split(',').map((column) => column.trim())
  return target(
    insert[1]!,
    'change',
    inserted.filter(([column]) => key.includes(column)),
  )
}

/** Empty unless every term of the condition says which column equals which value. */
function conditionsOf(where: string): (readonly [string, string | undefined])[] {
  const terms = where.split(/\band\b/i).map((term) => /^\s*(?:\w+\.)?(\w+)\s*=\s*\$(\d+)\s*$/.exec(term))
  return terms.every((term) => term !== null) ? terms.map((term) => [term[1]!, term[2]]) : []
}

function target(
  table: string,
  kind: Target['kind'],
  columns: readonly (readonly [string, string | undefined])[],
): Target | undefined {
  const places = new Map<string, number>()
  for (const [column, place] of columns)
    if (place !== undefined && column !== VERSION) places.set(column, Number(place) - 1)
  return places.size === 0 ? undefined : { table, kind, places }
}
