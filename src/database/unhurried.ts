import type { TransactOptions } from './transaction.ts'

/** For work that nobody waits for: its statements have no time limit, and may read tables from end to end. */
export const unhurried = { locks: true, limitMs: 0 } as const satisfies TransactOptions
