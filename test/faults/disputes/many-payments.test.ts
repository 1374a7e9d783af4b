import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { statementsOf } from '../../support/statements.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const DISPUTES = '/v1/customer/disputes'
/** As many as the contract allows. */
const PAYMENTS = 1_000

describe('A dispute over a thousand payments', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const over = (ids: readonly string[]) => ({
    disputed_transactions: ids.map((buyer_transaction_id) => ({ buyer_transaction_id })),
    reason: 'UNAUTHORISED',
  })
  const numbered = (name: string) => Array.from({ length: PAYMENTS }, (_, i) => `${name}${i}`)

  /** How many statements a call sends, and how long the longest is: what it would cost more with more payments. */
  async function costOf(call: () => Promise<{ status: number; text: string }>) {
    let response: Awaited<ReturnType<typeof call>> | undefined
    const texts = await statementsOf(world, async () => {
      response = await call()
    })
    return { response: response!, statements: texts, longest: Math.max(...texts.map((text) => text.length)) }
  }
  const expectFew = ({ statements, longest }: { statements: string[]; longest: number }) => {
    expect(statements.length, statements.join('\n')).toBeLessThan(15)
    expect(longest).toBeLessThan(15_000)
  }

  it('is opened, answered and paid back with as few statements as one over a single payment', async () => {
    const { buyer, merchant, people } = world
    const ids = numbered('KNOWN')
    const ledger = makeLedger(world.app.service)
    const parties = {
      seller: { account_id: people.merchant.id, email: people.merchant.email, name: people.merchant.name },
      buyer: { account_id: people.buyer.id, email: people.buyer.email, name: people.buyer.name },
    }
    await world.app.transact(async (tx) => {
      for (const buyer_transaction_id of ids)
        ledger.capture(tx, { ...parties, buyer_transaction_id, gross: usd('3.00'), status: 'COMPLETED', silent: true })
    })

    const opened = await costOf(() => buyer.post(DISPUTES, over(ids)))
    expect(opened.response.status, opened.response.text).toBe(201)
    expectFew(opened)
    const id = /disputes\/([A-Z0-9-]+)/.exec(opened.response.text)![1]!
    const held = await world.app.database.query('select count(*)::int as n from payment_transactions where held = 300')
    expect(held.rows).toEqual([{ n: PAYMENTS }])

    const accepted = await costOf(() => merchant.post(`${DISPUTES}/${id}/accept-claim`, { note: 'Paid back.' }))
    expect(accepted.response.status, accepted.response.text).toBe(200)
    expectFew(accepted)
    const refunded = await world.app.database.query(
      'select count(*)::int as n, sum(refunded)::int as sum from payment_transactions where held = 0 and refunded = 300',
    )
    expect(refunded.rows).toEqual([{ n: PAYMENTS, sum: 300 * PAYMENTS }])
  })

  it('registers those a sandbox does not know, also together', async () => {
    const opened = await costOf(() => world.buyer.post(DISPUTES, over(numbered('MADEUP'))))

    expect(opened.response.status, opened.response.text).toBe(201)
    expectFew(opened)
  })

  it('names a payment once, by whichever of its ids', async () => {
    const paid = await world.call<{ buyer_transaction_id: string; seller_transaction_id: string }>(
      'POST',
      '/sandbox/transactions',
      { amount: usd('5.00') },
    )
    const { buyer_transaction_id, seller_transaction_id } = paid.body

    const { status, text } = await world.buyer.post(DISPUTES, over([buyer_transaction_id, seller_transaction_id]))

    expect(status).toBe(400)
    expect(text).toContain('Name each payment once.')
  })

  it('is opened once when two race for the same payments', async () => {
    const ids = numbered('RACED').slice(0, 50)

    const answers = await Promise.all([1, 2, 3].map(() => world.buyer.post(DISPUTES, over(ids))))

    expect(answers.map(({ status }) => (status === 201 ? 'opened' : status < 500 && 'refused')).sort()).toEqual([
      'opened',
      'refused',
      'refused',
    ])
  })
})
