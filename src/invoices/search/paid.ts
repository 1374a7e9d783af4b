import { type Fragment, fragment, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { type Criteria, conditionsOf, type Days } from './conditions.ts'
import { anyMerchant, hasMoreThan } from './slice.ts'

/** Up to so many payments on the days of a search, their invoices are looked up. */
const LOOKED_UP = 5_000

const paymentsOn = (accountId: string, { start, end }: Days): Fragment => fragment`
  invoice_transactions t where t.account_id = ${anyMerchant(accountId)} and t.kind = 'PAYMENT'
    and t.day between ${unseen(start, 'text')} and ${unseen(end, 'text')}`

/**
 * The invoices `i` that a search goes through which asks all of a merchant, and its conditions. Where few were paid on the days
 * that it asks for, those are looked up: to ask each of a million invoices for its payments takes longer than a statement may.
 */
export async function amongInvoices(db: Reader, accountId: string, criteria: Criteria): Promise<Fragment> {
  const { paid, ...others } = criteria
  const all = fragment`invoices i where ${conditionsOf(accountId, criteria)}`
  if (!paid) return all
  const payments = paymentsOn(accountId, paid)
  if (await hasMoreThan(db, LOOKED_UP, fragment`select 1 from ${payments}`)) return all
  // Each by its id alone. Where the server has no statistics on a merchant, it takes any index that begins with the account, and
  // would compare each invoice with all of these ids.
  return fragment`
    (select distinct t.invoice_id from ${payments}) paid cross join lateral (
      select * from invoices where id = paid.invoice_id and account_id || '' = ${accountId} limit 1) i
    where ${conditionsOf(accountId, others)}`
}

/** How many invoices were paid on these days. */
export async function countPaid(db: Reader, accountId: string, days: Days): Promise<number> {
  const { statement, values } = fragment`
    select count(distinct t.invoice_id)::int as count from ${paymentsOn(accountId, days)}`.toQuery()
  return (await db.row<{ count: number }>(statement, values))!.count
}
