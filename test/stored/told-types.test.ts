import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, over } from '../support/shop.ts'
import { newWorld, type World } from '../support/world.ts'

const EVENTS = '/v1/notifications/webhooks-events'
const SENT = 'INVOICING.INVOICE.SENT'

interface Listed {
  readonly events: readonly { readonly id: string; readonly event_type: string }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

describe('What an app was told of', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    for (let i = 0; i < 5; i++) {
      const made = await world.merchant.post<{ id: string }>(INVOICES, over('9.00'), {
        headers: { prefer: 'return=representation' },
      })
      await world.merchant.post(`${INVOICES}/${made.body.id}/send`, {})
      await world.pass('PT1S')
    }
  })
  afterAll(() => world.close())

  const get = async (path: string) => (await world.merchant.get<Listed>(path)).body
  /** Every page from the first to the last, or the other way. */
  async function pagesFrom(first: Listed, rel: 'next' | 'previous'): Promise<Listed[]> {
    const href = first.links.find((link) => link.rel === rel)?.href
    return href === undefined ? [first] : [first, ...(await pagesFrom(await get(href.slice(href.indexOf('/v1'))), rel))]
  }
  const idsOf = (pages: readonly Listed[]) => pages.flatMap(({ events }) => events.map(({ id }) => id))

  it('carries the type of its event', async () => {
    const { rows } = await world.app.database.query<{ event_type: string; type: string }>(
      'select a.event_type, e.type from event_audience a join events e on e.id = a.event_id',
    )
    expect(rows.length).toBeGreaterThanOrEqual(10)
    expect(rows.filter(({ event_type, type }) => event_type !== type)).toEqual([])
  })

  it('is listed by its type in its order, also where a process of the version before wrote none', async () => {
    const { events } = await get(`${EVENTS}?page_size=100`)
    const sent = events.filter(({ event_type }) => event_type === SENT).map(({ id }) => id)
    expect(sent).toHaveLength(5)
    const forget = "update event_audience set event_type = '' where event_id = any($1) or seq % 2 = 0"
    await world.app.database.query(forget, [[sent[1], sent[4]]])

    const down = await pagesFrom(await get(`${EVENTS}?event_type=${SENT}&page_size=2`), 'next')
    const up = await pagesFrom(down.at(-1)!, 'previous')

    expect(idsOf(down)).toEqual(sent)
    expect(idsOf(up.toReversed())).toEqual(sent)
    expect((await get(`${EVENTS}?event_type=INVOICING.INVOICE.PAID`)).events).toEqual([])
  })
})
