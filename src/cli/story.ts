import type { Played } from '../scenarios/play.ts'
import type { Paint } from './paint.ts'

type Document = Readonly<Record<string, unknown>>

const amount = (value: unknown) => {
  const money = value as { value?: string; currency_code?: string } | undefined
  return money?.value === undefined ? undefined : `${money.value} ${money.currency_code}`
}

/** What one wants to know of a thing at a glance. */
const glance = {
  dispute: ({ dispute_id, dispute_life_cycle_stage, status, dispute_outcome }: Document) => [
    dispute_id,
    dispute_life_cycle_stage,
    status,
    (dispute_outcome as Document | undefined)?.['outcome_code'],
  ],
  invoice: ({ id, status, due_amount }: Document) => [id, status, amount(due_amount) && `${amount(due_amount)} due`],
  payment: ({ id, status, amount: paid }: Document) => [id, status, amount(paid)],
} as const

/** The state of each thing in one line, by its kind. */
export const statesOf = ({ things }: Pick<Played, 'things'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(things).map(([name, document]) => [
      name,
      glance[name as keyof typeof glance](document).filter(Boolean).join('  '),
    ]),
  )

/** A step for people: who did what, and what is otherwise since. `before` holds the states that were told already. */
export function storyLines(played: Played, number: number, before: Record<string, string>, paint: Paint): string {
  const { call, waited, as, events, money, mail, received, failures } = played
  const rows: [string, string][] = []
  if (call) {
    const colour = call.status < 400 ? 'green' : 'yellow'
    rows.push([
      as ?? 'anybody',
      `${paint('dim', `${call.method} ${call.path}`)}  ${paint(colour, String(call.status))}`,
    ])
  }
  if (waited) {
    rows.push(['clock', `${waited.from} to ${waited.to}`])
    for (const { work, at } of waited.fired) rows.push(['due', `${paint('dim', at)}  ${work}`])
  }
  for (const [name, state] of Object.entries(statesOf(played))) if (before[name] !== state) rows.push([name, state])
  for (const { event_type } of events) rows.push(['event', paint('cyan', event_type)])
  for (const [book, change] of Object.entries(money))
    rows.push(['money', `${book} ${paint(change.startsWith('-') ? 'red' : 'green', change)}`])
  for (const { to, subject } of mail) rows.push(['mail', `${to.join(', ')}: ${subject}`])
  if (received.length > 0) rows.push(['received', tallied(received)])
  for (const failure of failures) rows.push([paint('red', 'wrong'), paint('red', failure)])
  const width = Math.max(8, ...rows.map(([name]) => name.length))
  return [
    `${paint('bold', `${number}. ${played.step}`)}  ${played.says}  ${paint('dim', played.now)}`,
    ...rows.map(([name, text]) => `   ${name.padEnd(width)}  ${text}`),
  ].join('\n')
}

function tallied(received: Played['received']): string {
  const counts = new Map<string, number>()
  for (const { event_type, status } of received) {
    const key = `${event_type}, answered ${status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => `${count} × ${key}`).join('; ')
}
