import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Connection } from '../../../src/database/open.ts'
import { unprepared } from '../../../src/database/sql.ts'
import { type Plan, rowsRead } from '../../support/plans.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { newWorld, type Person, type World } from '../../support/world.ts'

const MANY = 4_000

let world: World
beforeAll(async () => {
  world = await newWorld({ isOwn: true })
  const { merchant, otherMerchant, app } = world
  const draft = { detail: { currency_code: 'USD', memo: 'to be filled in' } }
  await many(merchant, over('9.00', {}, { memo: 'as usual' }))
  await many(merchant, draft)
  await many(otherMerchant, draft, "'*'")
  await app.database.query('analyze invoices')
})
afterAll(async () => {
  await world.app.database.query("delete from invoices where id like '%-MANY-%'")
  await world.close()
})

/** Makes one through the service and copies of it, four a day, so that the newest days have little. */
async function many(who: Person, body: object, grams?: string) {
  const { id } = (await who.post<{ id: string }>(INVOICES, body)).body
  await world.app.database.query(
    `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams, memo, item_text)
     select account_id, id || '-MANY-' || n, body, to_char(date '2023-01-01' + n * interval '6 hours', 'YYYY-MM-DD"T"HH24:MI:SS.000Z'),
       id || n, amount_minor, emails, coalesce($3, grams), memo, item_text
     from invoices, generate_series(1, $2::int) as n where id = $1`,
    [id, MANY, grams],
  )
}

/** How many rows all statements of a search that finds nothing look at, as they are planned for any values. */
async function readBy(sought: object, who = world.merchant): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  const found = await who.post('/v2/invoicing/search-invoices?total_required=true', sought)
  const sent = spy.mock.calls.map(([query]) => query as unknown as { text?: string; values: unknown[] })
  spy.mockRestore()
  expect(found.body).toMatchObject({ items: [], total_items: 0 })
  return world.app.database.transaction(async ({ rows }: Connection) => {
    await rows(unprepared('set local plan_cache_mode = force_generic_plan'))
    let read = 0
    for (const { text, values } of sent.filter((query) => query.text?.includes('from invoice'))) {
      const explain = unprepared(`explain (analyze, format json) ${text}`)
      const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, values)
      read += rowsRead(row!['QUERY PLAN'][0].Plan)
    }
    return read
  })
}

it('A search for words looks at no document of others, and not at drafts because they have no items', async () => {
  // The newest 125 are looked at one by one; then it is asked whether there are more.
  expect(await readBy({ memo: 'what nobody wrote' })).toBeLessThan(500)
})

it('A search for days on which little was paid does not ask each invoice for its payments, nor does it to count them', async () => {
  const payment_date_range = { start: '2026-02-01', end: '2026-02-02' }
  expect(await readBy({ payment_date_range })).toBeLessThan(10)
  // The newest 2,500 are looked at one by one; then it is asked whether there are more.
  expect(await readBy({ payment_date_range, currency_code: 'USD' })).toBeLessThan(5_100)
})

it('A search for days on which little was paid does not read all of a merchant on whom there are no statistics', async () => {
  const newcomer = await world.personWithApp(world.people.buyer.id, ['invoicing'])
  await many(newcomer, over('9.00'))
  const payment_date_range = { start: '2026-02-01', end: '2026-02-02' }
  expect(await readBy({ payment_date_range, currency_code: 'USD' }, newcomer)).toBeLessThan(5_100)
})
