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

/** What stands on the pages of a PDF, a line for each piece that was set at one go. */
export function textOf(pdf: Buffer): string {
  const streams = streamsOf(pdf)
  const source = pdf.toString('latin1')
  const fonts = new Map<string, string[]>()
  for (const [, font, object] of source.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const [, letters] = new RegExp(`\\b${object} 0 obj\\b.*?/ToUnicode (\\d+) 0 R`, 's').exec(source) ?? []
    fonts.set(font!, lettersOf(streams.get(letters!) ?? ''))
  }
  let letters: string[] = []
  const pieces: string[] = []
  for (const [, font, shown] of instructionsOf(pdf).matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g))
    if (font !== undefined) letters = fonts.get(font) ?? []
    else pieces.push([...shown!.matchAll(/<([0-9a-f]+)>/g)].map(([, glyphs]) => spell(glyphs!, letters)).join(''))
  return pieces.join('\n')
}

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
