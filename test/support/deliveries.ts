import type { Connection } from '../../src/database/open.ts'
import { statementOf } from '../../src/database/sql.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { claimDeliveries } from '../../src/webhooks/delivery/claim.ts'
import type { ClaimedDelivery, RecordedAttempt } from '../../src/webhooks/delivery/queue.ts'
import { lanes } from '../../src/webhooks/dispatch/lanes.ts'

const now = '2026-03-01T09:00:00.000Z' as Instant

/** So many deliveries to one webhook, `W`, that wait in the lane of proven ones. */
export async function queueDeliveries(database: Connection, count: number): Promise<void> {
  await database.rows(
    statementOf(`insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
        transmit_time, lane, attempts, next_time)
      select 'A', gen_random_uuid(), 'W', 'A', 'E', n, 'R' || n, $1, $2, 0, $1 from generate_series(1, $3::int) n`),
    [now, lanes.proven, count],
  )
}

export async function claimQueued(database: Connection, count: number): Promise<readonly ClaimedDelivery[]> {
  const wanted = { lane: lanes.proven, afterWebhook: '', busy: [], webhooks: 10, each: count, count }
  return (await claimDeliveries(database, wanted, now)).claimed
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
