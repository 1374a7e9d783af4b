import type { Transact } from '../database/transaction.ts'
import { unhurried } from '../database/unhurried.ts'
import { findRows, findTraces, tablesWithText } from './records.ts'

/** Columns that exist only to find other rows by, or that repeat them. */
const technical = new Set(['grams', 'digest', 'request_hash'])

export interface ExportedPerson {
  readonly email: string
  /** Rows by table, whole: every row with the address in it, and what belongs to them. Files are in base64. */
  readonly records: Readonly<Record<string, readonly object[]>>
}

/** Everything the records hold about a person. Reads every table; leaves a row in the audit log. */
export const exportPerson = (transact: Transact, email: string): Promise<ExportedPerson> =>
  transact(async (tx) => {
    const tables = await tablesWithText(tx)
    const { person, sought } = await findTraces(tx, tables, email)
    const records: Record<string, object[]> = {}
    for (const table of tables) {
      const rows = await findRows(tx, table, sought)
      const printed = rows.map(({ row }) => printable(row))
      if (rows.length > 0) records[table.root] = [...(records[table.root] ?? []), ...printed]
    }
    tx.about(null, 'people')
    return { email: person.email, records }
  }, unhurried)

const printable = (row: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => !technical.has(name) && value !== null)
      .map(([name, value]) => [name, name === 'bytes' ? base64(String(value)) : value]),
  )

const base64 = (hex: string) => Buffer.from(hex.replace(/^\\x/, ''), 'hex').toString('base64')
