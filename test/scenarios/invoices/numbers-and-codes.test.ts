import { inflateSync } from 'node:zlib'
import jsQR from 'jsqr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { newLiveWorld } from '../../support/live.ts'
import { findingsOf, INVOICES, type Listed, over, type Refusal, type Seen, shopOf } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

/** Reads a greyscale PNG of one bit a pixel without interlacing, which is what we draw. */
function readPng(png: Buffer): { width: number; height: number; data: Uint8ClampedArray } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const length = png.readUInt32BE(33)
  const rows = inflateSync(png.subarray(41, 41 + length))
  const stride = 1 + Math.ceil(width / 8)
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = (rows[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1
      data.fill(light * 255, (y * width + x) * 4, (y * width + x) * 4 + 3)
      data[(y * width + x) * 4 + 3] = 255
    }
  return { width, height, data }
}

describe('The QR code of an invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  const drawing = (id: string, body?: object, headers: Record<string, string> = {}) =>
    world.merchant.post<Refusal & { image: string }>(shop.path(id, '/generate-qr-code'), body, { headers })
  const decode = (image: string) => {
    const { width, height, data } = readPng(Buffer.from(image, 'base64'))
    const decode = jsQR as unknown as (
      data: Uint8ClampedArray,
      width: number,
      height: number,
    ) => { data: string } | null
    return { width, height, text: decode(data, width, height)?.data }
  }

  it('is a form with one part in Base64', async () => {
    const { id, detail } = await shop.sends()

    const { status, headers, text } = await drawing(id)

    expect(status).toBe(200)
    const boundary = /^multipart\/form-data; boundary=([0-9a-f-]{36})$/.exec(String(headers['content-type']))![1]!
    const [head, part, end] = text.split(`--${boundary}`)
    expect([head, end]).toEqual(['', '--\r\n'])
    expect(part).toMatch(
      /^\r\nContent-Disposition: form-data; name="image"\r\nContent-Type: application\/octet-stream\r\n\r\n[A-Za-z0-9+/=]+\r\n$/,
    )
    expect(decode(part!.split('\r\n\r\n')[1]!.trim())).toEqual({
      width: 500,
      height: 500,
      text: detail.metadata['recipient_view_url'],
    })
  })

  it('is JSON or the picture itself for those who ask', async () => {
    const { id, detail } = await shop.sends()

    const json = await drawing(id, { width: 300, height: 150, action: 'DETAILS' }, { accept: 'application/json' })
    expect(decode(json.body.image)).toEqual({ width: 300, height: 150, text: detail.metadata['invoicer_view_url'] })

    const picture = await drawing(id, {}, { accept: 'image/png' })
    expect(picture.headers['content-type']).toBe('image/png')
    expect(picture.text.slice(1, 4)).toBe('PNG')
  })

  it('has a size and a purpose', async () => {
    const { id } = await shop.sends()

    expect(findingsOf((await drawing(id, { width: 100, height: 501 })).body)).toEqual([
      'INVALID_INTEGER_MIN_VALUE /width',
      'INVALID_INTEGER_MAX_VALUE /height',
    ])
    expect(findingsOf((await drawing(id, { action: 'print' })).body)).toEqual(['INVALID_PARAMETER_SYNTAX /action'])
    expect((await drawing(id, {}, { accept: 'text/html' })).status).toBe(406)
  })
})

describe('Invoice numbers', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  const NEXT = '/v2/invoicing/generate-next-invoice-number'
  const next = async () => (await world.merchant.post<{ invoice_number: string }>(NEXT)).body.invoice_number
  const numbered = (invoice_number: string) => shop.drafts(over('1.00', {}, { invoice_number }))

  it('begin with 0001, count on from the newest and skip what is taken', async () => {
    expect(await next()).toBe('0001')
    expect(await next()).toBe('0001')
    expect((await shop.drafts()).detail.invoice_number).toBe('0001')
    expect((await shop.drafts()).detail.invoice_number).toBe('0002')

    await numbered('inv-0010')
    await numbered('INV-0009')
    expect(await next()).toBe('INV-0011')
    expect((await shop.drafts()).detail.invoice_number).toBe('INV-0011')
  })

  it('count on from the newest as it is spelt now', async () => {
    const other = shopOf(world, world.otherMerchant)
    await other.drafts(over('1.00', {}, { invoice_number: 'spelt-0001' }))
    const { id, detail, ...invoice } = await other.drafts()
    expect(detail.invoice_number).toBe('spelt-0002')

    const respelt = { ...invoice, detail: { ...detail, invoice_number: 'SPELT-0002' } }
    const { status, text } = await world.otherMerchant.put(other.path(id), respelt)

    expect(status, text).toBe(200)
    expect((await other.sees(id)).detail.invoice_number).toBe('SPELT-0002')
    expect((await other.drafts()).detail.invoice_number).toBe('SPELT-0003')
    expect((await other.drafts()).detail.invoice_number).toBe('SPELT-0004')
  })

  it('of a deleted invoice are free at once', async () => {
    const { id } = await numbered('DEL-41')
    expect(await next()).toBe('DEL-42')

    await world.merchant.delete(shop.path(id))

    expect(await next()).not.toBe('DEL-42')
    expect((await numbered('DEL-41')).detail.invoice_number).toBe('DEL-41')
  })

  it('follow the pattern of the newest invoice', async () => {
    // biome-ignore format: a table reads best as a table
    for (const [last, following] of [['#12-A', '#13-A'], ['2026-INV00012', '2026-INV00013'], ['X', 'X-1'], ['K-9', 'K-10'], ['9'.repeat(25), '0003']]) {
      await numbered(last!)
      expect(await next()).toBe(following)
    }
  })

  it('are cut between characters where there is no room to count on', async () => {
    await numbered(`${'A'.repeat(22)}😀!!`)

    const following = await next()
    expect(following).toBe(`${'A'.repeat(22)}😀-1`)
    expect((await shop.drafts()).detail.invoice_number).toBe(following)
    expect(
      (
        await world.merchant.put(
          shop.path((await numbered('T')).id),
          over('1.00', {}, { invoice_number: `${'A'.repeat(22)}😀-2` }),
        )
      ).status,
    ).toBe(200)
  })

  it('can be asked for at the older address, and with an id instead', async () => {
    const older = await world.merchant.post<{ invoice_number: string }>(`${INVOICES}/generate-next-invoice-number`, {})
    const id = await world.merchant.post<{ invoice_id: string }>(NEXT, { fetch_id: true })

    expect(older.body.invoice_number).toBe(await next())
    expect(id.body.invoice_id).toMatch(/^INV2(-[2-9A-HJ-NP-Z]{4}){4}$/)
  })
})

describe('Trigger values of the sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const id = (number: number) => `${INVOICES}/INV2-ABCD-1234-EINV-${String(number).padStart(4, '0')}`
  const record = (number: number) => `EXT-ABCDEFGHERRINV${String(number).padStart(3, '0')}`
  const cash = { method: 'CASH' }
  const any = `${INVOICES}/INV2-AAAA-AAAA-AAAA-AAAA`

  // biome-ignore format: a table reads best as a table
  const series: readonly (readonly [what: string, first: number, (world: Pick<World, 'merchant'>, number: number) => Promise<{ status: number }>, statuses: number[]])[] = [
    ['create', 1, ({ merchant }, n) => merchant.post(INVOICES, over('1.00', {}, { reference: `ERRINV00${n}` })), [500, 403, 415, 400, 400, 400]],
    ['show', 7, ({ merchant }, n) => merchant.get(id(n)), [500, 403, 401, 404]],
    ['send', 11, ({ merchant }, n) => merchant.post(`${id(n)}/send`), [500, 403, 401, 404, 422, 200]],
    ['send again', 30, ({ merchant }, n) => merchant.post(`${id(n)}/send`), [422]],
    ['remind', 17, ({ merchant }, n) => merchant.post(`${id(n)}/remind`), [500, 403, 401, 404, 422, 422, 204]],
    ['cancel', 24, ({ merchant }, n) => merchant.post(`${id(n)}/cancel`), [500, 403, 401, 404, 422, 204]],
    ['record payment', 31, ({ merchant }, n) => merchant.post(`${id(n)}/payments`, cash), [500, 403, 401, 404, 422, 422, 200]],
    ['delete payment', 38, ({ merchant }, n) => merchant.delete(`${any}/payments/${record(n)}`), [500, 403, 401, 404, 204]],
    ['record refund', 43, ({ merchant }, n) => merchant.post(`${id(n)}/refunds`, cash), [500, 403, 401, 404, 422, 422, 200]],
    ['delete refund', 50, ({ merchant }, n) => merchant.delete(`${any}/refunds/${record(n)}`), [500, 403, 401, 404, 204]],
    ['delete', 55, ({ merchant }, n) => merchant.delete(id(n)), [500, 403, 401, 404, 204]],
    ['update', 60, ({ merchant }, n) => merchant.put(id(n), over('1.00')), [500, 403, 415, 400, 400, 400]],
  ]
  for (const [what, first, call, statuses] of series)
    it(`${what}: from ${first} on they answer ${statuses.join(', ')}`, async () => {
      const answers: number[] = []
      for (const [i] of statuses.entries()) answers.push((await call(world, first + i)).status)

      expect(answers).toEqual(statuses)
      expect((await world.merchant.get<{ items: object[] }>(INVOICES)).body.items).toEqual([])
    })

  it('mean nothing elsewhere: another case, another operation, another number', async () => {
    expect((await world.merchant.post(INVOICES, over('1.00', {}, { reference: 'errinv001' }))).status).toBe(201)
    expect((await world.merchant.post(`${id(7)}/send`)).status).toBe(404)
    expect((await world.merchant.get(id(99))).status).toBe(404)
  })

  it('are ordinary values in live: kept where they are words, and nobody’s where they are ids', async () => {
    const live = await newLiveWorld()
    const merchant = await live.personWithApp(live.people.merchant.id, defaultScopes('BUSINESS', ['invoicing']))
    for (const [what, first, call, statuses] of series)
      for (const [i] of statuses.entries())
        expect((await call({ merchant }, first + i)).status, `${what} ${first + i}`).toBe(what === 'create' ? 201 : 404)

    const { items } = (await merchant.get<Listed>(INVOICES)).body
    expect(items.map(({ detail }) => detail.reference).sort()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `ERRINV00${n}`))
    const [{ id: draft }] = items as [Seen]
    await merchant.post(`${INVOICES}/${draft}/send`, {})
    for (const path of [`payments/${record(42)}`, `refunds/${record(54)}`])
      expect((await merchant.delete(`${INVOICES}/${draft}/${path}`)).status).toBe(404)
    await live.close()
  })
})
