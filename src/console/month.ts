import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Content } from '../http/html.ts'
import { addDays, type Day } from '../kernel/clock.ts'
import { toMoney } from '../kernel/money.ts'
import { chart } from './parts/bars.ts'
import type { Visit } from './visit.ts'
import { money } from './words.ts'

const DAYS = 30
/** Only the newest of a busy month are looked at: a picture must not cost more than the list below it. */
const LOOKED_AT_MAX = 500

interface DayOfMoney {
  readonly day: Day
  readonly came: bigint
  readonly went: bigint
  readonly movements: number
}

/** What is held is still the account's, so a hold is neither income nor spending; nor is what a sandbox begins with. */
const byDay = sql`
  select substr(m.create_time, 1, 10) as day, coalesce(sum(e.amount) filter (where e.amount > 0), 0)::bigint as came,
    coalesce(-sum(e.amount) filter (where e.amount < 0), 0)::bigint as went, count(*)::int as movements
  from (select account_id, transaction_id, create_time, seq from ledger_entries
      where account_id = $1 and line = 1 and create_time >= $2 and kind <> 'OPENING_BALANCE'
      order by create_time desc, seq desc limit $4) m
    left join lateral (select sum(amount) as amount from ledger_entries e where e.account_id = m.account_id
      and e.transaction_id = m.transaction_id and e.book in ('balance', 'hold') and e.currency = $3) e on true
  group by 1 order by 1`

const read = (db: Reader, accountId: string, from: Day, currency: string) =>
  db.rows<DayOfMoney>(byDay, [accountId, from, currency, LOOKED_AT_MAX])

/** What came in and went out of what the account has in a currency, a day a column. */
export async function monthOf({ db, who, now, times }: Visit, currency: string): Promise<Content> {
  const today = now.slice(0, 10) as Day
  const rows = await read(db, who.caller.accountId, addDays(today, 1 - DAYS), currency)
  const isCut = rows.reduce((sum, { movements }) => sum + movements, 0) >= LOOKED_AT_MAX
  const days = Array.from({ length: DAYS }, (_, i) => addDays(today, i + 1 - DAYS))
  const of = (day: Day) => rows.find((row) => row.day === day)
  const total = (name: 'came' | 'went') =>
    money(
      toMoney(
        rows.reduce((sum, row) => sum + row[name], 0n),
        currency,
      ),
    )
  return chart({
    title: 'By day',
    columns: days.map((day) => [Number(of(day)?.came ?? 0), Number(of(day)?.went ?? 0)]),
    said: `${total('came')} came in, ${total('went')} went out${isCut ? ', of the newest movements' : ` in ${DAYS} days`}`,
    from: times.date(days[0]!),
    to: 'today',
    above: 'out',
  })
}
