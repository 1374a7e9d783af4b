import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { does, open, position, sees } from '../../scenarios/disputes/people.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('A deadline', () => {
  it('passes in time also where its job ran too early, as after a clock was set back', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', {})
    await world.app.database.query('update jobs set run_at = $2 where key = $1', [`deadline:${id}`, world.now()])
    await world.settle()
    expect(position(await sees(world.merchant, id))).toBe('CHARGEBACK/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')

    await world.pass('P12D')

    expect((await sees(world.merchant, id)).dispute_outcome).toMatchObject({ outcome_reason: 'NO_SELLER_RESPONSE' })
  })
})
