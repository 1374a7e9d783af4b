import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Money, toMinor } from '../../../src/kernel/money.ts'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

interface Balance {
  currency: string
  primary: boolean
  total_balance: Money
  available_balance: Money
  withheld_balance: Money
  pending_balance: Money
}
interface Info {
  transaction_id: string
  transaction_type: string
  transaction_initiation_date: string
  transaction_amount: Money
  fee_amount?: Money
  available_change?: Money
  withheld_change?: Money
  pending_change?: Money
  payment_id?: string
  refund_id?: string
  dispute_id?: string
  invoice_id?: string
}
interface Page {
  transaction_details: { transaction_info: Info }[]
  links: { rel: string; href: string }[]
}

const BALANCES = '/v1/reporting/balances'
const TRANSACTIONS = '/v1/reporting/transactions'

describe('Reporting', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL, PAYMENT_FEE_PERCENT: '10' } })
  })
  afterAll(() => world.close())

  const inUsd = async (who: Person) =>
    (await who.get<{ balances: Balance[] }>(BALANCES, { query: { currency_code: 'USD' } })).body.balances[0]!
  const movements = async (who: Person, query: Record<string, string> = {}) =>
    (await who.get<Page>(TRANSACTIONS, { query })).body.transaction_details.map((one) => one.transaction_info)
  const pay = async (id: string, outcome = 'COMPLETED') =>
    (
      await world.call<{ payment_id: string; buyer_transaction_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {
        outcome,
      })
    ).body

  it('shows what is available, withheld and pending, and every movement that made it so', async () => {
    const { merchant } = world
    const before = await inUsd(merchant)
    const { id } = await sentInvoice(world)
    const { payment_id, buyer_transaction_id } = await pay(id)
    const dispute = await open(world.buyer, { transaction: buyer_transaction_id, amount: usd('20.00') })
    const held = await inUsd(merchant)
    await does(world.buyer, dispute, 'escalate', {})
    expect((await does(merchant, dispute, 'accept-claim', { note: 'Sorry.' })).status).toBe(200)
    const after = await inUsd(merchant)

    expect(before).toMatchObject({ primary: true, withheld_balance: usd('0.00'), total_balance: usd('1000000.00') })
    // 74.21 less a fee of 7.42, of which the dispute keeps 20.00 back and then gives away.
    expect(held).toMatchObject({
      total_balance: usd('1000066.79'),
      available_balance: usd('1000046.79'),
      withheld_balance: usd('20.00'),
    })
    expect(after).toMatchObject({ total_balance: usd('1000046.79'), withheld_balance: usd('0.00') })
    const [refund, hold, capture] = await movements(merchant)
    expect(capture).toEqual({
      transaction_id: expect.any(String),
      transaction_type: 'CAPTURE',
      transaction_initiation_date: '2026-03-02T09:00:00Z',
      transaction_amount: usd('74.21'),
      fee_amount: usd('-7.42'),
      available_change: usd('66.79'),
      payment_id,
      invoice_id: id,
    })
    expect(hold).toMatchObject({
      transaction_type: 'HOLD_PLACED',
      transaction_amount: usd('0.00'),
      available_change: usd('-20.00'),
      withheld_change: usd('20.00'),
      dispute_id: dispute,
    })
    expect(refund).toMatchObject({
      transaction_type: 'REFUND',
      transaction_amount: usd('-20.00'),
      withheld_change: usd('-20.00'),
      payment_id,
      invoice_id: id,
      dispute_id: dispute,
      refund_id: expect.any(String),
    })
  })

  it('keeps a pending payment apart until it clears', async () => {
    const { id } = await sentInvoice(world)
    const { payment_id } = await pay(id, 'PENDING')
    const pending = await inUsd(world.merchant)
    await world.call('POST', `/sandbox/captures/${payment_id}/settle`)

    expect(pending.pending_balance).toEqual(usd('74.21'))
    expect((await inUsd(world.merchant)).pending_balance).toEqual(usd('0.00'))
    const [cleared, begun] = await movements(world.merchant)
    expect(begun).toMatchObject({
      transaction_type: 'CAPTURE_PENDING',
      transaction_amount: usd('0.00'),
      pending_change: usd('74.21'),
    })
    expect(cleared).toMatchObject({
      transaction_type: 'CAPTURE_CLEARED',
      transaction_amount: usd('74.21'),
      fee_amount: usd('-7.42'),
      pending_change: usd('-74.21'),
    })
  })

  it('is read page by page without a gap or a double, and adds up to the balances', async () => {
    const seen: Info[] = []
    let path: string | undefined = `${TRANSACTIONS}?page_size=3`
    while (path !== undefined) {
      const { body }: { body: Page } = await world.merchant.get<Page>(path)
      seen.push(...body.transaction_details.map((one) => one.transaction_info))
      path = body.links.find(({ rel }) => rel === 'next')?.href.replace(PUBLIC_URL, '')
    }

    expect(seen).toEqual(await movements(world.merchant, { page_size: '500' }))
    expect(new Set(seen.map((one) => one.transaction_id)).size).toBe(seen.length)
    const { balances } = (await world.merchant.get<{ balances: Balance[] }>(BALANCES)).body
    expect(balances).toHaveLength(10)
    const sum = (currency: string, changes: (Money | undefined)[]) =>
      changes.reduce((total, one) => (one?.currency_code === currency ? total + toMinor(one) : total), 0n)
    for (const { currency, available_balance, withheld_balance, total_balance } of balances) {
      expect(
        sum(
          currency,
          seen.map((one) => one.available_change),
        ),
      ).toBe(toMinor(available_balance))
      expect(
        sum(
          currency,
          seen.map((one) => one.withheld_change),
        ),
      ).toBe(toMinor(withheld_balance))
      expect(
        sum(
          currency,
          seen.flatMap((one) => [one.transaction_amount, one.fee_amount]),
        ),
      ).toBe(toMinor(total_balance))
    }
  })

  it('is cut to a span of time, and refuses what is no time', async () => {
    expect(await movements(world.merchant, { start_date: '2027-01-01T00:00:00Z' })).toEqual([])
    expect(await movements(world.merchant, { end_date: '2025-01-01T00:00:00Z' })).toEqual([])
    expect(
      (await movements(world.merchant, { start_date: world.now(), end_date: world.now() })).length,
    ).toBeGreaterThan(5)
    for (const query of [{ start_date: 'yesterday' }, { page_token: 'x' }, { page_size: '501' }] as Record<
      string,
      string
    >[])
      expect((await world.merchant.get(TRANSACTIONS, { query })).status).toBe(400)
    expect((await world.merchant.get(BALANCES, { query: { currency_code: 'usd' } })).status).toBe(400)
  })

  it('is cut to one invoice, or to one dispute', async () => {
    const { merchant } = world
    const { id } = await sentInvoice(world)
    const { payment_id, buyer_transaction_id } = await pay(id)
    const dispute = await open(world.buyer, { transaction: buyer_transaction_id, amount: usd('20.00') })
    await does(merchant, dispute, 'accept-claim', { note: 'Sorry.' })
    const all = await movements(merchant, { page_size: '500' })

    const ofDispute = await movements(merchant, { dispute_id: dispute })
    const ofInvoice = await movements(merchant, { invoice_id: id })

    expect(ofDispute).toEqual(all.filter(({ dispute_id }) => dispute_id === dispute))
    expect(ofInvoice).toEqual(all.filter((one) => one.payment_id === payment_id || one.dispute_id === dispute))
    expect([ofDispute.length > 1, ofInvoice.length > ofDispute.length]).toEqual([true, true])
    const { body } = await merchant.get<Page>(TRANSACTIONS, { query: { invoice_id: id, page_size: '1' } })
    const next = new URL(body.links.find(({ rel }) => rel === 'next')!.href)
    expect(await movements(merchant, Object.fromEntries(next.searchParams))).toEqual(ofInvoice.slice(1, 2))
    for (const query of [{ invoice_id: id }, { dispute_id: dispute }]) {
      expect(await movements(world.otherMerchant, query)).toEqual([])
      expect(await movements(merchant, { ...query, end_date: '2020-01-01T00:00:00Z' })).toEqual([])
    }
    expect((await merchant.get(TRANSACTIONS, { query: { invoice_id: id, dispute_id: dispute } })).status).toBe(400)
  })

  it('shows nobody the money of another', async () => {
    const mine = await movements(world.merchant)
    const theirs = await movements(world.otherMerchant)

    expect(theirs.map((one) => one.transaction_type)).toEqual(Array(10).fill('OPENING_BALANCE'))
    expect(theirs.filter((one) => mine.some(({ transaction_id }) => transaction_id === one.transaction_id))).toEqual([])
    expect((await world.buyer.get(BALANCES)).status).toBe(403)
  })
})
