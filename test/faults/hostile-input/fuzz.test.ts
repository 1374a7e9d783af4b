import { setImmediate } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyRoute } from '../../../src/http/route.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { Dice, damage, hostileTexts, valueFor } from '../../support/fuzz.ts'
import { listen, paperServer } from '../../support/paper-server.ts'
import { times } from '../../support/size.ts'
import { newWorld, type Person, type World } from '../../support/world.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_302)
const runs = Number(process.env['FUZZ_RUNS'] ?? times(400, 10_000))
const atOnce = 10

interface Payload {
  readonly type: string
  readonly bytes: Buffer
}

const wellFormed = (text: unknown): string => String(text).replace(/\p{Surrogate}/gu, '?')

function jsonFor(schema: unknown, dice: Dice, known: readonly string[]): Payload {
  const bytes = Buffer.from(JSON.stringify(valueFor(schema as Record<string, unknown>, dice, known)))
  return { type: 'application/json', bytes: dice.luck(20) ? damage(bytes, dice) : bytes }
}

function formFor(schema: unknown, dice: Dice, known: readonly string[]): Payload {
  const fields = Object.entries(Object(valueFor(schema as Record<string, unknown>, dice, known)) as object)
  const text = fields.map(
    ([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`,
  )
  const bytes = Buffer.from(text.join('&'))
  return { type: 'application/x-www-form-urlencoded', bytes: dice.luck(10) ? damage(bytes, dice) : bytes }
}

const partHeaders: readonly string[] = [
  'Content-Disposition: form-data; name="input"',
  'Content-Disposition: form-data; name="supporting document"; filename="a.pdf"',
  'Content-Disposition: form-data; name="evidence-file"; filename="b.png"',
  'Content-Disposition: form-data; name=f; filename=',
  "Content-Disposition: attachment; filename*=UTF-8''%e2%82%ac.pdf",
  'Content-Type: application/json',
  'Content-Type: application/pdf',
  'Content-Type: multipart/mixed; boundary=b',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: quoted-printable',
  'X: y',
]

function multipartFor(schema: unknown, dice: Dice, known: readonly string[]): Payload {
  const parts = Array.from({ length: dice.luck(200) ? 200 : dice.roll(5) }, (_, n) => {
    const isInput = n === 0 && !dice.luck(4)
    const headers = isInput
      ? partHeaders.slice(0, 1)
      : Array.from({ length: dice.roll(4) }, () => dice.pick(partHeaders))
    const content = isInput
      ? jsonFor(schema, dice, known).bytes
      : Buffer.alloc(dice.luck(20) ? 70_000 : dice.roll(300), dice.roll(256))
    return Buffer.concat([
      Buffer.from(`--b\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
      content,
      Buffer.from('\r\n'),
    ])
  })
  const bytes = Buffer.concat([...parts, Buffer.from('--b--\r\n')])
  const type = dice.luck(15)
    ? dice.pick([
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/mixed; boundary=c',
        'multipart/x; boundary=b;;',
      ])
    : `multipart/${dice.pick(['form-data', 'mixed', 'related'])}; boundary=b`
  return { type, bytes: dice.luck(3) ? damage(bytes, dice) : bytes }
}

function makerFor({ accepts = ['application/json'] }: AnyRoute, dice: Dice) {
  const wanted = dice.pick(accepts)
  return wanted === 'multipart' ? multipartFor : wanted === 'application/json' ? jsonFor : formFor
}

describe('thousands of almost right requests', () => {
  let world: World
  let callers: readonly Person[]
  /** Ids and the like from answers, so that requests also meet things that exist. */
  const known: string[] = []
  /** The same by the address they are found under. */
  const idsOf = new Map<string, string[]>()

  beforeAll(async () => {
    world = await newWorld()
    callers = [world.merchant, world.merchant, world.merchant, world.buyer, world.partner, world.otherMerchant]
  })
  afterAll(() => world.close())

  /** Operations that take something; not those that move time, empty the sandbox, sign everybody out, ask for failures or wait. */
  const isWorthIt = ({ url, params, query, body }: AnyRoute) =>
    !['/sandbox/reset', '/sandbox/clock', '/sandbox/tokens/expire', '/sandbox/faults', '/console/live'].includes(url) &&
    (params ?? query ?? body) !== undefined

  async function attempt(route: AnyRoute, dice: Dice) {
    const segment = (collection: string): string => {
      if (dice.luck(12)) return dice.pick(hostileTexts)
      const ids = dice.luck(10) ? known : (idsOf.get(collection) ?? known)
      // Mostly the latest, so that the same thing goes through several operations.
      return ids.at(-1 - dice.roll(dice.luck(3) ? Math.max(ids.length, 1) : 4)) ?? 'X'
    }
    let path = ''
    for (const piece of route.url.split('/').slice(1))
      path += `/${piece.startsWith(':') ? encodeURIComponent(wellFormed(segment(path).slice(0, 1000))) || 'X' : piece}`
    const query = route.query === undefined ? {} : valueFor(route.query as never, dice, known)
    const search = Object.entries(Object(query) as object)
      .map(
        ([name, value]) =>
          `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value).slice(0, 2000))}`,
      )
      .join('&')
    const payload = route.body === undefined ? undefined : makerFor(route, dice)(route.body, dice, known)
    const headers = {
      ...(payload !== undefined && { 'content-type': payload.type }),
      ...(dice.luck(10) && { 'service-request-id': `key-${dice.roll(50)}` }),
    }
    const answer = await dice
      .pick(callers)
      .send<unknown>(route.method, search === '' ? path : `${path}?${search}`, payload?.bytes, { headers })
    return { answer, sent: `${route.method} ${path}?${search} ${payload?.bytes.toString().slice(0, 2000)}` }
  }

  /** Something right now and then, for the rest to be wrong about. */
  async function newThings(n: number): Promise<void> {
    const amount = { currency_code: 'USD', value: '20.00' }
    const disputed = [{ buyer_transaction_id: `FUZZPAYMENT${n}` }]
    const reason = n % 20 === 0 ? 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' : 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'
    const opened = { disputed_transactions: disputed, reason, dispute_amount: amount }
    remember((await world.buyer.post('/v1/customer/disputes', opened)).body)
    const items = [{ name: 'Lamp', quantity: '2', unit_amount: amount }]
    const made = await world.merchant.post<{ id: string }>(
      '/v2/invoicing/invoices',
      { detail: { currency_code: 'USD' }, items },
      { headers: { prefer: 'return=representation' } },
    )
    await world.merchant.post(`/v2/invoicing/invoices/${made.body.id}/send`, {})
    remember(made.body)
  }

  it('are answered, and never with a failure of ours', async () => {
    const routes = describedRoutes(world.app.service).filter(isWorthIt)
    const dice = new Dice(seed)
    const statuses = new Map<number, number>()
    const failures: string[] = []

    for (let done = 0; done < runs / 2; done += atOnce) {
      if (done % (10 * atOnce) === 0) await newThings(done / 10)
      const batch = Array.from({ length: atOnce }, (_, n) => routes[(done + n) % routes.length]!)
      for (const { answer, sent } of await Promise.all(batch.map((route) => attempt(route, dice)))) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status >= 500) failures.push(`${answer.status} ${answer.text.slice(0, 300)} to ${sent}`)
        if (answer.status < 300) remember(answer.body)
      }
      // Refusals alone would never let timers run.
      await setImmediate()
    }

    expect(failures.slice(0, 5), `seed ${seed}`).toEqual([])
    expect(statuses.get(400)).toBeGreaterThan(runs / 20)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  function remember(body: unknown): void {
    const text = JSON.stringify(body ?? '')
    for (const [, id] of text.matchAll(/"(?:\w+_)?id":"([^"]{1,100})"/g)) if (known.length < 500) known.push(id!)
    for (const [, path] of text.matchAll(/"href":"https?:\/\/[^/"]+(\/[^"?]+)"/g)) {
      const pieces = path!.split('/')
      for (let n = 2; n < pieces.length; n++) {
        const collection = pieces.slice(0, n).join('/')
        const ids = idsOf.get(collection) ?? []
        if (/\d/.test(pieces[n]!) && !ids.includes(pieces[n]!)) idsOf.set(collection, [...ids, pieces[n]!].slice(-50))
      }
    }
  }
})

describe('thousands of multipart and JSON bodies over real connections', () => {
  it('are taken or refused, and memory comes back', async () => {
    const server = paperServer()
    const pool = new Pool(`http://127.0.0.1:${await listen(server)}`, { connections: atOnce })
    const dice = new Dice(seed)
    const schema = { type: 'object', properties: { note: { type: 'string' } } }
    const statuses = new Map<number, number>()
    const before = process.memoryUsage().rss

    for (let done = 0; done < runs; done += atOnce) {
      const batch = Array.from({ length: atOnce }, () => (dice.luck(4) ? jsonFor : multipartFor)(schema, dice, []))
      const answers = batch.map(async ({ type, bytes }) => {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/papers',
          headers: { 'content-type': type },
          body: bytes,
        })
        await body.dump()
        return statusCode
      })
      for (const status of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const grown = process.memoryUsage().rss - before
    await pool.close()
    await server.close()

    expect(
      [...statuses.keys()].every((status) => [200, 400, 413, 415].includes(status)),
      JSON.stringify([...statuses]),
    ).toBe(true)
    expect(statuses.get(200)).toBeGreaterThan(runs / 10)
    expect(statuses.get(400)).toBeGreaterThan(runs / 10)
    expect(grown).toBeLessThan(200 * 1024 * 1024)
  })
})
