import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/http/body/json.ts'
import { Problem } from '../../../src/kernel/problem.ts'
import { expectCostBelow } from '../../support/cpu.ts'

function refusalOf(body: Buffer | string): string {
  try {
    parseJson(Buffer.from(body as string))
  } catch (error) {
    if (error instanceof Problem) return `${error.status} ${error.details[0]!.issue} ${error.details[0]!.description}`
    throw error
  }
  return 'accepted'
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

// biome-ignore format: a table reads best as a table
const hostile: readonly (readonly [what: string, body: Buffer | string, says: RegExp])[] = [
  ['nothing',                          '',                                       /empty/],
  ['blanks alone',                     ' \n ',                                   /Line 2, column 2: .*too early/],
  ['a text cut short',                 '{"a": {"b": 1}',                         /too early/],
  ['a trailing comma',                 '{"a": 1,}',                              /Line 1, column 9: expected a key/],
  ['a second value',                   '{} {}',                                  /column 4: expected nothing more/],
  ['single quotes',                    "{'a': 1}",                               /column 2: expected a key/],
  ['a comment',                        '{/* */}',                                /expected a key/],
  ['a missing colon',                  '{"a" 1}',                                /colon/],
  ['a bracket closed by a brace',      '[1}',                                    /comma or "]"/],
  ['an unknown word',                  '[nul]',                                  /expected a JSON value/],
  ['NaN',                              '[NaN]',                                  /expected a JSON value/],
  ['a number with a leading zero',     '[01]',                                   /comma or "]"/],
  ['a number without digits',          '[-]',                                    /digit/],
  ['a line break in a string',         '["a\nb"]',                               /control characters/],
  ['a raw NUL in a string',            '["\0"]',                                 /control characters/],
  ['a raw NUL between values',         '[\0]',                                   /expected a JSON value/],
  ['an escaped NUL',                   '["\\u0000"]',                            /NUL/],
  ['an escaped NUL in a key',          '{"a\\u0000":1}',                         /NUL/],
  ['an unknown escape',                '["\\x41"]',                              /no escape/],
  ['an escape cut short',              '["\\u12"]',                              /four hex digits/],
  ['a high surrogate alone',           '["\\ud800"]',                            /surrogate/],
  ['a high surrogate before a letter', '["\\ud800\\u0041"]',                     /surrogate/],
  ['a low surrogate alone',            '["\\udc00"]',                            /surrogate/],
  ['surrogates the wrong way round',   '["\\ude00\\ud83d"]',                     /surrogate/],
  ['a surrogate encoded as UTF-8',     Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
  ['an overlong slash',                Buffer.from([0x22, 0xc0, 0xaf, 0x22]),    /UTF-8/],
  ['Latin-1',                          Buffer.from('"é"', 'latin1'),             /UTF-8/],
  ['UTF-16',                           Buffer.from('{"a":1}', 'utf16le'),        /expected a key/],
  ['two byte order marks',             '\ufeff\ufeff{}',                         /expected a JSON value/],
  ['a key twice',                      '{"a": 1,\n "b": {}, "a": 2}',            /Line 2, column 11: .*twice/],
  ['a key twice, once as escapes',     '{"a": 1, "\\u0061": 2}',                 /twice/],
  ['a key twice, deep down',           '[{"x": [{"k": 1, "k": 1}]}]',            /twice/],
  ['__proto__',                        '{"__proto__": {"x": 1}}',                /not accepted/],
  ['__proto__ as escapes',             '{"a": {"\\u005f_proto__": 1}}',          /not accepted/],
  ['__proto__ twice',                  '{"__proto__": 1, "__proto__": 2}',       /not accepted|twice/],
  ['constructor.prototype',            '{"constructor": {"prototype": {"x":1}}}', /not accepted/],
  ['33 levels',                        nested(33),                               /32 deep/],
  ['half a million levels',            nested(500_000),                          /32 deep/],
  ['half a million open brackets',     '['.repeat(500_000),                      /32 deep/],
  ['ten thousand and one values',      `[${'0,'.repeat(10_000)}0]`,              /10000 values/],
  ['a million keys',                   `{${Array.from({ length: 1e6 }, (_, n) => `"${n}":0`).join()}}`, /10000 values/],
  ['a number of 100,000 digits',       `[${'9'.repeat(100_000)}]`,               /40 characters/],
  ['a number beyond a double',         '[1e400]',                                /too large/],
]

describe('a hostile JSON body', () => {
  it.each(hostile)('is refused with a sentence: %s', async (_what, body, says) => {
    let refusal = ''
    await expectCostBelow(100, () => {
      refusal = refusalOf(body)
    })

    expect(refusal).toMatch(/^400 MALFORMED_REQUEST_JSON /)
    expect(refusal).toMatch(says)
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('may start with a byte order mark', () => {
    expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 })
  })

  it('may speak of constructors and prototypes where they are only words', () => {
    const body = { constructor: 'Smith & Sons', prototype: { price: 1 } }

    expect(parseJson(Buffer.from(JSON.stringify(body)))).toEqual(body)
  })

  it('keeps every character of every language', () => {
    const body = ['Ünïcödé', '日本語', '😀👩‍👩‍👧', 'עברית \u202e', 'İ', 'e\u0301', '\u2028\u2029', '\u{10ffff}']

    expect(parseJson(Buffer.from(JSON.stringify(body)))).toEqual(body)
  })

  it('costs time in proportion to its length', async () => {
    const keys = (count: number) =>
      Buffer.from(`{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join()},"k0":1}`)

    await expectCostBelow(500, () => {
      expect(refusalOf(keys(9_990))).toMatch(/twice/)
      expect(refusalOf(`"${'\\u00e9'.repeat(170_000)}`)).toMatch(/not closed/)
      expect(refusalOf('\n'.repeat(1_000_000))).toMatch(/Line 1000001, column 1/)
    })
  })
})
