import { sql } from '../../../database/sql.ts'
import type { Reader } from '../../../database/transaction.ts'
import type { Content } from '../../../http/html.ts'
import type { Day, Instant } from '../../../kernel/clock.ts'
import { toMoney } from '../../../kernel/money.ts'
import { chart } from '../../parts/bars.ts'
import { byDay, daysUntil, startOf } from '../../parts/days.ts'
import type { Visit } from '../../visit.ts'
import { money } from '../../words.ts'

const DAYS = 30
/** Only the newest movements of a busy month are looked at: a picture must not cost more than the list below it. */
const LOOKED_AT_MAX = 500

interface Moved {
  /** Movements are added up by minute, because days begin at another minute in every zone. */
  readonly minute: string
  readonly came: bigint
  readonly went: bigint
  readonly movements: number
}

/** What is held is still the account's, so a hold is neither income nor spending; nor is what a sandbox begins with. */
const byMinute = sql`
  select substr(m.create_time, 1, 16) as minute, coalesce(sum(e.amount) filter (where e.amount > 0), 0)::bigint as came,
    coalesce(-sum(e.amount) filter (where e.amount < 0), 0)::bigint as went, count(*)::int as movements
  from (select account_id, transaction_id, create_time, seq from ledger_entries
      where account_id = $1 and line = 1 and create_time >= $2 and kind <> 'OPENING_BALANCE'
      order by create_time desc, seq desc limit $4) m
    left join lateral (select sum(amount) as amount from ledger_entries e where e.account_id = m.account_id
      and e.transaction_id = m.transaction_id and e.book in ('balance', 'hold') and e.currency = $3) e on true
  group by 1 order by 1`

const read = (db: Reader, accountId: string, from: Instant, currency: string) =>
  db.rows<Moved>(byMinute, [accountId, from, currency, LOOKED_AT_MAX])

/** What came in and went out of what the account has in a currency, with a column for each day. */
export async function monthOf({ db, who, now, times }: Visit, currency: string): Promise<Content> {
  const days = daysUntil(now as Instant, who.zone, DAYS)
  const rows = await read(db, who.caller.accountId, startOf(days[0]!, who.zone), currency)
  const isCut = rows.reduce((sum, { movements }) => sum + movements, 0) >= LOOKED_AT_MAX
  const found = byDay(rows, who.zone)
  const sumOf = (day: Day, name: 'came' | 'went') => (found.get(day) ?? []).reduce((sum, row) => sum + row[name], 0n)
  const total = (name: 'came' | 'went') =>
    money(
      toMoney(
        rows.reduce((sum, row) => sum + row[name], 0n),
        currency,
      ),
    )
  return chart({
    title: 'By day',
    columns: days.map((day) => [Number(sumOf(day, 'came')), Number(sumOf(day, 'went'))]),
    said: `${total('came')} came in, ${total('went')} went out${isCut ? ', of the newest movements' : ` in ${DAYS} days`}`,
    from: times.date(days[0]!),
    to: 'today',
    above: 'out',
  })
}
