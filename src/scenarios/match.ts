import { neutralLiteral, neutralState } from '../kernel/dialect.ts'

const ANYTHING = '*'
const CONTAINS = '~'

/**
 * Says where what is found differs from what was expected, in one sentence each. Of an object only the fields that are named
 * count, while lists count as a whole. `*` stands for anything, `~text` for whatever contains the text, and nothing (null) for
 * a field that is not there.
 */
export function differences(expected: unknown, found: unknown, where: string): string[] {
  if (expected === null) return found === undefined || found === null ? [] : [differs(where, 'nothing', found)]
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return [differs(where, expected, found)]
    return expected.flatMap((item, i) => differences(item, found[i], `${where}.${i}`))
  }
  if (typeof expected === 'object' && expected !== undefined) {
    if (typeof found !== 'object' || found === null) return [differs(where, expected, found)]
    const fields = found as Record<string, unknown>
    return Object.entries(expected).flatMap(([key, value]) => differences(value, fields[key], `${where}.${key}`))
  }
  if (expected === ANYTHING) return found === undefined || found === null ? [differs(where, 'anything', found)] : []
  if (typeof expected === 'string' && expected.startsWith(CONTAINS))
    return String(found).includes(expected.slice(1)) ? [] : [differs(where, `text with "${expected.slice(1)}"`, found)]
  return neutral(expected) === neutral(found) ? [] : [differs(where, expected, found)]
}

/** Stories are told in neutral names, whatever dialect the sandbox speaks, so both sides are compared in those. */
const neutral = (value: unknown) => (typeof value === 'string' ? neutralState(neutralLiteral(value)) : value)

const differs = (where: string, expected: unknown, found: unknown) =>
  `${where} should be ${typeof expected === 'string' ? expected : JSON.stringify(expected)} and is ${found === undefined ? 'not there' : JSON.stringify(found)}`
