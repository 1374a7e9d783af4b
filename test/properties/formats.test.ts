import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDate, isDateTime, isEmail, isUri } from '../../src/http/validation/formats.ts'
import { parseDay, parseInstant } from '../../src/kernel/clock.ts'
import { expectCostBelow } from '../support/cpu.ts'

const digits = (length: number, max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, '0'))
const date = fc
  .tuple(
    fc.oneof(digits(4, 9999), fc.constantFrom('0000', '0001', '9999', '2000', '1900')),
    digits(2, 13),
    digits(2, 32),
  )
  .map((parts) => parts.join('-'))
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '', '+0000', '+00'),
  fc
    .tuple(fc.constantFrom('+', '-'), digits(2, 25), digits(2, 61))
    .map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
)
const dateTime = fc
  .tuple(
    date,
    fc.constantFrom('T', 't', ' '),
    digits(2, 25),
    digits(2, 61),
    digits(2, 61),
    fc.constantFrom('', '.1', '.123456789', '.', '.1234567890'),
    zone,
  )
  .map(
    ([day, t, hour, minute, second, fraction, offset]) => `${day}${t}${hour}:${minute}:${second}${fraction}${offset}`,
  )

describe('formats', () => {
  it('take a date exactly when it is a day of the calendar', () => {
    fc.assert(
      fc.property(date, (text) => {
        expect(isDate(text)).toBe(parseDay(text) !== undefined && !text.startsWith('0000'))
      }),
      { numRuns: 5000 },
    )
  })

  it('take no date-time that the clock could not read', () => {
    fc.assert(
      fc.property(dateTime, (text) => {
        if (isDateTime(text)) expect(parseInstant(text)).toBeDefined()
      }),
      { numRuns: 5000 },
    )
  })

  it('take every date-time that the clock prints, and its usual spellings', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9998-12-31'), noInvalidDate: true }), (instant) => {
        const text = instant.toISOString()
        expect(isDateTime(text)).toBe(true)
        expect(isDateTime(`${text.slice(0, 19)}+05:30`)).toBe(true)
      }),
    )
  })

  it('take addresses that can be mailed to', () => {
    for (const text of ['a@b.co', 'first.last+tag@sub.example.com', "o'hara@example.museum", 'a@xn--mnchen-3ya.de'])
      expect(isEmail(text), text).toBe(true)
    for (const text of [
      '',
      'a',
      '@b.co',
      'a@',
      'a@b',
      'a b@c.de',
      'a@b..co',
      '.a@b.co',
      'a.@b.co',
      'a@-b.co',
      'a@b.co\n',
      'a@b@c.de',
      'a@b.co>',
      'ä@b.co',
      `${'a'.repeat(65)}@b.co`,
      `a@${'b.'.repeat(150)}co`,
    ])
      expect(isEmail(text), text).toBe(false)
  })

  it('take absolute addresses', () => {
    for (const text of ['https://example.com', 'http://[::1]:80/a?b=c#d', 'mailto:a@b.co', 'https://a.b/%C3%A9'])
      expect(isUri(text), text).toBe(true)
    for (const text of [
      '',
      '/a',
      'example.com',
      'https://',
      'https://a b',
      'https://é.de',
      'https://a\n',
      'http://[',
      'java\tscript:x',
    ])
      expect(isUri(text), text).toBe(false)
  })

  it('decide in time that grows with the length alone', async () => {
    await expectCostBelow(500, () => {
      for (const piece of ['a', '.', 'a.', '-', '@', '1', ':', '%', 'a-', '[', '0001-01-01T'])
        for (const check of [isDate, isDateTime, isEmail, isUri]) {
          check(piece.repeat(100_000))
          check(`a@${piece.repeat(120)}`)
          check(`a:${piece.repeat(4000)}\0`)
        }
    })
  })
})
