import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { stampOf } from '../../src/database/recall.ts'
import { statementOf } from '../../src/database/sql.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { readSettings } from '../../src/settings.ts'
import { open, sees } from '../scenarios/disputes/people.ts'
import { newCluster } from '../support/cluster.ts'
import { INVOICES, type Listed, over, shopOf } from '../support/shop.ts'
import { queriesOf } from '../support/statements.ts'
import { newWorld, patient, usd, type World } from '../support/world.ts'

const DISPUTES = '/v1/customer/disputes'
const MEGABYTES = 2
const ROOM = MEGABYTES * 1_048_576

let world: World
let second: App
let token: string
beforeAll(async () => {
  world = await newWorld({ settings: { READ_MEMORY_MB: String(MEGABYTES) } })
  const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
  const parts = { settings, databaseUrl: world.databaseUrl, log: pino({ level: 'error' }), ids: randomIds }
  second = await openApp({ ...patient, ...parts })
  token = await world.tokenFor('sandbox-merchant')
})
afterAll(async () => {
  await second.close()
  await world.close()
})

const memo = (text: string) => over('100.00', {}, { memo: text })
const elsewhere = async (method: 'PUT' | 'POST' | 'DELETE', url: string, payload: object = {}) => {
  const headers = { authorization: `Bearer ${token}` }
  const { statusCode, body } = await second.server.inject({ method, url, headers, payload })
  expect(statusCode, body).toBeLessThan(300)
}
const memoOf = async (id: string) =>
  (await world.merchant.get<{ detail: { memo: string } }>(`${INVOICES}/${id}`)).body.detail.memo
const listed = async () => {
  const { body } = await world.merchant.get<Listed & { items: { id: string; detail: { memo?: string } }[] }>(INVOICES)
  return body.items.map(({ id, detail }) => [id, detail.memo])
}
describe('What a process keeps of an invoice as it last sent it', () => {
  it('is sent again only while nobody changed it, in whichever process', async () => {
    const { id } = await shopOf(world).drafts(memo('first'))
    expect(await memoOf(id)).toBe('first')
    expect(await memoOf(id)).toBe('first')

    await elsewhere('PUT', `${INVOICES}/${id}`, memo('second'))
    expect(await memoOf(id)).toBe('second')

    await elsewhere('DELETE', `${INVOICES}/${id}`)
    expect((await world.merchant.get(`${INVOICES}/${id}`)).status).toBe(404)
  })

  it('is not sent again for a row of the same version that somebody wrote anew', async () => {
    const { id } = await shopOf(world).drafts(memo('before'))
    expect(await memoOf(id)).toBe('before')

    const rewrite = statementOf(`update invoices set body = jsonb_set(body, '{detail,memo}', '"after"') where id = $1`)
    await world.app.database.rows(rewrite, [id])

    expect(await memoOf(id)).toBe('after')
    expect(await listed()).toContainEqual([id, 'after'])
  })

  it('is no answer for whoever may not see it', async () => {
    const { id } = await shopOf(world).drafts(memo('mine'))
    expect(await memoOf(id)).toBe('mine')
    expect((await world.otherMerchant.get(`${INVOICES}/${id}`)).status).toBe(404)
    expect(await memoOf(id)).toBe('mine')
  })

  it('takes no more room than it may', async () => {
    const { id } = await shopOf(world).drafts(memo('x'.repeat(500)))
    const copy = statementOf(`
      insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams)
      select account_id, 'INV2-COPY-' || n, jsonb_set(body, '{id}', to_jsonb('INV2-COPY-' || n)), create_time, 'copy-' || n,
        amount_minor, emails, grams
      from invoices, generate_series(1000, 1499) n where id = $1`)
    await world.app.database.rows(copy, [id])
    const { recall } = world.app.service
    let most = 0
    for (let n = 1000; n < 1500; n++) {
      expect((await world.merchant.get(`${INVOICES}/INV2-COPY-${n}`)).status).toBe(200)
      most = Math.max(most, recall.bytes)
    }
    expect(most).toBeGreaterThan(ROOM / 2)
    expect(most).toBeLessThanOrEqual(ROOM)
  })

  it('takes room also where a search finds nothing, for whoever searches chooses what for', async () => {
    const { recall } = second.service
    const before = recall.bytes
    const SEARCHES = 20
    for (let n = 0; n < SEARCHES; n++)
      await elsewhere('POST', '/v2/invoicing/search-invoices', { memo: `${n} `.padEnd(400, 'nowhere ') })
    expect(recall.bytes - before).toBeGreaterThan(SEARCHES * 2 * 400)
  })
})

describe('What a process keeps of a list', () => {
  it('is read anew only of what changed since, and in the order of now', async () => {
    const shop = shopOf(world)
    const [first, second] = [(await shop.drafts(memo('one'))).id, (await shop.drafts(memo('two'))).id]
    expect((await listed()).slice(0, 2)).toEqual([
      [second, 'two'],
      [first, 'one'],
    ])
    await elsewhere('PUT', `${INVOICES}/${first}`, memo('one changed'))
    const { id: third } = await shop.drafts(memo('three'))
    expect((await listed()).slice(0, 3)).toEqual([
      [third, 'three'],
      [second, 'two'],
      [first, 'one changed'],
    ])
    await elsewhere('DELETE', `${INVOICES}/${second}`)
    expect((await listed()).slice(0, 2)).toEqual([
      [third, 'three'],
      [first, 'one changed'],
    ])
  })

  it('is told to the database, which sends none of it again', async () => {
    await listed()
    const isList = ({ text }: { text: string }) => text.includes('= any(') && text.includes('stamp')
    const { text, values } = (await queriesOf(world, listed)).find(isList)!
    const rows = await world.app.database.rows<{ shown: unknown }>(statementOf(text), values)
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.map(({ shown }) => shown)).toEqual(rows.map(() => null))
  })
})

describe('What a process keeps of a dispute', () => {
  it('is shown to each side as that side may see it', async () => {
    const id = await open(world.buyer)
    const [seller, buyer] = [await sees(world.merchant, id), await sees(world.buyer, id)]
    expect(seller).not.toEqual(buyer)
    expect(await sees(world.merchant, id)).toEqual(seller)
    expect(await sees(world.buyer, id)).toEqual(buyer)
    expect(await sees(world.merchant, id)).toEqual(seller)

    await world.buyer.post(`${DISPUTES}/${id}/send-message`, { message: 'Where is it?' })
    expect(JSON.stringify(await sees(world.merchant, id))).toContain('Where is it?')
  })
})

describe('What a process keeps of a list of disputes', () => {
  const listed = async () => {
    const { body } = await world.merchant.get<{ items: { dispute_id: string; status: string }[] }>(DISPUTES)
    return body.items.map(({ dispute_id, status }) => `${dispute_id} ${status}`)
  }

  it('is sent again only while the same disputes are on it as they were', async () => {
    const id = await open(world.buyer)
    expect((await listed())[0]).toBe(`${id} WAITING_FOR_SELLER_RESPONSE`)
    expect((await listed())[0]).toBe(`${id} WAITING_FOR_SELLER_RESPONSE`)
    await elsewhere('POST', `${DISPUTES}/${id}/make-offer`, {
      note: 'Half of it?',
      offer_type: 'REFUND',
      offer_amount: usd('5.00'),
    })
    expect((await listed())[0]).toBe(`${id} WAITING_FOR_BUYER_RESPONSE`)

    const next = await open(world.buyer)
    expect((await listed()).slice(0, 2).map((line) => line.split(' ')[0])).toEqual([next, id])
  })

  it('is sent to each side as that side sees it', async () => {
    await open(world.buyer)
    const lists = async () => [(await world.merchant.get(DISPUTES)).text, (await world.buyer.get(DISPUTES)).text]
    const [seller, buyer] = await lists()
    expect(seller).not.toBe(buyer)
    expect(await lists()).toEqual([seller, buyer])
  })

  it('is told to the database, which sends none of it again', async () => {
    await listed()
    const isList = ({ text }: { text: string }) => text.includes('string_agg(summary')
    const { text, values } = (await queriesOf(world, listed)).find(isList)!
    const [row] = await world.app.database.rows<{ stamp: string; text: unknown }>(statementOf(text), values)
    expect(row).toEqual({ stamp: expect.stringContaining(' '), text: null })
  })

  it('is nothing where there is nothing', async () => {
    for (const _ of [1, 2]) expect((await world.otherMerchant.get(DISPUTES)).body).toMatchObject({ items: [] })
  })
})

describe('The stamp of a row', () => {
  it('is another one after the server started anew, though the row is as it was', async () => {
    const { cluster, remove } = await newCluster()
    try {
      await cluster.query('create table rows (version int); insert into rows values (1)')
      const stamps = () => cluster.query<{ stamp: string }>(`select ${stampOf('r')} as stamp from rows r`)
      const before = await stamps()
      expect(await stamps()).toEqual(before)
      await cluster.kill()
      await cluster.start()
      expect(await stamps()).not.toEqual(before)
    } finally {
      await remove()
    }
  })
})
