import type { Connection } from '../../src/database/open.ts'
import { statementOf } from '../../src/database/sql.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { claimDeliveries } from '../../src/webhooks/delivery/claim.ts'
import { ANY_WEBHOOK } from '../../src/webhooks/delivery/free-address.ts'
import type { ClaimedDelivery, RecordedAttempt } from '../../src/webhooks/delivery/queue.ts'
import { type Claim, type Lane, lanes } from '../../src/webhooks/dispatch/lanes.ts'

const now = '2026-03-01T09:00:00.000Z' as Instant

interface Queued {
  readonly lane?: Lane
  readonly webhook?: string
  readonly at?: string
  /** Among how many accounts they are shared out, of which each has a webhook of its own, or sends to free addresses. */
  readonly accounts?: number
}

/** So many deliveries that wait: in the lane of proven ones, and to one webhook, `W`, when nothing else is said. */
export async function queueDeliveries(
  database: Connection,
  count: number,
  { lane = lanes.proven, webhook = 'W', at = now, accounts = 1 }: Queued = {},
): Promise<void> {
  await database.rows(
    statementOf(`insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
        transmit_time, lane, attempts, next_time)
      select 'A' || place, gen_random_uuid(), case $4 when '${ANY_WEBHOOK}' then $4 else $4 || place end, 'A' || place, 'E', n, 'R' || n, $1, $2, 0, $1
      from (select n, coalesce(nullif(n % $5::int, 0)::text, '') as place from generate_series(1, $3::int) n) one`),
    [at, lane, count, webhook, accounts],
  )
}

export async function claimQueued(
  database: Connection,
  count: number,
  wanted: Partial<Claim> = {},
): Promise<readonly ClaimedDelivery[]> {
  const claim = { lane: lanes.proven, afterWebhook: '', busy: [], webhooks: count, each: count, count, ...wanted }
  return (await claimDeliveries(database, claim, now)).claimed
}

export const asArrived = ({ account_id, id, claim }: ClaimedDelivery): RecordedAttempt => ({
  account_id,
  id,
  claim,
  lane: lanes.proven,
  status: 'SUCCESS',
  url: 'https://example.com/',
  attempt_time: now,
  http_status: 200,
  reason: 'OK',
  duration_ms: 1,
  headers: {},
  body: '',
  error: null,
})
