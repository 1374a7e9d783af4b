import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicActions } from '../../../src/disputes/machine/actions/index.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import { address, DISPUTES, does, NOT_AS_DESCRIBED, NOT_RECEIVED, type Shown, sees, tracking } from './people.ts'

interface Cast {
  readonly world: World
  readonly seller: Person
  readonly buyer: Person
  readonly partner: Person
  /** Who decides: anybody in the sandbox, the operator in live. */
  readonly agent: Person
}

const evidence = (evidence_type: string) => ({
  evidences: [{ evidence_type, notes: 'See.', evidence_info: { tracking_info: [tracking], refund_ids: ['R1'] } }],
})
const returning = { note: 'Send it.', accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
const partly = { note: 'Part.', accept_claim_type: 'PARTIAL_REFUND', refund_amount: usd('5.00') }
const forBuyer = { adjudication_outcome: 'BUYER_FAVOR' }
const forSeller = { adjudication_outcome: 'SELLER_FAVOR' }

type Doing = readonly [who: 'seller' | 'buyer' | 'agent', action: string, body?: object]
const escalate: Doing = ['buyer', 'escalate', {}]
const prove: Doing = ['seller', 'provide-evidence', evidence('OTHER')]
const askSeller: Doing = ['agent', 'require-evidence', { action: 'SELLER_EVIDENCE' }]
const askBuyer: Doing = ['agent', 'require-evidence', { action: 'BUYER_EVIDENCE' }]
const sendBack: Doing = ['buyer', 'provide-evidence', evidence('PROOF_OF_RETURN')]
const toReview: Doing[] = [escalate, prove]
const appealed: Doing[] = [
  ...toReview,
  ['agent', 'adjudicate', forBuyer],
  ['seller', 'appeal', evidence('PROOF_OF_REFUND')],
]
const again: Doing[] = [
  ...appealed,
  ['agent', 'adjudicate', forBuyer],
  ['seller', 'appeal', evidence('PROOF_OF_REFUND')],
]

/** How to bring a new dispute to each node of the contract. */
const ways: Readonly<Record<string, { reason?: string; doings: readonly Doing[] }>> = {
  IS: { doings: [] },
  IF: { doings: [['seller', 'make-offer', { note: 'Half?', offer_type: 'REFUND', offer_amount: usd('5.00') }]] },
  IU: { doings: [prove] },
  IB: { doings: [prove, askBuyer] },
  IR: { reason: NOT_AS_DESCRIBED, doings: [['seller', 'accept-claim', returning]] },
  IA: { reason: NOT_AS_DESCRIBED, doings: [['seller', 'accept-claim', returning], sendBack] },
  CS: { doings: [escalate] },
  CF: { doings: [escalate, ['seller', 'accept-claim', partly]] },
  CU: { doings: toReview },
  CB: { doings: [...toReview, askBuyer] },
  CR: { reason: NOT_AS_DESCRIBED, doings: [escalate, ['seller', 'accept-claim', returning]] },
  CA: { reason: NOT_AS_DESCRIBED, doings: [escalate, ['seller', 'accept-claim', returning], sendBack] },
  PU: { doings: appealed },
  PS: { doings: [...appealed, askSeller] },
  PB: { doings: [...appealed, askBuyer] },
  AU: { doings: again },
  AS: { doings: [...again, askSeller] },
  AB: { doings: [...again, askBuyer] },
  XA: { doings: [...toReview, ['agent', 'adjudicate', forBuyer]] },
  'XA lost by the buyer': { doings: [...toReview, ['agent', 'adjudicate', forSeller]] },
  XX: { doings: [['buyer', 'cancel', {}]] },
}

/** What the contract's table of links says, for the seller, the buyer and the partner. `†` needs an agent. */
const links: Readonly<Record<string, readonly [seller: string, buyer: string, partner: string]>> = {
  IO: ['send-message make-offer accept-claim escalate', 'send-message escalate cancel change-reason', ''],
  IS: [
    'send-message make-offer accept-claim escalate provide-evidence',
    'send-message escalate cancel change-reason',
    'provide-evidence',
  ],
  IF: [
    'send-message escalate',
    'accept-offer deny-offer provide-evidence send-message escalate cancel change-reason',
    '',
  ],
  IB: ['send-message escalate', 'provide-evidence send-message escalate cancel', ''],
  IU: ['escalate adjudicate† require-evidence†', 'escalate cancel adjudicate† require-evidence†', ''],
  IR: ['send-message escalate', 'provide-evidence send-message escalate cancel', ''],
  IA: [
    'acknowledge-return-item accept-claim provide-evidence send-message escalate',
    'send-message escalate cancel',
    '',
  ],
  CO: ['', 'cancel', ''],
  CS: [
    'provide-evidence accept-claim provide-supporting-info',
    'provide-supporting-info cancel change-reason',
    'provide-evidence provide-supporting-info',
  ],
  CF: [
    'accept-claim provide-supporting-info',
    'accept-offer deny-offer provide-evidence provide-supporting-info cancel',
    'provide-supporting-info',
  ],
  CB: [
    'accept-claim provide-supporting-info',
    'provide-evidence provide-supporting-info cancel',
    'provide-supporting-info',
  ],
  CU: [
    'accept-claim provide-supporting-info adjudicate† require-evidence†',
    'provide-supporting-info cancel adjudicate† require-evidence†',
    'provide-supporting-info',
  ],
  CR: [
    'accept-claim provide-supporting-info',
    'provide-evidence provide-supporting-info cancel',
    'provide-supporting-info',
  ],
  CA: [
    'acknowledge-return-item accept-claim provide-evidence provide-supporting-info',
    'provide-supporting-info cancel',
    'provide-evidence provide-supporting-info',
  ],
  PU: [
    'accept-claim provide-supporting-info adjudicate† require-evidence†',
    'provide-supporting-info adjudicate† require-evidence†',
    'provide-supporting-info',
  ],
  PS: [
    'provide-evidence accept-claim provide-supporting-info',
    'provide-supporting-info',
    'provide-evidence provide-supporting-info',
  ],
  PB: ['accept-claim provide-supporting-info', 'provide-evidence provide-supporting-info', 'provide-supporting-info'],
  XA: ['appeal', '', ''],
  'XA lost by the buyer': ['', 'appeal', ''],
  XX: ['', '', ''],
}
const rowOf = (node: string) => links[node] ?? links[node.replace('A', 'P')]!

/** A body that is right for the action, so that only the state can refuse it. */
const bodies: Readonly<Record<string, object>> = {
  'send-message': { message: 'Hello.' },
  'make-offer': { note: 'Half?', offer_type: 'REFUND', offer_amount: usd('5.00') },
  'accept-claim': { note: 'Right.' },
  'acknowledge-return-item': { acknowledgement_type: 'ITEM_RECEIVED' },
  'deny-offer': { note: 'No.' },
  'provide-supporting-info': { notes: 'Also.' },
  'provide-evidence': evidence('OTHER'),
  appeal: evidence('OTHER'),
  adjudicate: forBuyer,
  'require-evidence': { action: 'BUYER_EVIDENCE' },
  'change-reason': { reason: NOT_AS_DESCRIBED },
}

async function bringTo(cast: Cast, node: string): Promise<string> {
  const { reason = NOT_RECEIVED, doings } = ways[node] ?? { doings: [] }
  const opened = node === 'CO' ? 'INCORRECT_AMOUNT' : reason
  const id = await openOn(cast, opened)
  for (const [who, action, body] of doings) {
    const { status, text } = await does(cast[who], id, action, body)
    expect(status, `${node}: ${action} ${text}`).toBeLessThan(300)
  }
  return id
}

/** Opens a dispute on a payment that was really made; in live there is no other way. */
async function openOn({ world, buyer }: Cast, reason: string): Promise<string> {
  const { merchant, buyer: payer } = world.people
  const payment = await world.app.transact(async (tx) =>
    makeLedger(world.app.service).capture(tx, {
      status: 'COMPLETED',
      seller: { account_id: merchant.id, email: merchant.email, name: merchant.name },
      buyer: { account_id: payer.id, email: payer.email, name: payer.name },
      gross: usd('20.00'),
    }),
  )
  const body = { disputed_transactions: [{ buyer_transaction_id: payment.buyer_transaction_id }], reason }
  const response = await buyer.post<{ links: { href: string }[] }>(DISPUTES, body)
  expect(response.status, response.text).toBe(201)
  return response.body.links[0]!.href.split('/').at(-1)!
}

/** What somebody says, which leaves the dispute where it is. */
const staying = new Set(['send-message', 'provide-supporting-info'])

const offered = ({ links: all }: Shown) => [...new Set(all.slice(1).map(({ rel }) => rel.replaceAll('_', '-')))].sort()

const peopleOf = ({ seller, buyer, partner }: Cast) => [seller, buyer, partner] as const
const namesFor = (node: string, person: number) =>
  rowOf(node)
    [person]!.split(' ')
    .filter((name) => name !== '')

/** Every action of every person in a node: what has a link succeeds, everything else is refused and changes nothing. */
async function checkNode(cast: Cast, node: string): Promise<void> {
  let id: string | undefined
  for (const [i, person] of peopleOf(cast).entries()) {
    id ??= await bringTo(cast, node)
    const names = namesFor(node, i)
      .map((name) => name.replace('†', ''))
      .sort()
    expect(offered(await sees(person, id)), `${node}: links of person ${i}`).toEqual(names)
    const scopes = [
      new Set(publicActions),
      new Set(publicActions),
      new Set(['provide-evidence', 'provide-supporting-info']),
    ]
    const mine = publicActions.filter((action) => scopes[i]!.has(action))
    const before = await sees(cast.seller, id)
    for (const action of mine.filter((action) => !names.includes(action))) {
      const { status, body, text } = await does(person, id, action, bodies[action] ?? {})
      // A person without the scope of an action is told that; with it, that the state forbids it.
      expect([403, 422], `${node}: ${action} by person ${i}: ${text}`).toContain(status)
      if (status === 422) expect(body.details[0]?.issue).toBe('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE')
    }
    expect(await sees(cast.seller, id), `${node}: what person ${i} was refused`).toEqual(before)
    for (const action of mine.filter((action) => names.includes(action))) {
      id ??= await bringTo(cast, node)
      const { status, text } = await does(person, id, action, bodies[action] ?? {})
      expect([200, 202], `${node}: ${action} by person ${i}: ${text}`).toContain(status)
      if (!staying.has(action)) id = undefined
    }
  }
}

const nodes = [...Object.keys(ways)]

describe('In the sandbox, a link is there exactly when the call succeeds', () => {
  let cast: Cast
  beforeAll(async () => {
    const world = await newWorld()
    cast = await castOf(world, true)
  })
  afterAll(() => cast.world.close())

  for (const node of nodes) it(`in ${node}`, () => checkNode(cast, node))
})

describe('Before triage, a link is there exactly when the call succeeds', () => {
  let cast: Cast
  beforeAll(async () => {
    const world = await newWorld({ settings: { DISPUTE_TRIAGE_DELAY_SECONDS: '3600' } })
    cast = await castOf(world, true)
  })
  afterAll(() => cast.world.close())

  for (const node of ['IO', 'CO']) it(`in ${node}`, () => checkNode(cast, node))
})

/** Live differs in who decides, where an agent could: the table is the same, and the sandbox tried what else it holds. */
const nodesOfLive = nodes.filter((node) => rowOf(node).some((row) => row.includes('†')) || /^(IS|XA)$/.test(node))

describe('In live, where only the operator decides', () => {
  let cast: Cast
  beforeAll(async () => {
    cast = await castOf(await newLiveWorld(), false)
  })
  afterAll(() => cast.world.close())

  for (const node of nodesOfLive)
    it(`parties have every link but those of agents in ${node}, and can do no more`, async () => {
      const id = await bringTo(cast, node)
      const before = await sees(cast.seller, id)
      for (const [i, person] of peopleOf(cast).entries()) {
        const names = namesFor(node, i).filter((name) => !name.endsWith('†'))
        expect(offered(await sees(person, id)), `${node}: links of person ${i}`).toEqual(names.sort())
        for (const action of ['adjudicate', 'require-evidence'])
          expect((await does(person, id, action, bodies[action]!)).status).toBe(403)
      }
      expect(await sees(cast.seller, id)).toEqual(before)
    })

  it('the two actions of agents are forbidden to the parties, before the body is looked at', async () => {
    const id = await bringTo(cast, 'CU')
    for (const action of ['adjudicate', 'require-evidence']) {
      const { status, body } = await does(cast.seller, id, action, { nonsense: true })
      expect([status, body.name, body.details[0]?.issue]).toEqual([403, 'NOT_AUTHORIZED', 'PERMISSION_DENIED'])
    }
  })

  it('a merchant cannot open a dispute', async () => {
    const { merchant } = cast.world.people
    const payment = await cast.world.app.transact(async (tx) =>
      makeLedger(cast.world.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: merchant.id },
        buyer: { account_id: cast.world.people.buyer.id },
        gross: usd('20.00'),
      }),
    )
    const body = {
      disputed_transactions: [{ buyer_transaction_id: payment.buyer_transaction_id }],
      reason: NOT_RECEIVED,
    }
    expect((await cast.seller.post(DISPUTES, body)).status).toBe(403)
    const unknown = { disputed_transactions: [{ buyer_transaction_id: 'NOBODYS' }], reason: NOT_RECEIVED }
    expect((await cast.buyer.post(DISPUTES, unknown)).status).toBe(400)
    const chargeback = { transaction: { id_enc: payment.id }, dispute: {} }
    expect((await cast.seller.post('/v2/customer-support/process-chargeback', chargeback)).status).toBe(403)
  })
})

/** People with exactly the scopes of their side. */
async function castOf(world: World, isSandbox: boolean): Promise<Cast> {
  const { merchant, buyer } = world.people
  const withScopes = (account: string, ...names: string[]) => world.personWithApp(account, names)
  const seller = await withScopes(merchant.id, 'disputes/read-seller', 'disputes/update-seller', 'disputes/create')
  return {
    world,
    seller,
    buyer: await withScopes(buyer.id, 'disputes/read-buyer', 'disputes/update-buyer', 'disputes/create'),
    partner: await withScopes(merchant.id, 'disputes/read-partner', 'disputes/update-partner'),
    agent: isSandbox ? seller : await withScopes(buyer.id, 'operator'),
  }
}
