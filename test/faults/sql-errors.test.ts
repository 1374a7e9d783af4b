import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlProblem } from '../../src/database/errors.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { unprepared } from '../../src/database/sql.ts'
import { refused } from '../../src/kernel/problem.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

let own: TestDatabase
let db: Database
beforeAll(async () => {
  own = await newDatabase()
  db = openDatabase(own.url, { statementTimeoutMs: 100, connectionsMax: 2 })
  await db.query(`
    create table things (id int primary key, size int constraint things_size check (size > 0), name text);
    create unique index things_name on things (name);
    insert into things values (1, 1, 'one')`)
})
afterAll(async () => {
  await db.close()
  await own.drop()
})

const constraints = {
  things_name: () => refused('NAME_TAKEN', 'Choose another name.'),
  things_size: () => refused('TOO_SMALL', 'Choose a larger size.'),
}
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const problemOf = async (work: Promise<unknown>) => sqlProblem(await errorOf(work), constraints)
const query = (text: string, values: unknown[] = []) => db.query(text, values)

describe('A value that cannot be stored', () => {
  it.each([
    ['a NUL in a text', () => query('select $1::text', ['\0'])],
    ['a NUL in a document', () => query('select $1::jsonb', ['"\\u0000"'])],
    ['half of a surrogate pair', () => query('select $1::jsonb', ['"\\ud800"'])],
    ['a number beyond its range', () => query('select $1::bigint', ['99999999999999999999'])],
    ['a word in the place of a number', () => query('select $1::int', ['many'])],
    ['a date that is none', () => query('select $1::date', ['soon'])],
    ['a date beyond the calendar', () => query('select $1::date', ['2026-02-30'])],
    ['a displacement beyond its range', () => query('select $1::timestamptz', ['2026-01-01T00:00:00+99:00'])],
    ['a negative limit', () => query('select 1 limit $1', [-1])],
    ['a negative offset', () => query('select 1 offset $1', [-1])],
    ['a document deeper than the stack', () => query('select $1::jsonb', ['['.repeat(50_000)])],
    ['a text too long for its column', () => query('create temp table t (a varchar(1)); insert into t values (12)')],
    ['a text too long for its index', () => query('insert into things values (2, 1, $1)', [longText()])],
  ])('is refused with 400: %s', async (_, work) => {
    expect(await problemOf(work())).toMatchObject({ status: 400, name: 'INVALID_REQUEST' })
  })
})

/** Does not shrink, so that it stays longer than a page of an index. */
function longText(): string {
  return Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))).join('')
}

describe('A constraint', () => {
  it('means what its room says, by its name', async () => {
    const duplicate = await problemOf(query("insert into things values (2, 1, 'one')"))
    const small = await problemOf(query("insert into things values (2, 0, 'two')"))

    expect(duplicate?.details[0]?.issue).toBe('NAME_TAKEN')
    expect(small?.details[0]?.issue).toBe('TOO_SMALL')
  })

  it('that no room knows is a conflict when it is unique', async () => {
    expect(await problemOf(query('insert into things values (1, 1)'))).toMatchObject({ status: 409 })
  })
})

describe('A database that cannot answer', () => {
  const temporary = { status: 503, headers: { 'retry-after': '1' } }

  it('is a 503 when a statement takes too long', async () => {
    expect(await problemOf(query('select pg_sleep(5)'))).toMatchObject(temporary)
  })

  it('is a 503 when a lock is held too long', async () => {
    await db.transaction(async (holder) => {
      await holder.rows({ name: 'hold', text: 'lock table things' })
      const waiter = db.rows(unprepared("set lock_timeout = '20ms'; lock table things; reset lock_timeout"))

      expect(await problemOf(waiter)).toMatchObject(temporary)
    })
  })

  it.each(['53100', '53200'])('is a 503 when its disk is full or its memory used up: %s', async (code) => {
    const used = query(`do $$ begin raise exception 'no space left' using errcode = '${code}'; end $$`)
    expect(await problemOf(used)).toMatchObject(temporary)
  })

  it('is a 503 when the connection is cut in the middle', async () => {
    expect(await problemOf(query('select pg_terminate_backend(pg_backend_pid())'))).toMatchObject(temporary)
  })

  it('is a 503 when all connections are taken, none can be made, or the pool has closed', async () => {
    const small = openDatabase(own.url, { connectionsMax: 1 })
    await small.transaction(async () => {
      expect(await problemOf(small.query('select 1'))).toMatchObject(temporary)
    })
    await small.close()
    expect(await problemOf(small.query('select 1'))).toMatchObject(temporary)

    for (const url of ['postgres://127.0.0.1:1/none', 'postgres://localhost:1/none', 'socket:/nowhere:1/none']) {
      const away = openDatabase(url)
      expect(await problemOf(away.query('select 1'))).toMatchObject(temporary)
      await away.close()
    }
  })
})

describe('A mistake of ours', () => {
  it('is nobody else’s problem', async () => {
    expect(await problemOf(query('select nothing from nowhere'))).toBeUndefined()
    expect(await problemOf(query('select 1 / 0'))).toBeUndefined()
    expect(sqlProblem(new TypeError('x is not a function'), constraints)).toBeUndefined()
    expect(sqlProblem(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }), {})).toBeUndefined()
    expect(sqlProblem('thrown text', constraints)).toBeUndefined()
  })
})
