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
  'JPY',
  'XXX',
  '1',
  '10.00',
  '-1.00',
  '0',
  '0.01',
  '100',
  '12345678.90',
  '7.25',
  '2026-03-02',
  '2026-03-05',
  '2026-03-02T10:00:00Z',
  '2026-03-02T10:00:00.000+02:00',
  'buyer@example.com',
  'merchant@example.com',
  'nobody@example.com',
  'https://example.com/hook',
  'US',
  'DE',
  'en-US',
  'note',
  'INV-0001',
  '#1',
  'all',
  'asc',
  'true',
  'client_credentials',
  'image.png',
  '*',
  'replace',
  '/detail/note',
  '/url',
]

/** Makes values that are almost what a schema asks for. `known` are texts seen in answers, such as ids. */
export function valueFor(schema: Schema, dice: Dice, known: readonly string[], depth = 0): unknown {
  if (dice.luck(25)) return dice.luck(2) ? dice.pick(hostileTexts) : dice.pick(hostileValues)
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (alternatives) return valueFor(dice.pick(alternatives), dice, known, depth)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return dice.pick(schema['enum'])
  switch (schema['type']) {
    case 'object':
      return objectFor(schema, dice, known, depth)
    case 'array': {
      const length = dice.luck(40) ? 200 : dice.roll(4)
      return Array.from({ length: depth > 8 ? 0 : length }, () =>
        valueFor((schema['items'] ?? {}) as Schema, dice, known, depth + 1),
      )
    }
    case 'integer':
    case 'number':
      return dice.pick([0, 1, 2, 5, 10, 20, 100, 1000])
    case 'boolean':
      return dice.luck(2)
    case 'null':
      return null
    default:
      return textFor(schema, dice, known)
  }
}

function textFor(schema: Schema, dice: Dice, known: readonly string[]): string {
  if (known.length > 0 && dice.luck(5)) return dice.pick(known)
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern']) : undefined
  const fitting = plausible.filter((text) => pattern === undefined || pattern.test(text))
  return dice.pick(fitting.length > 0 && !dice.luck(10) ? fitting : plausible)
}

function objectFor(schema: Schema, dice: Dice, known: readonly string[], depth: number): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const required = new Set((schema['required'] ?? []) as string[])
  const made: [string, unknown][] = []
  for (const [name, property] of properties) {
    const isKept = required.has(name) ? !dice.luck(20) : dice.luck(depth > 3 ? 6 : 3)
    if (isKept) made.push([name, valueFor(property, dice, known, depth + 1)])
  }
  if (dice.luck(15)) made.push([dice.pick(hostileTexts), dice.pick(hostileValues)])
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
