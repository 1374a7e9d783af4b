import { RecentMap } from '../kernel/recent-map.ts'
import type { Query } from './sql.ts'
import type { Reader } from './transaction.ts'

interface Made {
  readonly stamp: string
  readonly made: unknown
  readonly bytes: number
}

/**
 * The memory counted for each letter of a kept text; and of a text that was parsed into a document and is kept with what it
 * is shown as.
 */
const BYTES_A_LETTER = 2
const BYTES_A_LETTER_READ = 6
/** The memory counted for each entry, however small: callers choose what they search for, and with it the keys. */
const BYTES_OF_ONE = 500
const MEBIBYTE = 1_048_576
const none: ReadonlyMap<string, string> = new Map()

/**
 * When the server started. It is a part of every stamp, because a server that took over without having the last writes gives
 * numbers of transactions and versions a second time.
 */
export const serverStart = `(select '/' || extract(epoch from pg_postmaster_start_time()))`

/**
 * SQL for a stamp that names a row in its present state: every write gives the row another one. For a table with versions,
 * or a subselect with its `xmin` and `version`.
 */
export const stampOf = (row: string): string => `(${row}.xmin || '/' || ${row}.version || ${serverStart})`

/**
 * What was made of rows when they were last read. The database is asked at every read, and told the known stamp. Only if the
 * row has another stamp by now does it unpack the document and send it. So every reader gets what is stored when they ask,
 * whichever process wrote it, and what did not change costs only a lookup.
 */
export class Recall {
  readonly #bytesMax: number
  readonly #kept = new RecentMap<string, Made>(Number.POSITIVE_INFINITY)
  #bytes = 0

  constructor(megabytes: number) {
    this.#bytesMax = megabytes * MEBIBYTE
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * What was made of the row that a query finds, or undefined if there is none. The query is given the known stamp. It
   * returns the `stamp` of the row, and its `text` if the stamp is another one.
   */
  async row<One>(
    db: Reader,
    key: string,
    { query, make }: { query(known: string | null): Query; make(text: string): One },
  ): Promise<One | undefined> {
    const known = this.#kept.get(key)
    const { statement, values } = query(known?.stamp ?? null)
    const row = await db.row<{ stamp: string; text: string | null }>(statement, values)
    if (!row) return undefined
    if (row.text === null) return known!.made as One
    const made = make(row.text)
    const bytes = typeof made === 'string' ? made.length * BYTES_A_LETTER : row.text.length * BYTES_A_LETTER_READ
    this.#keep(key, { stamp: row.stamp, made, bytes: bytes + row.stamp.length * BYTES_A_LETTER })
    return made
  }

  /** The texts that were made of the rows of a list, by their stamps. */
  texts(key: string): ReadonlyMap<string, string> {
    return (this.#kept.get(key)?.made as ReadonlyMap<string, string> | undefined) ?? none
  }

  keepTexts(key: string, texts: ReadonlyMap<string, string>): void {
    let letters = 0
    for (const [stamp, text] of texts) letters += stamp.length + text.length
    this.#keep(key, { stamp: '', made: texts, bytes: letters * BYTES_A_LETTER })
  }

  #keep(key: string, made: Made): void {
    this.#forget(key)
    const bytes = made.bytes + key.length * BYTES_A_LETTER + BYTES_OF_ONE
    // One that would take the room of many others is not kept, but made again each time.
    if (bytes > this.#bytesMax / 10) return
    this.#kept.set(key, { ...made, bytes })
    this.#bytes += bytes
    while (this.#bytes > this.#bytesMax) this.#forget(this.#kept.oldest()![0])
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }
}
