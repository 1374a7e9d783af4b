import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pendingMigrations } from '../../src/database/migrate.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

describe('A database of a test file', () => {
  let own: TestDatabase
  let db: Database
  beforeAll(async () => {
    own = await newDatabase()
    db = openDatabase(own.url)
  })
  afterAll(async () => {
    await db.close()
    await own.drop()
  })

  it('is migrated', async () => {
    expect(await pendingMigrations(db)).toEqual([])
  })
})
