import { type Quota, useQuota } from '../database/quota.ts'
import type { Tx } from '../database/transaction.ts'
import { Problem, refused } from '../kernel/problem.ts'
import type { Typed } from './forms/fields.ts'
import type { Sent } from './visit.ts'

const sent: Quota = { name: 'console-form', max: 1, seconds: 86_400 }

const SENT_ALREADY = 'SENT_ALREADY'

/** Whether a form was refused because it was sent already: whoever clicks twice meant it once, and it was done. */
export const isSentAlready = (error: unknown): boolean =>
  error instanceof Problem && error.details.some(({ issue }) => issue === SENT_ALREADY)

/** Refuses a form that was sent already: what no operation does has no request id of its own to be known by. */
export async function onceOnly(tx: Tx, accountId: string, typed: Typed): Promise<void> {
  const key = typed['request-id']
  if (key === undefined || key.length > 100) return
  if (await useQuota(tx, accountId, [{ quota: sent, key }]))
    throw refused(
      SENT_ALREADY,
      'This form was sent already, and what it asked for was done. Look at how it stands now.',
    )
}

/** Whether a form is sent for the first time, where it asks for an operation that knows no request ids. */
export async function isFirstTime({ change, who, typed }: Pick<Sent, 'change' | 'who' | 'typed'>): Promise<boolean> {
  try {
    await change((tx) => onceOnly(tx, who.caller.accountId, typed))
    return true
  } catch (error) {
    if (isSentAlready(error)) return false
    throw error
  }
}
