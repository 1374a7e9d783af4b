import { fragment, type Query, raw, sql, statementOf, unseen } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { END, type Place } from '../http/keyset.ts'
import type { Instant } from '../kernel/clock.ts'

/** What a merchant has in one currency, in its smallest unit. */
export interface Balances {
  readonly currency: string
  readonly is_primary: boolean
  readonly available: bigint
  readonly withheld: bigint
  readonly pending: bigint
}

const balancesOf = sql`
  select b.currency, b.currency = a.body->>'currency_code' as is_primary,
    coalesce(sum(b.amount) filter (where b.book = 'balance'), 0)::bigint as available,
    coalesce(sum(b.amount) filter (where b.book = 'hold'), 0)::bigint as withheld,
    coalesce(sum(b.amount) filter (where b.book = 'pending'), 0)::bigint as pending
  from ledger_balances b join accounts a on a.id = b.account_id
  where b.account_id = $1 and b.book in ('balance', 'hold', 'pending')
  group by 1, 2 order by is_primary desc, currency`

export const findMerchantBalances = (db: Reader, accountId: string): Promise<Balances[]> =>
  db.rows<Balances>(balancesOf, [accountId])

/** A ledger transaction as its merchant sees it: by how much it changed each of the merchant's books. */
export interface Movement extends Place, Omit<Balances, 'is_primary'> {
  readonly create_time: Instant
  readonly transaction_id: string
  readonly kind: string
  readonly reference: string
  /** What the service charged. */
  readonly fee: bigint
  readonly payment_id: string | null
  readonly invoice_id: string | null
  readonly dispute_id: string | null
}

/**
 * What the service paid to somebody else out of its own funds is booked under the merchant too, but is not the merchant's
 * movement.
 */
const movements = (among: string) => `
  select m.create_time, m.seq, m.transaction_id, m.kind, m.currency, m.reference,
    entries.available, entries.withheld, entries.pending, entries.fee,
    p.id as payment_id, p.invoice_id, r.body->>'dispute_id' as dispute_id
  from ${among}
    cross join lateral (
      select coalesce(sum(e.amount) filter (where e.book = 'balance'), 0)::bigint as available,
        coalesce(sum(e.amount) filter (where e.book = 'hold'), 0)::bigint as withheld,
        coalesce(sum(e.amount) filter (where e.book = 'pending'), 0)::bigint as pending,
        coalesce(sum(e.amount) filter (where e.book = 'fees'), 0)::bigint as fee,
        bool_or(e.book in ('balance', 'hold', 'pending')) as concerns
      from ledger_entries e where e.account_id = m.account_id and e.transaction_id = m.transaction_id) entries
    left join payment_refunds r on r.account_id = m.account_id and r.id = m.reference
    left join payment_transactions p on p.account_id = m.account_id and p.id = coalesce(r.transaction_id, m.reference)
  where m.line = 1 and entries.concerns`

/** The limit is part of the text and the values are in subselects, so that one plan serves all calls. */
const movementsOf = (accountId: string, from: string, place: Place, limit: number): Query =>
  fragment`${raw(movements('ledger_entries m'))} and m.account_id = ${unseen(accountId, 'text')}
      and m.create_time >= ${unseen(from, 'text')}
      and (m.create_time, m.seq) < (${unseen(place.create_time, 'text')}, ${unseen(place.seq, 'bigint')})
    order by m.create_time desc, m.seq desc ${raw(`limit ${limit}`)}`.toQuery()

/** Entries are found by what they are booked under. There are few for one invoice or dispute. */
const bookedUnder = `${movements('about join ledger_entries m on m.account_id = $1 and m.reference = about.id')}
    and m.create_time >= $2 and (m.create_time, m.seq) < ($3, $4)
  order by m.create_time desc, m.seq desc limit $5`

/** The payments of an invoice, what was given back of them, and the disputes about them. */
const movementsOfInvoice = statementOf(`
  with payments as materialized (select id from payment_transactions where account_id = $1 and invoice_id = $6),
    about as materialized (
      select id from payments
      union select r.id from payments p join payment_refunds r on r.account_id = $1 and r.transaction_id = p.id
      union select d.dispute_id from payments p
        join disputed_transactions d on d.account_id = $1 and d.transaction_id = p.id)${bookedUnder}`)

/** What is booked under a dispute itself, and what was given back because of it. */
const movementsOfDispute = statementOf(`
  with about as materialized (
      select $6::text as id
      union select r.id from disputed_transactions d
        join payment_refunds r on r.account_id = $1 and r.transaction_id = d.transaction_id and r.body->>'dispute_id' = $6
      where d.account_id = $1 and d.dispute_id = $6)${bookedUnder}`)

/** Which movements to list. */
export interface MovementFilter {
  readonly from: Instant | undefined
  readonly to: Instant | undefined
  /** Only those about this invoice, or about this dispute; never both. */
  readonly invoiceId?: string | undefined
  readonly disputeId?: string | undefined
}

/** Up to `limit` movements, newest first, from the one after `last` on. */
export function findMovements(
  db: Reader,
  accountId: string,
  { from, to, invoiceId, disputeId }: MovementFilter,
  limit: number,
  last: Place,
): Promise<Movement[]> {
  // An index is entered at the place, even if the bound `to` is much earlier. So the place is moved down to the bound.
  const place = to !== undefined && to < last.create_time ? { create_time: to, seq: END.seq } : last
  const asked = [accountId, from ?? '', place.create_time, place.seq, limit]
  if (invoiceId !== undefined) return db.rows<Movement>(movementsOfInvoice, [...asked, invoiceId])
  if (disputeId !== undefined) return db.rows<Movement>(movementsOfDispute, [...asked, disputeId])
  const { statement, values } = movementsOf(accountId, from ?? '', place, limit)
  return db.rows<Movement>(statement, values)
}

/** One statement, so that what is booked meanwhile is in both or in neither. */
const balancesAfter = sql`
  with newer as materialized (
    select m.transaction_id from ledger_entries m
    where m.account_id = $1 and m.line = 1 and (m.create_time, m.seq) > ($2, $3)
    order by m.create_time desc, m.seq desc limit $4)
  select b.currency, (select count(*)::int from newer) as newer,
    (b.amount - coalesce((select sum(e.amount) from newer n join ledger_entries e
      on e.account_id = $1 and e.transaction_id = n.transaction_id
      where e.book = 'balance' and e.currency = b.currency), 0))::bigint as available
  from ledger_balances b where b.account_id = $1 and b.book = 'balance'`

/**
 * What was available in each currency right after the movement at a place, found by taking away what came later. Undefined
 * if more than `most` movements came later.
 */
export async function findBalancesAfter(
  db: Reader,
  accountId: string,
  place: Place,
  most: number,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  type Row = { readonly currency: string; readonly newer: number; readonly available: bigint }
  const rows = await db.rows<Row>(balancesAfter, [accountId, place.create_time, place.seq, most + 1])
  if (rows.some(({ newer }) => newer > most)) return undefined
  return new Map(rows.map(({ currency, available }) => [currency, available]))
}
