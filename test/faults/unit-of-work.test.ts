import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { batched, sql } from '../../src/database/sql.ts'
import { makeTransact, type Transact } from '../../src/database/transaction.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'
import { START } from '../support/world.ts'

let own: TestDatabase
let database: Database
let transact: Transact
const failures: unknown[] = []

beforeAll(async () => {
  own = await newDatabase()
  database = openPatiently(own.url)
  transact = makeTransact({
    database,
    clock: { now: () => START },
    ids: countingIds(),
    onWork: () => {},
    onHintFailure: (error) => failures.push(error),
  })({ kind: 'service', task: 'test' })
  await database.rows(sql`create table shelf (account_id text, id text, version int default 1, content text,
    primary key (account_id, id))`)
  await database.rows(sql`insert into shelf values ('A', '1', 1, 'old'), ('A', '2', 1, 'old')`)
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const add = sql`insert into shelf (account_id, id, content) values ($1, $2, $3)`
const upsert = sql`
  insert into shelf (account_id, id, content) values ($1, $2, $3)
  on conflict (account_id, id) do update set content = excluded.content`
const save = sql`
  update shelf set content = $4, version = version + 1 where account_id = $1 and id = $2 and version = $3`
const rename = sql`update shelf set content = $3 where id = $2 and account_id = $1 returning *`
const remove = sql`delete from shelf where account_id = $1 and id = $2`
const fill = batched(
  { table: 'shelf', key: 2 },
  `update shelf set content = given.content, version = shelf.version + 1
   from unnest($1::text[], $2::text[], $3::int[], $4::text[]) as given (account_id, id, version, content)
   where shelf.account_id = given.account_id and shelf.id = given.id and shelf.version = given.version`,
)
const contents = sql`select id, content from shelf order by id`

describe('A unit of work', () => {
  const twice = /changes a row of shelf twice, and the second change would be lost/
  const pairs: [string, (tx: Parameters<Parameters<Transact>[0]>[0]) => void][] = [
    ['updates a row twice', (tx) => [tx.guard(save, ['A', '1', 1, 'x']), tx.guard(save, ['A', '1', 2, 'y'])]],
    [
      'updates a row by two statements',
      (tx) => [tx.guard(save, ['A', '1', 1, 'x']), tx.write(rename, ['A', '1', 'y'])],
    ],
    ['updates and removes a row', (tx) => [tx.write(rename, ['A', '1', 'x']), tx.write(remove, ['A', '1'])]],
    ['adds and updates a row', (tx) => [tx.write(add, ['A', '3', 'x']), tx.write(rename, ['A', '3', 'y'])]],
    ['adds or updates a row twice', (tx) => [tx.write(upsert, ['A', '3', 'x']), tx.write(upsert, ['A', '3', 'y'])]],
  ]
  for (const [what, gather] of pairs)
    it(`that ${what} is refused while it gathers`, async () => {
      let gathered = false
      const work = transact(async (tx) => {
        gather(tx)
        gathered = true
      })

      await expect(work).rejects.toThrow(twice)
      expect(gathered).toBe(false)
      expect(await database.rows(contents)).toEqual([
        { id: '1', content: 'old' },
        { id: '2', content: 'old' },
      ])
    })

  it('that changes a row of a batch twice is refused while it gathers', async () => {
    const work = transact(async (tx) => {
      tx.guard(fill, ['A', '1', 1, 'x'])
      tx.guard(fill, ['A', '1', 2, 'y'])
    })

    await expect(work).rejects.toThrow(twice)
  })

  it('changes all rows of a batch, or none when one of them has another version', async () => {
    let tries = 0
    await transact(async (tx) => {
      tx.guard(fill, ['A', '1', 1, 'batch'])
      // The second time it is what it should have been.
      tx.guard(fill, ['A', '2', ++tries === 1 ? 7 : 1, 'batch'])
    })
    expect(tries).toBe(2)
    expect(await database.rows(contents)).toEqual([
      { id: '1', content: 'batch' },
      { id: '2', content: 'batch' },
    ])

    await database.rows(sql`update shelf set content = 'old', version = 1`)
  })

  it('may change several rows of a table, and add several', async () => {
    await transact(async (tx) => {
      tx.guard(save, ['A', '1', 1, 'new'])
      tx.write(rename, ['A', '2', 'new'])
      tx.write(add, ['A', '4', 'new'])
      tx.write(add, ['A', '5', 'new'])
    })

    expect((await database.rows<{ content: string }>(contents)).map(({ content }) => content)).toEqual(
      Array(4).fill('new'),
    )
  })

  it('that gives two writes one name is refused', async () => {
    const work = transact(async (tx) => {
      tx.write(rename, ['A', '1', 'x'], 'renamed')
      tx.write(rename, ['A', '2', 'x'], 'renamed')
    })

    await expect(work).rejects.toThrow('Two writes of a unit of work are called renamed')
  })

  it('that replaces a job without naming it is refused', async () => {
    const work = transact(async (tx) => tx.enqueue({ name: 'note', payload: { account_id: 'A' }, replace: true }))

    await expect(work).rejects.toThrow('The job note has no key')
  })

  it('stays committed and comes back when a hint after it fails, and so do the other hints', async () => {
    const heard: string[] = []
    const result = await transact(async (tx) => {
      tx.write(rename, ['A', '1', 'committed'])
      tx.afterCommit(() => {
        throw new Error('nobody listens')
      })
      tx.afterCommit(() => heard.push('second'))
      return 'done'
    })

    expect(result).toBe('done')
    expect(heard).toEqual(['second'])
    expect(failures).toMatchObject([{ message: 'nobody listens' }])
    expect(await database.rows(contents)).toContainEqual({ id: '1', content: 'committed' })
  })
})
