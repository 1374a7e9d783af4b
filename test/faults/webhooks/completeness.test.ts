import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measureCompleteness } from '../../long/completeness.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { times } from '../../support/size.ts'

const CHANGES = times(60, 300)
const KILLS = times(1, 2)

describe('A service that is killed again and again', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database.drop())

  it('delivers every event that was committed to every webhook, and loses none it acknowledged', async () => {
    // `npm run test:long:webhooks` does the same with 100,000 changes and 20 kills.
    const outcome = await measureCompleteness(database.url, { changes: CHANGES, kills: KILLS, signatures: 'standard' })

    expect(outcome).toMatchObject({ lost: 0, missing: 0, unexpected: 0, kills: KILLS })
    expect(outcome.acknowledged).toBe(CHANGES)
    expect(outcome.events).toBeGreaterThanOrEqual(CHANGES)
  })
})
