import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findApp, grantConsent } from '../../../src/accounts/store.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { canDo, DISPUTES, does, open, type Problem, position, refusal, type Shown, sees } from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const words = (notes: string) => ({ evidences: [{ evidence_type: 'OTHER', notes }] })

describe('What each side sees', () => {
  it('leaves the customer’s address to the customer, and the seller’s numbers to the seller', async () => {
    const { merchant, buyer, partner } = world
    const id = await open(buyer)
    const { email, id: payer } = world.people.buyer
    const [asSeller, asBuyer] = [await sees(merchant, id), await sees(buyer, id)]

    for (const text of [email, payer]) {
      expect(JSON.stringify(asSeller)).not.toContain(text)
      expect(JSON.stringify(await sees(partner, id))).not.toContain(text)
      expect(JSON.stringify(asBuyer)).toContain(text)
    }
    expect(asSeller.disputed_transactions[0]).toMatchObject({
      seller_protection_eligible: true,
      buyer: { name: 'Sandbox Buyer' },
    })
    expect(asBuyer.disputed_transactions[0]).not.toHaveProperty('seller_transaction_id')
    expect(asBuyer.disputed_transactions[0]!['seller']).not.toHaveProperty('email')
    for (const field of ['allowed_response_options', 'fee_policy']) expect(asBuyer).not.toHaveProperty(field)
    expect(asBuyer.refund_details).toBeUndefined()
    const listed = await merchant.get(`${DISPUTES}?fields=all`)
    expect(listed.text).not.toContain(email)
    const events = await world.events(id)
    expect(JSON.stringify(events)).not.toContain(email)
  })

  it('keeps notes, evidence and supporting information with those who wrote them', async () => {
    const { merchant, buyer } = world
    const reader = await world.personWithApp(world.people.merchant.id, ['disputes/read'])
    const id = await open(buyer, { amount: usd('30.00') })
    await does(merchant, id, 'make-offer', {
      note: 'Everybody reads this.',
      offer_type: 'REFUND',
      offer_amount: usd('5.00'),
    })
    await does(buyer, id, 'deny-offer', { note: 'Only the buyer reads this.' })
    await does(buyer, id, 'escalate', { note: 'Nobody reads this.' })
    await does(merchant, id, 'provide-supporting-info', { notes: 'The seller’s information.' })
    await does(buyer, id, 'provide-supporting-info', { notes: 'The buyer’s information.' })
    await does(merchant, id, 'provide-evidence', words('The seller’s evidence.'))
    await does(merchant, id, 'require-evidence', { action: 'BUYER_EVIDENCE' })
    await does(buyer, id, 'provide-evidence', words('The buyer’s evidence.'))

    const [seller, customer, full] = await Promise.all(
      [merchant, buyer, reader].map(async (who) => JSON.stringify(await sees(who, id))),
    )
    const seen = (text: string) => [seller, customer, full].map((shown) => shown!.includes(text))

    expect(seen('Everybody reads this.')).toEqual([true, true, true])
    expect(seen('Only the buyer reads this.')).toEqual([false, true, true])
    expect(seen('Nobody reads this.')).toEqual([false, false, false])
    expect(seen('The seller’s information.')).toEqual([true, false, true])
    expect(seen('The buyer’s information.')).toEqual([false, true, true])
    expect(seen('The seller’s evidence.')).toEqual([true, false, true])
    expect(seen('The buyer’s evidence.')).toEqual([false, true, true])

    await does(merchant, id, 'accept-claim', { note: 'Only the seller reads this.' })
    const after = await Promise.all([merchant, buyer].map((who) => sees(who, id)))
    expect(after.map((shown) => JSON.stringify(shown).includes('Only the seller reads this.'))).toEqual([true, false])
    expect(after.map(({ dispute_outcome }) => dispute_outcome?.outcome_reason)).toEqual([
      'SELLER_AGREED_REFUND_WITHOUT_RETURN',
      undefined,
    ])
    expect(after.map(({ fund_movements = [] }) => fund_movements.map(({ party }) => party))).toEqual([
      ['SELLER', 'BUYER'],
      ['BUYER'],
    ])
    expect(after[0]!.money_movements?.map(({ affected_party }) => affected_party)).toEqual(['SELLER', 'BUYER'])
  })

  it('depends on the scope: other scopes of the same account show another side or nothing', async () => {
    const id = await open(world.buyer)
    const withScopes = (account: string, ...scopes: string[]) => world.personWithApp(account, scopes)
    const market = await withScopes(world.people.merchant.id, 'disputes/read-marketplace')
    const wrongSide = await withScopes(world.people.merchant.id, 'disputes/read-buyer', 'disputes/update-buyer')

    expect((await sees(market, id)).disputed_transactions[0]).not.toHaveProperty('custom')
    expect((await wrongSide.get(`${DISPUTES}/${id}`)).status).toBe(404)
    expect((await wrongSide.get<{ items: Shown[] }>(DISPUTES)).body.items).toEqual([])
    expect(refusal(await does(wrongSide, id, 'escalate', {}))).toBe('403 NOT_AUTHORIZED PERMISSION_DENIED')
    const missing = await world.merchant.get<Problem>(`${DISPUTES}/PP-R-XXX-1`)
    const foreign = await world.otherMerchant.get<Problem>(`${DISPUTES}/${id}`)
    expect([missing.status, missing.body.details]).toEqual([foreign.status, foreign.body.details])
  })
})

describe('The links of an app with scopes of a partner and of a seller', () => {
  // Whoever reads as one and acts as the other acts as the one: a link that is shown can be followed, and no other.
  it.each([
    ['read-partner', 'update-seller'],
    ['read-seller', 'update-partner'],
    ['read', 'update-partner'],
    ['read-partner', 'read-seller', 'update-partner', 'update-seller'],
  ])('are what it can do: %s', async (...names) => {
    const scopes = names.map((name) => `disputes/${name}`)
    const partner = await world.personWithApp(world.people.partner.id, scopes)
    await world.app.transact(async (tx) =>
      grantConsent(tx, world.people.merchant.id, (await findApp(tx, partner.clientId))!.id, scopes),
    )
    const own = await world.personWithApp(world.people.merchant.id, scopes)

    for (const who of [partner, own]) {
      const id = await open(world.buyer)
      const linked = (await canDo(who, id)).includes('send_message')

      expect((await does(who, id, 'send-message', { message: 'Hello.' })).status === 200).toBe(linked)
    }
  })
})

describe('A partner who may act for the seller as well', () => {
  it('tells what it did as a partner, and how the seller is reached', async () => {
    const scopes = ['read-partner', 'update-partner', 'update-seller'].map((name) => `disputes/${name}`)
    const partner = await world.personWithApp(world.people.partner.id, scopes)
    await world.app.transact(async (tx) =>
      grantConsent(tx, world.people.merchant.id, (await findApp(tx, partner.clientId))!.id, scopes),
    )
    const id = await open(world.buyer)
    const value = { id: 'PA-1', name: 'WRITE_OFF', status: 'PENDING' }

    const patched = await partner.patch(`${DISPUTES}/${id}`, [
      { op: 'add', path: '/communication_details', value: { note: 'Call.' } },
      { op: 'add', path: '/partner_actions/-', value },
    ])
    expect(patched.status, patched.text).toBe(204)
    const done = [{ op: 'replace', path: '/status', value: 'COMPLETED' }]
    expect((await partner.patch(`${DISPUTES}/${id}/partner-actions/PA-1`, done)).status).toBe(204)

    expect(await sees(partner, id)).toMatchObject({
      communication_details: { note: 'Call.' },
      partner_actions: [{ id: 'PA-1', status: 'COMPLETED' }],
    })
    const other = [{ op: 'add', path: '/partner_actions/-', value: { ...value, id: 'PA-2' } }]
    expect(refusal(await world.merchant.patch<Problem>(`${DISPUTES}/${id}`, other))).toBe(
      '422 UNPROCESSABLE_ENTITY NOT_PATCHABLE',
    )
  })
})

describe('A buyer who cannot appeal', () => {
  it('is one whose address says so, and then nobody can', async () => {
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
      buyer_email: 'noappeal@example.com',
    })
    const id = await open(world.merchant, { transaction: paid.body.buyer_transaction_id })
    await does(world.merchant, id, 'provide-evidence', words('Sent.'))

    await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })

    expect(position(await sees(world.merchant, id))).toBe('INQUIRY/RESOLVED RESOLVED')
    expect(await canDo(world.merchant, id)).toEqual([])
  })
})

describe('In the other dialect', () => {
  it('the states and literals have the names that unmodified clients know', async () => {
    const other = await newWorld({ settings: { QUITTANCE_DIALECT: 'paypal' } })
    const id = await open(other.buyer)
    await does(other.merchant, id, 'provide-evidence', words('Sent.'))

    expect((await sees(other.merchant, id)).dispute_state).toBe('UNDER_PAYPAL_REVIEW')
    for (const state of ['UNDER_PAYPAL_REVIEW', 'UNDER_REVIEW']) {
      const { body } = await other.merchant.get<{ items: Shown[] }>(`${DISPUTES}?dispute_state=${state}`)
      expect(body.items.map(({ dispute_state }) => dispute_state)).toEqual(['UNDER_PAYPAL_REVIEW'])
    }
    await other.close()
  })
})
