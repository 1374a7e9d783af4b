import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, over, type Refusal, type Seen } from '../../support/shop.ts'
import { basic, newWorld, type World } from '../../support/world.ts'
import { DISPUTES, open } from '../disputes/people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('Prefer', () => {
  const isWhole = async (prefer: string) => {
    const { status, body } = await world.merchant.post<Partial<Seen>>(INVOICES, over('1.00'), { headers: { prefer } })
    expect(status).toBe(201)
    return body.amount !== undefined
  }

  it.each([
    'return=representation',
    'return="representation"',
    'Return=Representation',
    'return = representation',
    'return=representation; foo=bar',
    'return=representation;foo="a, return=minimal; b"; bar',
    'respond-async, wait=10, return=representation',
    'handling="strict, return=minimal", return=representation',
    ', return=representation,',
    'return=representation, return=minimal',
  ])('asks for the whole document: %s', async (prefer) => {
    expect(await isWhole(prefer)).toBe(true)
  })

  it.each([
    'return=minimal',
    'return="minimal"',
    'return=minimal, return=representation',
    'handling="x, return=representation"',
    'foo; return=representation',
    'return',
    'return="representation',
  ])('asks for no more than a link: %s', async (prefer) => {
    expect(await isWhole(prefer)).toBe(false)
  })

  it('is not looked at where it is longer than any', async () => {
    expect(await isWhole(`${'a, '.repeat(400)}return=representation`)).toBe(false)
  })

  it.each(['respond-async', 'respond-async=""', 'Respond-Async; wait=10', 'wait=10, respond-async'])(
    'asks not to be waited for: %s',
    async (prefer) => {
      const id = await open(world.buyer)
      const entry = { op: 'add', path: '/communication_details', value: { note: 'Call us.' } }

      const answer = await world.merchant.patch(`${DISPUTES}/${id}`, [entry], { headers: { prefer } })

      expect(answer.status, answer.text).toBe(202)
    },
  )
})

describe('A body', () => {
  const sent = (type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    world.merchant.post<Refusal & { id: string }>(INVOICES, body, { headers: { 'content-type': type, ...headers } })
  const written = JSON.stringify(over('1.00', {}, { note: 'Caf\u00e9' }))
  const plain = JSON.stringify(over('1.00'))
  const count = async () =>
    (await world.merchant.get<{ total_items: number }>(`${INVOICES}?total_required=true`)).body.total_items

  it('in another charset than UTF-8 is refused with what would work, and changes nothing', async () => {
    const before = await count()
    const utf16 = Buffer.from(plain, 'utf16le')
    for (const [charset, body] of [
      ['utf-16', utf16],
      ['UTF-16LE', utf16],
      ['"utf-16"', plain],
      ['ebcdic', plain],
      ['iso-8859-1', Buffer.from(written, 'latin1')],
      ['iso-8859-1', written],
    ] as const) {
      const { status, body: refusal } = await sent(`application/json; charset=${charset}`, body)
      expect([charset, status, refusal.details![0]!.issue]).toEqual([charset, 415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(refusal.details![0]!.description).toContain('UTF-8')
    }
    expect(await count()).toBe(before)
  })

  it('is read in UTF-8 under its names, and in ASCII under those of whatever is the same as far as that goes', async () => {
    for (const charset of ['utf-8', 'UTF8', '"Utf-8"'])
      expect([charset, (await sent(`application/json;charset=${charset}`, written)).status]).toEqual([charset, 201])
    for (const charset of ['us-ascii', 'ISO-8859-1', 'windows-1252'])
      expect([charset, (await sent(`application/json;charset=${charset}`, plain)).status]).toEqual([charset, 201])
  })

  it('of a form too, as Java sends it', async () => {
    const asked = async (charset: string) => {
      const type = `application/x-www-form-urlencoded; charset=${charset}`
      const headers = { authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'), 'content-type': type }
      return (await world.call('POST', '/v1/oauth2/token', 'grant_type=client_credentials', { headers })).status
    }

    expect([await asked('ISO-8859-1'), await asked('UTF-8'), await asked('utf-16')]).toEqual([200, 200, 415])
  })

  it('in several parts is refused where it, or the part with the JSON, is in another charset', async () => {
    const id = await open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
    const provided = async (type: string, ofPart: string) => {
      const disposition = 'Content-Disposition: form-data; name="input"'
      const json = JSON.stringify({ evidences: [{ evidence_type: 'OTHER', notes: 'Right.' }] })
      const body = `--b\r\n${disposition}\r\nContent-Type: application/json${ofPart}\r\n\r\n${json}\r\n--b--\r\n`
      const headers = { 'content-type': `multipart/form-data${type}; boundary=b` }
      return world.merchant.post<Refusal>(`${DISPUTES}/${id}/provide-evidence`, body, { headers })
    }

    for (const refused of [await provided('; charset=utf-16', ''), await provided('', '; charset=utf-16')]) {
      expect([refused.status, refused.body.details![0]!.issue]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(refused.body.details![0]!.description).toContain('UTF-8')
    }
    expect((await provided('; charset=utf-8', '; charset=UTF-8')).status).toBe(200)
  })

  it('that is packed in no way may say so in any case', async () => {
    expect((await sent('application/json', plain, { 'content-encoding': 'Identity' })).status).toBe(201)
    expect((await sent('application/json', plain, { 'content-encoding': 'gzip' })).status).toBe(415)
  })
})

describe('Credentials', () => {
  it('may stand behind more than one blank', async () => {
    const authorization = basic('sandbox-merchant', 'sandbox-merchant-secret').replace(' ', '   ')
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }

    expect((await world.call('POST', '/v1/oauth2/token', 'grant_type=client_credentials', { headers })).status).toBe(
      200,
    )
  })
})

describe('A request id', () => {
  it('is that of the header which has one, where another is empty', async () => {
    const headers = { 'service-request-id': '', 'idempotency-key': 'the one that counts' }
    const made = async () => (await world.merchant.post<{ id: string }>(INVOICES, over('1.00'), { headers })).body.id

    expect(await made()).toBe(await made())
  })
})
