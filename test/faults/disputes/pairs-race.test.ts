import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Instant } from '../../../src/kernel/clock.ts'
import type { SandboxClock } from '../../../src/sandbox/clock.ts'
import { DISPUTES, does, makePayment, open, type Payment, proof, sees } from '../../scenarios/disputes/people.ts'
import { times } from '../../support/size.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const TIMES = times(4, 40)

let world: World
beforeAll(async () => {
  // Its clock is set to instants of the disputes.
  world = await newWorld({ isOwn: true })
})
afterAll(() => world.close())

/** Something that somebody does; its status. */
type Deed = () => Promise<number>

const asks = async (answer: Promise<{ readonly status: number }>) => (await answer).status
const acts =
  (who: 'merchant' | 'buyer', id: string, action: string, body: object = {}): Deed =>
  () =>
    asks(does(world[who], id, action, body))
const refund =
  ({ capture }: Payment): Deed =>
  () =>
    asks(world.merchant.post(`/v2/payments/captures/${capture}/refund`, {}))
const chargeBack =
  ({ capture }: Payment): Deed =>
  () =>
    asks(
      world.merchant.post('/v2/customer-support/process-chargeback', { transaction: { id_enc: capture }, dispute: {} }),
    )

interface Race {
  readonly id: string
  readonly deeds: readonly Deed[]
  /** How the deeds can be answered, each by its place. */
  readonly answers: readonly string[]
}

/** An inquiry about a third of a payment, in which the seller has offered a part. */
async function offered(payment: Payment): Promise<string> {
  const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd('20.00') })
  await does(world.merchant, id, 'make-offer', { note: '?', offer_type: 'REFUND', offer_amount: usd('5.00') })
  return id
}

const races: Record<string, (payment: Payment) => Promise<Race>> = {
  'A buyer who takes an offer, and a bank that charges back': async (payment) => {
    const id = await offered(payment)
    const deeds = [acts('buyer', id, 'accept-offer'), chargeBack(payment)]
    return { id, deeds, answers: ['200 201', '422 201'] }
  },
  'A buyer who takes an offer, and a seller who escalates': async (payment) => {
    const id = await offered(payment)
    const deeds = [acts('buyer', id, 'accept-offer'), acts('merchant', id, 'escalate')]
    return { id, deeds, answers: ['200 422', '422 200'] }
  },
  'An agent who decides, and a seller who refunds': async (payment) => {
    const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd('20.00') })
    await does(world.merchant, id, 'provide-evidence', proof)
    const deeds = [acts('merchant', id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' }), refund(payment)]
    return { id, deeds, answers: ['200 201'] }
  },
  'A buyer who takes a payment out, a seller who refunds it, and a bank that charges it back': async (payment) => {
    const other = await makePayment(world, '35.00')
    const opened = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [payment, other].map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
      reason: 'UNAUTHORISED',
    })
    const id = opened.body.links[0]!.href.split('/').at(-1)!
    const out = acts('buyer', id, 'cancel', { transaction_ids: [payment.buyersId] })
    // After a refund there is nothing to charge back. After a chargeback there is no dispute to take a payment out of.
    return {
      id,
      deeds: [out, refund(payment), chargeBack(payment)],
      answers: ['200 201 400', '200 201 201', '422 201 201'],
    }
  },
  'A buyer who takes an offer, and the deadline for it': async (payment) => {
    const id = await offered(payment)
    const { buyer_response_due_date: due } = await sees(world.buyer, id)
    const clock = world.app.clock as SandboxClock
    await clock.set(new Date(Date.parse(due!) - 1).toISOString() as Instant, true)
    const passes: Deed = async () => {
      await clock.set(due as Instant, true)
      await world.settle()
      return 0
    }
    return { id, deeds: [acts('buyer', id, 'accept-offer'), passes], answers: ['200 0', '422 0'] }
  },
}

describe('At the same time', () => {
  it.each(Object.keys(races))('%s: one comes after the other', async (name) => {
    for (let n = 0; n < TIMES; n++) {
      const payment = await makePayment(world, '60.00')
      const { id, deeds, answers } = await races[name]!(payment)
      const before = (await world.events(id)).length

      const inOrder = n % 2 === 0 ? deeds : [...deeds].reverse()
      const statuses = await Promise.all(inOrder.map((deed) => deed()))

      expect(answers).toContain((n % 2 === 0 ? statuses : [...statuses].reverse()).join(' '))
      const told = (await world.events(id)).slice(before).filter(({ type }) => type === 'CUSTOMER.DISPUTE.RESOLVED')
      expect(told.length, 'told once that it ended').toBe(
        (await sees(world.merchant, id)).status === 'RESOLVED' ? 1 : 0,
      )
    }
  })
})
