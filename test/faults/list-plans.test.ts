import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/database/open.ts'
import { nameOf, unprepared } from '../../src/database/sql.ts'
import { INVOICES, over } from '../support/shop.ts'
import { newWorld, type World } from '../support/world.ts'

const DISPUTES = '/v1/customer/disputes'
const MANY = 4_000
const byDue = 'sort_by=RESPONSE_DUE_DATE&sort_order=asc&page_size=25'

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** How many rows of tables were looked at. */
function rowsRead(plan: Plan): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0)
  return inner + (plan['Relation Name'] === undefined ? 0 : own * plan['Actual Loops'])
}

/** A statement with its values, as it was sent. */
interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

describe('The first page of a list', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    const { merchant, buyer, app } = world
    const opened = await buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: 'FIRST' }],
      reason: 'UNAUTHORISED',
    })
    const id = opened.body.links[0]!.href.split('/').at(-1)
    const made = await merchant.post<{ id: string }>(INVOICES, over('9.00'), {
      headers: { prefer: 'return=representation' },
    })
    // One in five has a due date and waits for an answer, of either side; the others are over.
    await app.database.query(
      `insert into disputes (account_id, id, body, reason, status, stage, flow, channel, seller_state, buyer_state, currency,
         amount, due_time, seller_summary, buyer_summary, takes_info, create_time, update_time)
       select account_id, 'PP-R-MANY-' || n, body, reason, status, stage, flow, channel,
         (array['REQUIRED_ACTION', 'REQUIRED_OTHER_PARTY_ACTION', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED',
           'UNDER_REVIEW', 'APPEALABLE', 'RESOLVED'])[1 + n % 10], 'RESOLVED', currency, amount,
         case when n % 10 < 2 then to_char(date '2026-04-01' + n / 100, 'YYYY-MM-DD"T00:00:00.000Z"') end,
         seller_summary, buyer_summary, false, create_time, update_time
       from disputes, generate_series(1, $2::int) as n where id = $1`,
      [id, MANY],
    )
    await app.database.query(
      `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams)
       select account_id, 'INV2-MANY-' || n, body, create_time, 'many-' || n, amount_minor, emails, grams
       from invoices, generate_series(1, $2::int) as n where id = $1`,
      [made.body.id, MANY],
    )
    await app.database.query('analyze disputes, invoices')
  })
  afterAll(async () => {
    await world.app.database.query("delete from disputes where id like 'PP-R-MANY-%'")
    await world.app.database.query("delete from invoices where id like 'INV2-MANY-%'")
    await world.close()
  })

  /** What a list asks of the database. */
  async function sentBy(path: string, table: string): Promise<Sent> {
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    expect((await world.merchant.get(path)).status).toBe(200)
    const calls = spy.mock.calls.map(([query]) => query as unknown as Partial<Sent>)
    spy.mockRestore()
    const { text, values } = calls.find((query) => query.text?.includes(`from ${table}`))!
    return { text: text!, values: values! }
  }

  it.each([
    ['disputes', DISPUTES],
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_ACTION`],
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_ACTION&${byDue}`],
    // The console's desk: of the second state there is none.
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_OTHER_PARTY_ACTION,OPEN_INQUIRIES&${byDue}`],
    // Of these none has a due date.
    ['disputes', `${DISPUTES}?dispute_state=RESOLVED&${byDue}`],
    ['disputes', `${DISPUTES}?${byDue}`],
    ['disputes', `${DISPUTES}?sort_by=RESPONSE_DUE_DATE`],
    ['invoices', INVOICES],
  ])('of %s is planned once for all values and reads little more than it shows: %s', async (table, path) => {
    const { text, values } = await sentBy(path, table)
    const { plans, plan } = await world.app.database.transaction(async ({ rows }: Connection) => {
      await rows(unprepared('set local plan_cache_mode = auto'))
      const listed = { name: `plans-${nameOf(text)}`, text }
      for (let i = 0; i < 10; i++) await rows(listed, values)
      const [plans] = await rows<{ custom: number }>(
        unprepared(`select custom_plans::int as custom from pg_prepared_statements where name = $1`),
        [listed.name],
      )
      await rows(unprepared('set local plan_cache_mode = force_generic_plan'))
      const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        unprepared(`explain (analyze, format json) ${text}`),
        values,
      )
      return { plans, plan: row!['QUERY PLAN'][0].Plan }
    })

    // The first five times the server tries what a plan for the very values would give.
    expect(plans!.custom).toBe(5)
    expect(rowsRead(plan)).toBeLessThan(110)
  })
})
