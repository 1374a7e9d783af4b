import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf } from '../../support/console.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { does, NOT_AS_DESCRIBED, open, tracking } from '../disputes/people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

/** What happened, as the page of a dispute tells it: who did what, and what they said. */
async function storyOf(id: string, as: 'merchant' | 'buyer' | 'partner' | 'agent' = 'merchant'): Promise<string[]> {
  const page = await consoleOf(world, as).page(`/console/disputes/${id}`)
  const [, list] = /<ol class="story">(.*?)<\/ol>/s.exec(page)!
  return [
    ...list!.matchAll(/<div class="by[^>]*><span>(.*?)<\/span><time.*?<\/div>(?:<p class="said">(.*?)<\/p>)?/gs),
  ].map(([, text, said]) => [text!.replaceAll(/<[^>]+>/g, ''), said].filter(Boolean).join(': '))
}
const evidence = {
  evidences: [
    { evidence_type: 'PROOF_OF_FULFILLMENT', evidence_info: { tracking_info: [tracking] }, notes: 'Signed for.' },
  ],
}
const decide = (id: string, outcome: 'BUYER_FAVOR' | 'SELLER_FAVOR') =>
  does(world.merchant, id, 'adjudicate', { adjudication_outcome: outcome })

describe('What happened to a dispute, as the console tells it', () => {
  it('has the escalation, with why for those who may read it', async () => {
    const id = await open(world.buyer)
    await world.settle()
    await world.pass('PT1M')
    await does(world.buyer, id, 'escalate', {
      note: 'Three weeks of silence.',
      buyer_escalation_reason: 'FAILED_NEGOTIATION',
    })

    const told = 'The buyer escalated it to a claim'
    expect(await storyOf(id, 'buyer')).toContain(`${told} (failed negotiation): Three weeks of silence.`)
    expect(await storyOf(id)).toContain(told)
    expect(await storyOf(id, 'partner')).toContain(told)
    await does(world.merchant, id, 'provide-evidence', evidence)
    expect(await storyOf(id, 'agent')).toContain(`${told} (failed negotiation): Three weeks of silence.`)
  })

  it('has every decision with who made it, and the appeals', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', {})
    await world.pass('P12D')
    expect((await storyOf(id)).at(-1)).toBe(
      'Time decided: resolved for the buyer, because the seller did not answer in time',
    )

    await does(world.merchant, id, 'appeal', evidence)
    await world.pass('PT1M')
    await decide(id, 'SELLER_FAVOR')
    await world.pass('PT1M')
    await does(world.buyer, id, 'appeal', { evidences: [{ evidence_type: 'OTHER', notes: 'Not my signature.' }] })
    await world.pass('PT1M')
    await decide(id, 'SELLER_FAVOR')
    await world.pass('P11D')

    const told = await storyOf(id)
    expect(told.filter((text) => /decided|appeal|resolved/i.test(text))).toEqual([
      'Time decided: resolved for the buyer, because the seller did not answer in time',
      'The seller appealed the decision',
      'An agent decided: resolved for the seller',
      'The buyer appealed the decision',
      'An agent decided: resolved for the seller',
    ])
    // What time decided at first is not why it ended.
    expect(await consoleOf(world).page('/console/disputes?view=all')).not.toContain('because the seller did not answer')
  })

  it('tells an end by the time of the end, not by that of the last change', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', {})
    await does(world.merchant, id, 'provide-evidence', evidence)
    const asked = await consoleOf(world, 'agent').page(`/console/disputes/${id}`)
    // A verdict is never the one that stood there first.
    expect(asked.match(/name="\/adjudication_outcome" value="\w+" required/g)).toHaveLength(2)
    await decide(id, 'BUYER_FAVOR')
    const decided = world.now()
    const until = async (as: 'merchant' | 'buyer') =>
      /Resolved for the buyer <span>(\D+)</.exec(await consoleOf(world, as).page(`/console/disputes/${id}`))?.[1]
    expect([await until('merchant'), await until('buyer')]).toEqual([
      'you may appeal until ',
      'the losing side may appeal until ',
    ])
    await world.pass('P15D')

    const page = await consoleOf(world).page(`/console/disputes/${id}`)
    expect(page).toMatch(new RegExp(`decided: resolved for the buyer</span><time datetime="${decided}"`))
    expect((await storyOf(id)).at(-1)).toBe('The time to appeal passed')
  })

  it('says what was offered, accepted and taken back in words', async () => {
    const offered = await open(world.buyer)
    await world.settle()
    await does(world.merchant, offered, 'make-offer', {
      note: 'A gesture.',
      offer_type: 'REFUND',
      offer_amount: { currency_code: 'USD', value: '5.00' },
    })
    await does(world.buyer, offered, 'deny-offer', { note: 'No.' })
    await does(world.buyer, offered, 'cancel', { note: 'It came after all.' })
    expect(await storyOf(offered, 'buyer')).toEqual(
      expect.arrayContaining([
        'The seller offered a refund of $5.00: A gesture.',
        'The buyer turned down a refund of $5.00: No.',
        'The buyer took the dispute back: It came after all.',
      ]),
    )
    expect(await storyOf(offered)).toContain('The buyer took the dispute back')

    const accepted = await open(world.buyer)
    await world.settle()
    await does(world.merchant, accepted, 'accept-claim', { note: 'You are right.' })
    expect((await storyOf(accepted)).slice(-2)).toEqual([
      'The seller accepted the claim: a refund of $20.00: You are right.',
      'Resolved for the buyer',
    ])
  })

  it('says for what time ran out at an inquiry', async () => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
    await does(world.merchant, id, 'make-offer', {
      note: 'Send it back.',
      offer_type: 'REFUND_WITH_RETURN',
      offer_amount: usd('20.00'),
      return_shipping_address: { address_line_1: '1 Way', admin_area_2: 'Here', postal_code: '1', country_code: 'US' },
    })
    expect((await does(world.buyer, id, 'accept-offer', {})).status).toBe(202)
    await world.pass('P12D')
    expect((await storyOf(id)).at(-1)).toBe(
      'Time decided: resolved for the seller, because the item was not sent back in time',
    )
  })

  it('tells of a bank as a bank, and of its words once', async () => {
    const { body: paid } = await world.merchant.post<{ seller_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('50.00'),
    })
    const { body: made } = await world.merchant.post<{ dispute_id: string }>(
      '/v2/customer-support/process-chargeback',
      {
        transaction: { id_enc: paid.seller_transaction_id },
        dispute: { processor_info: { reason_code: '4853', notes: 'The card holder says so.' } },
      },
    )
    const id = made.dispute_id
    const told = await storyOf(id)
    expect(told[0]).toBe('The buyer’s bank opened the dispute: not as described')
    expect(told.filter((text) => text.includes('The card holder says so.'))).toHaveLength(1)
  })

  it('has a changed reason, and what it was before', async () => {
    const id = await open(world.buyer)
    await world.settle()
    await world.pass('PT1M')
    await does(world.buyer, id, 'change-reason', { reason: NOT_AS_DESCRIBED, note: 'It came, in pieces.' })
    expect(await storyOf(id)).toEqual(
      expect.arrayContaining([
        'The buyer opened the dispute: not received',
        'The buyer changed the reason: not as described',
        'The buyer showed what speaks for the new reason: It came, in pieces.',
      ]),
    )
  })
})
