import { sql } from '../../database/sql.ts'
import type { Tx } from '../../database/transaction.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { forbidden } from '../../kernel/problem.ts'
import { digestOf } from './logins.ts'

const wasAnswered = sql`select 1 as one from console_answered where digest = $1`
const insertAnswered = sql`
  insert into console_answered (digest, expire_time) values ($1, $2) on conflict do nothing`

/**
 * Accepts a challenge, or an answer of single sign-on, only once. Whoever brings it again, even at the same moment, is refused.
 */
export async function requireUnanswered(tx: Tx, challenge: string, now: Instant, seconds: number): Promise<void> {
  const digest = digestOf(challenge)
  if (await tx.row(wasAnswered, [digest])) throw forbidden('This was answered already. Try again.')
  tx.guard(insertAnswered, [digest, after(now, seconds)])
}
