import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../src/disputes/machine/limits.ts'
import { canDo, DISPUTES, does, open, refusal, type Shown, sees } from '../../scenarios/disputes/people.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const NOT_NOW = '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

/** The last entry of a list in a dispute is there so often more. */
const repeat = (id: string, list: 'messages' | 'supporting_info', count: number) =>
  world.app.database.query(
    `update disputes set body = jsonb_set(body, array[$2::text], (
       select jsonb_agg(one) from (
         select one from jsonb_array_elements(body->$2::text) one
         union all select body->$2::text->-1 from generate_series(1, $3::int)) more)) where id = $1`,
    [id, list, count],
  )

describe('A buyer who fills a dispute', () => {
  it('with messages keeps the seller from no answer and from no offer', async () => {
    const id = await open(world.buyer, { evidences: [{ notes: 'Where is it?' }] })
    await repeat(id, 'messages', limits.messages - 2)
    expect((await does(world.buyer, id, 'send-message', { message: 'The last.' })).status).toBe(200)
    expect(refusal(await does(world.buyer, id, 'send-message', { message: 'One more.' }))).toBe(NOT_NOW)

    expect((await does(world.merchant, id, 'send-message', { message: 'On its way.' })).status).toBe(200)
    const offer = { note: 'For the wait.', offer_type: 'REFUND', offer_amount: usd('5.00') }
    expect((await does(world.merchant, id, 'make-offer', offer)).status).toBe(200)
    expect((await sees(world.buyer, id)).messages?.length).toBe(limits.messages + 2)
  })

  it('with notes keeps the seller from none of theirs, and lists show no link that one of them has not', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', {})
    await does(world.buyer, id, 'provide-supporting-info', { notes: 'Look!' })
    await repeat(id, 'supporting_info', limits.supportingInfo - 2)
    expect((await does(world.buyer, id, 'provide-supporting-info', { notes: 'The last.' })).status).toBe(200)

    expect(refusal(await does(world.buyer, id, 'provide-supporting-info', { notes: 'One more.' }))).toBe(NOT_NOW)
    const listed = await world.buyer.get<{ items: Shown[] }>(DISPUTES)
    const { links } = listed.body.items.find(({ dispute_id }) => dispute_id === id)!
    expect(links.map(({ rel }) => rel)).toEqual(['self'])
    expect(await canDo(world.merchant, id)).toContain('provide_supporting_info')
    for (const who of [world.merchant, world.partner])
      expect((await does(who, id, 'provide-supporting-info', { notes: 'Here.' })).status).toBe(200)
  })
})
