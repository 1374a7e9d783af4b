import { hash } from 'node:crypto'
import { tokenTextOf } from '../accounts/credentials.ts'
import type { Connection, Database } from '../database/open.ts'
import { unprepared } from '../database/sql.ts'
import { beforeMark, type MarkedKind, markOf } from '../kernel/cell.ts'
import type { SecretRing } from '../kernel/secrets.ts'

const PAGE = 5_000

/** What a balancer looks up in the map, and the table that holds it. */
const keys: readonly (readonly [kind: MarkedKind, key: string, table: string])[] = [
  ['account', 'id', 'accounts where cell is null'],
  ['client', 'client_id', 'apps where account_id in (select id from accounts where cell is null)'],
  ['dispute', 'id', 'disputes'],
  ['document', 'document_id', 'dispute_documents'],
  ['transaction', 'id', 'payment_transactions'],
  ['transaction', 'buyer_transaction_id', 'payment_transactions'],
  ['attempt', 'id', "payment_attempts where status = 'OPEN'"],
  ['invoice', 'id', 'invoices'],
]

const STATEMENT_TIMEOUT_MS = 600_000
const tokens = `select t.id, digest from tokens t join apps p on p.id = t.app_id join accounts a on a.id = p.account_id
  where a.cell is null`
const emails = 'select email from accounts where cell is null'

export interface MapParts {
  readonly database: Database
  /** The cell whose map this is. */
  readonly own: string
  /** All cells. The first gets every call whose mark belongs to none of them. */
  readonly cells: readonly string[]
  readonly secrets: SecretRing
  line(key: string): void
}

/** Prints every key of this cell that would be sent elsewhere by its mark, or because it has none. */
export async function printMap({ database, own, cells, secrets, line }: MapParts): Promise<void> {
  const cellOf = (mark: string) => (cells.includes(mark) ? mark : cells[0])
  await database.transaction(async (db) => {
    for (const [kind, key, table] of keys) {
      const mark = `substr(${key}, ${beforeMark[kind].length + 1}, 1)`
      const elsewhere = `(case when ${mark} = any('{${cells.join(',')}}') then ${mark} else '${cells[0]}' end) <> '${own}'`
      const [from, condition] = table.split(/ where (.*)/s)
      const text = `select distinct ${key} as key from ${from} where ${elsewhere}${condition ? ` and ${condition}` : ''}`
      await each<{ key: string }>(db, text, (row) => line(kind === 'invoice' ? codeOf(row.key) : row.key))
    }
    await each<{ id: string; digest: Buffer }>(db, tokens, (row) => {
      const text = tokenTextOf(row, secrets)
      if (text !== undefined && cellOf(markOf('accessToken', text)) !== own) line(hex(row.digest))
    })
    // An assertion may name an account by its e-mail address, which has no mark.
    if (own !== cells[0])
      await each<{ email: string }>(db, emails, ({ email }) => line(hex(hash('sha256', email, 'buffer'))))
  }, STATEMENT_TIMEOUT_MS)
}

const hex = (digest: Buffer) => digest.toString('hex').toUpperCase()
const codeOf = (invoiceId: string) => invoiceId.slice(beforeMark.invoice.length).replaceAll('-', '')

/** Reads the rows a page at a time, so it does not matter how many there are. */
async function each<Row>(db: Connection, text: string, tell: (row: Row) => void): Promise<void> {
  await db.rows(unprepared(`declare keys_of_cell no scroll cursor for ${text}`))
  for (;;) {
    const rows = await db.rows<Row>(unprepared(`fetch ${PAGE} from keys_of_cell`))
    if (rows.length === 0) break
    for (const row of rows) tell(row)
  }
  await db.rows(unprepared('close keys_of_cell'))
}
