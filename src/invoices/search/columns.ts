import { toMinor } from '../../kernel/money.ts'
import type { Invoice } from '../schema/invoice.ts'
import { emailsOf } from '../schema/parties.ts'
import { numberKey } from '../sums/numbering.ts'

/** The texts in which a search can look for a part, with the letter that marks their pieces in the index. */
const searchedTexts = {
  first_names: 'F',
  last_names: 'L',
  business_names: 'B',
  reference: 'R',
  memo: 'M',
  item_text: 'I',
} as const
export type SearchedText = keyof typeof searchedTexts

/**
 * A Greek sigma at the end of a word is another letter than within one. The end of what is looked for may stand within a word,
 * so that there are two spellings of it.
 */
export const spellingsOf = (text: string): readonly string[] => {
  const stem = stemOf(text)
  return stem === text ? [text] : [`${stem}σ`, `${stem}ς`]
}
/** What all spellings of a text begin with. */
const stemOf = (text: string): string => text.replace(/[σς]$/, '')

/** Separates the values of one column. A search never contains it. */
const BETWEEN = '\u001f'

/** The form in which texts are searched: upper and lower case, and the ways to compose a letter, do not matter. */
export const searchable = (text: string): string =>
  isPlain(text) ? text.toLowerCase() : text.normalize('NFC').toLowerCase().replaceAll(BETWEEN, ' ')

/** True for most texts. Then there is nothing to compose and no separator to replace. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text)

/** What stands beside the document for lists and searches, in the order of the columns. */
export function searchColumns(invoice: Invoice): readonly unknown[] {
  const { detail, items, additional_recipients } = invoice
  const billing = invoice.primary_recipients.flatMap(({ billing_info }) => billing_info ?? [])
  const names = billing.flatMap(({ name }) => name ?? [])
  const texts: Readonly<Record<SearchedText, string | null>> = {
    first_names: together(names.flatMap(({ given_name, full_name }) => [given_name, full_name])),
    last_names: together(names.flatMap(({ surname, full_name }) => [surname, full_name])),
    business_names: together(billing.map(({ business_name }) => business_name)),
    reference: together([detail.reference]),
    memo: together([detail.memo]),
    item_text: together(items.flatMap(({ name, description }) => [name, description])),
  }
  const emails = [...emailsOf(invoice.primary_recipients), ...additional_recipients].map(searchable)
  return [
    numberKey(detail.invoice_number),
    toMinor(invoice.amount),
    emails,
    ...Object.values(texts),
    [...piecesOf(texts), EVERYTHING_BEFORE, ...emails.map(emailPiece)],
  ]
}

function together(values: readonly (string | undefined)[]): string | null {
  const present = values.filter((value) => value !== undefined).map(searchable)
  return present.length === 0 ? null : [...new Set(present)].join(BETWEEN)
}

/** A piece has so many letters: with three, every piece of a word is in one text of a hundred. */
const LETTERS = 4
/** Of a document that has more, none is named. Every search then looks at that document. */
const PIECES_MAX = 20_000

/**
 * Versions before had pieces of three letters, with small marks. Documents that they wrote are found by those; and they look
 * at every document with this mark, so they find what this version writes, too.
 */
const LETTERS_BEFORE = 3
const markBefore = (mark: string): string => mark.toLowerCase()
const EVERYTHING_BEFORE = '*'

/** Addresses are only looked up whole, never in part. */
const emailPiece = (email: string): string => `e${email}`

/** The pieces of all texts, with their marks. A text may have a hundred thousand letters, but few different pieces. */
function piecesOf(texts: Readonly<Record<SearchedText, string | null>>): Iterable<string> {
  const pieces = new Set<string>()
  for (const [column, text] of Object.entries(texts)) {
    if (text === null) continue
    const mark = searchedTexts[column as SearchedText]
    const plain: string[] = []
    for (const value of text.split(BETWEEN)) {
      const whole = Math.max(0, value.length - LETTERS + 1)
      if (isPlain(value)) plain.push(value)
      else for (let i = 0; i < whole; i++) pieces.add(mark + value.slice(i, i + LETTERS))
      // Shorter pieces are only made at the ends of values, so that a short search can match them by prefix.
      for (let i = whole; i < value.length; i++) pieces.add(mark + value.slice(i))
    }
    for (const code of plainPieces(plain))
      pieces.add(mark + String.fromCharCode(code >> 21, (code >> 14) & 127, (code >> 7) & 127, code & 127))
  }
  if (pieces.size > PIECES_MAX) return []
  // Where no item has a text, the mark stands for itself: else the document would look like one whose pieces are not named.
  return texts.item_text === null ? pieces.add(searchedTexts.item_text) : pieces
}

/** A power of two, several times as many as there can be different pieces. */
const SLOTS = 1 << 16
/** The pieces that were seen, each where its number leads or in the next free slot. Made for the first invoice, and emptied after each. */
let slots: Int32Array | undefined

/** The different pieces of plain texts, as numbers with seven bits for each letter; at most one more than there may be. */
function plainPieces(values: readonly string[]): number[] {
  slots ??= new Int32Array(SLOTS)
  const found: number[] = []
  const taken: number[] = []
  for (const value of values) {
    let code = 0
    for (let i = 0; i < value.length && found.length <= PIECES_MAX; i++) {
      code = ((code << 7) | value.charCodeAt(i)) & 0xf_ff_ff_ff
      if (i < LETTERS - 1) continue
      let slot = Math.imul(code, 0x9e_37_79_b1) >>> 16
      while (slots[slot] !== 0 && slots[slot] !== code) slot = (slot + 1) & (SLOTS - 1)
      if (slots[slot] === code) continue
      slots[slot] = code
      taken.push(slot)
      found.push(code)
    }
  }
  for (const slot of taken) slots[slot] = 0
  return found
}

const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** So many pieces are asked for. Each more is one more list for the index to look into, and four say nearly all. */
const ASKED_MAX = 4

/**
 * The pieces of a text that is looked for. Those come first that overlap by one letter: others that overlap say less, and such
 * that only stand side by side may as well belong to different words.
 */
function piecesIn(text: string, mark: string, letters: number): string[] {
  const last = text.length - letters
  const starts = Array.from({ length: Math.max(0, last + 1) }, (_, i) => i)
  const isFirst = (start: number) => start % (letters - 1) === 0 || start === last
  return [...starts.filter(isFirst), ...starts.filter((start) => !isFirst(start))].map(
    (start) => mark + text.slice(start, start + letters),
  )
}

/** What is looked for in one of the searched texts. */
export type Sought = readonly (readonly [SearchedText, string])[]

/**
 * Queries of the index of words: a row whose columns can contain these texts fulfils all that are for its pieces, or the one
 * for pieces of versions before, or is unnamed. They ask for the rarest pieces, since a piece that everybody has would make
 * the index read everything. `shareOf` says how common a piece is.
 */
export interface PieceQueries {
  readonly pieces: readonly string[]
  readonly before: string
}

export function pieceQueries(sought: Sought, shareOf: (piece: string) => number): PieceQueries {
  const marked = sought.map(([column, text]) => ({ mark: searchedTexts[column], text: stemOf(text) }))
  const markedBefore = marked.map(({ mark, text }) => ({ mark: markBefore(mark), text }))
  const [pieces, before] = [rarestOf(marked, LETTERS, shareOf), rarestOf(markedBefore, LETTERS_BEFORE, shareOf)]
  return { pieces, before: before.join(' & ') }
}

/** The condition for a document whose pieces are not named, just as an index has it that holds no other. */
export const isUnnamed = `i.grams @@ '''*'' & !''I'':*'`

/** Whether one of these texts is long enough to be looked for by whole pieces, and not just by how they begin. */
export const hasWholePieces = (texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && stemOf(text).length >= LETTERS)

function rarestOf(
  marked: readonly { readonly mark: string; readonly text: string }[],
  letters: number,
  shareOf: (piece: string) => number,
): string[] {
  const pieces = new Set(marked.flatMap(({ mark, text }) => piecesIn(text, mark, letters)))
  const rarest = [...pieces].sort((a, b) => shareOf(a) - shareOf(b)).slice(0, ASKED_MAX)
  // Of a shorter text, all that is known is how a piece begins.
  return rarest.length > 0 ? rarest.map(quoted) : marked.map(({ mark, text }) => `${quoted(mark + text)}:*`)
}

export const emailQuery = (email: string): string => quoted(emailPiece(email))
