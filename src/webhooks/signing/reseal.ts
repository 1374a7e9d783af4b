import { type Statement, sql } from '../../database/sql.ts'
import type { Reader, Transact } from '../../database/transaction.ts'
import type { Seal } from './seal.ts'

/** How many rows are sealed anew at once. */
const BATCH = 200

/** Where something sealed stands: how it is read in the order of its owners, and how it is written. */
interface Place {
  readonly read: Statement
  readonly write: Statement
}

interface SealedRow {
  readonly owner: string
  readonly sealed: Buffer
}

const places: readonly Place[] = [
  {
    read: sql`select id as owner, secret as sealed from webhooks where id > $1 order by id limit $2`,
    write: sql`
      update webhooks set secret = anew.sealed from unnest($1::text[], $2::bytea[], $3::bytea[]) as anew (owner, was, sealed)
      where webhooks.id = anew.owner and webhooks.secret = anew.was`,
  },
  {
    read: sql`
      select id as owner, previous_secret as sealed from webhooks
      where id > $1 and previous_secret is not null order by id limit $2`,
    write: sql`
      update webhooks set previous_secret = anew.sealed
      from unnest($1::text[], $2::bytea[], $3::bytea[]) as anew (owner, was, sealed)
      where webhooks.id = anew.owner and webhooks.previous_secret = anew.was`,
  },
  {
    read: sql`select id as owner, sealed from signing_keys where id > $1 order by id limit $2`,
    write: sql`
      update signing_keys set sealed = anew.sealed
      from unnest($1::text[], $2::bytea[], $3::bytea[]) as anew (owner, was, sealed)
      where signing_keys.id = anew.owner and signing_keys.sealed = anew.was`,
  },
  {
    read: sql`select 'authority' as owner, sealed from signing_authority where 'authority' > $1 limit $2`,
    write: sql`
      update signing_authority set sealed = anew.sealed
      from unnest($1::text[], $2::bytea[], $3::bytea[]) as anew (owner, was, sealed)
      where signing_authority.sealed = anew.was`,
  },
  {
    read: sql`select code as owner, sealed from erasures where code > $1 order by code limit $2`,
    write: sql`
      update erasures set sealed = anew.sealed
      from unnest($1::text[], $2::bytea[], $3::bytea[]) as anew (owner, was, sealed)
      where erasures.code = anew.owner and erasures.sealed = anew.was`,
  },
]

/**
 * Seals with the first of the service's secrets whatever an earlier one has sealed, and gives the number of rows. Running
 * services open both. A row that changes meanwhile is left alone: it was just sealed with the first secret.
 */
export async function resealAll(db: Reader, transact: Transact, seal: Seal): Promise<number> {
  let count = 0
  for (const { read, write } of places) {
    let rows: SealedRow[] = []
    do {
      rows = await db.rows<SealedRow>(read, [rows.at(-1)?.owner ?? '', BATCH])
      const old = rows.filter(({ sealed, owner }) => !seal.isNewest(sealed, owner))
      const anew = old.map(({ sealed, owner }) => seal.close(seal.open(sealed, owner), owner))
      if (old.length > 0)
        await transact(async (tx) =>
          tx.write(write, [old.map(({ owner }) => owner), old.map(({ sealed }) => sealed), anew]),
        )
      count += old.length
    } while (rows.length === BATCH)
  }
  return count
}
