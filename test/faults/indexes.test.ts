import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { runBesideWriters } from '../../src/database/indexes.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await newDatabase()
  client = new pg.Client(connectionSettings(database.url))
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const valid = async (name: string) =>
  (await client.query(`select indisvalid from pg_index where indexrelid = to_regclass($1)`, [name])).rows

describe('An index that a migration makes while a table is written to', () => {
  it.each([
    ['a table', 'create table things (id int, name text)'],
    [
      'one with partitions',
      `create table things (id int, name text) partition by range (id);
       create table things_1 partition of things for values from (0) to (10);
       create table things_2 partition of things for values from (10) to (20)`,
    ],
  ])('is made of %s, and made anew when that was interrupted', async (_, create) => {
    await client.query(`drop table if exists things; ${create}`)
    await client.query(`insert into things select n, 'name ' || n from generate_series(1, 19) as n`)

    for (const _again of [1, 2]) {
      await runBesideWriters(client, '-- Why it is made.\ndrop index concurrently if exists things_by_name')
      await runBesideWriters(client, 'create index concurrently things_by_name on things (name)\n  where id > 0')
    }
    expect(await valid('things_by_name')).toEqual([{ indisvalid: true }])
  })
})
