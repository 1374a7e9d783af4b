import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presentSummary } from '../../src/invoices/present.ts'
import type { Criteria } from '../../src/invoices/search/conditions.ts'
import { findInvoices, findSummaries, walkInvoices } from '../../src/invoices/search/find.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { INVOICES, over, recipient, shopOf } from '../support/shop.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const words = ['payer', 'second', 'third', 'fourth', 'fifth', 'ümit', '田中', "o'neil", 'a_b%c\\d']

/** So many copies of each are the newest, within minutes, where a merchant has many of them a day. */
const COPIES = 4

describe.each(['few', 'many'])('Reading one by one and asking the indexes, of a merchant with %s a day,', (howMany) => {
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
      // Made in three months, of which the newest two do not have everything.
      if (n === 15 || n === 28) await shop.pass('P31D')
    }
    if (howMany === 'many')
      await world.app.database.query(
        `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
           business_names, reference, memo, item_text, grams)
         select account_id, made.id, body || jsonb_build_object('id', made.id),
           (select max(left(create_time, 14)) from invoices) || '59:59.00' || copy || 'Z', made.id,
           amount_minor, emails, first_names, last_names, business_names, reference, memo, item_text, grams
         from invoices i cross join generate_series(1, $1::int) copy
         cross join lateral (select i.id || '-COPY-' || copy as id) made`,
        [COPIES],
      )
  })
  afterAll(async () => {
    await world.app.database.query("delete from invoices where id like '%-COPY-%'")
    await world.close()
  })

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

  it('find by words also in a version before, which looks at every document with its mark', async () => {
    const { rows } = await world.app.database.query(
      "select count(*)::int as missed from invoices where not grams @@ '*'",
    )
    expect(rows[0].missed).toBe(0)
  })

  for (const sought of criteria)
    it(`find the same for ${JSON.stringify(sought, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`, async () => {
      const find = (offset: number, limit: number, recent: number) =>
        findInvoices(
          world.app.database,
          world.people.merchant.id,
          sought,
          { offset, limit },
          { glances: { counts: [recent], likely: 1 } },
        )

      const everyone: string[] = []
      for await (const stretch of walkInvoices(world.app.database, world.people.merchant.id, sought))
        everyone.push(...stretch.map(({ id }) => id))
      const read = (await find(0, 300, 1000)).map(({ id }) => id)
      const asked = (await find(0, 300, 0)).map(({ id }) => id)
      const inPages = [...(await find(0, 3, 2)), ...(await find(3, 3, 2)), ...(await find(6, 300, 2))].map(
        ({ id }) => id,
      )

      expect(read).toEqual(everyone)
      expect(asked).toEqual(everyone)
      expect(inPages).toEqual(everyone)

      const { app, people } = world
      const wanted = { accountId: people.merchant.id, criteria: sought, slice: { offset: 0, limit: 100 } }
      const summaries = await findSummaries(app.database, (one) => one, new Map(), wanted)
      const documents = await find(0, 100, 1000)
      expect([...summaries.values()].map((one) => presentSummary(app.service, one))).toEqual(
        documents.map((one) => presentSummary(app.service, one)),
      )
    })
})

describe('An invoice', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('with too many pieces to name them is found by each word, of whatever version it is', async () => {
    const letters = (n: number) => Array.from({ length: 15 }, (_, i) => hash('sha256', `${n} ${i}`, 'hex')).join('')
    const texts = Array.from({ length: 50 }, (_, n) => letters(n))
    const items = texts.map((description) => ({ name: 'Key', description, quantity: '1', unit_amount: usd('1.00') }))
    const { id } = await shopOf(world).drafts(over('1.00', { items }))

    const { rows } = await world.app.database.query('select tsvector_to_array(grams) as pieces from invoices')
    expect(rows).toHaveLength(1)
    expect(rows[0].pieces.length).toBeLessThan(5)
    for (const text of [texts[0]!.slice(500, 520), texts[39]!.slice(0, 4), texts[20]!.slice(7, 9)]) {
      const page = { offset: 0, limit: 20 }
      const glances = { counts: [0], likely: 1 }
      const sought = { texts: { item_text: text } }
      const found = await findInvoices(world.app.database, world.people.merchant.id, sought, page, { glances })
      expect(found.map((invoice) => invoice.id)).toEqual([id])
    }
  })
})
