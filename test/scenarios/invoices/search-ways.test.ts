import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presentSummary } from '../../../src/invoices/present.ts'
import type { Criteria } from '../../../src/invoices/search/conditions.ts'
import { findInvoices, findSummaries } from '../../../src/invoices/search/find.ts'
import type { Instant } from '../../../src/kernel/clock.ts'
import { INVOICES, over, recipient, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const words = ['payer', 'second', 'third', 'fourth', 'fifth', 'ümit', '田中', "o'neil", 'a_b%c\\d']

describe('Reading the newest one by one and asking the indexes', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    const shop = shopOf(world)
    for (let n = 0; n < 40; n++) {
      const [one, other] = [words[n % words.length]!, words[(n * 7 + 3) % words.length]!]
      const { id } = await shop.drafts({
        ...over('1.00', {
          primary_recipients: [
            recipient(`${n % 5}@example.com`, {
              name: { given_name: one, surname: other },
              business_name: `${other} & ${one}`,
            }),
          ],
          additional_recipients: [`${n % 3}@copy.example`],
          items: [{ name: one, description: `${other} ${n}`, quantity: '1', unit_amount: usd(`${n % 11}.00`) }],
        }),
        detail: {
          currency_code: 'USD',
          reference: `${one}-${n}`,
          memo: other,
          invoice_date: `2026-02-${String(1 + (n % 28)).padStart(2, '0')}`,
          ...(n % 2 === 0 && { payment_term: { term_type: `NET_${10 + n}` } }),
        },
      })
      if (n % 11 > 4) {
        // The newest is paid on more days than a page of these tests has places.
        for (const day of [n % 28, (n * 3) % 28, ...(n === 39 ? [7, 9, 13, 15] : [])])
          await world.merchant.post(`${INVOICES}/${id}/payments`, {
            method: 'CASH',
            payment_date: `2026-02-${String(1 + day).padStart(2, '0')}`,
            amount: usd('1.00'),
          })
      }
      if (n % 4 === 0) await shop.pass('PT1M')
    }
  })
  afterAll(() => world.close())

  const february = { start: '2026-02-03', end: '2026-02-21' }
  const criteria: Criteria[] = [
    ...words.flatMap((word) => [
      { texts: { first_names: word } },
      { texts: { last_names: word.slice(1) } },
      { texts: { business_names: `${word} ` } },
      { texts: { reference: word.slice(0, 2) } },
      { texts: { memo: word.slice(0, 1) } },
      { texts: { item_text: word } },
    ]),
    { texts: { reference: '-3', memo: 'a' } },
    { texts: { memo: 'a', item_text: 'second' } },
    { texts: { reference: 'payer-', business_names: 'fourth & ' } },
    { texts: { item_text: ' 3' }, statuses: ['DRAFT'] },
    { email: '3@example.com' },
    { email: '2@copy.example', texts: { memo: 'a' } },
    { email: 'nobody@example.com' },
    { amount: { currency: 'USD', least: 300n, most: 500n } },
    { amount: { currency: 'USD', least: 300n, most: 500n }, due: february },
    { issued: february },
    { issued: february, statuses: ['PARTIALLY_PAID', 'MARKED_AS_PAID'] },
    { due: { start: '2026-02-20', end: '2026-03-20' } },
    { due: { start: '2026-02-20', end: '2026-03-20' }, issued: february },
    { issued: { start: '1970-01-01', end: '2126-02-21' } },
    { issued: { start: '0000-01-01', end: '0001-01-01' } },
    { due: { start: '2026-02-20', end: '2026-02-10' } },
    { paid: february },
    { paid: { start: '1970-01-01', end: '2126-02-21' } },
    { paid: { start: '2026-02-05', end: '2026-02-05' } },
    { paid: february, currency: 'USD' },
    { statuses: ['DRAFT', 'PARTIALLY_PAID'], currency: 'USD' },
    {
      created: { start: '2026-03-02T09:02:00.000Z' as Instant, end: '2026-03-02T09:05:00.000Z' as Instant },
      texts: { memo: 'a' },
    },
  ]

  for (const sought of criteria)
    it(`find the same for ${JSON.stringify(sought, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`, async () => {
      const find = (offset: number, limit: number, recent: number) =>
        findInvoices(world.app.database, world.people.merchant.id, sought, { offset, limit }, { recentMax: recent })

      const read = (await find(0, 100, 1000)).map(({ id }) => id)
      const asked = (await find(0, 100, 0)).map(({ id }) => id)
      const inPages = [...(await find(0, 3, 2)), ...(await find(3, 3, 2)), ...(await find(6, 100, 2))].map(
        ({ id }) => id,
      )

      expect(asked).toEqual(read)
      expect(inPages).toEqual(read)

      const { app, people } = world
      const wanted = { accountId: people.merchant.id, criteria: sought, slice: { offset: 0, limit: 100 } }
      const summaries = await findSummaries(app.database, (one) => one, new Map(), wanted)
      const documents = await find(0, 100, 1000)
      expect([...summaries.values()].map((one) => presentSummary(app.service, one))).toEqual(
        documents.map((one) => presentSummary(app.service, one)),
      )
    })
})
