import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statementOf } from '../../../src/database/sql.ts'
import type { Tx } from '../../../src/database/transaction.ts'
import { act } from '../../../src/disputes/act.ts'
import { type House, rulesOf } from '../../../src/disputes/house.ts'
import { findDispute } from '../../../src/disputes/store.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { DISPUTES, does, open } from '../../scenarios/disputes/people.ts'
import { type RunningService, startService, tokenOver } from '../../support/process.ts'
import { times } from '../../support/size.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const DISPUTED = times(2, 100)
const ALIGNED = times(40, 100)

let world: World
const services: RunningService[] = []
// Connections stay open, so that what is sent at once arrives at once.
const agent = new Agent({ connections: 60, pipelining: 1 })

beforeAll(async () => {
  world = await newWorld()
})
afterAll(async () => {
  await agent.close()
  for (const service of services) await service.end('SIGTERM')
  await world.close()
})

/** A claim that can be settled in several ways at once: the buyer takes an offer, or the seller gives in, or an agent decides. */
async function settleable(n: number): Promise<{ id: string; ways: readonly Way[] }> {
  const { buyer, merchant } = world
  const id = await open(buyer, { amount: usd('20.00') })
  await does(buyer, id, 'escalate', {})
  if (n % 2 === 0) {
    await does(merchant, id, 'accept-claim', {
      note: 'Part.',
      accept_claim_type: 'PARTIAL_REFUND',
      refund_amount: usd('8.00'),
    })
    return { id, ways: [acceptOffer, acceptClaim] }
  }
  await does(merchant, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'Sent.' }] })
  return { id, ways: [acceptClaim, adjudicate] }
}

type Way = readonly [who: 'seller' | 'buyer', action: string, body: object]
const acceptOffer: Way = ['buyer', 'accept-offer', {}]
const acceptClaim: Way = ['seller', 'accept-claim', { note: 'Take it.' }]
const adjudicate: Way = ['seller', 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' }]

describe('Settlements that race', () => {
  it(`${DISPUTED * ALIGNED} on ${DISPUTED} disputes, over two processes, settle each exactly once`, async () => {
    const variables = { DATABASE_URL: world.databaseUrl, LOG_LEVEL: 'error', SHUTDOWN_GRACE_SECONDS: '0' }
    services.push(...(await Promise.all([startService(variables, 'serve'), startService(variables, 'serve')])))
    const tokens = {
      seller: await tokenOver(services[0]!.url, 'sandbox-merchant'),
      buyer: await tokenOver(services[0]!.url, 'sandbox-buyer'),
    }
    const disputes = []
    for (let n = 0; n < DISPUTED; n++) disputes.push(await settleable(n))
    const send = async (id: string, [who, action, body]: Way, n: number) => {
      const answer = await request(`${services[n % 2]!.url}${DISPUTES}/${id}/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        dispatcher: agent,
      })
      await answer.body.dump()
      return answer.statusCode
    }

    const counted: Record<string, number> = {}
    for (const { id, ways } of disputes) {
      const statuses = await Promise.all(
        Array.from({ length: ALIGNED }, (_, n) => send(id, ways[Math.floor(n / 2) % ways.length]!, n)),
      )
      for (const status of statuses) counted[status] = (counted[status] ?? 0) + 1
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    }

    const { rows } = await world.app.database.query<{ refunds: number; disputes: number }>(
      `select count(*)::int as refunds, count(distinct body->>'dispute_id')::int as disputes from payment_refunds`,
    )
    expect(rows[0]).toEqual({ refunds: DISPUTED, disputes: DISPUTED })
    expect(counted['200']).toBe(DISPUTED)
    expect(counted['500']).toBeUndefined()
    // The others were told no: the state forbids it, somebody else is at it, or the service sheds load.
    const refused = (counted['422'] ?? 0) + (counted['409'] ?? 0) + (counted['503'] ?? 0)
    expect(refused).toBe(DISPUTED * (ALIGNED - 1))
  })

  it('settle a dispute many times as soon as the guards on the versions are taken away', async () => {
    const own = await newWorld()
    const id = await open(own.buyer, { amount: usd('20.00') })
    // The log takes one move from each version, which would catch it as well.
    await own.app.database.query('alter table dispute_transitions drop constraint dispute_transitions_pkey')
    // Other holds of the same seller; without them the ledger's own constraint would still refuse the second refund.
    for (let n = 0; n < 10; n++) await open(own.buyer, { amount: usd('20.00') })
    const { service } = own.app
    const house: House = { service, rules: rulesOf(service), ledger: makeLedger(service) }
    const seller = { side: 'seller', isPartner: false, roles: ['seller'] } as const
    const unguarded = (tx: Tx): Tx =>
      new Proxy(tx, {
        get: (target, name) => {
          if (name === 'guard')
            return (statement: { text: string }, values: readonly unknown[]) =>
              target.write(statementOf(statement.text.replace('and version = $3', 'and $3::int is not null')), values)
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })

    const race = Array.from({ length: 20 }, () =>
      own.app.transact(async (tx) => {
        const found = await findDispute(tx, id)
        await act(unguarded(tx), house, found!, seller, { action: 'accept-claim', input: { note: 'Take it.' } })
      }),
    )
    await Promise.allSettled(race)

    const { rows } = await own.app.database.query<{ refunds: number }>(
      'select count(*)::int as refunds from payment_refunds',
    )
    expect(rows[0]!.refunds).toBeGreaterThan(1)
    await own.app.database.query(
      'truncate ledger_entries, ledger_balances, payment_refunds, payment_transactions, disputes, dispute_transitions cascade',
    )
    await own.close()
  })
})
