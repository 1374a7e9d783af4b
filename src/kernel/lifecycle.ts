import { type Problem, refused } from './problem.ts'

/** One row of a lifecycle: while an entity is in `from`, `by` may take `action`; its `outcome` leads to `to`. */
export interface Row<State> {
  readonly action: string
  readonly by: readonly string[]
  readonly from: { readonly [Facet in keyof State]?: State[Facet] | readonly State[Facet][] }
  readonly given: readonly string[]
  readonly outcome: string
  readonly to: Partial<State>
  readonly emits: string
}

/** What is noted of the row that a move followed: others may lead from the same state to the same state. */
export type FollowedRow = Pick<Row<object>, 'by' | 'given' | 'outcome'> & {
  /** Its number, in tables that have one. */
  readonly t?: string
}

export const followed = ({ t, by, given, outcome }: FollowedRow): FollowedRow => ({
  ...(t !== undefined && { t }),
  by,
  given,
  outcome,
})

/** Conditions of rows. The name of a guard is the sentence a reader needs: it appears in refusals and in the documentation. */
export type Guards<Entity> = Readonly<Record<string, (entity: Entity) => boolean>>

/**
 * Turns a refusal into the contract's error. `missing` is a sentence that says what would have allowed the action, and
 * `allowed` are the actions that the same caller may take now.
 */
export type Refuse<Entity> = (entity: Entity, action: string, missing: string, allowed: readonly string[]) => Problem

/** How to word a facet of the state whose name callers do not see. */
export type Words<State> = { readonly [Facet in keyof State]?: (values: readonly State[Facet][]) => string }

/** What somebody may do now and along which rows, or else what is missing. */
export type Prospect<R extends readonly { readonly action: string }[]> = { readonly action: R[number]['action'] } & (
  | { readonly allowed: true; readonly rows: readonly R[number][] }
  | { readonly allowed: false; readonly because: string }
)

const refuseByDefault = (_entity: unknown, _action: string, missing: string) => refused('ACTION_NOT_ALLOWED', missing)

/** Reads the table. No other code decides what is allowed, and no other code changes state. */
export class Lifecycle<State, Entity extends State, const R extends readonly Row<State>[]> {
  readonly rows: R
  readonly #guards: Guards<Entity>
  readonly #refuse: Refuse<Entity>
  readonly #words: Words<State>
  readonly #byAction: ReadonlyMap<string, readonly Row<State>[]>

  constructor(rows: R, guards: Guards<Entity>, refuse: Refuse<Entity> = refuseByDefault, words: Words<State> = {}) {
    this.rows = rows
    this.#guards = guards
    this.#refuse = refuse
    this.#words = words
    this.#byAction = groupByAction(rows)
    for (const row of rows)
      for (const guard of row.given)
        if (!guards[guard]) throw new Error(`The table names a guard that does not exist: ${guard}.`)
  }

  /** The actions these roles may take now, in the order of the table. Links and buttons are made from these. */
  allowed(entity: Entity, roles: readonly string[]): R[number]['action'][] {
    const actions: string[] = []
    for (const row of this.rows)
      if (!actions.includes(row.action) && this.#holds(row, entity, roles)) actions.push(row.action)
    return actions
  }

  /** Whether these roles may take `action` now. */
  allows(entity: Entity, roles: readonly string[], action: R[number]['action']): boolean {
    return (this.#byAction.get(action) ?? []).some((row) => this.#holds(row, entity, roles))
  }

  /** Refuses, saying what is missing, unless these roles may take `action` now. */
  require(entity: Entity, roles: readonly string[], action: R[number]['action']): void {
    if (this.allows(entity, roles, action)) return
    const requires = this.#requires(this.#byAction.get(action) ?? [], entity, roles)
    throw this.#refuse(entity, action, `${action} ${requires}`, this.allowed(entity, roles))
  }

  /** Every action that the table ever allows these roles, in its order: where it can lead now, or what it requires. */
  prospects(entity: Entity, roles: readonly string[]): Prospect<R>[] {
    return [...this.#byAction].flatMap(([action, rows]): Prospect<R>[] => {
      const own = rows.filter(({ by }) => by.some((role) => roles.includes(role)))
      if (own.length === 0) return []
      const open = own.filter((row) => this.#holds(row, entity, roles))
      if (open.length > 0) return [{ action, allowed: true, rows: open }]
      return [{ action, allowed: false, because: this.#requires(own, entity, roles) }]
    })
  }

  /** The row an outcome leads along. A missing row is our mistake, not the caller's. */
  follow(entity: Entity, roles: readonly string[], action: R[number]['action'], outcome: string): R[number] {
    const row = (this.#byAction.get(action) ?? []).find(
      (candidate) => candidate.outcome === outcome && this.#holds(candidate, entity, roles),
    )
    if (!row) throw new Error(`The table does not say where ${action} (${outcome}) leads.`)
    return row
  }

  #holds(row: Row<State>, entity: Entity, roles: readonly string[]): boolean {
    if (!row.by.some((role) => roles.includes(role))) return false
    for (const facet in row.from) {
      const wanted = row.from[facet] as unknown
      if (Array.isArray(wanted) ? !wanted.includes(entity[facet]) : wanted !== entity[facet]) return false
    }
    return row.given.every((guard) => this.#guards[guard]!(entity))
  }

  /**
   * What would open one of these rows. A row that lacks everything another one lacks, and more, is not told as a way of its
   * own.
   */
  #requires(rows: readonly Row<State>[], entity: Entity, roles: readonly string[]): string {
    const ways = rows.map((row) => this.#missing(row, entity, roles))
    const shortest = ways.filter(
      (way) => !ways.some((other) => other.length < way.length && other.every((part) => way.includes(part))),
    )
    return `requires ${[...new Set(shortest.map((way) => way.join(' and ')))].join(', or ')}.`
  }

  #missing(row: Row<State>, entity: Entity, roles: readonly string[]): string[] {
    const missing = row.by.some((role) => roles.includes(role)) ? [] : [`the ${row.by.join(' or ')}`]
    for (const [facet, wanted] of Object.entries(row.from) as [keyof State & string, unknown][]) {
      const values = Array.isArray(wanted) ? wanted : [wanted]
      if (!values.includes(entity[facet]))
        missing.push(this.#words[facet]?.(values) ?? `${facet} ${values.join(' or ')}`)
    }
    return [...missing, ...row.given.filter((guard) => !this.#guards[guard]!(entity))]
  }
}

function groupByAction<State>(rows: readonly Row<State>[]): Map<string, Row<State>[]> {
  const groups = new Map<string, Row<State>[]>()
  for (const row of rows) groups.set(row.action, [...(groups.get(row.action) ?? []), row])
  return groups
}
