import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/database/open.ts'
import { unprepared } from '../../src/database/sql.ts'
import { run } from '../support/command.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

it('The words of a row are put together once, however many ids a person is looked for by', async () => {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  await run(['people', 'export', 'nobody@example.com'], { DATABASE_URL: world.databaseUrl })
  const asked = spy.mock.calls.map(([query]) => (query as unknown as { text?: string }).text ?? '')
  spy.mockRestore()
  const searches = new Set(asked.filter((text) => text.includes('lower(concat_ws(')))
  expect(searches.size).toBeGreaterThan(10)

  await world.app.database.transaction(async ({ rows }: Connection) => {
    for (const text of searches) {
      const plan = await rows<{ 'QUERY PLAN': string }>(unprepared(`explain (verbose) ${text}`), ['a', ['b']])
      // What a step has from another stands in parentheses of its own.
      const made = plan.flatMap((step) => step['QUERY PLAN'].match(/(: |, |strpos\()lower\(concat_ws/g) ?? [])
      expect(made, text).toHaveLength(1)
    }
  })
})
