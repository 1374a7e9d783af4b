import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { sql } from '../../src/database/sql.ts'
import { makeTransact, type Transact, type Tx } from '../../src/database/transaction.ts'
import { after } from '../../src/kernel/clock.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'
import { START } from '../support/world.ts'

let own: TestDatabase
let database: Database
let transact: Transact

beforeAll(async () => {
  own = await newDatabase()
  database = openPatiently(own.url)
  transact = makeTransact({ database, clock: { now: () => START }, ids: countingIds(), onWork: () => {} })({
    kind: 'service',
    task: 'test',
  })
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

type Step =
  | {
      readonly does: 'enqueue' | 'replace'
      readonly key: string | undefined
      readonly text: number
      readonly in: number
    }
  | { readonly does: 'withdraw'; readonly key: string }

const key = fc.constantFrom('a', 'b', 'c')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('enqueue' as const),
    key: fc.option(key, { nil: undefined }),
    text: fc.nat(99),
    in: fc.nat(5),
  }),
  fc.record({ does: fc.constant('replace' as const), key, text: fc.nat(99), in: fc.nat(5) }),
  fc.record({ does: fc.constant('withdraw' as const), key }),
)

interface Kept {
  readonly key: string | null
  readonly text: number
  readonly runAt: string
  readonly isParked: boolean
}

/** What a list of steps leaves behind when each sees the one before. */
function model(before: readonly Kept[], steps: readonly Step[]): Kept[] {
  return steps.reduce<Kept[]>(
    (jobs, step) => {
      const others = jobs.filter((job) => step.key === undefined || job.key !== step.key)
      if (step.does === 'withdraw') return others
      const isOpen = jobs.some((job) => step.key !== undefined && job.key === step.key && !job.isParked)
      if (isOpen && step.does === 'enqueue') return jobs
      return [...others, { key: step.key ?? null, text: step.text, runAt: after(START, step.in), isParked: false }]
    },
    [...before],
  )
}

function takeAll(tx: Tx, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.does === 'withdraw') tx.withdraw(step.key)
    else {
      const { does, key, text, in: seconds } = step
      const job = {
        name: 'note',
        payload: { account_id: 'A', text },
        runAt: after(START, seconds),
        replace: does === 'replace',
      }
      tx.enqueue({ ...job, ...(key !== undefined && { key }) })
    }
  }
}

/** Jobs that fall due at the same time have no order that anybody relies on. */
const sorted = (jobs: readonly Kept[]) => jobs.map((job) => JSON.stringify(job, keptFields)).sort()
const keptFields: (keyof Kept)[] = ['key', 'text', 'runAt', 'isParked']

const kept = sql`
  select key, (payload->>'text')::int as text, run_at as "runAt", parked_time is not null as "isParked"
  from jobs`
const parkSome = sql`update jobs set parked_time = $2, attempts = 3, last_error = 'gave up' where key = any($1)`
const leftovers = sql`
  select 1 from jobs where parked_time is null and (attempts > 0 or last_error is not null or lease_until is not null)`
const clear = sql`delete from jobs`

describe('The jobs of a unit of work', () => {
  it('come out as if each step had seen the one before', async () => {
    const steps = fc.array(step, { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(steps, fc.subarray(['a', 'b', 'c']), steps, async (first, parked, second) => {
        await database.rows(clear)
        await transact(async (tx) => takeAll(tx, first))
        await database.rows(parkSome, [parked, START])
        const before = model([], first).map((job) =>
          job.key !== null && parked.includes(job.key) ? { ...job, isParked: true } : job,
        )
        expect(sorted(await database.rows<Kept>(kept))).toEqual(sorted(before))

        await transact(async (tx) => takeAll(tx, second))

        expect(sorted(await database.rows<Kept>(kept))).toEqual(sorted(model(before, second)))
        expect(await database.rows(leftovers)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
