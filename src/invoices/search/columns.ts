import { toMinor } from '../../kernel/money.ts'
import type { Invoice } from '../schema/invoice.ts'
import { emailsOf } from '../schema/parties.ts'
import { numberKey } from '../sums/numbering.ts'

/** The texts in which a search can look for a part, with the letter that marks their pieces in the index. */
const searchedTexts = {
  first_names: 'f',
  last_names: 'l',
  business_names: 'b',
  reference: 'r',
  memo: 'm',
  item_text: 'i',
} as const
export type SearchedText = keyof typeof searchedTexts

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
    [...bounded(gramsOf(texts)), ...emails.map(emailGram)],
  ]
}

function together(values: readonly (string | undefined)[]): string | null {
  const present = values.filter((value) => value !== undefined).map(searchable)
  return present.length === 0 ? null : [...new Set(present)].join(BETWEEN)
}

const GRAM = 3
const GRAMS_MAX = 20_000
/** Stands for all pieces of a document that has too many of them. Every search then looks at that document. */
const EVERYTHING = '*'

/** Addresses are only looked up whole, never in part. */
const emailGram = (email: string): string => `e${email}`

/**
 * Which pieces of three letters of plain text were seen, with seven bits for each letter. Made for the first invoice, and
 * emptied after each.
 */
let seen: Uint8Array | undefined

/** The different pieces of plain texts, as numbers. A text may have a hundred thousand letters, but few different pieces. */
function plainGrams(values: readonly string[]): number[] {
  seen ??= new Uint8Array(1 << (7 * GRAM - 3))
  const found: number[] = []
  for (const value of values) {
    let code = 0
    for (let i = 0; i < value.length; i++) {
      code = ((code << 7) | value.charCodeAt(i)) & 0x1f_ff_ff
      const place = code >> 3
      const bit = 1 << (code & 7)
      if (i < GRAM - 1 || (seen[place]! & bit) !== 0) continue
      seen[place]! |= bit
      found.push(code)
    }
  }
  for (const code of found) seen[code >> 3] = 0
  return found
}

function gramsOf(texts: Readonly<Record<SearchedText, string | null>>): Set<string> {
  const grams = new Set<string>()
  for (const [column, text] of Object.entries(texts)) {
    if (text === null) continue
    const mark = searchedTexts[column as SearchedText]
    const plain: string[] = []
    for (const value of text.split(BETWEEN)) {
      const whole = Math.max(0, value.length - GRAM + 1)
      if (isPlain(value)) plain.push(value)
      else for (let i = 0; i < whole; i++) grams.add(mark + value.slice(i, i + GRAM))
      // Pieces shorter than three letters are only made at the ends of values, so that a short search can match them by prefix.
      for (let i = whole; i < value.length; i++) grams.add(mark + value.slice(i))
    }
    for (const code of plainGrams(plain))
      grams.add(mark + String.fromCharCode(code >> 14, (code >> 7) & 127, code & 127))
  }
  return grams
}

const bounded = (grams: ReadonlySet<string>): Iterable<string> => (grams.size > GRAMS_MAX ? [EVERYTHING] : grams)

const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** So many pieces are asked for. Each more is one more list for the index to read, and three say nearly all. */
const ASKED_MAX = 3

/**
 * The pieces of a text that is looked for. Those that stand side by side come first: the others overlap with them and say
 * less.
 */
function piecesOf(column: SearchedText, text: string): string[] {
  const last = text.length - GRAM
  const starts = Array.from({ length: last + 1 }, (_, i) => i)
  const isBeside = (start: number) => start % GRAM === 0 || start === last
  return [...starts.filter(isBeside), ...starts.filter((start) => !isBeside(start))].map(
    (start) => searchedTexts[column] + text.slice(start, start + GRAM),
  )
}

/**
 * Queries that every row fulfils whose columns can contain these texts. They ask for the rarest pieces, since a piece that
 * everybody has would make the index read everything. Each is a query of its own, so that the index goes through the
 * shortest list and only looks into the others. `shareOf` says how common a piece is.
 */
export function gramQueries(
  texts: readonly (readonly [SearchedText, string])[],
  shareOf: (piece: string) => number,
): readonly string[] {
  const pieces = new Set(texts.flatMap(([column, text]) => piecesOf(column, text)))
  const rarest = [...pieces].sort((a, b) => shareOf(a) - shareOf(b)).slice(0, ASKED_MAX)
  // For a text of less than three letters, all that is known is how a piece begins.
  const begun = texts.map(([column, text]) => `${quoted(searchedTexts[column] + text)}:*`)
  return rarest.length > 0 ? rarest.map(quoted) : begun
}

/** Finds the rows that have too many pieces to name them. */
export const everythingQuery = quoted(EVERYTHING)

export const emailQuery = (email: string): string => quoted(emailGram(email))
