import type { Account } from '../accounts/schema.ts'
import { after, dayIn, type Instant } from '../kernel/clock.ts'
import { refused } from '../kernel/problem.ts'
import type { InvoiceInput } from './schema/given.ts'

export const REMINDERS_A_DAY = 2
export const RECIPIENT_CHANGES_MAX = 2
export const RECIPIENT_CHANGES_HOURS = 72
export const TEMPLATES_MAX = 50

/** Counts one more reminder, or refuses it. A day is a calendar day of the merchant's zone. */
export function countReminder(times: readonly Instant[], now: Instant, zone: string): Instant[] {
  const today = dayIn(now, zone)
  const sameDay = times.filter((time) => dayIn(time, zone) === today)
  if (sameDay.length >= REMINDERS_A_DAY)
    throw refused(
      'REMINDER_LIMIT_EXCEEDED',
      `${REMINDERS_A_DAY} reminders went out on ${today} (${zone}); the next can go tomorrow.`,
    )
  return [...sameDay, now]
}

/** Counts one more change of the recipients, or refuses it: at most two in any 72 hours. */
export function countRecipientChange(times: readonly Instant[], now: Instant): Instant[] {
  const since = after(now, -RECIPIENT_CHANGES_HOURS * 3600)
  const recent = times.filter((time) => time > since)
  if (recent.length >= RECIPIENT_CHANGES_MAX)
    throw refused(
      'RECIPIENT_CHANGE_LIMIT_EXCEEDED',
      `The recipients changed ${RECIPIENT_CHANGES_MAX} times within ${RECIPIENT_CHANGES_HOURS} hours; the next change is possible ${RECIPIENT_CHANGES_HOURS} hours after ${recent.at(-RECIPIENT_CHANGES_MAX)}.`,
      '/primary_recipients',
    )
  return [...recent, now]
}

export function requireOwnEmail({ email }: Pick<Account, 'email'>, { invoicer }: InvoiceInput): void {
  const given = invoicer?.email_address
  if (given !== undefined && given.toLowerCase() !== email.toLowerCase())
    throw refused('USER_NOT_FOUND', 'The address is not one of the calling merchant.', '/invoicer/email_address')
}
