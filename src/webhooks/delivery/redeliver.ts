import { sql, statementOf } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import { mayHear } from '../audience.ts'
import type { StoredEvent } from '../events/store.ts'
import type { Webhook } from '../subscriptions/store.ts'
import { deliveryId } from './delivery-id.ts'
import { queueInserted } from './queue.ts'

/**
 * A new round of an event for each of these webhooks, unless one is under way. Locks the event's row so that it is not
 * removed. The row of the queue is a value and not a join, because a join might read the whole queue.
 */
const insertRound = statementOf(`
  insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, round, seq,
    resource_id, transmit_time)
  select w.account_id, ${deliveryId({ event: 'e.id', webhook: 'w.id', round: 'next.round' })}, w.app_id, w.id, e.account_id,
    e.id, e.type, next.round, e.seq, e.resource_id, $4
  from events e cross join webhooks w
    join event_audience a on a.account_id = w.account_id and a.app_id = w.app_id and a.event_id = $2
    cross join lateral (select coalesce(max(d.round) + 1, 0) as round from deliveries d
      where d.account_id = w.account_id and d.event_id = e.id and d.webhook_id = w.id) next
  where e.account_id = $1 and e.id = $2 and w.id = any($3) and w.enabled
    and not exists (
      select from deliveries d
      where d.account_id = w.account_id and d.event_id = e.id and d.webhook_id = w.id
        and (select true from delivery_queue q where q.account_id = d.account_id and q.id = d.id))
  for key share of a
  on conflict do nothing returning *`)

export function resend(tx: Tx, event: StoredEvent, webhooks: readonly Webhook[]): void {
  tx.write(insertRound, [event.account_id, event.id, webhooks.map(({ id }) => id), tx.now], 'inserted')
  tx.write(queueInserted, [])
  tx.wake('deliveries')
}

/**
 * The events of a span of time that were sent to a webhook and never arrived, or all of them. A disabled webhook gets none.
 * What became of each event is asked event by event, and with an expression in place of the webhook's name: without
 * statistics on its rows, the server would otherwise go through everything that was ever sent to the webhook, once for each
 * event.
 */
const wantedInRange = (held: string) => `
    select e.account_id, e.id, e.type, e.seq, e.resource_id, sent.last_round
    from event_audience a join webhooks w on w.account_id = a.account_id and w.id = $2 and w.enabled
      cross join lateral (
        select e.account_id, e.id, e.type, e.seq, e.resource_id
        from events e where e.account_id = a.event_account_id and e.id = a.event_id offset 0) e
      cross join lateral (
        select max(d.round) as last_round, coalesce(bool_or(d.failure is null
          and ($6 or (select true from delivery_queue q where q.account_id = $1 and q.id = d.id))), false) as is_settled
        from deliveries d where d.account_id = $1 and d.event_id = a.event_id and d.webhook_id || '' = $2) sent
    where a.account_id = $1 and a.app_id = $3 and a.create_time between $4 and $5
      and (e.type = any(w.event_types) or '*' = any(w.event_types))
      and ${mayHear({ app: '$3', appAccount: '$1', account: 'e.account_id', type: 'e.type', held })}
      and not sent.is_settled and (not $6 or sent.last_round is not null)
    order by a.create_time, a.seq limit $7`

/** All of those, once more. */
const replayRange = statementOf(`
  with wanted as (${wantedInRange('$9::text[]')} for key share of a),
  inserted as (
    insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, round, seq,
      resource_id, transmit_time)
    select $1, ${deliveryId({ event: 'wanted.id', webhook: '$2', round: 'coalesce(last_round + 1, 0)' })}, $3, $2,
      wanted.account_id, wanted.id, wanted.type, coalesce(last_round + 1, 0), wanted.seq, wanted.resource_id, $8
    from wanted
    on conflict do nothing returning *),
  queued as (${queueInserted.text}),
  -- What is being retried needs no new round, only to be due.
  hastened as (
    update delivery_queue set next_time = $8 where $6 and ctid = any(array(
      select ctid from delivery_queue where account_id = $1 and webhook_id = $2 and attempts > 0
        and transmit_time between $4 and $5 order by seq limit $7 for update skip locked))
    returning 1)
  select ((select count(*) from inserted) + (select count(*) from hastened))::int as replayed`)

export interface ReplayRange {
  readonly from: Instant
  readonly to: Instant
  readonly failedOnly: boolean
  readonly max: number
}

/**
 * Written at once and not with the commit, since the number is part of the answer. The caller's transaction holds it
 * together.
 */
export async function replay(
  tx: Tx,
  webhook: Webhook,
  { scopes }: Pick<Caller, 'scopes'>,
  range: ReplayRange,
): Promise<number> {
  const row = await tx.row<{ replayed: number }>(replayRange, [
    webhook.account_id,
    webhook.id,
    webhook.app_id,
    range.from,
    range.to,
    range.failedOnly,
    range.max,
    tx.now,
    [...scopes],
  ])
  tx.wake('deliveries')
  return row!.replayed
}

/** How many would be sent again, and how many waiting retries would be made due now. */
const countRange = statementOf(`
  select ((select count(*) from (${wantedInRange('$8::text[]')}) wanted)
    + (select count(*) from (
        select 1 from delivery_queue where $6 and account_id = $1 and webhook_id = $2 and attempts > 0
          and transmit_time between $4 and $5 limit $7) retried))::int as replayed`)

/** How many a replay would send, counted no further than its `max`. */
export async function countReplay(
  db: Reader,
  { account_id, id, app_id }: Webhook,
  { scopes }: Pick<Caller, 'scopes'>,
  { from, to, failedOnly, max }: ReplayRange,
): Promise<number> {
  const row = await db.row<{ replayed: number }>(countRange, [
    account_id,
    id,
    app_id,
    from,
    to,
    failedOnly,
    max,
    [...scopes],
  ])
  return row!.replayed
}

const hasten = sql`update delivery_queue set next_time = $3 where account_id = $1 and id = $2`
const reopen = sql`
  update deliveries set failure = null where account_id = $1 and id = $2 and failure is not null returning *`
const queueReopened = sql`
  insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time,
    url, lane, attempts, next_time)
  select r.account_id, r.id, r.webhook_id, r.event_account_id, r.event_id, r.seq, r.resource_id, r.transmit_time, r.url,
    coalesce(w.lane, 1),
    (select count(*) from delivery_attempts t where t.account_id = r.account_id and t.delivery_id = r.id), $1
  from reopened r left join webhooks w on w.account_id = r.account_id and w.id = r.webhook_id`

/** Makes the next attempt due now, also for a delivery that had failed for good. It counts as one of the usual attempts. */
export function attemptNow(tx: Tx, accountId: string, id: string): void {
  tx.write(hasten, [accountId, id, tx.now])
  tx.write(reopen, [accountId, id], 'reopened')
  tx.write(queueReopened, [tx.now])
  tx.wake('deliveries')
}
