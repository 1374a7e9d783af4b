import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/database/open.ts'
import { makeTransact, type Transact, type TransactFor } from '../../../src/database/transaction.ts'
import { type JobDefinition, job } from '../../../src/jobs/job-definition.ts'
import { claimFirst } from '../../../src/jobs/queue.ts'
import { Runner } from '../../../src/jobs/runner.ts'
import { Worker } from '../../../src/jobs/worker.ts'
import { after, type Instant } from '../../../src/kernel/clock.ts'
import { countingIds } from '../../../src/kernel/ids.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { START } from '../../support/world.ts'

describe('A job', () => {
  let test: TestDatabase
  let database: Database
  let transactFor: TransactFor
  let transact: Transact
  let now: Instant
  const clock = { now: () => now }
  let ran: string[] = []

  beforeAll(async () => {
    test = await newDatabase()
    database = openPatiently(test.url)
    transactFor = makeTransact({ database, clock, ids: countingIds(), onWork: () => {} })
    transact = transactFor({ kind: 'service', task: 'test' })
  })
  afterAll(async () => {
    await database.close()
    await test.drop()
  })
  beforeEach(async () => {
    now = START
    ran = []
    await database.query('truncate jobs')
  })

  const note = (retryAfter: readonly number[] = []) =>
    job<{ text: string }>({ name: 'note', retryAfter, run: async ({ text }) => void ran.push(text) })
  const failing = (retryAfter: readonly number[]) =>
    job({
      name: 'note',
      retryAfter,
      async run() {
        ran.push('tried')
        throw new Error('the far end is down')
      },
    })
  const runner = (...definitions: JobDefinition[]) => new Runner({ database, transactFor, clock, definitions })
  const enqueue = (text: string, parts: { runAt?: Instant; key?: string; replace?: boolean } = {}) =>
    transact(async (tx) => tx.enqueue({ name: 'note', payload: { account_id: 'A', text }, ...parts }))
  const jobs = async () => (await database.query('select * from jobs order by id')).rows

  it('runs once it is due, and is then gone', async () => {
    await enqueue('later', { runAt: after(START, 60) })
    await enqueue('now')

    await runner(note()).drain()
    expect(ran).toEqual(['now'])
    now = after(START, 60)
    await runner(note()).drain()
    expect(ran).toEqual(['now', 'later'])
    expect(await jobs()).toEqual([])
  })

  it('is claimed alone when a clock is moved, also where the planner knows of one job only', async () => {
    await enqueue('1')
    await database.query('analyze jobs')
    for (const text of ['2', '3', '4']) await enqueue(text)

    expect(await claimFirst(database, now)).toMatchObject({ payload: { text: '1' } })
    expect((await jobs()).filter(({ lease_until }) => lease_until !== null)).toHaveLength(1)
  })

  it('is not made when the unit of work fails', async () => {
    await expect(
      transact(async (tx) => {
        tx.enqueue({ name: 'note', payload: { account_id: 'A', text: 'never' } })
        throw new Error('changed my mind')
      }),
    ).rejects.toThrow('changed my mind')
    expect(await jobs()).toEqual([])
  })

  it('with a key is made once, replaced when asked, and can be withdrawn', async () => {
    await enqueue('first', { key: 'k', runAt: after(START, 10) })
    await enqueue('second', { key: 'k' })
    expect((await jobs()).map(({ payload }) => payload.text)).toEqual(['first'])

    await enqueue('third', { key: 'k', replace: true })
    expect((await jobs()).map(({ payload, run_at }) => [payload.text, run_at])).toEqual([['third', START]])

    await transact(async (tx) => tx.withdraw('k'))
    expect(await jobs()).toEqual([])
  })

  it('takes the place of a parked one with its key, as a new job', async () => {
    await enqueue('given up', { key: 'k' })
    await runner(failing([])).drain()
    const [parked] = await jobs()
    expect(parked.parked_time).toBe(START)

    await enqueue('once more', { key: 'k' })

    expect(await jobs()).toMatchObject([{ attempts: 0, parked_time: null, last_error: null }])
    expect((await jobs())[0].id).not.toBe(parked.id)
    await runner(note()).drain()
    expect(ran).toEqual(['tried', 'once more'])
    expect(await jobs()).toEqual([])
  })

  it('that fails is tried again on its schedule, and parked where an operator sees it when that runs out', async () => {
    await enqueue('x')
    const trying = runner(failing([5, 60]))
    await trying.drain()
    expect(await trying.nextDue()).toBe(after(START, 5))
    now = after(START, 5)
    await trying.drain()
    expect(await trying.nextDue()).toBe(after(START, 65))
    now = after(START, 65)
    await trying.drain()

    expect(ran).toHaveLength(3)
    expect(await trying.nextDue()).toBeUndefined()
    expect(await jobs()).toMatchObject([
      { attempts: 3, parked_time: now, last_error: expect.stringContaining('far end') },
    ])
  })

  it('that fails with what no row can hold is tried again all the same', async () => {
    await enqueue('x')
    const run = async () => JSON.parse('\0')
    await runner(job({ name: 'note', retryAfter: [5], run })).drain()
    expect(await jobs()).toMatchObject([
      { run_at: after(START, 5), lease_until: null, last_error: expect.stringContaining('is not valid JSON') },
    ])
  })

  it('of a newer version is left to a process that knows it, and is as good as new there', async () => {
    await enqueue('x')
    const older = runner()
    await older.drain()
    expect(await jobs()).toMatchObject([{ parked_time: null, attempts: 0, run_at: after(START, 30) }])

    now = after(START, 30)
    await runner(note()).drain()
    expect(ran).toEqual(['x'])
    expect(await jobs()).toEqual([])
  })

  it('that nobody knows how to keep for an hour is parked, not lost', async () => {
    await enqueue('x')
    for (let seconds = 0; seconds <= 3_600; seconds += 30) {
      now = after(START, seconds)
      await runner().drain()
    }
    expect(await jobs()).toMatchObject([
      { parked_time: after(START, 3_600), last_error: expect.stringContaining('No job is called note') },
    ])
  })

  it('that killed its worker ten times is parked without being run again', async () => {
    await enqueue('poison')
    // What a worker leaves behind that died while running it: a lease that has run out.
    const die = () => database.query("update jobs set lease_until = clock_timestamp() - interval '1 second'")
    await database.query('update jobs set crashes = 9')
    await die()
    await runner(note([1, 1, 1])).drain()

    expect(ran).toEqual([])
    expect(await jobs()).toMatchObject([{ crashes: 10, parked_time: START }])
  })

  it('has its lease renewed by one renewal at a time, also where one took long and nothing was held meanwhile', async () => {
    const gate = () => {
      let open = () => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      return { open, opened }
    }
    const [renewal, ...works] = [gate(), gate(), gate()]
    const renewals: string[] = []
    /** The way to the database, on which the first renewal is long under way. */
    const slow: Database = {
      ...database,
      async rows(statement, values) {
        if (!/set lease_until = .* from unnest/s.test(statement.text)) return database.rows(statement, values)
        renewals.push('begun')
        if (renewals.length === 1) await renewal!.opened
        return database.rows<never>(statement, values).finally(() => renewals.push('done'))
      },
    }
    const definition = job({ name: 'note', retryAfter: [], run: () => works[ran.push('begun') - 1]!.opened })
    const holding = new Runner({ database: slow, transactFor, clock, definitions: [definition] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await enqueue('one')
      holding.wake()
      await expect.poll(() => ran.length).toBe(1)
      vi.advanceTimersByTime(20_000)
      works[0]!.open()
      await holding.whenIdle()
      await enqueue('two')
      holding.wake()
      await expect.poll(() => ran.length).toBe(2)
      renewal!.open()
      await expect.poll(() => renewals).toEqual(['begun', 'done'])
      await new Promise((resolve) => setImmediate(resolve))

      vi.advanceTimersByTime(20_000)

      expect(renewals).toEqual(['begun', 'done', 'begun'])
    } finally {
      vi.useRealTimers()
      works[1]!.open()
      await holding.close()
    }
  })

  it('whose worker lost its lease is finished by the one that took over, not by the late one', async () => {
    await enqueue('slow')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = runner(job({ name: 'note', retryAfter: [], run: () => held }))
    slow.wake()
    await expect.poll(async () => (await jobs())[0]?.lease_until).not.toBeNull()
    await database.query("update jobs set lease_until = clock_timestamp() - interval '1 second'")
    // Taken over, failed, and waiting for its next try: the late worker must not remove it.
    const taking = runner(failing([3600]))
    taking.wake()
    await taking.whenIdle()
    release()
    await slow.whenIdle()

    expect(await jobs()).toHaveLength(1)
  })

  it('waits while its worker stands still for something else, which waits only for what is under way', async () => {
    await transact(async (tx) => {
      for (let i = 0; i < 30; i++) tx.enqueue({ name: 'note', payload: { account_id: 'A', text: String(i) } })
    })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const run = ({ text }: { text: string }) => {
      ran.push(text)
      return held
    }
    const worker = new Worker([runner(job({ name: 'note', retryAfter: [], run }))])
    worker.start()
    await expect.poll(() => ran.length).toBe(3)
    const paused = worker.whilePaused(async () => (await jobs()).length)
    release()

    expect(await paused).toBe(27)
    await expect.poll(async () => (await jobs()).length).toBe(0)
    await worker.stop()
    expect(ran).toHaveLength(30)
  })

  it('runs exactly once when two workers race for it', async () => {
    await transact(async (tx) => {
      for (let i = 0; i < 200; i++) tx.enqueue({ name: 'note', payload: { account_id: `A${i % 5}`, text: String(i) } })
    })
    const workers = [new Worker([runner(note())]), new Worker([runner(note())])]
    for (const worker of workers) worker.start()
    await expect.poll(async () => (await jobs()).length).toBe(0)
    await Promise.all(workers.map((worker) => worker.stop()))

    expect(ran).toHaveLength(200)
    expect(new Set(ran).size).toBe(200)
  })
})
