import { sql } from '../../../database/sql.ts'
import { type Content, html } from '../../../http/html.ts'
import { addDays, type Day, dayIn, type Instant, instantOf } from '../../../kernel/clock.ts'
import { toMoney } from '../../../kernel/money.ts'
import { chart } from '../../parts/bars.ts'
import { byDay, daysUntil, startOf } from '../../parts/days.ts'
import { facts } from '../../parts/parts.ts'
import { printedSums, type Sums, sumOf } from '../../parts/sums.ts'
import type { Visit } from '../../visit.ts'
import { money } from '../../words.ts'
import { DECIDED_MAX, decidedThisYear } from './decided.ts'
import { dueGroups, groupOf } from './due.ts'

/** No more than this many are looked at. A page says so, and costs no more when there are a million. */
const LOOKED_AT_MAX = 1_000
const OPENED_MAX = 2_000
const DAYS_AHEAD = 21
/** Fewer than this many are seen at a glance in the list. */
const CHARTED_MIN = 3
const DAYS_BACK = 30

/** A dispute that waits for a seller. */
export interface Waiting {
  readonly due_time: Instant | null
  readonly amount: bigint
  readonly currency: string
}

const dated = sql`
  select due_time, amount, currency from disputes
  where account_id = $1 and seller_state = 'REQUIRED_ACTION' and due_time is not null order by due_time, id limit $2`
const undated = sql`
  select due_time, amount, currency from disputes
  where account_id = $1 and seller_state = 'REQUIRED_ACTION' and due_time is null order by id limit $2`
const openedByMinute = sql`
  select substr(create_time, 1, 16) as minute, count(*)::int as opened from (
    select create_time from disputes where account_id = $1 and create_time >= $2
    order by create_time desc, id desc limit $3) newest
  group by 1`

const days = (from: Day, count: number) => Array.from({ length: count }, (_, i) => addDays(from, i))

const atLeast = (n: number) => (n >= LOOKED_AT_MAX ? `${n.toLocaleString('en-US')} or more` : String(n))

/** What waits for the people of a seller, the soonest first, and what has no date last. */
export async function waitingOf({ db, who }: Visit): Promise<readonly Waiting[]> {
  const asked = [who.caller.accountId, LOOKED_AT_MAX]
  const [soonest, others] = await Promise.all([db.rows<Waiting>(dated, asked), db.rows<Waiting>(undated, asked)])
  return [...soonest, ...others]
}

/** What each group of the desk adds up to; undefined when not all of it was looked at. */
export const groupSums = (all: readonly Waiting[], now: string): readonly Sums[] | undefined =>
  all.length < LOOKED_AT_MAX
    ? dueGroups.map((_, n) => sumOf(all.filter(({ due_time }) => groupOf(due_time, now) === n)))
    : undefined

/** How the disputes of this year ended, as a figure; nothing when none has ended. */
async function ended({ db, who, now }: Visit) {
  const { decided, won, silent } = await decidedThisYear(db, {
    accountId: who.caller.accountId,
    zone: who.accountZone,
    now: now as Instant,
  })
  if (decided === 0) return []
  const which = decided >= DECIDED_MAX ? 'of the newest of this year' : 'of those opened this year'
  return [
    [
      'Decided for you',
      `${won} of ${decided}`,
      silent === 0 ? which : `${which}; ${silent} lost because nobody answered in time`,
    ] as const,
  ]
}

/** What waits for a seller: how much, what is at stake, what is due next, when the rest is due, and how it went so far. */
export async function stakes(visit: Visit, all: readonly Waiting[]): Promise<Content> {
  const { who, now, times } = visit
  const past = await ended(visit)
  if (all.length === 0) return past.length === 0 ? undefined : facts(past, 'figures')
  const soonest = all.filter(({ due_time }) => due_time !== null)
  const [first, ...more] = sumOf(all)
  const today = dayIn(now as Instant, who.accountZone)
  const ahead = days(today, DAYS_AHEAD)
  const midnights = ahead.map((day) => instantOf(addDays(day, 1), who.accountZone, { hour: 0 }))
  const withinDay = soonest.filter(({ due_time }) => Date.parse(due_time!) - Date.parse(now) < 86_400_000).length
  const [next] = soonest
  const before = midnights.map((end) => soonest.filter(({ due_time }) => due_time! < end).length)
  const shown = before.map((n, i) => n - (before[i - 1] ?? 0))
  const isManyDays = all.length >= CHARTED_MIN
  return html`${facts(
    [
      ['Need you', atLeast(all.length), withinDay === 0 ? 'none of them within a day' : `${withinDay} within a day`],
      ['At stake', money(toMoney(first![1], first![0])), more.length > 0 ? `and ${printedSums(more)}` : undefined],
      ...(next?.due_time
        ? [
            [
              'Next due',
              html`<span class="${withinDay > 0 && 'warn'}">${times.away(next.due_time)}</span>`,
              times.at(next.due_time),
            ] as const,
          ]
        : []),
      ...past,
    ],
    'figures',
  )}${
    isManyDays &&
    chart({
      title: 'When they are due',
      columns: shown.map((n, i) => (i === 0 ? [0, n] : [n, 0])),
      said: `${shown.reduce((sum, n) => sum + n, 0)} within ${DAYS_AHEAD} days, ${shown[0] === 0 ? 'none' : shown[0]} today`,
      from: 'today',
      to: times.date(ahead.at(-1)!),
    })
  }`
}

/** Disputes by the day on which they were opened. */
export async function opened({ db, who, now, times }: Visit): Promise<Content> {
  const shown = daysUntil(now as Instant, who.zone, DAYS_BACK)
  const from = startOf(shown[0]!, who.zone)
  const rows = await db.rows<{ minute: string; opened: number }>(openedByMinute, [
    ...[who.caller.accountId, from, OPENED_MAX],
  ])
  const found = byDay(rows, who.zone)
  const counts = shown.map((day) => (found.get(day) ?? []).reduce((all, one) => all + one.opened, 0))
  const sum = counts.reduce((all, n) => all + n, 0)
  return chart({
    title: 'Opened by day',
    columns: counts.map((n) => [n, 0]),
    said: `${sum >= OPENED_MAX ? `${OPENED_MAX.toLocaleString('en-US')} or more` : sum} in ${DAYS_BACK} days`,
    from: times.date(shown[0]!),
    to: 'today',
  })
}
