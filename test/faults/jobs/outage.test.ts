import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { NoConnectionError } from '../../../src/database/errors.ts'
import { type Database, openDatabase } from '../../../src/database/open.ts'
import { sql } from '../../../src/database/sql.ts'
import { makeTransact, type TransactFor } from '../../../src/database/transaction.ts'
import { type JobDefinition, job } from '../../../src/jobs/job-definition.ts'
import { Runner } from '../../../src/jobs/runner.ts'
import { countingIds } from '../../../src/kernel/ids.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { FaultyProxy, type Weather } from '../../support/faulty-proxy.ts'
import { START } from '../../support/world.ts'

interface JobRow {
  readonly attempts: number
  readonly crashes: number
  readonly parked_time: string | null
  readonly lease_until: Date | null
}

describe('A job whose database goes away', () => {
  let own: TestDatabase
  let proxy: FaultyProxy
  let straight: Database
  let database: Database
  let transactFor: TransactFor
  const clock = { now: () => START }
  const faults: Weather[] = ['closes', 'resets', 'starting up']

  beforeAll(async () => {
    own = await newDatabase()
    proxy = await FaultyProxy.before(own.url)
    straight = openDatabase(own.url, { connectionsMax: 2 })
    database = openDatabase(proxy.url(own.url), { connectionsMax: 4 })
    transactFor = makeTransact({ database, clock, ids: countingIds(), onWork: () => {} })
  })
  afterAll(async () => {
    await database.close()
    await straight.close()
    proxy.close()
    await own.drop()
  })
  beforeEach(async () => {
    await straight.rows(sql`truncate jobs`)
    await transactFor({ kind: 'service', task: 'test' })(async (tx) =>
      tx.enqueue({ name: 'note', payload: { account_id: 'A' } }),
    )
  })

  const runner = (definition: JobDefinition, db = database) =>
    new Runner({ database: db, transactFor, clock, definitions: [definition] })
  const note = (run: JobDefinition['run'], retryAfter: readonly number[] = []) => job({ name: 'note', retryAfter, run })
  const jobs = () => straight.rows<JobRow>(sql`select * from jobs`)
  const expire = () => straight.rows(sql`update jobs set lease_until = clock_timestamp() - interval '1 second'`)

  it.each(faults)('after its work was done is not done again: the way %s', async (weather) => {
    let ran = 0
    let knocks = Number.POSITIVE_INFINITY
    const running = runner(
      note(async () => {
        ran++
        proxy.set(weather)
        knocks = proxy.knocks
      }),
    )
    running.wake()
    // Somebody tried to come back after the way had failed.
    await expect.poll(() => proxy.knocks > knocks).toBe(true)
    await expect.poll(async () => (await jobs())[0]?.lease_until).not.toBeNull()

    proxy.set('fine')
    await running.whenIdle()

    expect(await jobs()).toEqual([])
    expect(ran).toBe(1)
  })

  it("keeps a process that closes for no longer than ten seconds, and is another's when its lease has run out", async () => {
    let isDone = false
    const running = runner(
      note(async () => {
        proxy.set('closes')
        isDone = true
      }),
    )
    running.wake()
    await expect.poll(() => isDone).toBe(true)
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
      proxy.set('fine')
    })
    let isClosed = false
    void running.close().then(() => (isClosed = true))
    vi.advanceTimersByTime(10_000)

    await expect.poll(() => isClosed).toBe(true)
    expect(await jobs()).toHaveLength(1)
  })

  it.each(faults)('in the middle of it is no attempt and no crash, however often: the way %s', async (weather) => {
    let ran = 0
    const running = runner(
      note(async (_, { db }) => {
        if (++ran > 5) return
        proxy.set(weather)
        setTimeout(() => proxy.set('fine'), 20)
        await db.rows(sql`select 1`)
      }),
    )

    await expect
      .poll(async () => {
        running.wake()
        await running.whenIdle()
        return (await jobs()).length
      })
      .toBe(0)
    expect(ran).toBe(6)
  })

  it('is given back as it was', async () => {
    const running = runner(
      note(async (_, { db }) => {
        proxy.set('closes')
        setTimeout(() => proxy.set('fine'), 20)
        await db.rows(sql`select 1`)
      }),
    )
    running.wake()
    await running.whenIdle()

    expect(await jobs()).toMatchObject([{ attempts: 0, crashes: 0, lease_until: null, parked_time: null }])
  })

  it('is given back once, also by whoever did not hear that it was', async () => {
    let isHeard = false
    const deaf: Database = {
      ...database,
      async rows(statement, values) {
        const rows = await database.rows(statement, values)
        if (isHeard || !statement.text.includes('attempts = attempts - 1')) return rows as never[]
        isHeard = true
        throw new NoConnectionError('The connection to the database ended.')
      },
    }
    const running = runner(
      note(() => Promise.reject(new NoConnectionError('The connection to the database ended.'))),
      deaf,
    )
    running.wake()
    await running.whenIdle()

    expect(isHeard).toBe(true)
    expect(await jobs()).toMatchObject([{ attempts: 0, crashes: 0, lease_until: null }])
  })

  it('after its work was done, and cannot take in what came of it for a while, has it done once', async () => {
    const hurried = openDatabase(own.url, { connectionsMax: 4, statementTimeoutMs: 500 })
    let tries = 0
    const watched: Database = {
      ...hurried,
      rows(statement, values) {
        if (statement.text.startsWith('delete from jobs')) tries++
        return hurried.rows(statement, values)
      },
    }
    let ran = 0
    let letGo = () => {}
    const isFree = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let holding: Promise<unknown> = Promise.resolve()
    const running = runner(
      note(async () => {
        ran++
        await new Promise<void>((isHeld) => {
          holding = straight.transaction(async (connection) => {
            await connection.rows(sql`select from jobs for update`)
            isHeld()
            await isFree
          })
        })
      }),
      watched,
    )
    running.wake()
    await expect.poll(() => tries).toBeGreaterThan(1)
    letGo()
    await holding
    await running.whenIdle()

    expect(await jobs()).toEqual([])
    expect(ran).toBe(1)
    await hurried.close()
  })

  it('for longer than its lease is no crash either, when its worker comes back', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const late = runner(note(() => held))
    late.wake()
    await expect.poll(async () => (await jobs())[0]?.lease_until).not.toBeNull()
    await expire()
    const other = runner(
      note(() => Promise.reject(new Error('the far end is down')), [3600, 3600]),
      straight,
    )
    other.wake()
    await other.whenIdle()
    expect(await jobs()).toMatchObject([{ attempts: 2, crashes: 1 }])

    release()
    await late.whenIdle()

    expect(await jobs()).toMatchObject([{ attempts: 2, crashes: 0, parked_time: null }])
  })

  it('is not taken over right after, when whoever holds it may be coming back', async () => {
    let ran = 0
    const hopeful = runner(note(async () => void ran++))
    await straight.rows(
      sql`update jobs set due = true, fence = 1, lease_until = clock_timestamp() - interval '1 second'`,
    )
    proxy.set('closes')
    await database.rows(sql`select 1`).catch(() => {})
    proxy.set('fine')

    hopeful.wake()
    await hopeful.whenIdle()
    expect(ran).toBe(0)

    const settled = runner(
      note(async () => void ran++),
      straight,
    )
    settled.wake()
    await settled.whenIdle()
    expect(ran).toBe(1)
  })

  it('is taken over while the server is full, and goes on with the connections that it has', async () => {
    const crowded = openDatabase(proxy.url(own.url), { connectionsMax: 8 })
    await crowded.rows(sql`select 1`)
    await straight.rows(
      sql`update jobs set due = true, fence = 1, lease_until = clock_timestamp() - interval '1 second'`,
    )
    proxy.set('is full')
    const { knocks } = proxy
    await Promise.all([crowded.rows(sql`select pg_sleep(0.1)`), crowded.rows(sql`select pg_sleep(0.1)`)])
    expect(proxy.knocks).toBeGreaterThan(knocks)

    let ran = 0
    const running = runner(
      note(async () => void ran++),
      crowded,
    )
    running.wake()
    await running.whenIdle()

    expect(ran).toBe(1)
    proxy.set('fine')
    await crowded.close()
  })

  it('is told from a far end that cannot be reached, which is an attempt', async () => {
    const unreachable = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:25'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    const running = runner(note(() => Promise.reject(unreachable)))
    running.wake()
    await running.whenIdle()

    expect(await jobs()).toMatchObject([{ attempts: 1, crashes: 0, parked_time: START }])
  })
})
