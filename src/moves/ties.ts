import type { Connection, Database } from '../database/open.ts'
import { sql, unprepared } from '../database/sql.ts'

/** Something that two accounts have in common, which must be in one database. */
export interface Tie {
  readonly by: 'a consent' | 'a dispute' | 'a payment' | 'an event'
  readonly id: string
}

/** A table whose rows may tie the account that has them to another one. */
interface Tying {
  readonly by: Tie['by']
  readonly table: string
  /** Where a row names the other account. */
  readonly other: string
}

const tying: readonly Tying[] = [
  { by: 'a dispute', table: 'disputes', other: 't.buyer_account_id' },
  { by: 'a payment', table: 'payment_transactions', other: "t.body#>>'{buyer,account_id}'" },
  { by: 'an event', table: 'event_audience', other: 't.event_account_id' },
]

/** No more than this many are reported. */
const TOLD_MAX = 20
/** 128 MiB: a piece of this size is read within the time that a statement may take, wherever its pages lie. */
const PIECE_PAGES = 16_384

/** Everything is read as of one instant, so that no row passes unseen from one piece to another. */
const atOneInstant = unprepared('set transaction isolation level repeatable read')
// Accounts of another cell do not count, because they are known in every cell.
const consents = sql`
  select distinct 'a consent' as by, other.id from consents c join apps a on a.id = c.app_id
    cross join lateral (select case when c.account_id = any($1::text[]) then a.account_id else c.account_id end as id) other
  where (c.account_id = any($1::text[])) <> (a.account_id = any($1::text[]))
    and not exists (select from accounts o where o.id = other.id and o.cell is not null)
  order by 2 limit 20`
/** The table itself, or its partitions. */
const partsOf = sql`
  select c.oid::regclass::text as name, pg_relation_size(c.oid) / current_setting('block_size')::int as pages
  from pg_class c
  where c.relkind = 'r' and (c.oid = $1::regclass or c.oid in (select relid from pg_partition_tree($1::regclass)))`

const pieceOf = ({ by, other }: Tying, part: string) =>
  unprepared(`
  select distinct '${by}' as by, tied.id from ${part} t
    cross join lateral (select ${other} as id) other
    cross join lateral (select case when t.account_id = any($1::text[]) then other.id else t.account_id end as id) tied
  where t.ctid >= $2::tid and t.ctid < $3::tid and other.id is not null
    and (t.account_id = any($1::text[])) <> (other.id = any($1::text[]))
    and not exists (select from accounts o where o.id = tied.id and o.cell is not null)
  order by 2 limit ${TOLD_MAX}`)

/**
 * What the accounts share with others that stay. Some of it has no index, and needs none: tables are read from one end to the
 * other. That is done a piece at a time, because reading all of a large table takes longer than any statement may.
 */
export const findTies = (db: Database, ids: readonly string[], piecePages = PIECE_PAGES): Promise<Tie[]> =>
  db.transaction(async (connection) => {
    await connection.rows(atOneInstant)
    const found = await connection.rows<Tie>(consents, [ids])
    for (const one of tying) found.push(...(await tiesIn(connection, one, ids, piecePages)))
    const isBefore = (a: Tie, b: Tie) => a.id < b.id || (a.id === b.id && a.by < b.by)
    return found.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, TOLD_MAX)
  })

async function tiesIn(db: Connection, tying: Tying, ids: readonly string[], piecePages: number): Promise<Tie[]> {
  const found = new Map<string, Tie>()
  for (const { name, pages } of await db.rows<{ name: string; pages: bigint }>(partsOf, [tying.table])) {
    const piece = pieceOf(tying, name)
    for (let from = 0; from < Number(pages); from += piecePages) {
      const ties = await db.rows<Tie>(piece, [ids, `(${from},0)`, `(${from + piecePages},0)`])
      for (const tie of ties) found.set(tie.id, tie)
      if (found.size >= TOLD_MAX) return [...found.values()]
    }
  }
  return [...found.values()]
}
