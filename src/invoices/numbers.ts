import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import type { Newest, Remembered } from './ground.ts'
import { nextNumber, nextNumbers, numberKey } from './sums/numbering.ts'

/** The number of an invoice that is being created. */
export interface ChosenNumber {
  readonly number: string
  /** Whether we chose it. Then somebody else may take it first. */
  readonly isOurs: boolean
  /** The number is valid only as long as this is the merchant's newest invoice, with this number. */
  readonly after?: Newest | undefined
  /** Must be called with the id of the invoice that gets the number. */
  creates(id: string): void
}

const newestNumber = sql`
  select body#>>'{detail,invoice_number}' as number from invoices
  where account_id = $1 order by create_time desc, seq desc limit 1`
const takenNumbers = sql`select number_key from invoices where account_id = $1 and number_key = any($2)`

const CANDIDATES = 20
const CANDIDATES_MAX = 5_000

/**
 * A number for an invoice that is created in this unit of work. Creations of a merchant take turns here, so that each number
 * follows the one before, without gaps. A guard keeps out other processes. If the number is remembered, the next creation
 * need not wait until this one is committed. Nearly always the number is free, so this is only found out when it is written.
 */
export async function chooseNumber(tx: Tx, accountId: string, remembered: Remembered): Promise<ChosenNumber> {
  await tx.takeTurn(`invoice number ${accountId}`)
  const before = remembered.newest(tx, accountId)
  const number = before ? nextNumber(before.number) : await readNumber(tx, accountId)
  const creates = (id: string) => {
    if (remembered.creates(accountId, { id, number })) tx.passTurn()
  }
  return { number, isOurs: true, after: before, creates }
}

/** A number that the merchant chose. Our next number counts on from it, if its invoice is the newest by then. */
export const givenNumber = (accountId: string, number: string, remembered: Remembered): ChosenNumber => ({
  number,
  isOurs: false,
  creates: () => remembered.creates(accountId, undefined),
})

async function readNumber(tx: Tx, accountId: string): Promise<string> {
  if (tx.attempt > 1) return findNextNumber(tx, accountId)
  return nextNumber((await tx.row<{ number: string }>(newestNumber, [accountId]))?.number)
}

/** The first free number after that of the newest invoice. Reserves nothing. */
export async function findNextNumber(db: Reader, accountId: string): Promise<string> {
  let last = (await db.row<{ number: string }>(newestNumber, [accountId]))?.number
  for (let count = CANDIDATES; ; count = Math.min(count * 10, CANDIDATES_MAX)) {
    const candidates = nextNumbers(last, count)
    const rows = await db.rows<{ number_key: string }>(takenNumbers, [accountId, candidates.map(numberKey)])
    const taken = new Set(rows.map(({ number_key }) => number_key))
    const free = candidates.find((candidate) => !taken.has(numberKey(candidate)))
    if (free !== undefined) return free
    last = candidates.at(-1)
  }
}
