import { batched } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { actorOf, causeId } from '../kernel/cause.ts'
import { toMoney } from '../kernel/money.ts'
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

/** A row is an entry, named by its transaction and line. */
const ofEntries = { table: 'ledger_entries', key: 3 }
const insertRows = `
  insert into ledger_entries
    (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time, actor, cause)
  select account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time, actor, cause
    from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
        $9::boolean[], $10::text[], $11::text[], $12::text[])
      as entry (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time, actor, cause)`
const insertEntries = batched(ofEntries, insertRows)
/** Kept apart from other entries: the database checks that these leave no book below zero, which other entries may do. */
const insertCovered = batched(ofEntries, `${insertRows} /* covered */`)

/** Gathers a movement. The database refuses one that does not balance, so an unbalanced one is our own mistake. */
export function post(tx: Tx, { accountId, currency, kind, reference, entries }: Posting): void {
  const lines = entries.filter(({ amount }) => amount !== 0n)
  if (lines.reduce((sum, { amount }) => sum + amount, 0n) !== 0n)
    throw new Error(`The posting ${kind} of ${reference} does not balance.`)
  if (lines.length === 0) return
  const statement = lines.some(({ covered }) => covered) ? insertCovered : insertEntries
  const id = tx.newId('posting')
  tx.happened(() => {
    const books = Object.fromEntries(lines.map(({ book, amount }) => [book, toMoney(amount, currency).value]))
    return { kind: 'money', accountId, ref: reference, details: { what: kind, currency_code: currency, books } }
  })
  for (const [i, { book, amount, covered = false }] of lines.entries())
    tx.write(statement, [
      accountId,
      id,
      i + 1,
      book,
      currency,
      amount,
      kind,
      reference,
      covered,
      tx.now,
      actorOf(tx.cause),
      causeId(tx.cause),
    ])
}
