import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { type Content, html } from '../http/html.ts'
import { broken, sheet } from './parts/parts.ts'
import type { Visit } from './visit.ts'

interface Told {
  readonly id: string
  readonly type: string
  readonly create_time: string
  readonly sent: number
  readonly arrived: number
}

const EVENTS_MAX = 20

const about = sql`
  select e.id, e.type, e.create_time, heard.sent, heard.arrived
  from (
    select id, type, create_time, seq from events where account_id = $1 and resource_id = $2 order by seq desc limit $3) e
    cross join lateral (
      select count(*)::int as sent, count(*) filter (where d.failure is null and q.id is null)::int as arrived
      from deliveries d
        left join lateral (select id from delivery_queue q where q.account_id = d.account_id and q.id = d.id offset 0) q on true
      where d.account_id = $1 and d.event_id = e.id) heard
  order by e.seq desc`

const eventsAbout = (db: Reader, accountId: string, id: string): Promise<Told[]> =>
  db.rows<Told>(about, [accountId, id, EVENTS_MAX])

const reached = ({ sent, arrived }: Told): Content => {
  if (sent === 0) return html`<span class="soft">nobody listened</span>`
  return arrived === sent
    ? html`<span class="soft">${arrived} arrived</span>`
    : html`<span class="warn">${arrived} of ${sent} arrived</span>`
}

/** What the account's subscribers were told about one of its invoices or disputes; nothing when they were told nothing. */
export async function eventsSheet({ db, who, times }: Visit, id: string): Promise<Content> {
  if (!who.caller.scopes.has('applications/webhooks')) return undefined
  const list = await eventsAbout(db, who.caller.accountId, id)
  return (
    list.length > 0 &&
    sheet(
      'Events',
      html`<table class="rows"><tbody>${list.map(
        (one) =>
          html`<tr><td class="second fill"><a class="open plainly" href="/console/events/${one.id}">${broken(one.type)}</a><small>${times.at(one.create_time)}</small></td><td class="num right">${reached(one)}</td></tr>`,
      )}</tbody></table>`,
    )
  )
}
