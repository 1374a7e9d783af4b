import { type Quota, useQuota } from '../database/quota.ts'
import { sql } from '../database/sql.ts'
import type { Reader, Transact, Tx } from '../database/transaction.ts'
import { after } from '../kernel/clock.ts'
import { Problem, refused } from '../kernel/problem.ts'
import type { Typed } from './forms/fields.ts'
import type { Outcome } from './operate.ts'
import type { Onlooker } from './who.ts'

const sent: Quota = { name: 'console-form', max: 1, seconds: 86_400 }

const sentBefore = sql`select 1 from quotas where account_id = $1 and name = $2 and key = $3 and until > $4`

const forgetSent = sql`delete from quotas where account_id = $1 and name = $2 and key = $3`

const keepSent = sql`update quotas set until = $4 where account_id = $1 and name = $2 and key = $3`

const SENT_ALREADY = 'SENT_ALREADY'

/** Whether a form was refused because it had been sent already. Whoever clicks twice meant it once, and it was done. */
export const isSentAlready = (error: unknown): boolean =>
  error instanceof Problem && error.details.some(({ issue }) => issue === SENT_ALREADY)

/** The id by which a form is recognised; undefined for a form that nobody drew. */
const keyOf = ({ 'request-id': key }: Typed): string | undefined =>
  key === undefined || key.length > 100 ? undefined : key

/** Whether a form was sent and what it asked for was done: the thing it is about may be gone by then, or be called the same. */
export async function wasDone(db: Reader, accountId: string, typed: Typed, now: string): Promise<boolean> {
  const key = keyOf(typed)
  return key !== undefined && (await db.row(sentBefore, [accountId, sent.name, key, now])) !== undefined
}

/**
 * Whether a form was refused because it was done already: for that very reason, or for what the first click changed meanwhile.
 */
export const isOfSecondClick = async (error: unknown, { db, who, typed, now }: SentForm): Promise<boolean> =>
  isSentAlready(error) || (error instanceof Problem && (await wasDone(db, who.caller.accountId, typed, now)))

interface SentForm {
  readonly db: Reader
  readonly who: Onlooker
  readonly typed: Typed
  readonly now: string
}

/** Refuses a form that was sent already. It is for what no operation does, which has no request id to be recognised by. */
export async function onceOnly(tx: Tx, accountId: string, typed: Typed, seconds = sent.seconds): Promise<void> {
  const key = keyOf(typed)
  if (key === undefined) return
  const use = { quota: { ...sent, seconds }, key }
  if ((await wasDone(tx, accountId, typed, tx.now)) || (await useQuota(tx, accountId, [use])))
    throw refused(
      SENT_ALREADY,
      'This form was sent already, and what it asked for was done. Look at how it stands now.',
    )
}

interface FormOfOperation {
  readonly change: Transact
  readonly who: Onlooker
  readonly typed: Typed
}

/** Whether a form is sent for the first time. This is for forms that ask for an operation that knows no request ids. */
async function isFirstTime({ change, who, typed }: FormOfOperation, seconds?: number): Promise<boolean> {
  try {
    await change((tx) => onceOnly(tx, who.caller.accountId, typed, seconds))
    return true
  } catch (error) {
    if (isSentAlready(error)) return false
    throw error
  }
}

/**
 * Asks for an operation that knows no request ids, but only when the form is sent for the first time; a second click returns
 * undefined. What was refused was not done, so that form may be sent again. A form that moves the clock says by how many
 * seconds at most: its mark must outlast that, and then last as long as the marks of others.
 */
export async function askOnce(
  sentForm: FormOfOperation,
  ask: () => Promise<Outcome>,
  seconds = 0,
): Promise<Outcome | undefined> {
  if (!(await isFirstTime(sentForm, sent.seconds + seconds))) return undefined
  const outcome = await ask()
  const { change, who, typed } = sentForm
  const key = keyOf(typed)
  if (key === undefined) return outcome
  const mark = [who.caller.accountId, sent.name, key]
  if (outcome.refusal) await change(async (tx) => tx.write(forgetSent, mark))
  else if (seconds > 0) await change(async (tx) => tx.write(keepSent, [...mark, after(tx.now, sent.seconds)]))
  return outcome
}
