import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../support/command.ts'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { instructionsOf, type Piece, piecesOf, textOf } from '../../support/pdf.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

/** Draws the squares of a PDF on a raster and reads the QR code they make. */
function qrTextOf(pdf: Buffer): string | undefined {
  const squares = [...instructionsOf(pdf).matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\b/g)].map((match) =>
    match.slice(1).map(Number),
  ) as [number, number, number, number][]
  const left = Math.min(...squares.map(([x]) => x)) - 20
  const top = Math.min(...squares.map(([, y]) => y)) - 20
  const SCALE = 4
  const side = 120 * SCALE
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [x, y, width, height] of squares)
    for (let row = Math.round((y - top) * SCALE); row < Math.round((y - top + height) * SCALE); row++)
      for (let column = Math.round((x - left) * SCALE); column < Math.round((x - left + width) * SCALE); column++)
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
  // The package has one function, and types that hide it from this kind of import.
  const decode = createRequire(import.meta.url)('jsqr') as (
    data: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { data: string } | null
  return decode(data, side, side)?.data
}

const pdfOf = async (path: string, query: Record<string, string> = {}) => {
  const response = await world.app.server.inject({ url: `${path}/pdf`, query })
  return { ...response, pdf: response.rawPayload, headers: response.headers }
}

describe('The PDF of an invoice', () => {
  it('is in the source of the mail that brings it', async () => {
    const { path } = await sentInvoice(world)
    await world.settle()
    const [mail] = (await world.call<{ mails: { id: string }[] }>('GET', '/sandbox/mail')).body.mails

    const { text } = await world.call('GET', `/sandbox/mail/${mail!.id}/source`)

    const [, encoded] = /Content-Type: application\/pdf; name=invoice-0001\.pdf\r\n.*?\r\n\r\n([\w+/=\r\n]+)/s.exec(
      text,
    )!
    expect(Buffer.from(encoded!, 'base64')).toEqual((await pdfOf(path)).pdf)
  })

  it('opens like a document and carries a QR code that says the address of the page', async () => {
    const { path } = await sentInvoice(world)

    const { statusCode, headers, pdf } = await pdfOf(path)

    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/pdf')
    expect(headers['content-disposition']).toBe('inline; filename="invoice-0002.pdf"')
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pdf.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true)
    expect(qrTextOf(pdf)).toBe(`${PUBLIC_URL}${path}`)
  })

  it('is set in every language, over as many pages as it needs', async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({
      name: `品目 ${i} Ünïcödé Ж Ω`,
      description: 'word '.repeat(30),
      quantity: '1',
      unit_amount: { currency_code: 'USD', value: '1.00' },
    }))
    const { path } = await sentInvoice(world, { items, amount: undefined })

    for (const lang of ['en', 'de', 'fr', 'es', 'ja']) {
      const { statusCode, pdf } = await pdfOf(path, { lang })
      expect(statusCode).toBe(200)
      expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(2)
    }
  })

  it('sets no figures over others, and no label over figures', async () => {
    const money = (value: string) => ({ currency_code: 'CLF', value })
    const tax = { name: 'M'.repeat(100), percent: '7.25' }
    const { path } = await sentInvoice(
      world,
      {
        items: [{ name: 'All of it', quantity: '1000000', unit_amount: money('1000000'), tax }],
        amount: { breakdown: { custom: { label: 'M'.repeat(50), amount: money('1000000') } } },
      },
      { currency_code: 'CLF' },
    )

    const pieces = piecesOf((await pdfOf(path)).pdf)

    // Figures have one width and M is wider; what else there is, as points and commas, only makes a piece longer.
    const leastEnd = ({ text, x, size }: Piece) => x + text.replace(/[^\dM]/g, '').length * 0.6 * size
    const over = pieces.flatMap((one) =>
      pieces
        .filter((next) => Math.abs(next.y - one.y) < 3 && next.x > one.x && next.x < leastEnd(one))
        .map((next) => `${next.text} over ${one.text}`),
    )
    expect(over).toEqual([])
    const [due] = pieces.filter(({ text }) => text === 'Amount due')
    const [amount] = pieces.filter(({ text, size }) => size === due!.size && text.startsWith('CLF'))
    expect(amount!.y).toBeLessThan(due!.y - 5)
    expect(pieces.filter((one) => leastEnd(one) > 556)).toEqual([])
  })

  it('does not exist for a code nobody has', async () => {
    expect((await pdfOf('/invoice/p/AAAABBBBCCCCDDDD')).statusCode).toBe(404)
  })

  it('keeps apart what a tab parts', async () => {
    const { path } = await sentInvoice(world, {}, { note: 'Bread\tand butter' })

    expect(textOf((await pdfOf(path)).pdf)).toContain('Bread and butter')
  })

  it('names the address of the merchant as it is now', async () => {
    const { path } = await sentInvoice(world, { invoicer: { business_name: 'Example Studio' } })
    expect(textOf((await pdfOf(path)).pdf)).toContain('merchant@example.com')

    const words = ['accounts', 'update', world.people.merchant.id, '--email', 'new-address@example.com']
    expect(await run(words, { DATABASE_URL: world.databaseUrl })).toMatchObject({ code: 0 })
    expect(textOf((await pdfOf(path)).pdf)).toContain('new-address@example.com')
  })
})
