import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

describe('A request that an earlier version kept', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('is shown although its operation has another name now', async () => {
    const { headers } = await world.merchant.get('/v2/invoicing/invoices/INV2-NONE')
    const listed = await world.call<{ requests: { debug_id: string }[] }>('GET', '/sandbox/requests')
    const id = listed.body.requests[0]!.debug_id
    expect(Object.values(headers)).toContain(id)
    await world.app.database.query("update request_log set operation = 'showBill'")

    for (const path of ['/console/requests', `/console/requests/${id}`]) {
      const { status, text } = await world.call('GET', path)
      expect(status, text).toBe(200)
      expect(text).toContain(id)
    }
  })
})
