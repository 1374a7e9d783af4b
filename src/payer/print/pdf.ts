import type PDFDocument from 'pdfkit'
import type { Instant } from '../../kernel/clock.ts'
import type { LogoImage } from '../logo/image.ts'
import { qrModules } from '../sheet/qr.ts'
import type { Sheet } from '../sheet/sheet.ts'
import { columnOf, SUMS, sumOf } from './pdf-sums.ts'
import { BODY, hair, ink, LEAD, type LineStyle, SMALL, soft, Typesetter } from './pdf-type.ts'

const MARGIN = 56
const FOOT = 40
const POINTS_PER_PIXEL = 0.75
const LOGO_WIDTH = 144
const LOGO_HEIGHT = 54

/** An invoice on paper, like its page: the same sheet, the same family, and the code that opens the page. */
export async function invoicePdf(
  sheet: Sheet,
  { address, now, logo }: { address: string; now: Instant; logo?: LogoImage | undefined },
): Promise<Buffer> {
  const { say, locale } = sheet
  // Loaded with the first PDF, because it is large and a service can start without it.
  const { default: Document } = await import('pdfkit')
  const doc = new Document({
    size: locale.tag === 'en-US' ? 'LETTER' : 'A4',
    margin: 0,
    bufferPages: true,
    info: {
      Title: clean(say('invoiceNumber', { number: sheet.number })),
      Author: clean(sheet.seller),
      Producer: 'Quittance',
      Creator: 'Quittance',
      CreationDate: new Date(now),
    },
    lang: locale.language,
  })
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  new Page(doc, sheet, { address, logo }).set()
  doc.end()
  return done
}

/** Drops control characters and marks that reverse the reading direction, which cannot be printed. A tab becomes a space. */
const clean = (text: string) =>
  text
    .replaceAll('\t', ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
    .replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')

/** Moves down the sheet, and on to a new one when there is no room. */
class Page {
  readonly #doc: InstanceType<typeof PDFDocument>
  readonly #type: Typesetter
  readonly #sheet: Sheet
  readonly #address: string
  readonly #logo: LogoImage | undefined
  readonly #left = MARGIN
  readonly #right: number
  readonly #bottom: number
  #y = MARGIN

  constructor(
    doc: InstanceType<typeof PDFDocument>,
    sheet: Sheet,
    { address, logo }: { address: string; logo: LogoImage | undefined },
  ) {
    this.#doc = doc
    this.#sheet = sheet
    this.#address = address
    this.#logo = logo
    this.#type = new Typesetter(doc)
    this.#right = doc.page.width - MARGIN
    this.#bottom = doc.page.height - FOOT - 22
  }

  set(): void {
    this.#head()
    this.#parties()
    this.#items()
    this.#sums()
    this.#history()
    this.#words()
    this.#feet()
  }

  #line(text: string, x: number, y: number, style: LineStyle): void {
    this.#type.line(clean(text), x, y, style)
  }

  #rule(y: number, { width = 0.5, color = hair, from = this.#left } = {}): void {
    this.#doc.moveTo(from, y).lineTo(this.#right, y).lineWidth(width).strokeColor(color).stroke()
  }

  /** Makes sure that the next `height` points fit on one sheet. */
  #room(height: number): void {
    if (this.#y + height <= this.#bottom) return
    this.#doc.addPage()
    this.#y = MARGIN
  }

  #block(text: string, x: number, width: number, { size = BODY, ...style }: Partial<LineStyle> = {}): void {
    for (const line of this.#type.broken(clean(text), width, size, style.weight)) {
      this.#room(size * LEAD)
      this.#line(line, x, this.#y, { size, ...style })
      this.#y += size * LEAD
    }
  }

  #head(): void {
    const { say, seller, facts } = this.#sheet
    const top = this.#y
    this.#line(say('invoice'), this.#right, top - 4, { size: 22, right: true })
    this.#y = top
    if (this.#logo) this.#picture(this.#logo)
    else this.#block(seller, this.#left, (this.#right - this.#left) * 0.6, { size: 12, weight: 600 })
    this.#y = Math.max(this.#y, top + 30) + 22
    this.#rule(this.#y, { width: 1.2, color: ink })
    this.#y += 10
    const column = (this.#right - this.#left) / facts.length
    const start = this.#y
    let end = start
    facts.forEach(([label, value], i) => {
      const x = this.#left + i * column
      this.#line(label, x, start, { size: SMALL, color: soft })
      this.#y = start + 12
      this.#block(value, x, column - 12, { weight: 600 })
      end = Math.max(end, this.#y)
    })
    this.#y = end + 8
    this.#rule(this.#y)
    this.#y += 16
  }

  /** The logo in place of the name, at most as large as on the page. */
  #picture({ bytes, width, height }: LogoImage): void {
    const scale = Math.min(POINTS_PER_PIXEL, LOGO_WIDTH / width, LOGO_HEIGHT / height)
    this.#doc.image(Buffer.from(bytes), this.#left, this.#y, { width: width * scale, height: height * scale })
    this.#y += height * scale
  }

  #parties(): void {
    const { say, seller, sellerLines, billTo, shipTo } = this.#sheet
    const parties = [
      { label: say('from'), lines: [seller, ...sellerLines] },
      { label: say('billTo'), lines: billTo },
      { label: say('shipTo'), lines: shipTo },
    ].filter(({ lines }) => lines.length > 0)
    const column = (this.#right - this.#left) / Math.max(parties.length, 2)
    const start = this.#y
    let end = start
    parties.forEach(({ label, lines }, i) => {
      const x = this.#left + i * column
      this.#line(label, x, start, { size: SMALL, color: soft })
      this.#y = start + 12
      lines.forEach((line, n) => {
        this.#block(line, x, column - 16, n === 0 ? { weight: 600 } : {})
      })
      end = Math.max(end, this.#y)
    })
    this.#y = end + 26
  }

  #items(): void {
    const { say, items, quantityLabel } = this.#sheet
    const priceX =
      this.#right -
      columnOf(
        this.#type,
        items.map(({ amount }) => amount),
      )
    const quantityX =
      priceX -
      columnOf(
        this.#type,
        items.map(({ unitPrice }) => unitPrice),
      )
    const heading = { size: SMALL, color: soft }
    this.#room(60)
    this.#line(say('item'), this.#left, this.#y, heading)
    this.#line(quantityLabel ?? '', quantityX, this.#y, { ...heading, right: true })
    this.#line(say('unitPrice'), priceX, this.#y, { ...heading, right: true })
    this.#line(say('amount'), this.#right, this.#y, { ...heading, right: true })
    this.#y += 14
    this.#rule(this.#y, { color: ink })
    this.#y += 8
    for (const item of items) {
      this.#room(34)
      this.#line(item.quantity ?? '', quantityX, this.#y, { size: BODY, right: true })
      this.#line(item.unitPrice, priceX, this.#y, { size: BODY, right: true })
      this.#line(item.amount, this.#right, this.#y, { size: BODY, right: true })
      const width = quantityX - this.#left - 60
      this.#block(item.name, this.#left, width, { weight: 600 })
      const notes = [item.day, item.tax, item.discount].filter((note) => note !== undefined).join(' · ')
      for (const text of [item.description, notes])
        if (text) this.#block(text, this.#left, width, { size: SMALL, color: soft })
      this.#y += 7
      this.#rule(this.#y)
      this.#y += 8
    }
  }

  #sums(): void {
    const { totals, say } = this.#sheet
    const heights = { line: 15, aside: 13, total: 24, due: 30 }
    const rows = totals.map((line) => sumOf(this.#type, { ...line, label: clean(line.label) }))
    const height = rows.reduce((sum, { kind, more }) => sum + heights[kind] + more, 0)
    this.#room(Math.max(height, 90) + 8)
    this.#y += 4
    const top = this.#y
    const x = this.#right - SUMS
    for (const { value, kind, weight, size, lines, isAbove, more } of rows) {
      const isStrong = weight === 600
      if (isStrong) {
        this.#y += 4
        this.#rule(this.#y, kind === 'due' ? { from: x, width: 1.2, color: ink } : { from: x })
        this.#y += 7
      }
      for (const [i, line] of lines.entries())
        this.#line(line, x, this.#y + i * size * LEAD, { size, weight, color: isStrong ? ink : soft })
      const y = isAbove ? this.#y + more : this.#y
      this.#line(value, this.#right, y, { size, weight, right: true, color: kind === 'aside' ? soft : ink })
      this.#y += heights[kind] + more - (isStrong ? 11 : 0)
    }
    if (this.#sheet.standing !== 'cancelled') this.#code(Math.max(top, this.#y - 78), say('scanToPay'))
    this.#y = Math.max(this.#y, top + 80) + 18
  }

  /** The code that opens the page, drawn square by square so that it is sharp at any size. */
  #code(y: number, caption: string): void {
    const { size, isDark } = qrModules(this.#address)
    const side = 74
    const unit = side / size
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++)
        if (isDark(row, column)) this.#doc.rect(this.#left + column * unit, y + row * unit, unit + 0.05, unit + 0.05)
    this.#doc.fill('#000000')
    this.#doc.link(this.#left, y, side, side, this.#address)
    const lines = this.#type.broken(caption, 110, SMALL)
    lines.forEach((line, i) => {
      this.#line(line, this.#left + side + 14, y + side / 2 - (lines.length * SMALL * LEAD) / 2 + i * SMALL * LEAD, {
        size: SMALL,
        color: soft,
      })
    })
  }

  #history(): void {
    const { say, history } = this.#sheet
    if (history.length === 0) return
    this.#room(40)
    this.#line(say('history'), this.#left, this.#y, { size: SMALL, color: soft })
    this.#y += 13
    for (const { label, day, amount } of history) {
      this.#room(20)
      this.#line(label, this.#left, this.#y, { size: BODY })
      this.#line(day, this.#right - 110, this.#y, { size: BODY, color: soft, right: true })
      this.#line(amount, this.#right, this.#y, { size: BODY, right: true })
      this.#y += 16
      this.#rule(this.#y - 2)
      this.#y += 3
    }
    this.#y += 14
  }

  #words(): void {
    const { say, note, terms, sellerNote } = this.#sheet
    const width = (this.#right - this.#left) * 0.8
    for (const [title, text] of [
      [say('note'), note],
      [say('terms'), terms],
      [undefined, sellerNote],
    ] as const) {
      if (text === undefined) continue
      this.#room(32)
      if (title !== undefined) {
        this.#line(title, this.#left, this.#y, { size: SMALL, color: soft })
        this.#y += 12
      }
      this.#block(text, this.#left, width)
      this.#y += 12
    }
  }

  #feet(): void {
    const { start, count } = this.#doc.bufferedPageRange()
    for (let i = 0; i < count; i++) {
      this.#doc.switchToPage(start + i)
      const y = this.#doc.page.height - FOOT
      const style = { size: SMALL, color: soft }
      this.#line(this.#sheet.say('invoiceNumber', { number: this.#sheet.number }), this.#left, y, style)
      this.#line(`${i + 1} / ${count}`, this.#right, y, { ...style, right: true })
    }
  }
}
