import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { Partitions } from '../../src/database/partitions.ts'
import { type Quota, type QuotaUse, requireQuota, useQuota } from '../../src/database/quota.ts'
import { makeTransact, type Transact, type Tx } from '../../src/database/transaction.ts'
import { Sweeper } from '../../src/jobs/sweep.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'
import { withoutGuard } from '../support/unguarded.ts'
import { START } from '../support/world.ts'

const perCase: Quota = { name: 'case-mail', max: 3, seconds: 3_600 }
const perAccount: Quota = { name: 'account-mail', max: 5, seconds: 86_400 }

describe('A quota', () => {
  let test: TestDatabase
  let database: Database
  let transact: Transact
  let now: Instant
  const clock = { now: () => now }

  beforeAll(async () => {
    test = await newDatabase()
    database = openPatiently(test.url)
    transact = makeTransact({ database, clock, ids: countingIds(), onWork: () => {} })({
      kind: 'service',
      task: 'test',
    })
  })
  afterAll(async () => {
    await database.close()
    await test.drop()
  })
  beforeEach(async () => {
    now = START
    await database.query('truncate quotas')
  })

  const use = (key: string, { account = 'A', amount = 1, seen = (tx: Tx) => tx } = {}) => {
    const uses: QuotaUse[] = [
      { quota: perCase, key, amount },
      { quota: perAccount, amount },
    ]
    return transact((tx) => useQuota(seen(tx), account, uses))
  }
  const used = async () => {
    const { rows } = await database.query('select account_id, name, key, used::int, until from quotas order by 1, 2, 3')
    return rows.map(({ account_id, name, key, used }) => [account_id, name, key, used])
  }

  it('is used up after its number, and full again when its time has run out', async () => {
    for (let i = 0; i < 3; i++) expect(await use('one')).toBeUndefined()
    expect(await use('one')).toEqual({ quota: perCase, until: after(START, 3_600) })

    now = after(START, 3_599)
    expect(await use('one')).toBeDefined()
    now = after(START, 3_600)
    expect(await use('one')).toBeUndefined()
  })

  it('tells whoever comes back before its time at once, with nothing made for them in vain', async () => {
    let begun = 0
    const seen = (tx: Tx) => {
      begun++
      return tx
    }
    for (let i = 0; i < 3; i++) await use('one')
    expect(await use('one', { seen })).toBeDefined()
    expect(begun).toBe(2)
    expect(await use('one', { seen })).toBeDefined()
    expect(begun).toBe(3)

    await database.query('truncate quotas')
    expect(await use('one', { seen })).toBeUndefined()
    expect(await use('one', { seen })).toBeUndefined()
    expect(begun).toBe(5)
  })

  it('counts for each key and each account by itself, and for nothing when one of several is used up', async () => {
    for (const key of ['one', 'one', 'one', 'two', 'two']) expect(await use(key)).toBeUndefined()
    expect(await use('three')).toMatchObject({ quota: perAccount })
    expect(await use('one', { account: 'B' })).toBeUndefined()

    expect(await used()).toEqual([
      ['A', 'account-mail', '', 5],
      ['A', 'case-mail', 'one', 3],
      ['A', 'case-mail', 'two', 2],
      ['B', 'account-mail', '', 1],
      ['B', 'case-mail', 'one', 1],
    ])
  })

  it('takes several at once, and refuses more than it ever has', async () => {
    expect(await use('one', { amount: 2 })).toBeUndefined()
    expect(await use('one', { amount: 2 })).toBeDefined()
    expect(await use('two', { amount: 4 })).toEqual({ quota: perCase, until: after(START, 3_600) })
  })

  it('is not used by a unit of work that fails', async () => {
    const failing = transact(async (tx) => {
      await useQuota(tx, 'A', [{ quota: perCase, key: 'one' }])
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await used()).toEqual([])
  })

  it('lets twenty that race through as often as it says, also when none existed before', async () => {
    const racing = await Promise.all(Array.from({ length: 20 }, () => use('one')))
    expect(racing.filter((usedUp) => usedUp === undefined)).toHaveLength(3)

    // Without the guard those that came too late find the row unchanged, and go on as if they had been counted.
    await database.query('truncate quotas')
    const unguarded = await Promise.all(Array.from({ length: 20 }, () => use('one', { seen: withoutGuard })))
    expect(unguarded.filter((usedUp) => usedUp === undefined).length).toBeGreaterThan(3)
  })

  it('of 0 is no limit', async () => {
    const none = { ...perCase, max: 0 }
    expect(await transact((tx) => useQuota(tx, 'A', [{ quota: none, key: 'one' }]))).toBeUndefined()
    expect(await used()).toEqual([])
  })

  it('can refuse the call with the time after which it works', async () => {
    const require = () =>
      transact((tx) => requireQuota(tx, 'A', [{ quota: perCase, key: 'one', amount: 3 }], 'Mails about a case'))
    await require()
    now = after(START, 600.5)
    const refusal: Problem = await require().then(
      () => expect.unreachable(),
      (error) => error,
    )
    expect(refusal).toMatchObject({ status: 429, name: 'RATE_LIMIT_REACHED', headers: { 'retry-after': '3000' } })
    expect(refusal.details).toEqual([
      {
        issue: 'QUOTA_EXCEEDED',
        description: 'Mails about a case are limited to 3 in one hour; try again after 2026-03-02T10:00:00.000Z.',
      },
    ])
  })

  it('whose time has run out is swept away', async () => {
    await use('one')
    now = after(START, 3_600)
    await new Sweeper({
      ...{ database, clock, log: pino({ level: 'warn' }), partitions: new Partitions(database), sweeps: [] },
      onFailure: (sweep) => expect.unreachable(sweep),
    }).run()
    expect(await used()).toEqual([['A', 'account-mail', '', 1]])
  })
})
