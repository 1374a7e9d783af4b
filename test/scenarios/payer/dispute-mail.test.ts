import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

interface Mail {
  readonly subject: string
  readonly text: string
  readonly links: readonly string[]
}

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

/** The mails about a dispute to one address, oldest first. */
async function mailsTo(address: string, id: string): Promise<Mail[]> {
  await world.settle()
  const { body } = await world.call<{ mails: Mail[] }>('GET', '/sandbox/mail', undefined, {
    query: { to: address, limit: '100' },
  })
  return body.mails.filter(({ text }) => text.includes(id)).toReversed()
}
const toSeller = (id: string) => mailsTo(world.people.merchant.email, id)
const toBuyer = (id: string) => mailsTo(world.people.buyer.email, id)
const subjects = (mails: readonly Mail[], id: string) => mails.map(({ subject }) => subject.replace(id, '*'))

const proof = { evidences: [{ evidence_type: 'OTHER', notes: 'See here.' }] }
const decide = (id: string, outcome: string) =>
  does(world.merchant, id, 'adjudicate', { adjudication_outcome: outcome })

describe('A mail to the merchant', () => {
  it('says why, until when, and where, when it is their turn', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })
    await world.settle()
    await does(world.merchant, id, 'provide-evidence', proof)
    await does(world.merchant, id, 'require-evidence', { action: 'SELLER_EVIDENCE' })

    const [opened, asked] = await toSeller(id)

    for (const { text, links } of [opened!, asked!]) {
      expect(text).toContain('Reason: not received')
      expect(links).toEqual([expect.stringMatching(new RegExp(`/console/disputes/${id}$`))])
    }
    const page = await world.call('GET', new URL(opened!.links[0]!).pathname)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain(id)
    expect(subjects([opened!, asked!], id)).toEqual(['Dispute * was opened', 'Dispute * needs your answer'])
    expect(asked!.text).toContain('Answer by March 5, 2026')
  })

  it('does not follow what they did themselves', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })
    await does(world.buyer, id, 'send-message', { message: 'Where is it?' })
    await does(world.buyer, id, 'escalate', {})
    expect(subjects(await toSeller(id), id)).toEqual([
      'Dispute * was opened',
      'Dispute * needs your answer',
      'Dispute * needs your answer',
    ])

    await does(world.merchant, id, 'provide-evidence', proof)
    await decide(id, 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)

    expect(subjects(await toSeller(id), id).slice(3)).toEqual(['Dispute * was resolved'])
  })

  it('and one to the buyer tell how an appeal ended, with the money', async () => {
    const id = await open(world.buyer, { amount: usd('60.00') })
    await does(world.buyer, id, 'escalate', {})
    await does(world.merchant, id, 'provide-evidence', proof)
    await decide(id, 'BUYER_FAVOR')
    await world.settle()
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    const seller = await toSeller(id)
    const buyer = await toBuyer(id)

    expect(seller.at(-2)!.text).toContain('in favour of the other side. $60.00 was refunded.')
    expect(seller.at(-1)!.text).toContain('in your favour. $60.00 that was taken back is in your balance again.')
    expect(buyer.at(-2)!.text).toContain('in your favour. $60.00 was refunded.')
    expect(buyer.at(-1)!.text).toContain('in favour of the other side. You keep the $60.00 you were given.')
  })
})

describe('A mail to the buyer', () => {
  it('comes when it is their turn, and when they are written to', async () => {
    const id = await open(world.buyer, { amount: usd('20.00') })
    await world.settle()
    await does(world.merchant, id, 'send-message', { message: 'We are looking.' })
    await world.settle()
    await does(world.merchant, id, 'make-offer', { note: 'Half?', offer_type: 'REFUND', offer_amount: usd('8.00') })
    await world.settle()
    await does(world.buyer, id, 'deny-offer', { note: 'No.' })

    expect(subjects(await toBuyer(id), id)).toEqual([
      'Dispute * was opened',
      'New message in dispute *',
      'Dispute * needs your answer',
    ])
    expect(subjects(await toSeller(id), id)).toEqual(['Dispute * was opened', 'Dispute * needs your answer'])
  })
})
