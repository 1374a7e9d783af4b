import { createHash } from 'node:crypto'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { Agreed } from '../../invoices/payable.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'

export type AttemptStatus = 'OPEN' | 'PENDING' | 'COMPLETED' | 'DENIED' | 'REVERSED' | 'RETURNED'

/** One try to pay an invoice; `charge-lifecycle.ts` says what becomes of it. */
export interface Attempt {
  readonly id: string
  readonly account_id: string
  readonly invoice_id: string
  readonly nonce: string
  readonly status: AttemptStatus
  /** Without the tip. */
  readonly amount: Money
  readonly tip?: Money
  readonly order_id: string
  /** The browser in which it was confirmed, as a digest of its cookie. Only that browser can go on with it. */
  readonly browser?: string
  readonly buyer: { readonly account_id?: string; readonly email?: string; readonly name?: string }
  /** The capture that was made of it. */
  readonly capture_id?: string
  /** The address to which the gateway sends the payer. */
  readonly redirect_url?: string
  /** The gateway's own name for it. */
  readonly gateway_reference?: string
  readonly create_time: string
}

export interface StoredAttempt {
  readonly attempt: Attempt
  readonly version: number
}

const insertStatement = sql`
  insert into payment_attempts (account_id, id, invoice_id, nonce, status, body, create_time)
  values ($1, $2, $3, $4, $5, $6, $7)`
const updateStatement = sql`
  update payment_attempts set status = $4, body = $5, version = version + 1
   where account_id = $1 and id = $2 and version = $3`
const byId = sql`select body as attempt, version from payment_attempts where id = $1`
const openOfInvoice = sql`
  select body as attempt from payment_attempts where account_id = $1 and invoice_id = $2 and status = 'OPEN'`

export function insertAttempt(tx: Tx, attempt: Attempt): void {
  const { account_id, id, invoice_id, nonce, status, create_time } = attempt
  tx.about(account_id, invoice_id)
  tx.write(insertStatement, [account_id, id, invoice_id, nonce, status, JSON.stringify(attempt), create_time])
}

export function saveAttempt(tx: Tx, version: number, attempt: Attempt): void {
  tx.about(attempt.account_id, attempt.invoice_id)
  tx.guard(updateStatement, [attempt.account_id, attempt.id, version, attempt.status, JSON.stringify(attempt)])
}

/** Found by the id alone: it is as long and as random as a key, and only the payer and the gateway know it. */
export const findAttempt = (db: Reader, id: string) => db.row<StoredAttempt>(byId, [id])

export async function findOpenAttempt(db: Reader, accountId: string, invoiceId: string): Promise<Attempt | undefined> {
  return (await db.row<{ attempt: Attempt }>(openOfInvoice, [accountId, invoiceId]))?.attempt
}

export const browserOf = (session: string): string => createHash('sha256').update(session).digest('base64url')

/** How long others must wait for a payment that one browser began and did not finish. */
export const OTHERS_WAIT_SECONDS = 300

/** What an open try means to somebody who wants to pay now: they can go on with it, it is in the way, or it can be replaced. */
export function standingOf(
  open: Attempt,
  wanted: Agreed & { browser: string },
  now: Instant,
): 'same' | 'other' | 'past' {
  const isOwn = open.browser === wanted.browser
  const isSameSum = minorOf(open.amount) === minorOf(wanted.amount) && minorOf(open.tip) === minorOf(wanted.tip)
  if (isOwn && isSameSum) return 'same'
  return isOwn || after(open.create_time as Instant, OTHERS_WAIT_SECONDS) <= now ? 'past' : 'other'
}

const minorOf = (money: Money | undefined) => (money ? toMinor(money) : 0n)

/** Everything that the payer gives: amount and tip. */
export const grossOf = ({ amount, tip }: Pick<Attempt, 'amount' | 'tip'>): Money =>
  toMoney(toMinor(amount) + minorOf(tip), amount.currency_code)
