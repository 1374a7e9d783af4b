import type { WorkKind } from '../kernel/job.ts'
import { nameOf, type Share, type Statement, unprepared } from './sql.ts'

/** One change among those that are to be written together. */
export interface GatheredWrite {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly guarded: boolean
  /** What other writes of the same commit may call its returned rows. */
  readonly name?: string
  readonly wakes?: WorkKind
}

/**
 * Where a sequence of writes has led so far. The same operation always makes the same writes, so its text is put together
 * once.
 */
interface Step {
  readonly next: Map<Statement, Step>
  readonly nextGuarded: Map<Statement, Step>
  combined?: Statement
}

/** More writes than an operation usually has. Beyond that it is not worth remembering the sequence. */
const WRITES_MAX = 24
/** More steps than the source has sequences of writes. If a caller makes ever new ones, all of them are forgotten together. */
const STEPS_MAX = 4_000
/** As many as a busy service uses. Each connection prepares those that it comes across. */
const share: Share = { max: 200 }

const newStep = (): Step => ({ next: new Map(), nextGuarded: new Map() })
let start = newStep()
let steps = 0

/** How many steps are remembered. */
export const stepCount = () => steps

/** The one statement that carries out all these writes, which makes it atomic by itself. */
export function combine(writes: readonly GatheredWrite[]): Statement {
  if (writes.length > WRITES_MAX) return unprepared(print(writes))
  let step = start
  for (const { statement, guarded } of writes) {
    const ways = guarded ? step.nextGuarded : step.next
    step = ways.get(statement) ?? added(ways, statement)
  }
  if (!step.combined) {
    const text = print(writes)
    step.combined = { name: nameOf(text), text, share }
  }
  return step.combined
}

function added(ways: Map<Statement, Step>, statement: Statement): Step {
  if (++steps > STEPS_MAX) {
    start = newStep()
    steps = 0
  }
  const step = newStep()
  ways.set(statement, step)
  return step
}

/** Whether it changes nothing, and is there to be guarded alone. */
const isLook = ({ text }: Statement) => /^\s*select\b/.test(text)

function print(writes: readonly GatheredWrite[]): string {
  let places = 0
  const firsts: number[] = []
  const parts = writes.map(({ statement, values, guarded, name }, i) => {
    const offset = places
    firsts.push(offset + 1)
    places += values.length
    const text = statement.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
    return `${name ?? `w${i}`} as (${text}${guarded && !isLook(statement) ? ' returning 1' : ''})`
  })
  const guards = writes.flatMap(({ statement, guarded }, i) => {
    if (!guarded) return []
    // For a batch, every row must be found: as many as its first array has.
    const wanted = statement.batch ? `cardinality($${firsts[i]})` : '1'
    // The function that refuses is called only in order to refuse, because a call of it costs more than the count.
    return [`case when (select count(*) from w${i}) <> ${wanted} then changed_one(0) end`]
  })
  const wakes = writes.flatMap(({ name, wakes }) =>
    name && wakes ? [`case when exists (select from ${name}) then '${wakes}' end`] : [],
  )
  const woken = wakes.length > 0 ? [`array_remove(array[${wakes.join(', ')}]::text[], null) as wakes`] : []
  return `with ${parts.join(', ')} select ${[...guards, ...woken].join(', ') || '1'}`
}
