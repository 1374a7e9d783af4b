import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/http/body/json.ts'
import { jsonLimits } from '../../src/http/body/json-scan.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { times } from '../support/size.ts'

/** What happened: the value, or the issue of the refusal. Anything else that is thrown fails the test. */
function outcome(body: Buffer | string): { value: unknown } | { refused: string } {
  try {
    return { value: parseJson(Buffer.from(body as string)) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.status).toBe(400)
    expect(error.details[0]!.issue).toBe('MALFORMED_REQUEST_JSON')
    return { refused: error.details[0]!.description }
  }
}

const isHarmful = (text: string): boolean => /\p{Surrogate}/u.test(text) || text.includes('\0')

function hasHarmfulText(value: unknown): boolean {
  if (typeof value === 'string') return isHarmful(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, member]) => name === '__proto__' || isHarmful(name) || hasHarmfulText(member),
  )
}

const text = fc.string({ unit: 'binary', maxLength: 12 })
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

describe('JSON bodies', () => {
  it('reads whatever JSON.stringify writes as JSON.parse does', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, 1, '\t'), (written, space) => {
        const body = JSON.stringify(written, null, space)
        const read = outcome(body)
        if (hasHarmfulText(JSON.parse(body))) expect(read).toHaveProperty('refused')
        else expect(read).toEqual({ value: JSON.parse(body) })
      }),
      { numRuns: times(400, 3_000) },
    )
  })

  it('accepts exactly what JSON.parse accepts, and gives the same', () => {
    const pieces =
      '{|}|[|]|,|:|"|"a"|"b"|"\\n"|"\\u00e9"|"\\ud83d\\ude00"|"\\x"|\\|0|1|-|-0|01|1.5|.|1e5|1E+2|e|true|false|null|nul| |\n|\t|\u00a0|é|😀|\u0001'
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces.split('|')), { maxLength: 14 }), (parts) => {
        const body = parts.join('')
        const read = outcome(body)
        let expected: unknown
        try {
          expected = JSON.parse(body)
        } catch {
          expect(read).toHaveProperty('refused')
          return
        }
        if ('refused' in read) expect(read.refused).toMatch(/twice|too large/)
        else expect(read.value).toEqual(expected)
      }),
      { numRuns: times(1_500, 15_000) },
    )
  })

  it('accepts a damaged text only if JSON.parse does', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (written, where, byte, cut) => {
        const bytes = Buffer.from(JSON.stringify(written))
        const position = where % bytes.length
        const body = cut ? bytes.subarray(0, position) : Buffer.from(bytes.with(position, byte))
        let expected: unknown
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
        } catch {
          expect(outcome(body)).toHaveProperty('refused')
          return
        }
        const read = outcome(body)
        if ('value' in read) expect(read.value).toEqual(expected)
        else expect(read.refused).toMatch(/twice|not accepted|at most|too large/)
      }),
      { numRuns: times(800, 6_000) },
    )
  })

  it('never fails on bytes that are no text at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        outcome(Buffer.from(bytes))
      }),
      { numRuns: times(800, 5_000) },
    )
  })

  it('holds each limit to the last value', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const list = (values: number) => `[${'1,'.repeat(values - 2)}1]`
    const digits = (length: number) => '1'.repeat(length)

    expect(outcome(nested(jsonLimits.depth))).toHaveProperty('value')
    expect(outcome(nested(jsonLimits.depth + 1))).toHaveProperty('refused')
    expect(outcome(list(jsonLimits.values))).toHaveProperty('value')
    expect(outcome(list(jsonLimits.values + 1))).toHaveProperty('refused')
    expect(outcome(digits(jsonLimits.numberLength))).toHaveProperty('value')
    expect(outcome(digits(jsonLimits.numberLength + 1))).toHaveProperty('refused')
  })
})
