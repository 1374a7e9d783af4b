import type { Logger } from 'pino'
import type { Happening } from '../../kernel/happening.ts'
import type { AttemptResult } from './deliver.ts'
import type { ClaimedDelivery } from './queue.ts'

/**
 * Writes one line for each attempt. A failure is a warning for whoever looks after the service; a success is only
 * informative.
 */
export function logAttempt(log: Logger, { id, webhook_id, account_id, body }: ClaimedDelivery, result: AttemptResult) {
  if (!log.isLevelEnabled(result.delivered ? 'info' : 'warn')) return
  const line = {
    event: /"event_type":"([^"]{1,100})"/.exec(body)?.[1],
    // The query of the address may hold a secret of the receiver.
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

/** An attempt as something that happened. */
export const attemptMade = (
  { id, account_id, webhook_id, event_id, attempts }: ClaimedDelivery,
  { delivered, url, http_status, duration_ms, error, reason, next_time }: AttemptResult,
): Happening => ({
  kind: 'attempt',
  accountId: account_id,
  ref: id,
  trouble: !delivered,
  details: {
    webhook_id,
    event_id,
    url: url.split('?', 1)[0],
    number: attempts + 1,
    ms: duration_ms,
    ...(http_status !== null && { status: http_status }),
    ...(!delivered && { error: error ?? reason, next_time }),
  },
})
