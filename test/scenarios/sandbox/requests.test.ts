import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unprepared } from '../../../src/database/sql.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

interface Logged {
  readonly debug_id: string
  readonly method: string
  readonly path: string
  readonly operation: string
  readonly status: number
  readonly client_id?: string
  readonly problem?: { readonly name: string; readonly details: { readonly issue: string; readonly field?: string }[] }
  readonly unknown_fields?: string[]
  readonly time: string
  readonly real_time: string
}
interface Whole extends Logged {
  readonly request: { readonly headers: Record<string, string>; readonly body?: string }
  readonly answer: { readonly headers: Record<string, string>; readonly body?: string; readonly bytes: number }
}

const draft = {
  detail: { currency_code: 'USD', note: 'needle in a haystack' },
  items: [{ name: 'Hat', quantity: '1', unit_amount: usd('20.00') }],
}

describe('The request log of a sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const list = async (query: Record<string, string> = {}) => {
    const { status, body, text } = await world.call<{ requests: Logged[]; links: { rel: string; href: string }[] }>(
      'GET',
      '/sandbox/requests',
      undefined,
      { query },
    )
    expect(status, text).toBe(200)
    return body
  }
  const show = async (debugId: string) => (await world.call<Whole>('GET', `/sandbox/requests/${debugId}`)).body
  const idOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['service-debug-id'])

  it('keeps who asked for what, when, what was sent and answered, and why it was refused', async () => {
    const made = await world.merchant.post('/v2/invoicing/invoices', { ...draft, detial: {} })
    const refused = await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'XYZ' } })

    const [last, first] = (await list({ page_size: '2' })).requests
    expect(first).toMatchObject({
      debug_id: idOf(made),
      method: 'POST',
      path: '/v2/invoicing/invoices',
      operation: 'createInvoice',
      status: 201,
      client_id: 'sandbox-merchant',
      unknown_fields: ['unknown field /detial, did you mean detail'],
      time: world.now(),
    })
    expect(last).toMatchObject({ debug_id: idOf(refused), status: refused.status })
    expect(last!.problem!.details.length).toBeGreaterThan(0)
    const whole = await show(idOf(made))
    expect(JSON.parse(whole.request.body!)).toMatchObject({ detail: { note: 'needle in a haystack' } })
    expect(whole.answer).toMatchObject({ body: made.text, bytes: Buffer.byteLength(made.text) })
    expect((await show(idOf(refused))).answer.body).toBe(refused.text)
  })

  it('finds them by status, failure, operation, app and what stands in a body, page by page', async () => {
    await world.call('GET', '/v1/nowhere')

    expect((await list({ operation: 'createInvoice', status: '201' })).requests).toHaveLength(1)
    expect((await list({ failed: 'true' })).requests.every(({ status }) => status >= 400)).toBe(true)
    expect((await list({ failed: 'false' })).requests.every(({ status }) => status < 400)).toBe(true)
    expect((await list({ status: '4xx', operation: 'none' })).requests).toMatchObject([
      { path: '/v1/nowhere', status: 404 },
    ])
    expect((await list({ text: 'NEEDLE in' })).requests).toHaveLength(1)
    expect((await list({ text: '100%' })).requests).toEqual([])
    expect((await list({ app: 'sandbox-buyer' })).requests).toEqual([])
    const page = await list({ page_size: '1', app: 'sandbox-merchant' })
    const next = new URL(page.links.find(({ rel }) => rel === 'next')!.href)
    const second = await list(Object.fromEntries(next.searchParams))
    expect(second.requests[0]!.debug_id).not.toBe(page.requests[0]!.debug_id)
    for (const query of [{ status: 'abc' }, { page_token: 'x' }])
      expect((await world.call('GET', '/sandbox/requests', undefined, { query })).status).toBe(400)
    expect((await world.call('GET', '/sandbox/requests/none')).status).toBe(404)
  })

  it('looks for a text in so many at a time, and goes on from there', async () => {
    const newestBefore = await world.app.database.row<{ number: bigint }>(
      unprepared('select max(number) as number from request_log'),
    )
    await world.app.database.rows(
      unprepared(
        `insert into request_log (number, debug_id, operation, method, path, status, request_body, details, create_time, real_time)
         select $1 + n, 'far' || n, 'none', 'GET', '/far', 404, case when n = 1 then 'a far needle' end,
           '{"ms":1,"request":{"headers":{},"bytes":1},"answer":{"headers":{},"bytes":1}}', $2, $2
         from generate_series(1, 3001) as n`,
      ),
      [newestBefore!.number, world.now()],
    )
    const newest = await list({ text: 'far needle' })
    expect(newest.requests).toEqual([])
    const { searchParams } = new URL(newest.links.find(({ rel }) => rel === 'next')!.href)
    const older = await list(Object.fromEntries(searchParams))
    expect(older.requests).toMatchObject([{ debug_id: 'far1' }])
    expect(older.links.map(({ rel }) => rel)).toEqual(['self'])

    const page = (query: string) => world.call('GET', `/console/requests?${query}`)
    const [, further] = /href="([^"]+)">Look further back/.exec((await page('q=far+needle')).text)!
    expect((await page(further!.split('?')[1]!.replaceAll('&amp;', '&'))).text).toContain('/console/requests/far1')
    await world.app.database.rows(unprepared(`delete from request_log where path = '/far'`))
  })

  it('holds no secret, whatever brought it', async () => {
    const token = await world.tokenFor('sandbox-merchant')
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sandbox-merchant',
      client_secret: 'sandbox-merchant-secret',
    })
    await world.call('POST', '/v1/oauth2/token', form.toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: 'session=oatmeal' },
    })
    const hook = { url: 'http://127.0.0.1:4000/hook', event_types: [{ name: '*' }] }
    const made = await world.merchant.post<{ id: string; signing_secret?: string }>('/v1/notifications/webhooks', hook)
    expect(made.status, made.text).toBe(201)
    await world.call('GET', `/v1/nowhere?access_token=${token}`)
    await list()

    const stored = await world.app.database.rows<{ row: string }>(
      unprepared('select request_log::text as row from request_log'),
    )
    const text = stored.map(({ row }) => row).join('\n')
    expect(text).toContain('grant_type=client_credentials')
    expect(text).toContain('Bearer ***')
    for (const secret of [
      token,
      'sandbox-merchant-secret',
      'oatmeal',
      made.body.signing_secret ?? token,
      Buffer.from('sandbox-merchant:').toString('base64').slice(0, 20),
    ])
      expect(text).not.toContain(secret)
    const asked = (await list({ operation: 'createToken' })).requests
    expect(asked.every(({ client_id }) => client_id === 'sandbox-merchant' || client_id === undefined)).toBe(true)
  })

  it('keeps the beginning of long bodies, and takes what the database cannot hold', async () => {
    const long = await world.merchant.post('/v2/invoicing/invoices', {
      detail: { note: `\u0000\ud800 ${'x'.repeat(80_000)}` },
    })

    const whole = await show(idOf(long))
    expect(whole.request.body!.length).toBe(65_537)
    const wide = await world.merchant.post('/v2/invoicing/invoices', { detail: { note: 'é'.repeat(60_000) } })
    expect((await show(idOf(wide))).request.body!.slice(-2)).toBe('é…')
    const odd = await world.merchant.post('/v2/invoicing/invoices', Buffer.from('{"\u0000": "\\u0000", "b": "\xff'), {
      headers: { 'content-type': 'application/json' },
    })
    expect((await show(idOf(odd))).status).toBe(400)
  })

  it('does not show who looks at it, and forgets with a reset', async () => {
    await list()
    await world.call('GET', '/sandbox/clock')
    const { requests } = await list()
    expect(requests.map(({ operation }) => operation)).not.toContain('listSandboxRequests')
    expect(requests.map(({ operation }) => operation)).not.toContain('showClock')

    await world.call('POST', '/sandbox/reset')
    expect((await list()).requests.map(({ operation }) => operation)).toEqual(['resetSandbox'])
  })
})
