import type { Database } from '../../src/database/open.ts'
import { sql } from '../../src/database/sql.ts'

const balances = sql`select book, currency, amount from ledger_balances where account_id = $1 order by currency, book`

/** What stands in each book of an account, in the smallest unit of its currency. Reporting tells of some of them only. */
export const booksOf = (database: Pick<Database, 'rows'>, accountId: string) =>
  database.rows<{ book: string; currency: string; amount: bigint }>(balances, [accountId])
