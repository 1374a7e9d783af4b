import { sql } from '../../database/sql.ts'
import type { Tx } from '../../database/transaction.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'

/** How many are dropped at once. Any number may wait for a receiver that is down, and a request must end in time. */
const DROPPED_AT_ONCE = 2_000

const dropSome = sql`
  delete from delivery_queue where account_id = $1 and id = any(array(
    select q.id from delivery_queue q where q.webhook_id = $2 and q.account_id = $1 order by q.resource_id, q.seq limit $3))
  returning account_id, id`
const failDropped = sql`
  update deliveries d set failure = 'The webhook was disabled.' from dropped
  where d.account_id = dropped.account_id and d.id = dropped.id`
const forgetAttempts = sql`
  delete from delivery_attempts t using dropped where t.account_id = dropped.account_id and t.delivery_id = dropped.id`
const forgetDropped = sql`
  delete from deliveries d using dropped where d.account_id = dropped.account_id and d.id = dropped.id`
const anyBeyond = sql`
  select q.id, w.enabled from delivery_queue q left join webhooks w on w.account_id = q.account_id and w.id = q.webhook_id
  where q.webhook_id = $2 and q.account_id = $1 order by q.resource_id, q.seq offset $3 limit 1`

const NAME = 'drop-deliveries'

interface Named {
  readonly account_id: string
  readonly id: string
}

/**
 * Drops what waits for a webhook: as failed if it was disabled, without a trace if it was deleted. If there is much, a job
 * does the rest.
 */
export async function dropWaiting(tx: Tx, { account_id, id }: Named, becomes: 'failed' | 'forgotten'): Promise<void> {
  dropFirst(tx, { account_id, id }, becomes)
  if (await tx.row(anyBeyond, [account_id, id, DROPPED_AT_ONCE]))
    tx.enqueue({ name: NAME, payload: { account_id, webhook_id: id }, key: `${NAME}:${id}` })
}

function dropFirst(tx: Tx, { account_id, id }: Named, becomes: 'failed' | 'forgotten'): void {
  tx.write(dropSome, [account_id, id, DROPPED_AT_ONCE], 'dropped')
  for (const statement of becomes === 'failed' ? [failDropped] : [forgetAttempts, forgetDropped])
    tx.write(statement, [])
}

/** Drops on until there is no more; a webhook that was enabled meanwhile keeps what still waits for it. */
export const dropJob: JobDefinition = job<{ account_id: string; webhook_id: string }>({
  name: NAME,
  retryAfter: [10, 60, 600, 3_600],
  foretell: ({ webhook_id }) => `What waits for the webhook ${webhook_id}, which was disabled or deleted, is dropped.`,
  async run({ account_id, webhook_id: id }, { transact }) {
    const more = async (tx: Tx): Promise<boolean> => {
      const first = await tx.row<{ enabled: boolean | null }>(anyBeyond, [account_id, id, 0])
      if (!first || first.enabled) return false
      dropFirst(tx, { account_id, id }, first.enabled === null ? 'forgotten' : 'failed')
      return true
    }
    while (await transact(more));
  },
})
