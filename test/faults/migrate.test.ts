import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { migrate, pendingMigrations } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/open.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'

describe('A database of a test file', () => {
  let own: TestDatabase
  let db: Database
  beforeAll(async () => {
    own = await newDatabase()
    db = openPatiently(own.url)
  })
  afterAll(async () => {
    await db.close()
    await own.drop()
  })

  it('lacks no migration of this version', async () => {
    expect(await pendingMigrations(db)).toEqual([])
  })

  it('lacks none that it applied under an earlier number', async () => {
    await db.query("update migrations set name = '0010_logos.sql' where name = '0013_logos.sql'")

    expect(await pendingMigrations(db)).toEqual([])
    expect(await migrate(own.url)).toEqual([])
  })

  it('lacks the migrations that were taken from its list', async () => {
    await db.query("delete from migrations where name = '0001_foundation.sql'")

    expect(await pendingMigrations(db)).toEqual(['0001_foundation.sql'])
  })
})

describe('Migrating', () => {
  let own: TestDatabase
  let client: pg.Client
  let folder: string
  beforeEach(async () => {
    own = await newDatabase({ empty: true })
    client = new pg.Client(connectionSettings(own.url))
    await client.connect()
    folder = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
    file('0001_first.sql', 'create table first (id int); insert into first values (1)')
    file('0002_second.sql', 'create table second (id int); insert into second values (1), (2)')
  })
  afterEach(async () => {
    await client.end()
    await own.drop()
    rmSync(folder, { recursive: true })
  })
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const count = async (table: string) => (await client.query(`select count(*)::int as n from ${table}`)).rows[0].n
  const five = <T>(work: () => Promise<T>) => Promise.allSettled(Array.from({ length: 5 }, work))

  it('applies each file once, in order, and then nothing', async () => {
    expect(await migrate(own.url, { folder })).toEqual(['0001_first.sql', '0002_second.sql'])
    expect(await migrate(own.url, { folder })).toEqual([])

    file('0003_third.sql', 'create table third ()')
    expect(await migrate(own.url, { folder })).toEqual(['0003_third.sql'])
  })

  it('happens once when five start at the same time, and all of them come through', async () => {
    const results = await five(() => migrate(own.url, { folder }))

    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'))
    expect(await count('second')).toBe(2)
  })

  it('would fail for some of the five without the lock', async () => {
    // It takes so long that all of them find it pending, on a busy machine too.
    file('0001_first.sql', 'select pg_sleep(0.5); create table first (id int)')
    let arrived = 0
    let go = () => {}
    const all = new Promise<void>((resolve) => {
      go = resolve
    })
    const together = () => {
      if (++arrived === 5) go()
      return all
    }

    const results = await five(() => migrate(own.url, { folder, takeLock: together }))

    expect(results.some(({ status }) => status === 'rejected')).toBe(true)
  })

  it('changes nothing at all by a file that fails', async () => {
    file('0002_second.sql', 'create table second (id int); select 1 / 0')

    await expect(migrate(own.url, { folder })).rejects.toThrow(
      'The migration 0002_second.sql failed and changed nothing: division by zero',
    )

    expect(await count("pg_class where relname = 'second'")).toBe(0)
    expect(await count('migrations')).toBe(1)
  })

  it('makes an index while others write, and once more where it was not finished', async () => {
    await migrate(own.url, { folder })
    const make = 'drop index concurrently if exists by_id;\ncreate unique index concurrently by_id on second (id);\n'
    file('0003_by_id.sql', `-- Runs outside a transaction.\n${make}`)
    await client.query('insert into second values (2)')
    const unfinished = /^The migration 0003_by_id\.sql failed and is tried again at the next start: could not create/
    await expect(migrate(own.url, { folder })).rejects.toThrow(unfinished)
    const isValid = async () =>
      (await client.query("select indisvalid from pg_index where indexrelid = 'by_id'::regclass")).rows[0]
    expect(await isValid()).toEqual({ indisvalid: false })

    await client.query('delete from second where id = 2')
    // Somebody writes, and has not committed when the index is begun.
    const other = new pg.Client(connectionSettings(own.url))
    await other.connect()
    await other.query('begin; insert into second values (3)')
    const migrating = migrate(own.url, { folder, lockTimeoutMs: 20 })
    const waits = async () => (await client.query('select 1 from pg_locks where not granted')).rowCount === 1
    while (!(await waits())) await pause(1)
    await client.query('insert into second values (4)')
    await other.query('commit')

    expect(await migrating).toEqual(['0003_by_id.sql'])
    expect(await isValid()).toEqual({ indisvalid: true })
    await other.end()
  })

  it('refuses two files with one number', async () => {
    file('0002_other.sql', 'create table other ()')

    await expect(migrate(own.url, { folder })).rejects.toThrow(
      '0002_other.sql and 0002_second.sql have the same number: give one of them the next free one.',
    )
    expect(await count("pg_class where relname in ('first', 'migrations')")).toBe(0)
  })

  it('refuses when a file was changed after it had been applied', async () => {
    await migrate(own.url, { folder })
    file('0001_first.sql', 'create table first (id bigint)')

    await expect(migrate(own.url, { folder })).rejects.toThrow(/^The migration 0001_first\.sql was changed after/)
  })

  it('takes a file with other line ends for the same file', async () => {
    file('0003_lines.sql', 'create table third (\nid int)')
    await migrate(own.url, { folder })
    file('0003_lines.sql', 'create table third (\r\nid int)')

    expect(await migrate(own.url, { folder })).toEqual([])
  })

  it('lets a version start again on what a newer one has added, and not on what it has taken away', async () => {
    const newer = { '0003_newer.sql': 'create table newer ()', '0004_contract_0002_newer.sql': 'drop table second' }
    for (const [name, text] of Object.entries(newer)) file(name, text)
    await migrate(own.url, { folder })
    const without = (name: string) => rmSync(join(folder, name))

    for (const name of Object.keys(newer)) without(name)
    expect(await migrate(own.url, { folder })).toEqual([])
    without('0002_second.sql')
    await expect(migrate(own.url, { folder })).rejects.toThrow(
      /newer version of Quittance \(0004_contract_0002_newer\.sql is unknown to this one\)/,
    )
    // What a newer version did not find there either is of another history.
    await client.query("delete from migrations where name = '0004_contract_0002_newer.sql'")
    file('0005_ours.sql', 'create table ours ()')
    await expect(migrate(own.url, { folder })).rejects.toThrow(/0002_second\.sql is unknown to this one/)
  })

  it('steps aside while a table is in use, and tries again', async () => {
    await migrate(own.url, { folder })
    file('0003_alter.sql', 'alter table first add column name text')
    await client.query('begin; lock table first in access share mode')
    const waiting = async () => (await client.query('select 1 from pg_locks where not granted')).rowCount === 1

    const migrating = migrate(own.url, { folder, lockTimeoutMs: 20 })
    while (!(await waiting())) await pause(1)
    while (await waiting()) await pause(1)
    await client.query('commit')

    expect(await migrating).toEqual(['0003_alter.sql'])
  })

  it('says what to do about a table that others never let go', async () => {
    await migrate(own.url, { folder })
    file('0003_alter.sql', 'alter table first add column name text')
    await client.query('begin; lock table first in access share mode')

    await expect(migrate(own.url, { folder, lockTimeoutMs: 2 })).rejects.toThrow(
      /^The migration 0003_alter\.sql failed and changed nothing: others hold its tables; end their transactions/,
    )
    await client.query('commit')
  })
})
