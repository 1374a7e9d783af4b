import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reader } from '../../../src/database/transaction.ts'
import type { Criteria } from '../../../src/invoices/search/conditions.ts'
import { findInvoices } from '../../../src/invoices/search/find.ts'
import { rowsRead } from '../../support/plans.ts'
import { over, shopOf } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

const COUNT = 3_000
const PAGE = 21

describe('The invoices of a merchant of whom the planner knows nothing', () => {
  let world: World
  let account: string
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    account = world.people.otherMerchant.id
    await shopOf(world).drafts(over('1.00', {}))
    const { query } = world.app.database
    await query('analyze invoices')
    const columns = 'version, create_time, amount_minor, emails, grams'
    await query(
      `insert into invoices (account_id, id, body, number_key, ${columns})
       select $1, 'COPY-' || n, body || jsonb_build_object('id', 'COPY-' || n), 'COPY-' || n, ${columns}
       from invoices cross join generate_series(1, $2) n`,
      [account, COUNT],
    )
  })
  afterAll(() => world.close())

  /** Reads for real, and explains every statement that was used. */
  async function readBy(criteria: Criteria, offset = 0): Promise<{ found: number; read: number }> {
    let read = 0
    const db: Reader = {
      async rows<Row>(statement: { text: string }, values: readonly unknown[] = []) {
        const { rows } = await world.app.database.query(`explain (analyze, format json) ${statement.text}`, [...values])
        read += rowsRead(rows[0]['QUERY PLAN'][0].Plan)
        return (await world.app.database.query(statement.text, [...values])).rows as Row[]
      },
      row: async <Row>(statement: { text: string }, values?: readonly unknown[]) =>
        (await db.rows<Row>(statement as never, values))[0],
    }
    const found = await findInvoices(db, account, criteria, { offset, limit: PAGE })
    return { found: found.length, read }
  }

  it.each<[string, Criteria, number]>([
    ['all of them', {}, 0],
    ['a later page', {}, 200],
    ['by status', { statuses: ['DRAFT', 'SENT'] }, 0],
    ['by currency', { currency: 'USD' }, 0],
    ['by number', { number: 'COPY-7' }, 0],
  ])('are read a page at a time: %s', async (_, criteria, offset) => {
    const { found, read } = await readBy(criteria, offset)
    expect(found).toBe(criteria.number === undefined ? PAGE : 1)
    // The keys of the page and of what is skipped, and a document for each.
    expect(read).toBeLessThanOrEqual(2 * PAGE + 2 * offset + 2)
  })
})
