import type PDFDocument from 'pdfkit'
import { printFont } from './fonts.ts'

type Doc = InstanceType<typeof PDFDocument>
export type Weight = 400 | 600

/** Which file of the family has a character. Characters that none of these have are left to the Japanese family. */
const subsets: readonly (readonly [subset: string, characters: RegExp])[] = [
  [
    'latin',
    /[\u0020-\u00ff\u0131\u0152\u0153\u02bb\u02bc\u02c6\u02da\u02dc\u2000-\u206f\u20ac\u2122\u2191\u2193\u2212\u2215]/,
  ],
  ['vietnamese', /[\u0102\u0103\u0110\u0111\u0128\u0129\u0168\u0169\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9\u20ab]/],
  ['latin-ext', /[\u0100-\u02ba\u02bd-\u02c5\u02c7-\u02cc\u1e00-\u1e9f\u1ef2-\u1eff\u20a0-\u20c0]/],
  ['greek', /[\u0370-\u03ff]/],
  ['cyrillic', /[\u0301\u0400-\u045f\u0490\u0491\u04b0\u04b1\u2116]/],
  ['cyrillic-ext', /[\u0460-\u052f\u1c80-\u1c88\u20b4\u2de0-\u2dff\ua640-\ua69f]/],
]

interface Run {
  readonly font: string
  readonly text: string
}

const fontName = (subset: string, weight: Weight) => `${subset} ${weight}`

function subsetOf(character: string): string {
  return subsets.find(([, characters]) => characters.test(character))?.[0] ?? 'japanese'
}

/** Sets text in the same family as the page, with each character from the file that has it. */
export class Typesetter {
  readonly #doc: Doc
  readonly #registered = new Set<string>()
  readonly #widths = new Map<string, number>()

  constructor(doc: Doc) {
    this.#doc = doc
  }

  #runs(text: string, weight: Weight): Run[] {
    const runs: { font: string; text: string }[] = []
    for (const character of text) {
      const subset = subsetOf(character)
      const font = fontName(subset, weight)
      if (!this.#registered.has(font)) {
        const family = subset === 'japanese' ? 'ibm-plex-sans-jp' : 'ibm-plex-sans'
        // The writer takes a font that is read already, which its types do not say.
        this.#doc.registerFont(font, printFont(family, subset, weight) as unknown as Buffer)
        this.#registered.add(font)
      }
      const last = runs.at(-1)
      if (last?.font === font) last.text += character
      else runs.push({ font, text: character })
    }
    return runs
  }

  /** Widths are in proportion to the size, so each piece of text is measured only once. */
  #measured(font: string, text: string): number {
    const key = `${font}\n${text}`
    let width = this.#widths.get(key)
    if (width === undefined) {
      width = this.#doc.font(font).fontSize(1000).widthOfString(text) / 1000
      this.#widths.set(key, width)
    }
    return width
  }

  width(text: string, size: number, weight: Weight): number {
    return size * this.#runs(text, weight).reduce((sum, run) => sum + this.#measured(run.font, run.text), 0)
  }

  /** One line, which may not break. */
  line(text: string, x: number, y: number, { size, weight = 400, color = ink, right = false }: LineStyle): void {
    let at = right ? x - this.width(text, size, weight) : x
    for (const run of this.#runs(text, weight)) {
      this.#doc.font(run.font).fontSize(size).fillColor(color)
      this.#doc.text(run.text, at, y, { lineBreak: false })
      at += size * this.#measured(run.font, run.text)
    }
  }

  /** The lines that a text takes in a column. Japanese may break between any two characters, and a long word where it must. */
  broken(text: string, width: number, size: number, weight: Weight = 400): string[] {
    return text.split(/\r\n|\r|\n/).flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      let used = 0
      for (const word of paragraph.match(/[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+|\s+/g) ?? []) {
        const needed = this.width(word, size, weight)
        if (used + needed <= width || word.trim() === '') {
          line += word
          used += needed
          continue
        }
        if (line.trim() !== '') lines.push(line.trimEnd())
        line = ''
        used = 0
        for (const character of needed <= width ? [word] : word) {
          const step = this.width(character, size, weight)
          if (line !== '' && used + step > width) {
            lines.push(line)
            line = ''
            used = 0
          }
          line += character
          used += step
        }
      }
      return [...lines, line.trimEnd()]
    })
  }
}

export interface LineStyle {
  readonly size: number
  readonly weight?: Weight
  readonly color?: string
  /** `x` is where the line ends. */
  readonly right?: boolean
}

/** Sizes of type, and how far apart lines stand. */
export const BODY = 9.5
export const SMALL = 8
export const LEAD = 1.4

export const ink = '#16191d'
export const soft = '#545c66'
export const hair = '#d9dde2'
