import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { sql } from '../../src/database/sql.ts'
import { letOthersIn, type Worked, workFor } from '../../src/kernel/working.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

/** Long for what takes milliseconds, and short for what would wait for somebody's end. */
const LIMIT_MS = 30_000
/** So many are not kept back to go with more. */
const ENOUGH = 8

const add = sql`insert into shelf (id) values ($1)`
const addSlowly = sql`insert into shelf (id) select $1 from pg_sleep($2)`
const addSlowlyAnew = sql`insert into shelf (id) select $1 || '' from pg_sleep($2)`
const addOwned = sql`insert into shelf (id, owner) values ($1, $2)`
/** Takes its time behind what it counts, so that one beside it would count the same. */
const addCounted = sql`
  insert into shelf (id, content) select $1, count || pg_sleep(0.003)::text
  from (select count(*) from shelf where id like 'counted %' offset 0) counted`
const addCountedAnew = sql`
  insert into shelf (id, content) select $1, count || pg_sleep(0.003)::text || ''
  from (select count(*) from shelf where id like 'counted %' offset 0) counted`
/** Fails unless the one before it is there. */
const addAfter = sql`
  insert into shelf (id, content) select $1, (1 / count)::text
  from (select count(*) from shelf where id = $2 offset 0) before`
const change = sql`update shelf set content = $2 where id = $1`
const written = sql`select id, content, written_by::text as transaction from shelf where id <> 'hot' order by id`
const lastWritten = sql`select extract(epoch from max(written_at))::float8 * 1000 as ms from shelf where id <> 'hot'`
const empty = sql`delete from shelf where id <> 'hot'`
const lockHot = sql`select id from shelf where id = 'hot' for update`
const endSleeping = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and wait_event = 'PgSleep'`

describe('Units of work that are written at the same time', () => {
  let own: TestDatabase
  let database: Database

  beforeAll(async () => {
    own = await newDatabase()
    // Without settings of a session, so that whoever waits for a lock waits for as long as it is held.
    database = openDatabase(own.url, { pooled: true, connectTimeoutMs: LIMIT_MS, statementTimeoutMs: LIMIT_MS })
    await database.query(`create table shelf (id text primary key, content text,
      written_by xid8 default pg_current_xact_id(), written_at timestamptz default clock_timestamp(),
      owner text references shelf deferrable initially deferred)`)
    await database.query(`insert into shelf values ('hot')`)
    // All connections are there, and what goes with others has proved quick.
    await Promise.all(numbered(8).map(() => database.rows(sql`select pg_sleep(0.05)`)))
    await database.commit(add, ['known'])
    await database.commit(addSlowly, ['slowly', '0'])
    await database.commit(addOwned, ['owned', null])
    await database.commit(addCounted, ['of others'])
    await database.commit(addAfter, ['after', 'of others'])
    await database.commit(change, ['hot', ''])
  })
  beforeEach(() => database.rows(empty))
  afterAll(async () => {
    await database.close()
    await own.drop()
  })

  const rows = () => database.rows<{ id: string; content: string; transaction: string }>(written)
  const ids = async () => (await rows()).map(({ id }) => id)
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${i}`.padStart(2, '0'))
  const codeOf = (error: unknown) => (error as { code?: string }).code

  it('are one transaction for several of them', async () => {
    const transactionsFor = async (count: number) => {
      await database.rows(empty)
      await Promise.all(numbered(count).map((id) => database.commit(add, [id])))
      expect(await ids()).toEqual(numbered(count))
      return new Set((await rows()).map(({ transaction }) => transaction)).size
    }

    await expect.poll(() => transactionsFor(16)).toBe(2)
  })

  it('are sent when there are enough of them, while whoever sends goes on with other things', async () => {
    const busy = new Int32Array(new SharedArrayBuffer(4))
    const writtenMeanwhile = async () => {
      await database.rows(empty)
      const outcomes = numbered(ENOUGH).map((id) => database.commit(add, [id]))
      Atomics.wait(busy, 0, 0, 200)
      const until = Date.now()
      await Promise.all(outcomes)
      const [last] = await database.rows<{ ms: number }>(lastWritten)
      return last!.ms < until
    }

    await expect.poll(writtenMeanwhile, { timeout: LIMIT_MS / 3 }).toBe(true)
  })

  it('fail each for itself', async () => {
    await database.commit(add, ['1'])
    const outcomes = await Promise.allSettled(['0', '1', '2'].map((id) => database.commit(add, [id])))

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(codeOf((outcomes[1] as PromiseRejectedResult).reason)).toBe('23505')
    expect(await ids()).toEqual(['0', '1', '2'])
  })

  it('fail each for itself where that shows at the end of a transaction', async () => {
    const outcomes = await Promise.allSettled([
      database.commit(addOwned, ['0', null]),
      database.commit(addOwned, ['1', 'nobody']),
      database.commit(addOwned, ['2', 'hot']),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(codeOf((outcomes[1] as PromiseRejectedResult).reason)).toBe('23503')
    expect(await ids()).toEqual(['0', '2'])
  })

  it('do not wait for one that waits for a lock', async () => {
    const waiting: Promise<unknown>[] = []
    await database.transaction(async (holder) => {
      await holder.rows(lockHot)
      waiting.push(database.commit(change, ['hot', 'changed']))
      // Such as never failed: what did goes alone for a while.
      waiting.push(...['0', '1', '2'].map((id) => database.commit(addSlowly, [id, '0'])))
      await expect.poll(ids, { timeout: LIMIT_MS / 3 }).toEqual(['0', '1', '2'])
    })
    await Promise.all(waiting)

    expect(await database.rows(sql`select content from shelf where id = 'hot'`)).toEqual([{ content: 'changed' }])
  })

  it('are written in their order where they stand in a line', async () => {
    const names = numbered(20).map((number) => `counted ${number}`)
    await Promise.all(names.map((name) => database.commit(addCounted, [name], 'one')))

    expect((await rows()).map(({ id, content }) => [id, content])).toEqual(names.map((name, i) => [name, `${i}`]))
  })

  it('are written in their order where they stand in a line and all connections are taken', async () => {
    const names = numbered(2 * ENOUGH).map((number) => `counted ${number}`)
    const taking = numbered(40).map(() => database.rows(sql`select pg_sleep(0.3)`))
    await letOthersIn()
    await Promise.all(names.map((name) => database.commit(addCounted, [name], 'one')))
    await Promise.all(taking)

    expect((await rows()).map(({ id, content }) => [id, content])).toEqual(names.map((name, i) => [name, `${i}`]))
  })

  it('follow a full group of their line before we have read its answer', async () => {
    const busy = new Int32Array(new SharedArrayBuffer(4))
    const names = numbered(2 * ENOUGH).map((number) => `counted ${number}`)
    const writtenMeanwhile = async () => {
      await database.rows(empty)
      const outcomes = names.map((name) => database.commit(addCounted, [name], 'one'))
      Atomics.wait(busy, 0, 0, 300)
      const until = Date.now()
      await Promise.all(outcomes)
      const [last] = await database.rows<{ ms: number }>(lastWritten)
      return last!.ms < until
    }

    await expect.poll(writtenMeanwhile, { timeout: LIMIT_MS / 3 }).toBe(true)
    expect((await rows()).map(({ id, content }) => [id, content])).toEqual(names.map((name, i) => [name, `${i}`]))
  })

  it('do not wait for lines whose first takes its time', async () => {
    const outcomes = ['one', 'other'].flatMap((line) => [
      // Such as never proved quick.
      database.commit({ name: '', text: `${addSlowly.text} /* ${line} */` }, [`slow ${line}`, '1'], line),
      ...numbered(ENOUGH).map((number) => database.commit(add, [`${line} ${number}`], line)),
    ])
    await database.commit(add, ['quick'])

    expect(await ids()).toEqual(['quick'])
    await Promise.all(outcomes)
  })

  it('keep their place in the line behind one that goes by itself', async () => {
    await Promise.all([
      database.commit(add, ['with others']),
      database.commit(addCountedAnew, ['counted 0'], 'one'),
      database.commit(addCounted, ['counted 1'], 'one'),
    ])

    expect((await rows()).map(({ id, content }) => [id, content])).toEqual([
      ['counted 0', '0'],
      ['counted 1', '1'],
      ['with others', null],
    ])
  })

  it('keep their place in the line behind one that fails', async () => {
    await database.commit(addCounted, ['counted 03'])
    const names = numbered(8).map((number) => `counted ${number}`)
    const outcomes = await Promise.allSettled(names.map((name) => database.commit(addCounted, [name], 'one')))

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    const counted = (await rows()).filter(({ id }) => id !== 'counted 03').map(({ content }) => Number(content))
    expect(counted).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('keep their place in the line also where they were on their way when one before them failed', async () => {
    const names = numbered(2 * ENOUGH + 4).map((number) => `after ${number}`)
    await database.commit(add, [names[3]])
    const outcomes = await Promise.allSettled(
      names.map((name, i) => database.commit(addAfter, [name, names[i - 1] ?? 'hot'], 'one')),
    )

    expect(outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([3])
    expect(await ids()).toEqual(names)
  })

  it('are each worked for by whoever asked, also in what follows', async () => {
    const spends = () => ({
      ms: 0,
      spent(ms: number) {
        this.ms += ms
      },
    })
    const goOn = async (worked: Worked, i: number, round: number) => {
      workFor(worked)
      await database.commit(addSlowly, [`${i} ${round}`, '0'])
      const until = performance.now() + 20
      while (i === 0 && performance.now() < until);
    }
    const rounds: number[][] = []
    for (let round = 0; round < 9; round++) {
      const people = Array.from({ length: 4 }, spends)
      const asked = people.map((one, i) => new Promise((done) => setImmediate(() => done(goOn(one, i, round)))))
      await Promise.all(asked)
      await letOthersIn()
      rounds.push(people.map(({ ms }) => ms))
    }

    // Any may be kept from the processor for a while now and then, and that counts as theirs.
    const [busy, ...others] = [0, 1, 2, 3].map((i) => rounds.map((each) => each[i]!).sort((a, b) => a - b)[4]!)
    expect(busy).toBeGreaterThan(5 * Math.max(...others))
  })

  it('are all lost with their connection, or none', async () => {
    const sleeps = ['0', '0', '20', '0']
    const outcomes = Promise.allSettled(sleeps.map((seconds, i) => database.commit(addSlowly, [`${i}`, seconds])))
    await expect.poll(async () => (await database.rows(endSleeping)).length, { timeout: LIMIT_MS }).toBe(1)

    const stored = await ids()
    const fulfilled = (await outcomes).flatMap(({ status }, i) => (status === 'fulfilled' ? [`${i}`] : []))
    expect(stored).toEqual(fulfilled)
    expect(stored).not.toContain('2')
  })

  it('fail each for itself also while all connections are given up', async () => {
    // Such as no other test has seen fail, or take its time.
    await database.commit(addSlowlyAnew, ['1', '0'])
    const outcomes = Promise.allSettled([
      database.commit(addSlowlyAnew, ['0', '0.3']),
      database.commit(addSlowlyAnew, ['1', '0']),
      database.commit(addSlowlyAnew, ['2', '0']),
    ])
    await letOthersIn()
    await database.whileDisconnected(async () => {})

    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await ids()).toEqual(['0', '1', '2'])
  })
})
