import { after, type Instant } from '../../kernel/clock.ts'
import { minorDigits, toMinor } from '../../kernel/money.ts'
import type { Dispute } from '../schema/dispute.ts'
import type { ActionContext } from './action.ts'

const DAY_SECONDS = 86_400
/** Within so many days from the start of the inquiry, the seller can send evidence. */
const WINDOW_DAYS = 10
const LATE_FROM_DAY = 8
const EXTRA_DAYS = 3

/**
 * How long the seller has after an escalation on the accelerated timetable, and which timer runs. Undefined if there is no
 * time left at all and the claim is closed for the buyer.
 */
export function acceleratedAnswer(dispute: Dispute, { now, side, rules }: ActionContext): Dispute['timer'] {
  const day = (rules.sandbox ? pretendedDay(dispute) : undefined) ?? daysBetween(dispute.create_time, now)
  const rest = { name: 'accelerated-answer', due: after(now, Math.max(0, WINDOW_DAYS - day) * DAY_SECONDS) } as const
  const extra = after(now, EXTRA_DAYS * DAY_SECONDS)
  if (day < LATE_FROM_DAY) return rest
  if (side === 'seller') return { name: 'accelerated-answer', due: extra }
  if (day <= WINDOW_DAYS) return sellerSpoke(dispute) ? { name: 'accelerated-answer', due: extra } : rest
  return sellerSpoke(dispute) ? { name: 'seller-answer', due: extra } : undefined
}

const daysBetween = (from: Instant, to: Instant) => (Date.parse(to) - Date.parse(from)) / 1000 / DAY_SECONDS

/** In the sandbox, the amount of the payment tells on which day the escalation shall pretend to happen. */
function pretendedDay({ disputed_transactions }: Dispute): number | undefined {
  const { gross_amount } = disputed_transactions[0]!
  const whole = toMinor(gross_amount) / 10n ** BigInt(minorDigits(gross_amount.currency_code))
  if (whole === 5n || whole === 9n) return Number(whole)
  return whole >= 11n ? 11 : undefined
}

const sellerSpoke = ({ messages = [], offer }: Dispute): boolean =>
  messages.some(({ posted_by }) => posted_by === 'SELLER') ||
  (offer.history ?? []).some(({ actor }) => actor === 'SELLER')
