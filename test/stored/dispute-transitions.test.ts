import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DISPUTES, does, open } from '../scenarios/disputes/people.ts'
import { assertInvariants } from '../support/invariants.ts'
import { statementsOf } from '../support/statements.ts'
import { newWorld, usd, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const offer = { note: 'Half of it?', offer_type: 'REFUND', offer_amount: usd('8.00') }
const words = { evidences: [{ evidence_type: 'OTHER', notes: 'Sent.' }] }

/** The moves of a dispute as the log tells them, oldest first. */
async function movesOf({ app }: World, id: string): Promise<string[]> {
  const { rows } = await app.database.query<{ move: string }>(
    `select concat_ws(' ', from_node, action, to_node) as move from dispute_transitions where dispute_id = $1 order by version`,
    [id],
  )
  return rows.map(({ move }) => move)
}

describe('The log of a dispute', () => {
  it('has every move of its history, in order, and nothing that left it where it was', async () => {
    const own = await newWorld()
    const { buyer, merchant } = own
    const id = await open(buyer)
    await does(merchant, id, 'make-offer', offer)
    await does(buyer, id, 'send-message', { message: 'I think about it.' })
    await does(buyer, id, 'deny-offer', { note: 'No.' })
    await does(buyer, id, 'escalate', {})
    await merchant.patch(`${DISPUTES}/${id}`, [{ op: 'add', path: '/communication_details', value: { note: 'Call.' } }])
    await does(merchant, id, 'provide-evidence', words)
    await does(merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })
    await does(merchant, id, 'appeal', words)
    await does(merchant, id, 'require-evidence', { action: 'BUYER_EVIDENCE' })
    await does(buyer, id, 'provide-evidence', words)
    await does(merchant, id, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    await own.pass('P30D')

    expect(await movesOf(own, id)).toEqual([
      'create IO',
      'IO triage IS',
      'IS make-offer IF',
      'IF deny-offer IS',
      'IS escalate CS',
      'CS provide-evidence CU',
      'CU adjudicate XA',
      'XA appeal PU',
      'PU require-evidence PB',
      'PB provide-evidence PU',
      'PU adjudicate XA',
      'XA pass-deadline XX',
    ])
    await own.close()
  })

  it('has the look of an agent as a move of its own when triage waits', async () => {
    const slow = await newWorld({ settings: { DISPUTE_TRIAGE_DELAY_SECONDS: '60' } })
    const id = await open(slow.buyer)
    expect(await movesOf(slow, id)).toEqual(['create IO'])

    await slow.pass('PT1M')

    expect(await movesOf(slow, id)).toEqual(['create IO', 'IO triage IS'])
    await slow.close()
  })

  it('says nothing of what was refused', async () => {
    const id = await open(world.buyer)
    const before = await movesOf(world, id)

    expect((await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(422)
    expect((await does(world.merchant, id, 'make-offer', { ...offer, offer_amount: usd('99.00') })).status).toBe(400)

    expect(await movesOf(world, id)).toEqual(before)
  })

  it('costs an offer no statement: two reads and the one that writes everything', async () => {
    const id = await open(world.buyer)
    await does(world.merchant, id, 'send-message', { message: 'Hello.' })

    const statements = await statementsOf(world, async () =>
      expect((await does(world.merchant, id, 'make-offer', offer)).status).toBe(200),
    )

    expect(statements).toHaveLength(3)
    expect(statements.filter((text) => text.includes('insert'))).toHaveLength(1)
    expect(statements.at(-1)).toContain('insert into dispute_transitions')
  })

  it('cannot be changed, and a dispute that moves past it is found', async () => {
    const own = await newWorld()
    const id = await open(own.buyer)
    const { query } = own.app.database
    for (const change of ["update dispute_transitions set to_node = 'XX'", 'delete from dispute_transitions'])
      await expect(query(change)).rejects.toThrow('never changed')
    const broken = () => expect(assertInvariants(own.app.database)).rejects

    await query("update disputes set status = 'UNDER_REVIEW', body = jsonb_set(body, '{status}', '\"UNDER_REVIEW\"')")
    await broken().toThrow('stands where its last move led')

    const log = (version: number, action: string, from: string, to: string) =>
      query(
        `insert into dispute_transitions (account_id, dispute_id, version, action, from_node, to_node, create_time)
         select account_id, id, $2, $3, $4, $5, update_time from disputes where id = $1`,
        [id, version, action, from, to],
      )
    await log(2, 'escalate', 'IF', 'IU')
    await broken().toThrow('starts where the one before it ended')

    await query('truncate dispute_transitions')
    await query(
      `insert into dispute_transitions select account_id, id, 0, 'create', null, 'IS', update_time from disputes`,
    )
    await log(2, 'escalate', 'IS', 'IU')
    await broken().toThrow('one that its table has')
    await query('truncate disputes, dispute_transitions cascade')
    await own.close()
  })
})
