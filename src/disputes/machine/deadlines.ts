import { addDays, after, type Day, dayIn, type Instant, instantOf } from '../../kernel/clock.ts'
import type { Dispute } from '../schema/dispute.ts'
import type { TimerName } from '../schema/enums.ts'
import type { Rules } from './rules.ts'

interface Timer {
  readonly hours: number
  /** Whether it runs until the last second of the day on which the time is up, by the calendar of the agents. */
  readonly endOfDay: boolean
  readonly waitsFor: string
  readonly next: string
}

const days = (count: number) => count * 24

/** Every timer of a dispute. At most one runs at a time, and which one follows from where the dispute stands. */
// biome-ignore format: a table reads best as a table
export const timers = {
  triage:               { hours: 0,        endOfDay: false, waitsFor: 'the dispute to be looked at first',      next: 'the seller is asked to answer' },
  inquiry:              { hours: days(20), endOfDay: false, waitsFor: 'the parties to agree after the opening', next: 'closed as cancelled by the buyer' },
  'seller-answer':      { hours: days(10), endOfDay: true,  waitsFor: 'the seller to answer a claim',           next: 'decided for the buyer' },
  'accelerated-answer': { hours: days(10), endOfDay: false, waitsFor: 'the seller to answer on the accelerated timetable', next: 'reviewed on what is there' },
  'seller-proof':       { hours: days(3),  endOfDay: true,  waitsFor: 'evidence an agent asked of the seller',  next: 'decided for the buyer' },
  'buyer-proof':        { hours: days(3),  endOfDay: true,  waitsFor: 'evidence an agent asked of the buyer',   next: 'decided for the seller' },
  'claim-offer':        { hours: days(10), endOfDay: true,  waitsFor: 'the buyer to answer an offer in a claim', next: 'decided for the seller' },
  return:               { hours: days(10), endOfDay: true,  waitsFor: 'the buyer to send the item back',        next: 'closed for the seller' },
  acknowledgement:      { hours: days(10), endOfDay: true,  waitsFor: 'the seller to confirm the return',       next: 'closed for the buyer' },
  review:               { hours: days(10), endOfDay: true,  waitsFor: 'an agent to decide before a setting does', next: 'decided as the setting says' },
  'appeal-window':      { hours: days(10), endOfDay: true,  waitsFor: 'the losing side to appeal',              next: 'the outcome becomes final, and no event is sent' },
  alert:                { hours: 20,       endOfDay: false, waitsFor: 'the seller to take an alert seriously',  next: 'closed without an outcome' },
} as const satisfies Record<TimerName, Timer>

/** Disputes about payments older than this cannot be opened. */
export const FILING_WINDOW_DAYS = 180
/** The time zone whose calendar says when a day ends. */
export const AGENTS_ZONE = 'America/Los_Angeles'

/** When a timer is up that starts now. */
export function dueAfter(start: Instant, hours: number, endOfDay: boolean): Instant {
  if (!endOfDay) return after(start, hours * 3600)
  return endOf(addDays(dayIn(start, AGENTS_ZONE), hours / 24))
}

const endOf = (day: Day): Instant => instantOf(day, AGENTS_ZONE, { hour: 23, minute: 59, second: 59 })

/** Whether a deadline is the end of a day in the agents' zone. In UTC that is another hour in summer than in winter. */
export const isEndOfDay = (due: Instant): boolean => Date.parse(endOf(dayIn(due, AGENTS_ZONE))) === Date.parse(due)

export const dueOf = (name: TimerName, start: Instant): Instant =>
  dueAfter(start, timers[name].hours, timers[name].endOfDay)

/** The timer that runs in the dispute's present node, if the dispute got there now. */
export function timerFor(dispute: Dispute, now: Instant, rules: Rules): Dispute['timer'] {
  const name = timerNameFor(dispute, rules)
  if (name === undefined) return undefined
  if (name === 'triage') return { name, due: after(now, rules.triageDelaySeconds) }
  if (name === 'seller-answer' && dispute.answer_by) return { name, due: dispute.answer_by }
  if (name !== 'inquiry') return { name, due: dueOf(name, now) }
  // If an agent kept an inquiry open past its end, the next answer gets as much time as in a claim.
  const end = dueOf('inquiry', dispute.create_time)
  return { name, due: end > now ? end : dueOf('seller-answer', now) }
}

function timerNameFor({ dispute_life_cycle_stage, status, flow, finality, dispute_channel }: Dispute, rules: Rules) {
  const inInquiry = dispute_life_cycle_stage === 'INQUIRY'
  if (status === 'RESOLVED') return finality === 'APPEALABLE' ? 'appeal-window' : undefined
  if (status === 'OPEN') return 'triage'
  if (status === 'UNDER_REVIEW') return rules.autoAdjudicate === 'off' ? undefined : 'review'
  if (flow === 'RETURN') return 'return'
  if (flow === 'ACK') return 'acknowledgement'
  if (flow === 'OFFER') return inInquiry ? 'inquiry' : 'claim-offer'
  if (flow === 'EVIDENCE') return status === 'WAITING_FOR_SELLER_RESPONSE' ? 'seller-proof' : 'buyer-proof'
  if (dispute_channel === 'ALERT') return 'alert'
  return inInquiry ? 'inquiry' : 'seller-answer'
}
