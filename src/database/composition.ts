import type { WorkKind } from '../kernel/job.ts'
import { type Statement, statementOf } from './sql.ts'

/** One change among those that are to be written together. */
export interface ComposedWrite {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly guarded: boolean
  /** What other writes of the same commit may call its returned rows. */
  readonly name?: string
  readonly wakes?: WorkKind
}

/** Where a sequence of writes has led so far. The same operation always takes the same way, so the text is made once. */
interface Step {
  readonly next: Map<Statement, Step>
  readonly nextGuarded: Map<Statement, Step>
  composed?: Statement
}

const newStep = (): Step => ({ next: new Map(), nextGuarded: new Map() })
const start = newStep()

/** The one statement that carries out all these writes, which makes it atomic by itself. */
export function compose(writes: readonly ComposedWrite[]): Statement {
  let step = start
  for (const { statement, guarded } of writes) {
    const ways = guarded ? step.nextGuarded : step.next
    const next = ways.get(statement) ?? newStep()
    ways.set(statement, next)
    step = next
  }
  step.composed ??= print(writes)
  return step.composed
}

function print(writes: readonly ComposedWrite[]): Statement {
  let places = 0
  const parts = writes.map(({ statement, values, guarded, name }, i) => {
    const offset = places
    places += values.length
    const text = statement.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
    return `${name ?? `w${i}`} as (${text}${guarded ? ' returning 1' : ''})`
  })
  const guards = writes.flatMap(({ guarded }, i) => (guarded ? [`changed_one((select count(*) from w${i}))`] : []))
  const wakes = writes.flatMap(({ name, wakes }) =>
    name && wakes ? [`case when exists (select from ${name}) then '${wakes}' end`] : [],
  )
  const woken = wakes.length > 0 ? [`array_remove(array[${wakes.join(', ')}]::text[], null) as wakes`] : []
  return statementOf(`with ${parts.join(', ')} select ${[...guards, ...woken].join(', ') || '1'}`)
}
