/** A piece of text as the font reader lays it out: which glyphs, and where. */
interface GlyphRun {
  readonly glyphs: readonly unknown[]
  readonly positions: readonly object[]
  readonly advanceWidth: number
}

/** What we ask of a font; the PDF writer asks for more, and is handed the font itself. */
export interface Font {
  readonly unitsPerEm: number
  layout(text: string, features?: readonly string[]): GlyphRun
}

/** Figures of equal width, so that columns of money line up; and kerning, the proper distance between pairs of letters. */
const features = ['tnum', 'kern']

/** The unit in which the PDF writer works. It scales positions in place, which changes nothing for a font that has this unit. */
const UNITS = 1000
const WORDS_MAX = 20_000
const LENGTH_KEPT_MAX = 40
const word = /[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+|\s/g

/**
 * A font that lays out each word once. Most of the time of printing goes into laying out: every invoice has the same words,
 * which are measured and then set, and looked up in the font's kerning tables each time. Words are kept from one invoice to
 * the next, up to a limit.
 */
export function layingOutOnce<F extends Font>(font: F): F {
  if (font.unitsPerEm !== UNITS) throw new Error(`A font of ${font.unitsPerEm} units cannot be printed.`)
  const words = new Map<string, GlyphRun>()

  function layOut(text: string): GlyphRun {
    const kept = words.get(text)
    if (kept) return kept
    const { glyphs, positions, advanceWidth } = font.layout(text, features)
    const run = { glyphs, positions, advanceWidth }
    if (words.size >= WORDS_MAX) words.clear()
    if (text.length <= LENGTH_KEPT_MAX) words.set(text, run)
    return run
  }

  const layout = (text: string): GlyphRun => {
    const runs = (text.match(word) ?? []).map(layOut)
    return {
      glyphs: runs.flatMap(({ glyphs }) => glyphs),
      positions: runs.flatMap(({ positions }) => positions),
      advanceWidth: runs.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0),
    }
  }
  return Object.create(font, { layout: { value: layout } }) as F
}
