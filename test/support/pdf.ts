import { inflateSync } from 'node:zlib'

/** The streams of a PDF, unpacked, by the number of the object they belong to. */
function streamsOf(pdf: Buffer): Map<string, string> {
  const streams = new Map<string, string>()
  let at = 0
  for (;;) {
    const start = pdf.indexOf('stream\n', at)
    if (start === -1) return streams
    const end = pdf.indexOf('endstream', start)
    const [, owner = ''] = /(\d+) 0 obj(?!.*\d+ 0 obj)/s.exec(pdf.subarray(at, start).toString('latin1')) ?? []
    try {
      streams.set(owner, inflateSync(pdf.subarray(start + 7, end)).toString('latin1'))
    } catch {
      // Not every stream is packed.
    }
    at = end + 9
  }
}

/** The drawing instructions of a PDF, unpacked. */
export const instructionsOf = (pdf: Buffer): string => [...streamsOf(pdf).values()].join('\n')

/** A piece of text that was set at one go, and where it begins; `y` counts from the foot of its page. */
export interface Piece {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
}

/** What stands on the pages of a PDF. */
export function piecesOf(pdf: Buffer): Piece[] {
  const streams = streamsOf(pdf)
  const source = pdf.toString('latin1')
  const fonts = new Map<string, string[]>()
  for (const [, font, object] of source.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const [, letters] = new RegExp(`\\b${object} 0 obj\\b.*?/ToUnicode (\\d+) 0 R`, 's').exec(source) ?? []
    fonts.set(font!, lettersOf(streams.get(letters!) ?? ''))
  }
  const set = /1 0 0 1 ([\d.]+) ([\d.]+) Tm\s+\/(F\d+) ([\d.]+) Tf\s+\[([^\]]*)\] TJ/g
  return [...instructionsOf(pdf).matchAll(set)].map(([, x, y, font, size, shown]) => {
    const letters = fonts.get(font!) ?? []
    const text = [...shown!.matchAll(/<([0-9a-f]+)>/g)].map(([, glyphs]) => spell(glyphs!, letters)).join('')
    return { text, x: Number(x), y: Number(y), size: Number(size) }
  })
}

/** The same, a line for each piece. */
export const textOf = (pdf: Buffer): string =>
  piecesOf(pdf)
    .map(({ text }) => text)
    .join('\n')

const spell = (glyphs: string, letters: readonly string[]) =>
  (glyphs.match(/.{4}/g) ?? []).map((glyph) => letters[Number.parseInt(glyph, 16)] ?? '?').join('')

/** What each glyph of a font stands for, of the table that lets readers copy text. */
function lettersOf(table: string): string[] {
  const letters: string[] = []
  for (const [, first, list] of table.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g))
    for (const [i, [, codes]] of [...list!.matchAll(/<([0-9a-f ]*)>/g)].entries())
      letters[Number.parseInt(first!, 16) + i] = Buffer.from(codes!.replaceAll(' ', ''), 'hex')
        .swap16()
        .toString('utf16le')
  return letters
}
