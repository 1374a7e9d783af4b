import type { Logger } from 'pino'
import type { AttemptResult } from './deliver.ts'
import type { ClaimedDelivery } from './queue.ts'

/** One line an attempt: a failure is told to whoever looks after the service, a success to whoever wants to know. */
export function logAttempt(log: Logger, { id, webhook_id, account_id, body }: ClaimedDelivery, result: AttemptResult) {
  if (!log.isLevelEnabled(result.delivered ? 'info' : 'warn')) return
  const line = {
    event: /"event_type":"([^"]{1,100})"/.exec(body)?.[1],
    // What stands behind the question mark may be a secret of the receiver's.
    url: result.url.split('?', 1)[0],
    status: result.http_status ?? undefined,
    ms: result.duration_ms,
    account: account_id,
    webhook: webhook_id,
    transmission: id,
    ...(!result.delivered && { error: result.error ?? result.reason, next_time: result.next_time }),
  }
  if (result.delivered) log.info(line, 'delivery')
  else log.warn(line, 'delivery')
}
