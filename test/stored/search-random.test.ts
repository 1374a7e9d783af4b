import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommonPieces } from '../../src/invoices/search/common.ts'
import { criteriaOf, type SearchInput } from '../../src/invoices/search/criteria.ts'
import { findInvoices } from '../../src/invoices/search/find.ts'
import { fate, invoiceGiven, matches, moneyOf, searchOf } from '../support/search-model.ts'
import { INVOICES, type Listed, type Seen } from '../support/shop.ts'
import { times } from '../support/size.ts'
import { newWorld, type World } from '../support/world.ts'

const SEARCH = '/v2/invoicing/search-invoices'
/** So many invoices are made over months, and then so many at the pace of a merchant who has many a day. */
const [SLOW, QUICK] = [45, 135]
/** How long after each ten: so the newest days are asked for ten at a time, and in a long run one by one, too. */
const PACES = [
  ['hours', 'PT45M'],
  ['minutes', 'PT1M'],
] as const

/** The pieces that the version before wrote: of three letters, with small marks. */
function piecesBefore(row: Record<string, unknown>): string[] {
  const columns = { f: 'first_names', l: 'last_names', b: 'business_names', r: 'reference', m: 'memo', i: 'item_text' }
  return Object.entries(columns).flatMap(([mark, column]) =>
    ((row[column] as string | null) ?? '')
      .split('\u001f')
      .flatMap((value) => Array.from({ length: value.length }, (_, i) => mark + value.slice(i, i + 3))),
  )
}

describe.each(PACES.slice(0, times(1, 2)))('A search of a merchant who made the newest within %s', (_, pause) => {
  let world: World
  /** All invoices that are left, newest first. */
  const all: Seen[] = []

  beforeAll(async () => {
    world = await newWorld()
    const { merchant, otherMerchant } = world
    const path = (id: string, rest = '') => `${INVOICES}/${id}${rest}`
    const waits = fc.constantFrom('', '', '', '', 'PT1H', 'P1D', 'P3D', 'P20D')
    const plans = fc.sample(fc.tuple(invoiceGiven, invoiceGiven, fate, waits), { numRuns: SLOW + QUICK, seed: 7 })
    const ids: string[] = []
    for (const [n, [given, other, { days, does }, wait]] of plans.entries()) {
      if (n < SLOW ? wait : n % 10 === 0) await world.pass(n < SLOW ? wait : pause)
      const { id } = (await merchant.post<Seen>(INVOICES, given)).body
      ids.unshift(id)
      if (n % 20 === 0) await otherMerchant.post(INVOICES, given)
      const { currency_code } = given.detail
      if (does === 'delete') await merchant.delete(path(id))
      if (does === 'send') await merchant.post(path(id, '/send'), { send_to_recipient: false })
      if (does === 'replace')
        await merchant.put(path(id), { ...other, items: given.items, detail: { ...other.detail, currency_code } })
      for (const day of days) {
        const record = { method: 'CASH', amount: moneyOf(currency_code, 1) }
        const paid = await merchant.post<{ payment_id: string }>(path(id, '/payments'), {
          ...record,
          payment_date: day,
        })
        if (does === 'unpay' && paid.status === 200)
          await merchant.delete(path(id, `/payments/${paid.body.payment_id}`))
        if (does === 'refund') await merchant.post(path(id, '/refunds'), { ...record, refund_date: day })
      }
    }
    for (const id of ids) {
      const { status, body } = await merchant.get<Seen>(path(id))
      if (status === 200) all.push(body)
    }
    // Some stand as the version before wrote them, and some have more pieces than are named.
    const { database } = world.app
    const { rows } = await database.query<Record<string, unknown>>('select * from invoices order by seq')
    for (const [n, row] of rows.entries()) {
      const pieces = n % 3 === 0 ? piecesBefore(row) : n % 11 === 0 ? ['*'] : undefined
      const emails = (row['emails'] as string[]).map((address) => `e${address}`)
      const rewritten = 'update invoices set grams = array_to_tsvector($2::text[]) where id = $1'
      if (pieces) await database.query(rewritten, [row['id'], [...pieces, ...emails]])
    }
  }, 120_000)
  afterAll(() => world.close())

  const wantedOf = (sought: SearchInput) => all.filter((one) => matches(one, sought)).map(({ id }) => id)

  it('finds what a look at each would find, page by page', async () => {
    const page = fc.tuple(fc.constantFrom(0, 0, 1, 2, 8), fc.constantFrom(1, 2, 3, 7, 50, 100))
    await fc.assert(
      fc.asyncProperty(searchOf, page, async (search, [before, size]) => {
        const sought = search(all)
        const wanted = wantedOf(sought)
        const query = `page=${before + 1}&page_size=${size}&total_required=true`
        const { body, text } = await world.merchant.post<Listed>(`${SEARCH}?${query}`, sought)

        expect(body.items?.map(({ id }) => id) ?? text).toEqual(wanted.slice(before * size, (before + 1) * size))
        expect(body.total_items, JSON.stringify(sought)).toBe(wanted.length)
        expect(body.links.some(({ rel }) => rel === 'next')).toBe(wanted.length > (before + 1) * size)
      }),
      { numRuns: times(200, 2_500) },
    )
  }, 300_000)

  it('finds the same through the indexes alone, whatever is known of how common pieces are', async () => {
    const { app, people } = world
    const piece = fc.tuple(fc.constantFrom('M', 'I', 'R', 'm', 'i'), fc.constantFrom('xa', 'xab', 'aba', 'abab', 'xb'))
    const shares = fc.record({
      ofPieces: fc.array(
        fc.tuple(
          piece.map((parts) => parts.join('')),
          fc.constantFrom(0.1, 0.9),
        ),
        { maxLength: 5 },
      ),
      // From a hundredth of all on, it does not matter to the index whose an invoice is.
      ofMerchant: fc.constantFrom(0, 0.5),
    })
    const slices = fc.record({ offset: fc.constantFrom(0, 0, 1, 5, 30), limit: fc.constantFrom(1, 2, 4, 8, 15, 101) })
    await fc.assert(
      fc.asyncProperty(searchOf, slices, fc.option(shares), async (search, slice, known) => {
        const sought = search(all)
        const common = new CommonPieces()
        common.shares = async () => new Map([...(known?.ofPieces ?? []), [people.merchant.id, known?.ofMerchant ?? 0]])
        const ways = { ...(known && { common }), glances: { counts: [], likely: 0 } }
        const found = await findInvoices(app.database, people.merchant.id, criteriaOf(sought), slice, ways)

        expect(
          found.map(({ id }) => id),
          JSON.stringify(sought),
        ).toEqual(wantedOf(sought).slice(slice.offset, slice.offset + slice.limit))
      }),
      { numRuns: times(400, 2_500) },
    )
  }, 300_000)
})
