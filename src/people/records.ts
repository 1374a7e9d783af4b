import { type Statement, sql, statementOf } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { recipientCode } from '../invoices/schema/codes.ts'
import { addressAlone, detailsIn, isBuyerOf, type Person, sorted, wordsIn } from './redact.ts'

/** The columns of a table that can hold words of or about somebody. */
export interface Table {
  readonly name: string
  /** The table that this one is a partition of, or the table itself. */
  readonly root: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly hasVersion: boolean
}

export interface FoundRow {
  /** Where the row is; valid for as long as the row is held. */
  readonly place: string
  readonly row: Readonly<Record<string, unknown>>
}

const textColumns = sql`
  select c.table_name as table, coalesce(pg_partition_root(r.oid)::regclass::text, c.table_name) as root,
    c.column_name as column, c.udt_name as type,
    exists (select from information_schema.columns v
      where v.table_schema = c.table_schema and v.table_name = c.table_name and v.column_name = 'version'
        and v.udt_name = 'int4') as versioned
  from information_schema.columns c join pg_class r on r.relname = c.table_name and r.relkind = 'r'
    and r.relnamespace = c.table_schema::text::regnamespace
  where c.table_schema = current_schema() and c.table_name <> 'migrations'
    and c.udt_name in ('text', 'json', 'jsonb', '_text') and c.domain_name is null and c.is_generated = 'NEVER'
  order by c.table_name, c.ordinal_position`

/** Every table that can hold words. The list is read from the database itself, so it includes tables that come later. */
export async function tablesWithText(db: Reader): Promise<Table[]> {
  const rows = await db.rows<{ table: string; root: string; column: string; type: string; versioned: boolean }>(
    textColumns,
  )
  return [...new Set(rows.map(({ table }) => table))].map((name) => {
    const columns = rows.filter(({ table }) => table === name)
    return {
      name,
      root: columns[0]!.root,
      columns: columns.map(({ column, type }) => ({ name: column, type })),
      hasVersion: columns[0]!.versioned,
    }
  })
}

/** Somebody to look for: their address, and the ids of the things in which it stands. All of it is in small letters. */
export interface Sought {
  readonly email: string
  readonly ids: readonly string[]
}

/**
 * Finds rows that contain the address or one of the ids, in any case. Reads the whole table. The words of a row are put
 * together and looked through only once, and not again for each id: `offset 0` tells the server so.
 */
const search = ({ name, columns }: Table, lock: boolean): Statement =>
  statementOf(`
  select t.ctid::text as place, ${lock ? wordsOf(columns) : 'to_jsonb(t)'} as row, found.by_id
  from ${name} t
    cross join lateral (
      select lower(concat_ws(' ', ${columns.map((column) => `t.${column.name}::text`).join(', ')})) as text
      offset 0) words
    cross join lateral (
      select exists (select from unnest($2::text[]) as id where strpos(words.text, id) > 0) as by_id
      offset 0) found
  where found.by_id or strpos(words.text, $1) > 0
  ${lock ? 'for update of t' : ''}`)

/** Only the columns with words, so files are left out. */
const wordsOf = (columns: Table['columns']) =>
  `jsonb_build_object(${columns.map(({ name }) => `'${name}', to_jsonb(t.${name})`).join(', ')})`

/** Finds rows: whole, to be read, or locked and with only their words, to be changed. */
export async function findRows(
  db: Reader,
  table: Table,
  { email, ids }: Sought,
  lock = false,
): Promise<readonly FoundRow[]> {
  const rows = await db.rows<FoundRow & { by_id: boolean }>(search(table, lock), [email, ids])
  return rows.filter(({ by_id, row }) => by_id || addressAlone(email).test(JSON.stringify(row)))
}

/** Whether a text has the address or one of the ids in it. */
export function isAbout({ email, ids }: Sought, text: string): boolean {
  const letters = text.toLowerCase()
  return ids.some((id) => letters.includes(id)) || (letters.includes(email) && addressAlone(email).test(letters))
}

/** Tables with ids that others name. What names such an id belongs to whoever stands in the document with that id. */
export const owners: readonly string[] = [
  'accounts',
  'invoices',
  'disputes',
  'payment_transactions',
  'referred_disputes',
  'payment_attempts',
]

export interface Traces {
  readonly person: Person
  readonly sought: Sought
}

/** Finds where somebody stands in the records, and what stands beside their address. */
export async function findTraces(db: Reader, tables: readonly Table[], address: string): Promise<Traces> {
  const email = address.toLowerCase()
  const ids: string[] = []
  const details: string[] = []
  const disputes = new Set<string>()
  for (const table of tables.filter(({ name }) => owners.includes(name)))
    for (const { row } of await findRows(db, table, { email, ids: [] })) {
      ids.push(...idsOf(table.name, row))
      details.push(...detailsIn(row['body'], email))
      if (table.name !== 'disputes' || !isBuyerOf(row['body'], email)) continue
      disputes.add(String(row['id']).toLowerCase())
      details.push(...wordsIn(row['body']))
    }
  return { person: { email, details: sorted(details), disputes }, sought: { email, ids: [...new Set(ids)] } }
}

function idsOf(table: string, row: FoundRow['row']): string[] {
  const id = String(row['id'])
  // Links name an invoice by its code, and the buyer's side names a payment by an id of its own.
  const other = table === 'invoices' ? recipientCode(id) : row['buyer_transaction_id']
  return [id, other].flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []))
}
