import type { Claimed, ClaimedJob, Room } from './queue.ts'

/** Classes of jobs, as the column has them. */
const classes = { urgent: 0, usual: 1 } as const

/**
 * How many jobs of a class run at once in a process, and how many of them for one account. A merchant whose mail server or
 * gateway answers slowly keeps their own jobs waiting, and nobody else's.
 */
const rules = [
  { class: classes.urgent, slots: 10, each: 4 },
  { class: classes.usual, slots: 10, each: 3 },
] as const

interface Slots {
  readonly class: number
  readonly slots: number
  readonly each: number
  /** How many run for each account. */
  readonly running: Map<string, number>
  taken: number
  /** The last claim filled the class, or the share of these accounts, so more jobs may wait. */
  isFull: boolean
  readonly fullAccounts: Set<string>
  /** The account whose turn it was last. */
  afterAccount: string
  /** The round began in the middle, so the accounts before that have yet to be looked at. */
  isPartial: boolean
}

/** Counts what runs, by class and account, and says what there is room for. */
export class JobSlots {
  readonly #classes: readonly Slots[] = rules.map((rule) => ({
    ...rule,
    running: new Map(),
    taken: 0,
    isFull: false,
    fullAccounts: new Set(),
    afterAccount: '',
    isPartial: false,
  }))

  get running(): number {
    return this.#classes.reduce((sum, { taken }) => sum + taken, 0)
  }

  /** What there is room for now, by class. A class whose slots are all taken is left out. */
  free(): Room[] {
    return this.#classes
      .filter(({ slots, taken }) => taken < slots)
      .map((one) => ({
        class: one.class,
        count: one.slots - one.taken,
        each: one.each,
        afterAccount: one.afterAccount,
        running: new Map(one.running),
      }))
  }

  /** Takes a slot for every job that was claimed for this room. Says whether it is worth looking again at once. */
  take(room: readonly Room[], { jobs, promoted, reached }: Claimed): boolean {
    let isMore = promoted > 0
    for (const asked of room) {
      const one = this.#classOf(asked.class)
      const accounts = jobs.filter((job) => job.class === asked.class).map(({ account_id }) => account_id)
      for (const account of accounts) one.running.set(account, (one.running.get(account) ?? 0) + 1)
      for (const account of new Set(accounts)) {
        const got = accounts.filter((other) => other === account).length
        if (got >= asked.each - (asked.running.get(account) ?? 0)) one.fullAccounts.add(account)
      }
      one.taken += accounts.length
      one.isFull = accounts.length >= asked.count
      if (one.isFull) {
        // The next claim goes on behind the last account that got a slot, so its round begins in the middle.
        one.afterAccount = accounts.reduce((a, b) => (a > b ? a : b))
        one.isPartial = true
      } else {
        const last = reached[asked.class]
        one.afterAccount = last ?? ''
        // The claim stopped before the last account, or the round had begun in the middle.
        if (last !== undefined || one.isPartial) isMore = true
        if (last === undefined) one.isPartial = false
      }
    }
    return isMore
  }

  /** Gives the slot of a job back. Says whether other jobs may have been waiting for it. */
  release({ class: number, account_id }: ClaimedJob): boolean {
    const one = this.#classOf(number)
    const running = one.running.get(account_id) ?? 0
    one.taken--
    if (running > 1) one.running.set(account_id, running - 1)
    else one.running.delete(account_id)
    const isAwaited = one.fullAccounts.delete(account_id) || one.isFull
    one.isFull = false
    return isAwaited
  }

  #classOf(number: number): Slots {
    return this.#classes.find((one) => one.class === number)!
  }
}
