import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordedLeft, settle } from '../../src/invoices/sums/settlement.ts'
import { toMoney } from '../../src/kernel/money.ts'

const TOTAL = 10_000n
const usd = (minor: bigint) => toMoney(minor, 'USD')
const type = fc.constantFrom('EXTERNAL', 'SERVICE')
const minor = fc.bigInt({ min: 1n, max: 4_000n })

/** Payments that together do not exceed the total, and refunds that do not exceed the payments. */
const account = fc
  .tuple(
    fc.array(fc.tuple(type, minor, fc.boolean()), { maxLength: 5 }),
    fc.array(fc.tuple(type, minor), { maxLength: 5 }),
  )
  .map(([paid, refunded]) => {
    const payments: { type: string; amount: ReturnType<typeof usd>; transaction_status: string }[] = []
    let due = TOTAL
    for (const [type, amount, pending] of paid) {
      if (amount > due) continue
      const isPending = pending && type === 'SERVICE'
      if (!isPending) due -= amount
      payments.push({ type, amount: usd(amount), transaction_status: isPending ? 'PENDING' : 'SUCCESS' })
    }
    const refunds: { type: string; amount: ReturnType<typeof usd> }[] = []
    let left = TOTAL - due
    for (const [type, amount] of refunded) {
      if (amount > left) continue
      left -= amount
      refunds.push({ type, amount: usd(amount) })
    }
    return { amount: usd(TOTAL), payments, refunds }
  })

describe('After any payments and refunds', () => {
  it('what is paid and what is due add up to the total', () => {
    fc.assert(
      fc.property(account, (money) => {
        const { paid, due, refunded } = settle(money)
        expect(paid + due).toBe(TOTAL)
        expect(refunded <= paid).toBe(true)
      }),
    )
  })

  it('the outcome says what the sums say', () => {
    fc.assert(
      fc.property(account, (money) => {
        const { outcome, paid, due, refunded } = settle(money)
        expect(outcome.includes('refunded')).toBe(refunded > 0n)
        expect(outcome === 'partly refunded').toBe(refunded > 0n && refunded < paid)
        if (refunded === 0n && outcome !== 'pending') {
          expect(outcome === 'unpaid').toBe(paid === 0n)
          expect(outcome === 'partly paid').toBe(paid > 0n && due > 0n)
        }
      }),
    )
  })

  it('the newest payment that closes the balance decides who is said to have been paid', () => {
    fc.assert(
      fc.property(account, (money) => {
        const { outcome } = settle(money)
        const newest = money.payments.filter(({ transaction_status }) => transaction_status === 'SUCCESS').at(-1)?.type
        if (outcome === 'paid') expect(newest).toBe('SERVICE')
        if (outcome === 'paid offline') expect(newest).toBe('EXTERNAL')
      }),
    )
  })

  it('taking the newest record back gives what was before', () => {
    fc.assert(
      fc.property(account, type, minor, (money, type, amount) => {
        const payment = { type, amount: usd(amount), transaction_status: 'SUCCESS' }
        const after = { ...money, payments: [...money.payments, payment] }
        expect(settle({ ...after, payments: after.payments.slice(0, -1) })).toEqual(settle(money))
        const difference = recordedLeft(after) - recordedLeft(money)
        expect(difference).toBe(type === 'EXTERNAL' ? amount : 0n)
      }),
    )
  })

  it('pending money counts for nothing', () => {
    fc.assert(
      fc.property(account, minor, (money, amount) => {
        const pending = { type: 'SERVICE', amount: usd(amount), transaction_status: 'PENDING' }
        const { paid, due } = settle({ ...money, payments: [...money.payments, pending] })
        expect({ paid, due }).toEqual({ paid: settle(money).paid, due: settle(money).due })
      }),
    )
  })
})
