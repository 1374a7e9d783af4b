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
 * The conditions of a search that goes through all invoices of a merchant. Where few were paid on the days that it asks for, it
 * begins with those: to ask each of a million invoices for its payments takes longer than a statement may.
 */
export async function conditionsOfAll(db: Reader, accountId: string, criteria: Criteria): Promise<Fragment> {
  const { paid, ...others } = criteria
  if (!paid) return conditionsOf(accountId, criteria)
  const payments = paymentsOn(accountId, paid)
  if (await hasMoreThan(db, LOOKED_UP, fragment`select 1 from ${payments}`)) return conditionsOf(accountId, criteria)
  return fragment`${conditionsOf(accountId, others)} and i.id = any(array(select t.invoice_id from ${payments}))`
}

/** How many invoices were paid on these days. */
export async function countPaid(db: Reader, accountId: string, days: Days): Promise<number> {
  const { statement, values } = fragment`
    select count(distinct t.invoice_id)::int as count from ${paymentsOn(accountId, days)}`.toQuery()
  return (await db.row<{ count: number }>(statement, values))!.count
}
