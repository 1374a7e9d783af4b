import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { publicActions } from '../../../src/disputes/machine/actions/index.ts'
import type { Dispute } from '../../../src/disputes/schema/dispute.ts'
import { findDispute } from '../../../src/disputes/store.ts'
import { toMinor } from '../../../src/kernel/money.ts'
import { inputFor, people } from '../../properties/dispute-machine.ts'
import {
  DISPUTES,
  does,
  makePayment,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  type Shown,
} from '../../scenarios/disputes/people.ts'
import { times } from '../../support/size.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'

const WALKS = times(12, 60)
const STEPS = 12
/** In a long run each has its own. */
const SEED = times(20_260_302, Date.now())

let world: World
/** The parties with no scopes but those of their side, and the seller's partner. */
let callers: Readonly<Record<string, Person>>
beforeAll(async () => {
  world = await newWorld()
  const { merchant, buyer } = world.people
  callers = {
    seller: await world.personWithApp(merchant.id, ['disputes/read-seller', 'disputes/update-seller']),
    buyer: await world.personWithApp(buyer.id, ['disputes/read-buyer', 'disputes/update-buyer']),
    partner: world.partner,
  }
})
afterAll(() => world.close())

/** The same numbers for the same seed. */
function drawnFrom(seed: number) {
  let state = seed >>> 0
  return (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
type Draw = ReturnType<typeof drawnFrom>

/** A dispute about one payment, about two, or of a bank. */
async function begin(draw: Draw): Promise<{ id: string; captures: readonly string[] }> {
  const payments = [await makePayment(world, '60.00'), await makePayment(world, '30.00')] as const
  const [first] = payments
  const kind = draw(6)
  if (kind === 0) {
    const charged = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: first.capture },
      dispute: { amount: usd('40.00'), processor_info: { reason_code: draw(2) === 0 ? '4853' : 'C2' } },
    })
    return { id: charged.body.dispute_id, captures: [first.capture] }
  }
  const named = kind === 1 ? payments : [first]
  const reasons = [NOT_RECEIVED, NOT_AS_DESCRIBED, NOT_AS_DESCRIBED, 'INCORRECT_AMOUNT']
  const opened = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
    disputed_transactions: named.map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
    reason: kind === 1 ? 'UNAUTHORISED' : reasons[draw(reasons.length)],
    ...(draw(2) === 0 && { dispute_amount: usd('40.00') }),
    evidences: [{ notes: draw(4) === 0 ? 'HOLD_IN_REVIEW' : 'It is not right.' }],
  })
  return { id: opened.body.links[0]!.href.split('/').at(-1)!, captures: named.map(({ capture }) => capture) }
}

/** Words that only the side that wrote them may read. */
const secretOf = (side: string) => `ONLY THE ${side.toUpperCase()} READS THIS`

/** A request that the dispute takes if it takes the action, with a secret wherever the contract keeps one. */
function requestFor(dispute: Dispute, action: (typeof publicActions)[number], side: 'seller' | 'buyer', draw: Draw) {
  const input = inputFor(dispute, action, side, draw(1000)) as Record<string, unknown>
  const secret = secretOf(side)
  const ids = dispute.disputed_transactions.map(({ buyer_transaction_id }) => buyer_transaction_id)
  switch (action) {
    case 'accept-claim':
    case 'acknowledge-return-item':
    case 'accept-offer':
    case 'deny-offer':
    case 'escalate':
      return { ...input, note: secret }
    case 'provide-supporting-info':
      return { notes: secret }
    case 'cancel':
      return { note: secret, transaction_ids: [ids[draw(ids.length)]] }
    case 'provide-evidence':
    case 'appeal': {
      const [evidence] = input['evidences'] as { evidence_type: string }[]
      return { evidences: [evidence?.evidence_type === 'PROOF_OF_RETURN' ? evidence : { ...evidence, notes: secret }] }
    }
    default:
      return input
  }
}

/** What the seller's books and the payer have, and the dispute as it is kept, with its events. */
async function standing(id: string) {
  const { rows } = await world.app.database.query<{ book: string; amount: string }>(
    "select book, amount::text from ledger_balances where account_id = $1 and currency = 'USD'",
    [world.people.merchant.id],
  )
  const of = (name: string) => BigInt(rows.find(({ book }) => book === name)?.amount ?? 0)
  const kept = await world.app.transact((tx) => findDispute(tx, id))
  const events = await world.events(id)
  return { ...kept!, events, seller: of('balance') + of('hold'), payer: of('payer') }
}

/** What the dispute tells of the money of a party, holds aside: they only change where it lies. */
const told = ({ fund_movements = [] }: Dispute, party: 'SELLER' | 'BUYER') =>
  fund_movements
    .filter((one) => one.party === party && !one.reason.startsWith('HOLD_'))
    .reduce((sum, { type, amount }) => sum + toMinor(amount) * (type === 'CREDIT' ? 1n : -1n), 0n)

const show = async (who: Person, id: string): Promise<Shown> => (await who.get<Shown>(`${DISPUTES}/${id}`)).body
const actionsIn = ({ links }: Shown) => new Set(links.slice(1).map(({ rel }) => rel.replaceAll('_', '-')))

/** Somebody does something, mostly what a link offers. */
async function attempt(id: string, draw: Draw): Promise<string> {
  const { who, side } = people[[0, 0, 0, 1, 1, 1, 2][draw(7)]!]!
  const links = actionsIn(await show(callers[who]!, id))
  const action =
    links.size > 0 && draw(10) < 7
      ? ([...links][draw(links.size)] as (typeof publicActions)[number])
      : publicActions[draw(publicActions.length)]!
  const before = await standing(id)
  const answer = await does(callers[who]!, id, action, requestFor(before.dispute, action, side, draw))
  const after = await standing(id)
  const isTaken = answer.status === 200 || answer.status === 202

  assert.equal(isTaken, links.has(action), `${who} ${action}: ${answer.text}`)
  assert.ok(answer.status < 500, answer.text)
  const news = after.events.slice(before.events.length).map(({ type }) => type)
  const isResolved = after.dispute.status === 'RESOLVED'
  assert.deepEqual(news, isTaken ? [`CUSTOMER.DISPUTE.${isResolved ? 'RESOLVED' : 'UPDATED'}`] : [])
  assert.equal(after.version - before.version, isTaken ? 1 : 0)
  assert.equal(after.seller - before.seller, told(after.dispute, 'SELLER') - told(before.dispute, 'SELLER'))
  assert.equal(after.payer - before.payer, told(after.dispute, 'BUYER') - told(before.dispute, 'BUYER'))
  if (isTaken) assert.deepEqual(after.events.at(-1)!.resource, await show(callers['seller']!, id))
  return `${who} ${action} ${answer.status}`
}

/** Something beside the dispute: time passes, the seller refunds, or a bank charges the payment back. */
async function meanwhile(captures: readonly string[], draw: Draw): Promise<string> {
  const capture = captures[draw(captures.length)]!
  const what = draw(4)
  if (what < 2) return `time: ${(await world.pass(['PT1H', 'P4D', 'P11D'][draw(3)]!)).length} things fell due`
  const { status } =
    what === 2
      ? await world.merchant.post(`/v2/payments/captures/${capture}/refund`, draw(2) ? {} : { amount: usd('7.00') })
      : await world.merchant.post('/v2/customer-support/process-chargeback', {
          transaction: { id_enc: capture },
          dispute: { amount: usd('10.00') },
        })
  assert.ok(status < 500)
  return `${what === 2 ? 'refund' : 'chargeback'} ${status}`
}

/** What every reader may rely on, wherever the dispute stands. */
async function checkWhatIsShown(id: string): Promise<void> {
  const { dispute } = await standing(id)
  for (const { who, side, isPartner } of people) {
    const shown = await show(callers[who]!, id)
    assert.ok(
      !JSON.stringify(shown).includes(secretOf(side === 'seller' ? 'buyer' : 'seller')),
      `${who} reads a secret`,
    )
    assert.ok(shown.links.length <= 10)
    const { body } = await callers[who]!.get<{ items: Shown[] }>(
      `${DISPUTES}?dispute_state=${shown.dispute_state}&page_size=50`,
    )
    const listed = body.items.find((item) => item.dispute_id === id)
    const { links, disputed_transactions: _ids, ...fields } = (listed ?? {}) as Shown & { outcome?: string }
    const { outcome, ...summary } = fields
    for (const [name, value] of Object.entries(summary)) assert.deepEqual(value, shown[name as keyof Shown], name)
    assert.equal(
      outcome !== undefined,
      shown.dispute_outcome !== undefined && dispute.dispute_outcome?.outcome_code !== 'NONE',
    )
    if (!isPartner)
      assert.equal(
        links.some(({ rel }) => rel === 'provide_supporting_info'),
        actionsIn(shown).has('provide-supporting-info'),
      )
    const offered = Object.keys(shown.allowed_response_options ?? {}).map((name) => name.replaceAll('_', '-'))
    const withOptions = ['acknowledge-return-item', 'accept-claim', 'make-offer']
    if (who === 'seller')
      assert.deepEqual(offered.sort(), withOptions.filter((name) => actionsIn(shown).has(name)).sort())
  }
}

describe('However a dispute goes', () => {
  it(`what is linked is taken, told once and paid as it is told, ${WALKS} times`, async () => {
    for (let n = 0; n < WALKS; n++) {
      const draw = drawnFrom(SEED + n)
      const { id, captures } = await begin(draw)
      const trail: string[] = []
      try {
        for (let i = 0; i < STEPS; i++) {
          trail.push(draw(6) === 0 ? await meanwhile(captures, draw) : await attempt(id, draw))
          await checkWhatIsShown(id)
        }
      } catch (error) {
        throw new Error(`With the seed ${SEED + n}, after: ${trail.join(', ')}`, { cause: error })
      }
    }
  })
})
