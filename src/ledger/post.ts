import { sql } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { actorOf, causeId } from '../kernel/cause.ts'
import type { Book } from './schema.ts'

/** One side of a movement of money, in the smallest unit of its currency. Zero is left out. */
export interface Entry {
  readonly book: Book
  readonly amount: bigint
  /** Refuses the movement when it would leave the book below zero. */
  readonly covered?: boolean
}

/** A movement of money within the books of one account. Its entries must add up to zero. */
export interface Posting {
  readonly accountId: string
  readonly currency: string
  /** What happened, for people who read the ledger: `CAPTURE`, `REFUND`, `HOLD_PLACED`. */
  readonly kind: string
  /** The payment, refund or dispute that moved it. */
  readonly reference: string
  readonly entries: readonly Entry[]
}

const insertEntries = sql`
  insert into ledger_entries
    (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time, actor, cause)
  select $1::text, $2::text, line, book, $5::text, amount, $6::text, $7::text, covered, $9::text, $10::text, $11::text
    from unnest($3::text[], $4::bigint[], $8::boolean[]) with ordinality as entry (book, amount, covered, line)`

/** Gathers a movement. The database refuses one that does not balance, so an unbalanced one is our own mistake. */
export function post(tx: Tx, { accountId, currency, kind, reference, entries }: Posting): void {
  const lines = entries.filter(({ amount }) => amount !== 0n)
  if (lines.reduce((sum, { amount }) => sum + amount, 0n) !== 0n)
    throw new Error(`The posting ${kind} of ${reference} does not balance.`)
  if (lines.length === 0) return
  tx.write(insertEntries, [
    accountId,
    tx.newId('posting'),
    lines.map(({ book }) => book),
    lines.map(({ amount }) => amount),
    currency,
    kind,
    reference,
    lines.map(({ covered }) => covered === true),
    tx.now,
    actorOf(tx.cause),
    causeId(tx.cause),
  ])
}
