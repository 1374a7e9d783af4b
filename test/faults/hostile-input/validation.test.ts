import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { makeValidator } from '../../../src/http/validation/validator.ts'
import type { Issue } from '../../../src/kernel/problem.ts'
import { expectCostBelow } from '../../support/cpu.ts'

const Money = Type.Object(
  {
    currency_code: Type.String({ minLength: 3, maxLength: 3, pattern: '^[A-Z]{3}$' }),
    value: Type.String({ maxLength: 32, pattern: '^-?\\d+(\\.\\d+)?$', issue: 'INVALID_DECIMAL_VALUE' }),
  },
  { $id: 'Money' },
)
const Invoice = Type.Object({
  detail: Type.Object({
    currency_code: Type.String({ minLength: 3, maxLength: 3 }),
    note: Type.Optional(Type.String({ maxLength: 10 })),
    invoice_date: Type.Optional(Type.String({ format: 'date' })),
    term: Type.Optional(Type.Union([Type.Literal('NET_10'), Type.Literal('NET_30')])),
    create_time: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  items: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ maxLength: 200 }), unit_amount: Money, tip: Type.Optional(Money) }), {
      minItems: 1,
      maxItems: 3,
    }),
  ),
  method: Type.Optional(Type.Enum(['CASH', 'CHECK'], { issue: 'INVALID_PAYMENT_METHOD' })),
  allow_tip: Type.Optional(Type.Boolean()),
  email: Type.Optional(Type.String({ minLength: 3, maxLength: 254, format: 'email' })),
})
const check = makeValidator(Invoice, 'body')
const issues = (value: unknown) => check(value).map(({ issue, field }) => `${issue} ${field}`)
const detail = { currency_code: 'USD' }

describe('validation', () => {
  it('is silent when all is right, and ignores what it does not know', () => {
    expect(check({ detail, unknown: { x: 1 } })).toEqual([])
  })

  it('reports every violation at once, in the order of the document, with pointers', () => {
    const body = {
      items: [{ unit_amount: { currency_code: 'us', value: 'ten' } }],
      detail: { note: 'far too long', invoice_date: '2026-02-30', term: 'NET_11' },
      method: 'BARTER',
      allow_tip: 'true',
      email: 'nobody',
    }

    expect(issues(body)).toEqual([
      'MISSING_REQUIRED_PARAMETER /items/0/name',
      'INVALID_STRING_LENGTH /items/0/unit_amount/currency_code',
      'INVALID_DECIMAL_VALUE /items/0/unit_amount/value',
      'MISSING_REQUIRED_PARAMETER /detail/currency_code',
      'INVALID_STRING_MAX_LENGTH /detail/note',
      'INVALID_PARAMETER_SYNTAX /detail/invoice_date',
      'INVALID_PARAMETER_VALUE /detail/term',
      'INVALID_PAYMENT_METHOD /method',
      'INVALID_PARAMETER_SYNTAX /allow_tip',
      'INVALID_PARAMETER_SYNTAX /email',
    ])
  })

  it('says what would be right, and shows a short piece of what is wrong', () => {
    const [term] = check({ detail: { ...detail, term: 'NET_11' } })
    const [note] = check({ detail: { ...detail, note: '😀'.repeat(500) } })
    const [shape] = check({ detail: [] })

    expect(term).toEqual({
      issue: 'INVALID_PARAMETER_VALUE',
      field: '/detail/term',
      value: 'NET_11',
      location: 'body',
      description: 'Must be NET_10 or NET_30.',
    })
    expect(note!.value!.length).toBeLessThanOrEqual(100)
    expect(note!.value).not.toMatch(/\p{Surrogate}/u)
    expect(note!.description).toBe('Must have at most 10 characters.')
    expect(shape).not.toHaveProperty('value')
  })

  it('reports a missing field as missing even where the field has a code of its own', () => {
    const pay = makeValidator(Type.Object({ method: Type.Enum(['CASH'], { issue: 'INVALID_PAYMENT_METHOD' }) }), 'body')

    expect(pay({}).map(({ issue }) => issue)).toEqual(['MISSING_REQUIRED_PARAMETER'])
  })

  it('refuses a body that is no object', () => {
    for (const body of [null, 1, 'x', true, []]) expect(issues(body)).toEqual(['INVALID_PARAMETER_SYNTAX /'])
  })

  it('counts list items', () => {
    const item = { name: 'a', unit_amount: { currency_code: 'USD', value: '1' } }

    expect(issues({ detail, items: [] })).toEqual(['INVALID_ARRAY_MIN_ITEMS /items'])
    expect(issues({ detail, items: [item, item, item, item] })).toEqual(['INVALID_ARRAY_MAX_ITEMS /items'])
  })

  it('takes the same named schema in several routes, and by reference', () => {
    const other = makeValidator(Type.Object({ a: Money, b: Type.Ref('Money') }), 'body')

    expect(other({ a: { currency_code: 'USD', value: '1' }, b: { value: 'x' } }).map(({ field }) => field)).toEqual([
      '/b/currency_code',
      '/b/value',
    ])
  })

  it('says one thing about a value that fits no alternative', () => {
    const search = makeValidator(
      Type.Object({
        amount: Type.Union([Money, Type.Null()]),
        when: Type.Union([Type.String({ maxLength: 3 }), Type.Integer({ minimum: 5 })]),
        who: Type.Union([
          Type.Object({ id: Type.String({ maxLength: 5 }) }),
          Type.Object({ email: Type.String({ maxLength: 5 }) }),
        ]),
      }),
      'body',
    )

    expect(search({ amount: { currency_code: 'USD' }, when: {}, who: {} })).toMatchObject([
      { issue: 'MISSING_REQUIRED_PARAMETER', field: '/amount/value' },
      { issue: 'INVALID_PARAMETER_SYNTAX', field: '/when' },
      { issue: 'MISSING_REQUIRED_PARAMETER', field: '/who/id', description: 'Send one of these fields: id or email.' },
    ])
    expect(search({ amount: null, when: 4, who: { id: 'a' } })).toMatchObject([
      { issue: 'INVALID_INTEGER_MIN_VALUE', field: '/when', value: '4' },
    ])
  })

  it('stops at 50 issues and stays quick on the worst body that JSON limits let through', async () => {
    const lists = makeValidator(
      Type.Object({
        tags: Type.Array(Type.Union([Type.Literal('A'), Type.Object({ a: Type.String({ maxLength: 1 }) })]), {
          maxItems: 10,
          uniqueItems: true,
        }),
      }),
      'body',
    )
    const tags = Array.from({ length: 9_998 }, (_, n) => ({ b: n }))

    let found: readonly Issue[] = []
    await expectCostBelow(500, () => {
      found = lists({ tags })
    })

    expect(found).toHaveLength(50)
    expect(found[0]).toMatchObject({ issue: 'INVALID_ARRAY_MAX_ITEMS', field: '/tags' })
  })

  it('is not slowed down by a pattern that backtracks', async () => {
    const slow = makeValidator(Type.Object({ a: Type.String({ maxLength: 20, pattern: '^(\\d+)*(\\d*)$' }) }), 'body')

    await expectCostBelow(500, () => {
      expect(slow({ a: `${'1'.repeat(900_000)}x` })).toMatchObject([{ issue: 'INVALID_STRING_MAX_LENGTH' }])
    })
  })
})

describe('query and path validation', () => {
  const query = makeValidator(
    Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      total_required: Type.Optional(Type.Boolean()),
      q: Type.Optional(Type.String({ maxLength: 5 })),
    }),
    'query',
  )

  it('reads canonical integers and booleans, and leaves text alone', () => {
    const given = { page: '12', total_required: 'false', q: '7' }

    expect(query(given)).toEqual([])
    expect(given).toEqual({ page: 12, total_required: false, q: '7' })
  })

  it.each(['', ' 1', '1 ', '+1', '01', '1.0', '1e2', '0x10', '-0', '１', 'NaN', '9'.repeat(400), 'null'])(
    'does not take %j for an integer',
    (page) => {
      expect(query({ page })).toMatchObject([{ issue: 'INVALID_PARAMETER_SYNTAX', field: 'page', location: 'query' }])
    },
  )

  it('takes booleans in any case, and nothing else for them', () => {
    for (const total_required of ['true', 'True', 'FALSE']) expect(query({ total_required })).toEqual([])
    for (const total_required of ['', '1', '0', 'yes', ' true']) expect(query({ total_required })).toHaveLength(1)
  })

  it('reports bounds with the bare name', () => {
    expect(query({ page: '0' })).toMatchObject([{ issue: 'INVALID_INTEGER_MIN_VALUE', field: 'page', value: '0' }])
    expect(query({ page: '1001' })).toMatchObject([{ issue: 'INVALID_INTEGER_MAX_VALUE', field: 'page' }])
  })

  it('refuses a parameter with two values', () => {
    expect(query({ page: ['1', '2'] })).toMatchObject([{ issue: 'INVALID_PARAMETER_SYNTAX', field: 'page' }])
    expect(query({ q: ['a', 'b'] })).toMatchObject([{ issue: 'INVALID_PARAMETER_SYNTAX', field: 'q' }])
  })

  it('never turns path text into anything else', () => {
    const path = makeValidator(Type.Object({ id: Type.String({ pattern: '^[A-Z0-9-]+$', maxLength: 20 }) }), 'path')

    expect(path({ id: 'INV2-1' })).toEqual([])
    expect(path({ id: '../x' })).toMatchObject([{ issue: 'INVALID_PARAMETER_SYNTAX', field: 'id', location: 'path' }])
  })
})
