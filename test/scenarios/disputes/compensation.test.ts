import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '../../../src/accounts/store.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import { address, DISPUTES, does, NOT_AS_DESCRIBED, open, refusal, tracking } from './people.ts'

interface Parties {
  readonly buyer: Person
  readonly seller: Person
}

/** A dispute whose item is on its way back, so that postage was spent. */
async function returning({ buyer, seller }: Parties, transaction?: string, offered = '48.00'): Promise<string> {
  const id = await open(buyer, {
    reason: NOT_AS_DESCRIBED,
    amount: usd('48.00'),
    ...(transaction !== undefined && { transaction }),
  })
  const terms = { note: 'Send it back.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd(offered) }
  await does(seller, id, 'make-offer', { ...terms, return_shipping_address: address })
  await does(buyer, id, 'accept-offer', {})
  const proof = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
  expect((await does(buyer, id, 'provide-evidence', { evidences: [proof] })).status).toBe(200)
  return id
}

const asks = (who: Person, id: string, value = '30.00') =>
  does(who, id, 'return-compensation', { amount: usd(value), note: 'The postage.' })
const statusOf = async (who: Person, id: string) =>
  (await who.get<{ status: string }>(`${DISPUTES}/${id}/return-compensation`)).body.status

/** What the service paid out of its own funds. */
async function spent(world: World): Promise<number> {
  const { rows } = await world.app.database.query<{ sum: string | null }>(
    "select -sum(amount) as sum from ledger_entries where book = 'service' and kind = 'RETURN_COMPENSATION'",
  )
  return Number(rows[0]!.sum ?? 0)
}

describe('Return postage in the sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({
      settings: { DISPUTE_COMPENSATIONS_PER_BUYER: '2', DISPUTE_COMPENSATIONS_PER_MERCHANT: '3' },
    })
  })
  afterAll(() => world.close())

  it('is paid at once, for a buyer so many times a year', async () => {
    const parties = { buyer: world.buyer, seller: world.merchant }
    const rounds = [await returning(parties), await returning(parties), await returning(parties)]

    expect((await asks(world.buyer, rounds[0]!)).status).toBe(200)
    expect((await asks(world.buyer, rounds[1]!)).status).toBe(200)
    const third = await asks(world.buyer, rounds[2]!)

    expect(refusal(third)).toBe('429 RATE_LIMIT_REACHED QUOTA_EXCEEDED')
    expect(await statusOf(world.buyer, rounds[0]!)).toBe('PAID')
    expect(await spent(world)).toBe(60_00)
  })

  it('is paid for a merchant so many times a year, whoever buys', async () => {
    const { id, ...buyer } = world.people.buyer
    const others = await Promise.all(
      ['X', 'Y'].map(async (letter) => {
        const account = `${id.slice(0, -1)}${letter}`
        await world.app.transact(async (tx) =>
          addAccount(tx, { ...buyer, id: account, email: `${letter}@example.com`, create_time: tx.now }),
        )
        return world.personWithApp(account, ['disputes/create', 'disputes/read-buyer', 'disputes/update-buyer'])
      }),
    )
    const [first, second] = [
      await returning({ buyer: others[0]!, seller: world.merchant }),
      await returning({ buyer: others[1]!, seller: world.merchant }),
    ]

    expect((await asks(others[0]!, first)).status).toBe(200)
    expect((await asks(others[1]!, second)).status).toBe(429)
    expect(await spent(world)).toBe(90_00)
  })
})

describe('The thirty days in which return postage can be asked for', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('run from the end of the dispute, whatever becomes of its payment afterwards', async () => {
    const { buyer, merchant: seller } = world
    const partly = () => returning({ buyer, seller }, undefined, '20.00')
    const ids = [await partly(), await partly()] as const
    for (const id of ids) await does(seller, id, 'acknowledge-return-item', { acknowledgement_type: 'ITEM_RECEIVED' })
    await world.pass('P20D')
    for (const id of ids) {
      const { body } = await seller.get<{ disputed_transactions: { seller_transaction_id: string }[] }>(
        `${DISPUTES}/${id}`,
      )
      const capture = body.disputed_transactions[0]!.seller_transaction_id
      expect((await seller.post(`/v2/payments/captures/${capture}/refund`, {})).status).toBe(201)
    }

    await world.pass('P10D')
    expect((await asks(buyer, ids[0])).status).toBe(200)
    await world.pass('PT1S')
    expect(refusal(await asks(buyer, ids[1]))).toBe(
      '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE',
    )
  })
})

describe('Return postage in live', () => {
  let live: World
  let parties: Parties
  let agent: Person
  beforeAll(async () => {
    live = await newLiveWorld({ DISPUTE_COMPENSATIONS_PER_BUYER: '1' })
    const { merchant, buyer } = live.people
    parties = {
      buyer: await live.personWithApp(buyer.id, ['disputes/create', 'disputes/read-buyer', 'disputes/update-buyer']),
      seller: await live.personWithApp(merchant.id, ['disputes/read-seller', 'disputes/update-seller']),
    }
    agent = await live.personWithApp(merchant.id, ['operator'])
  })
  afterAll(() => live.close())

  async function returned(): Promise<string> {
    const { merchant, buyer } = live.people
    const { buyer_transaction_id } = await live.app.transact(async (tx) =>
      makeLedger(live.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: merchant.id },
        buyer: { account_id: buyer.id },
        gross: usd('48.00'),
      }),
    )
    return returning(parties, buyer_transaction_id)
  }
  const answers = (who: Person, id: string, decision: 'PAY' | 'DENY') =>
    does(who, id, 'return-compensation/answer', { decision })

  it('waits for an agent, and neither party is one', async () => {
    const id = await returned()

    expect((await asks(parties.buyer, id)).status).toBe(200)

    expect(await statusOf(parties.buyer, id)).toBe('REQUESTED')
    expect(await spent(live)).toBe(0)
    expect((await answers(parties.buyer, id, 'PAY')).status).toBe(403)
    expect((await answers(parties.seller, id, 'PAY')).status).toBe(403)
    expect(await statusOf(agent, id)).toBe('REQUESTED')
    expect((await answers(agent, id, 'PAY')).status).toBe(200)
    expect(await statusOf(parties.buyer, id)).toBe('PAID')
    expect(await spent(live)).toBe(30_00)
    expect((await answers(agent, id, 'PAY')).status).toBe(422)
  })

  it('is bounded also for what agents decide', async () => {
    const id = await returned()
    await asks(parties.buyer, id)

    expect((await answers(agent, id, 'PAY')).status).toBe(429)
    expect(await statusOf(parties.buyer, id)).toBe('REQUESTED')
    expect((await answers(agent, id, 'DENY')).status).toBe(200)
    expect(await statusOf(parties.buyer, id)).toBe('DENIED')
    expect(await spent(live)).toBe(30_00)
  })
})
