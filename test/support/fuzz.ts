import { isDate, isDateTime, isEmail, isUri } from '../../src/http/validation/formats.ts'

/** Random choices that come out the same for the same seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 to just below `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.roll(values.length)]!
  }

  /** True once in `sides` times. */
  luck(sides: number): boolean {
    return this.roll(sides) === 0
  }
}

type Schema = Readonly<Record<string, unknown>>

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e\u200d',
  'é'.normalize('NFD'),
  '😀'.repeat(60),
  'x'.repeat(5_000),
  "'; drop table accounts; --",
  '"\\',
  '%',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '=1+1',
  'a\r\nX: y',
  '-0.00',
  '1e5',
  '٣',
  '0.000000000000001',
  '999999999999999999999999999999.99',
  '9999-12-31T23:59:59Z',
  '0001-01-01T00:00:00+14:00',
  '2026-02-30',
  '9999-12-31',
  'http://169.254.169.254/',
  'javascript:alert(1)',
]

const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.1,
  1e308,
  -1e-300,
  2 ** 53,
  -(2 ** 31) - 1,
  [],
  {},
  [null],
  { a: { b: [] } },
  [[[[[]]]]],
]

/** Text that some operation somewhere takes, so that requests get past the first check. */
const plausible: readonly string[] = [
  'USD',
  'EUR',
  'XXX',
  '1',
  '10.00',
  '0',
  '0.01',
  '100',
  '7.25',
  '2026-03-02',
  '2026-03-05',
  '2026-03-02T10:00:00Z',
  '2026-03-02T10:00:00.000+02:00',
  'buyer@example.com',
  'nobody@example.com',
  'https://example.com/hook',
  'US',
  'en-US',
  'note',
  'INV-0001',
  'all',
  'true',
  'image.png',
  '*',
  'replace',
]

/** Fields of which most values make a request pointless. */
const byName: Readonly<Record<string, readonly string[]>> = {
  currency_code: ['USD', 'USD', 'USD', 'USD', 'USD', 'EUR', 'JPY', 'XXX'],
  value: ['1', '10.00', '5', '100', '0', '-1.00', '0.01', '0.001', '12345678.90'],
  quantity: ['1', '2', '0.5', '0'],
  percent: ['5', '7.25', '0', '101'],
  country_code: ['US', 'DE', 'XX'],
  grant_type: ['client_credentials', 'password'],
  email_address: ['buyer@example.com', 'nobody@example.com'],
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': isDateTime,
  email: isEmail,
  uri: isUri,
}

/** Makes values that are almost what a schema asks for. */
export function valueFor(schema: Schema, dice: Dice, known: readonly string[], name = '', depth = 0): unknown {
  if (dice.luck(40)) return dice.luck(2) ? dice.pick(hostileTexts) : dice.pick(hostileValues)
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (alternatives) return valueFor(dice.pick(alternatives), dice, known, name, depth)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return dice.pick(schema['enum'])
  switch (schema['type']) {
    case 'object':
      return objectFor(schema, dice, known, depth)
    case 'array': {
      const length = dice.luck(40) ? 120 : Math.max(Number(schema['minItems'] ?? 0), dice.roll(3))
      const items = (schema['items'] ?? {}) as Schema
      return Array.from({ length: depth > 8 ? 0 : length }, () => valueFor(items, dice, known, name, depth + 1))
    }
    case 'integer':
    case 'number':
      return dice.pick([0, 1, 2, 5, 10, 20, 100, 1000])
    case 'boolean':
      return dice.luck(2)
    case 'null':
      return null
    default:
      return textFor(schema, dice, known, name)
  }
}

function textFor(schema: Schema, dice: Dice, known: readonly string[], name: string): string {
  const isId = /(^|_)ids?$/.test(name)
  if (known.length > 0 && dice.luck(isId ? 2 : 30)) return dice.pick(known)
  const { pattern, format, minLength = 0, maxLength = 1000 } = schema
  const expression = typeof pattern === 'string' ? new RegExp(pattern) : undefined
  const isRight = (text: string) =>
    text.length >= Number(minLength) &&
    text.length <= Number(maxLength) &&
    (expression?.test(text) ?? true) &&
    (typeof format !== 'string' || (formats[format]?.(text) ?? true))
  const fitting = [...(byName[name] ?? []), ...(byName[name] ? [] : plausible)].filter(isRight)
  return dice.pick(fitting.length > 0 ? fitting : plausible)
}

function objectFor(schema: Schema, dice: Dice, known: readonly string[], depth: number): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const required = new Set((schema['required'] ?? []) as string[])
  const made: [string, unknown][] = []
  for (const [name, property] of properties) {
    const isKept = required.has(name) ? !dice.luck(40) : dice.luck(depth > 2 ? 6 : 3)
    if (isKept) made.push([name, valueFor(property, dice, known, name, depth + 1)])
  }
  if (dice.luck(40)) made.push([dice.pick(hostileTexts), dice.pick(hostileValues)])
  return Object.fromEntries(made)
}

/** Cuts, doubles or changes a few bytes. */
export function damage(bytes: Buffer, dice: Dice): Buffer {
  if (bytes.length === 0) return Buffer.from([dice.roll(256)])
  const at = dice.roll(bytes.length)
  switch (dice.roll(4)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([dice.roll(256)]), bytes.subarray(at)])
    default:
      return Buffer.from(bytes.with(at, dice.roll(256)))
  }
}
