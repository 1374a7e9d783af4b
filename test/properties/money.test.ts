import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allocate, currencyCodes, minorDigits, toMinor, toMoney } from '../../src/kernel/money.ts'

const minor = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
const currency = fc.constantFrom(...currencyCodes)
const weights = fc
  .array(fc.bigInt({ min: 0n, max: 10_000n }), { minLength: 1, maxLength: 20 })
  .filter((parts) => parts.some((part) => part > 0n))

describe('Money', () => {
  it('survives the trip to the wire and back in every currency', () => {
    fc.assert(fc.property(minor, currency, (amount, code) => toMinor(toMoney(amount, code)) === amount))
  })

  it('prints exactly the decimals of its currency', () => {
    fc.assert(
      fc.property(minor, currency, (amount, code) => {
        const [, fraction = ''] = toMoney(amount, code).value.split('.')
        expect(fraction.length).toBe(minorDigits(code))
      }),
    )
  })

  it('reads the shortened forms clients send', () => {
    expect(toMinor({ currency_code: 'USD', value: '.5' })).toBe(50n)
    expect(toMinor({ currency_code: 'USD', value: '-.05' })).toBe(-5n)
    expect(toMinor({ currency_code: 'USD', value: '23' })).toBe(2300n)
    expect(toMinor({ currency_code: 'JPY', value: '23.00' })).toBe(23n)
    expect(toMinor({ currency_code: 'KWD', value: '1.234' })).toBe(1234n)
  })

  it('refuses decimals the currency does not have', () => {
    expect(() => toMinor({ currency_code: 'USD', value: '0.001' })).toThrow()
    expect(() => toMinor({ currency_code: 'JPY', value: '0.5' })).toThrow()
  })

  it('knows the decimals of ISO 4217, and the two the contract changes', () => {
    expect(['USD', 'EUR', 'JPY', 'KWD', 'CLF', 'HUF', 'TWD'].map(minorDigits)).toEqual([2, 2, 0, 3, 4, 0, 0])
  })

  it('never gains or loses a unit when it is split', () => {
    fc.assert(
      fc.property(minor, weights, (total, parts) => {
        expect(allocate(total, parts).reduce((a, b) => a + b, 0n)).toBe(total)
      }),
    )
  })

  it('gives nothing to a part without weight, and at most one unit more than its share to the others', () => {
    fc.assert(
      fc.property(minor, weights, (total, parts) => {
        const sum = parts.reduce((a, b) => a + b, 0n)
        allocate(total, parts).forEach((part, i) => {
          const extra = part - (total * parts[i]!) / sum
          expect(extra === 0n || (parts[i]! > 0n && (extra === 1n || extra === -1n))).toBe(true)
        })
      }),
    )
  })
})
