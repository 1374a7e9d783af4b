import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INVOICE_NUMBER_MAX } from '../../src/invoices/schema/given.ts'
import { nextNumber, nextNumbers, numberKey } from '../../src/invoices/sums/numbering.ts'

// biome-ignore format: a table reads best as a table
const examples: readonly (readonly [last: string | undefined, next: string])[] = [
  [undefined,       '0001'],
  ['0001',          '0002'],
  ['INV-9',         'INV-10'],
  ['#12-A',         '#13-A'],
  ['INVOICE-1234',  'INVOICE-1235'],
  ['0999',          '1000'],
  ['999',           '1000'],
  ['2026-INV00012', '2026-INV00013'],
  ['A1B2C',         'A1B3C'],
  ['INV',           'INV-1'],
  ['55t4gCZ-RPCA',  '55t5gCZ-RPCA'],
  ['9'.repeat(25),  '0001'],
  ['A'.repeat(25),  `${'A'.repeat(23)}-1`],
  ['😀'.repeat(25), `${'😀'.repeat(23)}-1`],
  [`${'😀'.repeat(24)}8`, `${'😀'.repeat(24)}9`],
]

describe('The next invoice number', () => {
  for (const [last, next] of examples)
    it(`after ${last ?? 'no invoice'} is ${next}`, () => {
      expect(nextNumber(last)).toBe(next)
    })

  const anyNumber = fc.string({ unit: 'binary', minLength: 1, maxLength: INVOICE_NUMBER_MAX })

  it('never grows past the limit and is never the same number', () => {
    fc.assert(
      fc.property(anyNumber, (last) => {
        const next = nextNumber(last)
        expect([...next].length).toBeLessThanOrEqual(INVOICE_NUMBER_MAX)
        expect(Buffer.from(next).toString()).toBe(next)
        expect(numberKey(next)).not.toBe(numberKey(last))
      }),
    )
  })

  it('keeps what stands before and after the digits, and their width', () => {
    const word = fc.stringMatching(/^[A-Z#/-]{0,8}$/)
    fc.assert(
      fc.property(word, fc.nat(99_999), fc.integer({ min: 1, max: 8 }), word, (before, count, width, after) => {
        const last = `${before}${String(count).padStart(width, '0')}${after}`
        expect(nextNumber(last)).toBe(
          `${before}${String(count + 1).padStart(Math.max(width, String(count).length), '0')}${after}`,
        )
      }),
    )
  })

  it('gives distinct numbers when several are asked for', () => {
    fc.assert(
      fc.property(anyNumber, (last) => {
        const numbers = nextNumbers(last, 50)
        expect(new Set(numbers.map(numberKey)).size).toBe(50)
      }),
    )
  })
})
