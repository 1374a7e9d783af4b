import { expandScopes } from '../accounts/scopes.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import type { Instant } from '../kernel/clock.ts'
import { attemptNow, type ReplayRange, replay } from './delivery/redeliver.ts'
import { isUuid } from './events/transmissions.ts'
import { REPLAY_MAX } from './schema.ts'
import { findWebhook, type Webhook } from './subscriptions/store.ts'

const appOfWebhook = sql`
  select a.id, a.client_id, a.name, a.scopes, a.status from webhooks w join apps a on a.id = w.app_id where w.id = $1`
const accountStatus = sql`select status from accounts where id = $1`
const deliveryOf = sql`select 1 from deliveries where account_id = $1 and id = $2 and webhook_id = $3`

/** A webhook as the people who run the service see it. */
export interface OperatedWebhook {
  readonly webhook: Webhook
  readonly app: { readonly id: string; readonly name: string; readonly client_id: string; readonly status: string }
  /** What the app may hear of. An operator cannot send it anything else. */
  readonly scopes: ReadonlySet<string>
}

export async function findOperated(db: Reader, id: string): Promise<OperatedWebhook | undefined> {
  const app = await db.row<OperatedWebhook['app'] & { scopes: readonly string[] }>(appOfWebhook, [id])
  return app && { webhook: await findWebhook(db, app.id, id), app, scopes: expandScopes(app.scopes) }
}

/**
 * Why nothing can be sent to it now. An attempt made all the same would be given up, and the reason why the delivery failed
 * before would be lost.
 */
export async function sendingRefused(db: Reader, { webhook, app }: OperatedWebhook): Promise<string | undefined> {
  if (!webhook.enabled) return 'the webhook is disabled; its people enable it first'
  if (app.status !== 'ENABLED') return 'its app is disabled'
  const account = await db.row<{ status: string }>(accountStatus, [webhook.account_id])
  return account?.status === 'ACTIVE' ? undefined : 'the account is suspended'
}

/** Sends again what was not delivered within a span of time. Gives the number of deliveries. */
export function sendAgain(
  tx: Tx,
  { webhook, scopes }: OperatedWebhook,
  span: Pick<ReplayRange, 'from' | 'to'>,
): Promise<number> {
  tx.about(webhook.account_id, webhook.id)
  return replay(tx, webhook, { scopes }, { ...span, failedOnly: true, max: REPLAY_MAX })
}

/** Attempts a delivery to it now. Says whether there is such a delivery. */
export async function attemptOne(tx: Tx, { webhook }: OperatedWebhook, deliveryId: string): Promise<boolean> {
  const { account_id, id } = webhook
  if (!isUuid(deliveryId) || !(await tx.row(deliveryOf, [account_id, deliveryId, id]))) return false
  tx.about(account_id, id)
  attemptNow(tx, account_id, deliveryId)
  return true
}

/** A webhook that something waits for, or that something failed for. */
export interface TroubledWebhook {
  readonly webhook_id: string
  readonly account_id: string
  /** Without the query of the address, which may hold a secret of the receiver. */
  readonly url: string
  readonly status: 'enabled' | 'disabled' | 'account suspended' | 'app disabled'
  readonly waiting: number
  readonly waiting_since: Instant | null
  readonly failed: number
  readonly error: string | null
}

/** Counting the deliveries of one webhook stops at this number. */
export const TROUBLE_COUNTED_MAX = 10_000

/**
 * What failed for good and was not sent again since. That is asked event by event and without the name of the webhook, for the
 * same reason as in `delivery/redeliver.ts`.
 */
const lost = (webhook: string, account: string) => `
        d.account_id = ${account} and d.webhook_id = ${webhook} and d.failure is not null and d.transmit_time >= $2
          and (select n.round from deliveries n where n.account_id = d.account_id and n.event_id = d.event_id
            and n.webhook_id || '' = d.webhook_id and n.round > d.round limit 1) is null
        order by d.transmit_time desc, d.id desc limit $3`

const troubled = statementOf(`
  select w.id as webhook_id, w.account_id, split_part(w.url, '?', 1) as url,
    case when not w.enabled then 'disabled' when m.status <> 'ACTIVE' then 'account suspended'
      when (select a.status <> 'ENABLED' from apps a where a.id = w.app_id) then 'app disabled' else 'enabled' end as status,
    waiting.n as waiting, waiting.since as waiting_since, failed.n as failed, coalesce(tried.error, failed.error) as error
  from webhooks w join accounts m on m.id = w.account_id
    cross join lateral (
      select count(*)::int as n, min(q.transmit_time) as since from (
        select transmit_time from delivery_queue
        where webhook_id = w.id and account_id || '' = w.account_id order by resource_id, seq limit $3) q) waiting
    cross join lateral (
      select count(*)::int as n, (array_agg(f.failure order by f.transmit_time desc))[1] as error from (
        select d.failure, d.transmit_time from deliveries d
        where ${lost('w.id', 'w.account_id')}) f) failed
    left join lateral (
      select t.error from (
          select account_id, id from delivery_queue
          where webhook_id = w.id and account_id || '' = w.account_id and attempts > 0 order by resource_id, seq limit 1) q
        cross join lateral (
          select error from delivery_attempts
          where account_id = q.account_id and delivery_id = q.id order by number desc limit 1) t) tried on true
  where ($1::text is null or w.account_id = $1) and waiting.n + failed.n > 0
  order by waiting.n + failed.n desc, w.id`)

/** The troubled webhooks of one account or of all, with what failed since `since`, the worst first. */
export const troubledWebhooks = (
  db: Reader,
  { account, since }: { account: string | undefined; since: Instant },
): Promise<TroubledWebhook[]> => db.rows(troubled, [account ?? null, since, TROUBLE_COUNTED_MAX])

/** A delivery that has not arrived. */
export interface TroubledDelivery {
  readonly id: string
  readonly event: string
  readonly event_id: string
  readonly status: 'waiting' | 'failed'
  readonly attempts: number
  readonly transmit_time: Instant
  readonly next_time: Instant | null
  readonly http_status: number | null
  readonly error: string | null
}

const undelivered = statementOf(`
  select d.id, d.event_type as event, d.event_id, case when d.failure is null then 'waiting' else 'failed' end as status,
    coalesce(t.number, 0) as attempts, d.transmit_time, q.next_time, t.http_status, coalesce(d.failure, t.error) as error
  from (
      (select account_id, id from delivery_queue
       where webhook_id = $4 and account_id || '' = $1 order by resource_id, seq limit $3)
      union all
      (select d.account_id, d.id from deliveries d
       where ${lost('$4', '$1')})) k
    join deliveries d on d.account_id = k.account_id and d.id = k.id
    left join delivery_queue q on q.account_id = d.account_id and q.id = d.id
    left join lateral (
      select number, http_status, error from delivery_attempts
      where account_id = d.account_id and delivery_id = d.id order by number desc limit 1) t on true
  order by d.transmit_time desc, d.id desc limit $3`)

/** What waits for a webhook, and what failed for it since `since`, newest first. */
export const undeliveredTo = (
  db: Reader,
  { account_id, id }: Webhook,
  { since, limit }: { since: Instant; limit: number },
): Promise<TroubledDelivery[]> => db.rows(undelivered, [account_id, since, limit, id])
