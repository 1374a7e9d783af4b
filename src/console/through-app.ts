import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { notFound } from '../kernel/problem.ts'
import { isUuid } from '../webhooks/events/transmissions.ts'
import type { Visit } from './visit.ts'

/** An app of the onlooker's account. Webhooks, and what is sent to them, belong to one app. */
export interface ListeningApp {
  readonly id: string
  readonly client_id: string
  readonly name: string
  readonly status: 'ENABLED' | 'DISABLED'
  readonly webhooks: number
}

const APPS_MAX = 100

const appsOfAccount = sql`
  select id, client_id, name, status, (select count(*)::int from webhooks w where w.app_id = apps.id) as webhooks
  from apps where account_id = $1 order by create_time, id limit $2`
const ofWebhook = sql`select app_id from webhooks where account_id = $1 and id = $2`
const ofDelivery = sql`select app_id from deliveries where account_id = $1 and id = $2`
const ofEvent = sql`
  select e.app_id from apps a join event_audience e on e.account_id = a.account_id and e.app_id = a.id and e.event_id = $2
  where a.account_id = $1 order by a.create_time, a.id limit $3`

export const listeningApps = (db: Reader, accountId: string): Promise<ListeningApp[]> =>
  db.rows<ListeningApp>(appsOfAccount, [accountId, APPS_MAX])

const through = <V extends Visit>(visit: V, appId: string): V => ({ ...visit, ...visit.byWayOf(appId) })

const owners = { webhook: ofWebhook, delivery: ofDelivery, event: ofEvent } as const
export type Owned = keyof typeof owners

/**
 * The same visit by way of the app that something belongs to, so that one page opens everything that the account has. What
 * belongs to none of its apps is asked for by way of the usual one, for which it does not exist either.
 */
export async function throughOwner<V extends Visit>(visit: V, what: Owned, id: string): Promise<V> {
  if (what === 'delivery' && !isUuid(id)) return visit
  const found = await visit.db.row<{ app_id: string }>(owners[what], [
    visit.who.caller.accountId,
    id,
    ...(what === 'event' ? [1] : []),
  ])
  return found ? through(visit, found.app_id) : visit
}

/** The visit by way of each app of the account that heard of an event. */
export async function throughHearers<V extends Visit>(visit: V, eventId: string): Promise<V[]> {
  const found = await visit.db.rows<{ app_id: string }>(ofEvent, [visit.who.caller.accountId, eventId, APPS_MAX])
  return found.length === 0 ? [visit] : found.map(({ app_id }) => through(visit, app_id))
}

/** The visit by way of the app that was chosen, or of the usual one when none was. */
export async function throughChosen<V extends Visit>(visit: V, clientId: string | undefined) {
  const apps = await listeningApps(visit.db, visit.who.caller.accountId)
  const usual = apps.find(({ id }) => id === visit.who.caller.appId)
  const chosen = clientId === undefined ? usual : apps.find(({ client_id }) => client_id === clientId)
  if (clientId !== undefined && !chosen) throw notFound('The app')
  return { visit: chosen ? through(visit, chosen.id) : visit, apps, chosen }
}
