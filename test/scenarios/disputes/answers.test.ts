import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import { address, DISPUTES, does, multipart, NOT_AS_DESCRIBED, open, type Problem, refusal } from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

interface Links {
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

describe('An answer 202', () => {
  const leadsTo = (id: string, { links }: Links) => {
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'detail'])
    expect(links[0]!.href).toContain('/v1/apis/requests/')
    expect(links[1]!.href).toMatch(new RegExp(`${DISPUTES}/${id}$`))
  }

  it('to an agreed return leads to the dispute as well as to the request', async () => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED, amount: usd('48.00') })
    const terms = { note: 'Send it back.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00') }
    await does(world.merchant, id, 'make-offer', { ...terms, return_shipping_address: address })

    const answer = await does(world.buyer, id, 'accept-offer', {})

    expect(answer.status).toBe(202)
    leadsTo(id, answer.body)
  })

  it('to a change or an opening that need not be waited for does, too', async () => {
    const headers = { prefer: 'respond-async' }
    const id = await open(world.buyer)
    const entry = { op: 'add', path: '/communication_details', value: { note: 'Call us.' } }

    const changed = await world.merchant.patch<Links>(`${DISPUTES}/${id}`, [entry], { headers })
    const opened = await world.buyer.post<Links>(
      DISPUTES,
      {
        disputed_transactions: [{ buyer_transaction_id: 'ASYNCHRONOUS' }],
        reason: 'OTHER',
        dispute_amount: usd('5.00'),
      },
      { headers },
    )

    expect([changed.status, opened.status]).toEqual([202, 202])
    leadsTo(id, changed.body)
    leadsTo(opened.body.links[1]!.href.split('/').at(-1)!, opened.body)
  })
})

describe('A refusal', () => {
  const NOT_NOW = 'UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'

  it('by the state of the dispute comes before any look at files', async () => {
    const id = await open(world.buyer)
    const body = { evidences: [{ evidence_type: 'OTHER', notes: 'See.' }] }
    const { payload, headers } = multipart(body, [{ name: 'virus.exe', bytes: Buffer.from('MZ') }])

    const tooEarly = await world.merchant.post<Problem>(`${DISPUTES}/${id}/appeal`, payload, { headers })

    expect(refusal(tooEarly)).toBe(`422 ${NOT_NOW}`)
  })

  it('of agents’ actions has the status that a setting says', async () => {
    const id = await open(world.buyer)
    const older = await newWorld({ settings: { DISPUTE_AGENT_REFUSAL_STATUS: '400' } })
    const there = await open(older.buyer)
    const decision = { adjudication_outcome: 'BUYER_FAVOR' }
    const request = { action: 'BUYER_EVIDENCE' }

    expect(refusal(await does(world.merchant, id, 'adjudicate', decision))).toBe(`422 ${NOT_NOW}`)
    for (const [action, body] of [
      ['adjudicate', decision],
      ['require-evidence', request],
    ] as const)
      expect(refusal(await does(older.merchant, there, action, body))).toBe(
        '400 INVALID_REQUEST ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE',
      )
    expect(refusal(await does(older.merchant, there, 'appeal', { evidences: [] }))).toBe(`422 ${NOT_NOW}`)
    await older.close()
  })
})
