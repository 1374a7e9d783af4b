import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsRead } from '../../support/plans.ts'
import { queriesOf } from '../../support/statements.ts'
import { newWorld, type World } from '../../support/world.ts'

const EVENTS = 1_000

describe('The events about an id', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    const parts = { accountId: world.people.merchant.id, appId: 'APP-SANDBOXMERCHANT01', summary: 'Paid.' }
    await world.app.transact(async (tx) => {
      for (let i = 0; i < EVENTS; i++) {
        const resource = { id: `R-${i}`, payment_id: `PAYMENT-${i}` }
        tx.emit({ ...parts, type: 'INVOICING.INVOICE.PAID', resourceId: resource.id, resource })
      }
    })
    await world.settle()
  })
  afterAll(() => world.close())

  it.each([
    ['PAYMENT-700', 1],
    ['R-700', 1],
    ['e', 0],
    ['NOBODYS-700', 0],
  ])('are found by it among many that the planner does not know of: %s', async (id, count) => {
    const shown: number[] = []
    const asked = await queriesOf(world, async () => {
      const query = { transaction_id: id }
      shown.push(
        (await world.merchant.get<{ count: number }>('/v1/notifications/webhooks-events', { query })).body.count,
      )
    })
    const lists = asked.filter(({ text }) => /from event_audience/.test(text))
    let read = 0
    for (const { text, values } of lists) {
      const { rows } = await world.app.database.query(`explain (analyze, format json) ${text}`, values)
      read += rowsRead(rows[0]['QUERY PLAN'][0].Plan)
    }

    expect([shown, lists.length]).toEqual([[count], 1])
    expect(read).toBeLessThan(EVENTS / 50)
  })
})
