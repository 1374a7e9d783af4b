import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stepCount } from '../../src/database/combine.ts'
import type { Connection } from '../../src/database/open.ts'
import type { DriverConnection } from '../../src/database/prepared.ts'
import { Query } from '../../src/database/query.ts'
import { everyStatement, listStatements, sql } from '../../src/database/sql.ts'
import { newWorld, type World } from '../support/world.ts'

/** As many as a connection keeps of those that callers put together. */
const PREPARED_MAX = 32
const REMEMBERED_MAX = 128

const preparedHere = sql`select count(*)::int as count from pg_prepared_statements`
const bytesHere = sql`select sum(total_bytes)::int as bytes from pg_backend_memory_contexts`
const textsHere = sql`select statement from pg_prepared_statements`

describe('Lists that callers put together', () => {
  let world: World
  beforeAll(async () => {
    // One connection for statements and one for transactions.
    world = await newWorld({ settings: { DATABASE_CONNECTIONS: '2' } })
  })
  afterAll(() => world.close())

  const ask = (path: string) => async () => expect((await world.merchant.get(path)).status).toBe(200)
  const find = (body: object) => async () =>
    expect((await world.merchant.post('/v2/invoicing/search-invoices', body)).status).toBe(200)
  const measure = (body: object) => async () =>
    expect((await world.merchant.post('/v1/customer/disputes/compute-metrics', body)).status).toBe(200)

  /** Some of each list, every one with a text that no other has; a list of its own for each round. */
  function shapes(round: number): (() => Promise<void>)[] {
    const texts = ['recipient_first_name', 'recipient_last_name', 'recipient_business_name', 'reference', 'memo']
    const subsets = Array.from({ length: 32 }, (_, bits) => texts.filter((_, i) => bits & (1 << i)))
    const dispute = '/v1/customer/disputes'
    const sorts = ['CREATE_TIME', 'UPDATE_TIME', 'RESPONSE_DUE_DATE'].flatMap((by) =>
      ['asc', 'desc'].map((order) => `sort_by=${by}&sort_order=${order}`),
    )
    const filter = ['statuses=OPEN', 'reasons=UNAUTHORISED', 'dispute_channel=INTERNAL', 'email=a@b.test', 'name=x'][
      round
    ]!
    const metrics = ['email', 'name', 'create_time_after', 'update_time_after', 'response_due_date_after'].map(
      (name) => (/time|date/.test(name) ? { [name]: '2026-01-01T00:00:00Z' } : { [name]: 'someone' }),
    )
    return [
      ...sorts.flatMap((sort) =>
        [1, 2, 3, 4, 5].map((size) => ask(`${dispute}?${filter}&${sort}&page_size=${size + 5 * round}`)),
      ),
      ask(`${dispute}?total_required=true&${filter}&fields=all`),
      ask(`${dispute}?${filter}&search_text=some`),
      ...subsets.map((names) =>
        find({
          ...Object.fromEntries(names.map((name) => [name, 'abc'])),
          ...(round % 2 === 0 && { currency_code: 'USD' }),
          ...(round > 1 && { status: ['SENT'] }),
          ...(round > 2 && { invoice_date_range: { start: '2026-01-01', end: '2026-02-01' } }),
        }),
      ),
      ...metrics.map((filter) => measure({ dimension: ['STATUS', 'REASON'][round % 2], measure: 'COUNT', filter })),
      ask(`/v1/notifications/webhooks-events?page_size=${round + 1}&event_type=INVOICING.INVOICE.CREATED`),
      ask('/v1/notifications/webhooks-events?page_size=5&transaction_id=ABCDEFGH12345'),
    ]
  }
  const countIn = async (connection: Connection) => (await connection.rows<{ count: number }>(preparedHere))[0]!.count

  it('leave a bounded number of prepared statements behind, whatever is asked', async () => {
    const { database } = world.app
    const askAll = async (round: number) => {
      // Whatever is asked for again is prepared, so everything is.
      for (const shape of shapes(round)) for (const _ of [1, 2]) await shape()
    }
    await askAll(0)
    const [count, fixed, steps] = [await countIn(database), everyStatement().length, stepCount()]
    const { bytes } = (await database.row<{ bytes: number }>(bytesHere))!

    for (const round of [1, 2]) await askAll(round)

    // A handful of fixed statements may be run for the first time.
    expect((await countIn(database)) - count).toBeLessThanOrEqual(PREPARED_MAX + 10)
    expect(await countIn(database)).toBeLessThanOrEqual(fixed + PREPARED_MAX)
    expect(await database.transaction(countIn)).toBeLessThanOrEqual(20)
    expect([everyStatement().length, stepCount()]).toEqual([fixed, steps])
    expect(listStatements.size).toBeLessThanOrEqual(REMEMBERED_MAX)
    const now = (await database.row<{ bytes: number }>(bytesHere))!
    expect(now.bytes - bytes).toBeLessThan(20_000_000)
  })

  it('stay prepared when they are the usual ones, however many others are asked for once', async () => {
    const prepared = async () =>
      (await world.app.database.rows<{ statement: string }>(textsHere)).map(({ statement }) => statement)
    const usual = ask('/v2/invoicing/invoices?page_size=20')
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    for (const _ of [1, 2]) await usual()
    const sent = spy.mock.calls.map(([query]) => (query as unknown as { text?: string }).text ?? '')
    spy.mockRestore()
    const list = sent.find((text) => text.includes('from invoices'))
    expect(await prepared()).toContain(list)

    for (const [i, once] of shapes(2).entries()) {
      await once()
      if (i % 20 === 0) await usual()
    }

    expect(await prepared()).toContain(list)
  })

  it('are answered the same before, while and after they are prepared', async () => {
    const { merchant } = world
    const made = await merchant.post('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', invoice_number: 'X-1' },
    })
    expect(made.status).toBe(201)
    const list = () => merchant.get<{ items: object[] }>('/v2/invoicing/invoices?page_size=7&page=1')
    const sizes = async () => (await Promise.all([list(), list(), list()])).map(({ body }) => body.items.length)

    const before = await sizes()
    // Enough others to make it one of the forgotten, prepared and remembered alike.
    for (const shape of shapes(4)) for (const _ of [1, 2]) await shape()

    expect(before).toEqual([1, 1, 1])
    expect(await sizes()).toEqual([1, 1, 1])
  })
})

const everyKind = sql`
  select $1::text as text, $2::bytea as bytes, $3::bigint as number, $4::text as absent, $5::text[] as list, $6::boolean as truth,
    $7::jsonb as document`

describe('Values', () => {
  it('arrive as they are, of every kind and length', async () => {
    const world = await newWorld({ isOwn: true })
    const texts = ['', 'plain', 'Grüße, 请 \u{1F9FE}', 'ä'.repeat(70_000), '请'.repeat(200_000)]
    for (const text of texts) {
      const list = [text.slice(0, 1_000), 'a "quoted" \\ one', '']
      const bytes = Buffer.from(text)
      const row = await world.app.database.row<{ bytes: Buffer }>(everyKind, [
        text,
        bytes,
        12n,
        null,
        list,
        true,
        JSON.stringify({ text }),
      ])
      const { bytes: arrived, ...others } = row!
      expect(others).toEqual({ text, number: 12n, absent: null, list, truth: true, document: { text } })
      // Byte by byte takes a second.
      expect(arrived.equals(bytes)).toBe(true)
    }
    const ask = sql`select $1::text[] as list, array[]::text[] as empty, '{{a,b},{c,d}}'::text[] as nested, '[0:1]={a,b}'::text[] as moved`
    for (const list of [
      ['plain', 'https://two'],
      ['one'],
      ['NULL', 'null', null],
      ['a,b', ' '],
      ['{', '}'],
      ['"', '\\'],
      [''],
    ])
      expect(await world.app.database.row(ask, [list])).toEqual({
        ...{ list, empty: [], moved: ['a', 'b'] },
        nested: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      })
    await world.close()
  })
})

describe('The driver', () => {
  it('has what we use of it beside its types', () => {
    const { connection } = new pg.Client()
    const driver = connection as unknown as DriverConnection

    expect(typeof connection.stream.cork).toBe('function')
    expect(typeof connection.stream.destroy).toBe('function')
    expect(typeof connection.on).toBe('function')
    expect([driver.parsedStatements, driver.submittedNamedStatements]).toEqual([{}, {}])
    for (const name of ['parse', 'sync', 'close'] as const) expect(typeof driver[name]).toBe('function')
    expect(typeof driver.stream.write).toBe('function')
    const { prototype } = pg.Query as unknown as { prototype: Record<string, unknown> }
    const ours = new Set(['constructor', 'write', 'send'])
    for (const name of Object.getOwnPropertyNames(Query.prototype).filter((name) => !ours.has(name)))
      expect(typeof prototype[name], name).toBe('function')
  })
})
