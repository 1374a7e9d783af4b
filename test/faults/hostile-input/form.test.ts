import { describe, expect, it } from 'vitest'
import { parseForm, parseQuery } from '../../../src/http/body/form.ts'
import { acceptable, parseMediaType } from '../../../src/http/body/media-type.ts'
import { Problem } from '../../../src/kernel/problem.ts'
import { expectCostBelow } from '../../support/cpu.ts'

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return `${error.status} ${error.details[0]!.description}`
    throw error
  }
  return 'accepted'
}
const form = (text: string | Buffer) => parseForm(Buffer.from(text as string))

describe('a form body', () => {
  it('is read as names and values', () => {
    expect({ ...form('grant_type=client_credentials&scope=a+b%20c&empty=&bare&&x=%C3%A9=') }).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b c',
      empty: '',
      bare: '',
      x: 'é=',
    })
    expect({ ...form('') }).toEqual({})
  })

  // biome-ignore format: a table reads best as a table
  it.each<[string, string | Buffer, RegExp]>([
    ['a field twice',           'a=1&a=1',                                     /"a" is there twice/],
    ['a field twice, encoded',  'a=1&%61=2',                                   /twice/],
    ['a percent sign alone',    'a=%',                                         /two hex digits/],
    ['bad UTF-8',               'a=%ff',                                       /UTF-8/],
    ['a surrogate',             'a=%ed%a0%80',                                 /UTF-8/],
    ['NUL',                     'a=%00',                                       /NUL/],
    ['raw bytes beyond ASCII',  Buffer.from([0x61, 0x3d, 0xff]),               /percent-encoded/],
    ['__proto__',               '__proto__=1',                                 /not accepted/],
    ['constructor',             'constructor=1',                               /not accepted/],
    ['101 fields',              Array.from({ length: 101 }, (_, n) => `a${n}=`).join('&'), /100 fields/],
    ['64 KiB and one byte',     'a'.repeat(65_537),                            /65536 bytes/],
  ])('is refused with a sentence: %s', (_what, body, says) => {
    expect(refusalOf(() => form(body))).toMatch(/^400 /)
    expect(refusalOf(() => form(body))).toMatch(says)
  })
})

describe('a query', () => {
  it('may repeat a parameter with the same value', () => {
    expect({ ...parseQuery('page=1&q=a+b&page=1') }).toEqual({ page: '1', q: 'a b' })
  })

  it('keeps different values of a parameter apart, for validation to judge', () => {
    expect({ ...parseQuery('page=1&page=2&page=3') }).toEqual({ page: ['1', '2', '3'] })
  })

  it('has no prototype to reach', () => {
    expect(parseQuery('toString=1')).not.toHaveProperty('hasOwnProperty')
    expect(refusalOf(() => parseQuery('__proto__=1'))).toMatch(/^400 /)
    expect(refusalOf(() => parseQuery('__proto__[x]=1'))).toBe('accepted')
    for (const text of ['__proto__[]=1', 'constructor[0]=1']) expect(refusalOf(() => parseQuery(text))).toMatch(/^400 /)
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it.each(['a=%zz', 'a=%00', 'a=%c0%af', 'a=é', `a=${'x'.repeat(20_000)}`, 'a&'.repeat(1001)])(
    'is refused: %.40s',
    (text) => {
      expect(refusalOf(() => parseQuery(text))).toMatch(/^400 /)
    },
  )
})

describe('a content type', () => {
  it('is read without regard to case and blanks', () => {
    const read = parseMediaType(' Application/JSON ; Charset="utf-8" ;x=y;')

    expect(read).toMatchObject({ type: 'application/json' })
    expect({ ...read!.parameters }).toEqual({ charset: 'utf-8', x: 'y' })
  })

  it.each([
    '',
    'json',
    'a/',
    '/b',
    'a/b/c',
    'a/b; c',
    'a/b; c="',
    'a/b, c/d',
    'a/b; c=d; C=e',
    'a/b\0',
    `a/${'b'.repeat(2000)}`,
  ])('is not read: %.30j', (header) => {
    expect(parseMediaType(header)).toBeUndefined()
  })

  it('is read in time that grows with its length alone', async () => {
    await expectCostBelow(500, () => {
      for (const piece of [';', '; ', ' ', 'a=', '"', '\\"', ';a="', '%'])
        for (let times = 0; times < 100; times++) parseMediaType(`a/b;c=${piece.repeat(1000 / piece.length)}`)
    })
  })
})

describe('content negotiation', () => {
  const json = 'application/json'
  const pages = ['text/html', json]

  // biome-ignore format: a table reads best as a table
  it.each<[string | undefined, readonly string[], string | undefined]>([
    [undefined,                                   [json], json],
    ['',                                          [json], json],
    ['*/*',                                       [json], json],
    ['*',                                         [json], json],
    ['application/*',                             [json], json],
    ['Application/JSON; charset=utf-8',           [json], json],
    ['text/html, application/json;q=0.9',         [json], json],
    ['text/html',                                 [json], undefined],
    ['text/*',                                    [json], undefined],
    ['application/json;q=0',                      [json], undefined],
    ['application/json;q=0, */*',                 [json], undefined],
    ['*/*;q=0.1, application/json;q=0.5',         pages,  json],
    ['text/html;q=0.5, application/json',         pages,  json],
    ['application/json, text/html',               pages,  'text/html'],
    ['application/json;q=2',                      [json], undefined],
    ['application/json;q=NaN, text/plain',        [json], undefined],
    [`${'a/b,'.repeat(5000)}application/json`,    [json], undefined],
  ])('%.50s of %s is %s', (header, produces, chosen) => {
    expect(acceptable(header, produces)).toBe(chosen)
  })
})
