import { after } from '../../kernel/clock.ts'
import type { WorkParts } from '../../room.ts'
import type { AttemptHandle } from '../dispatch/lanes.ts'
import { type AttemptResult, attemptDelivery, type DeliverParts } from './deliver.ts'
import type { ClaimedDelivery } from './queue.ts'

/** Attempts a delivery once, or as a fault of the sandbox says: twice, or later. What is held back counts as an attempt. */
export async function attemptWithFault(
  parts: DeliverParts,
  delivery: ClaimedDelivery,
  handle: AttemptHandle,
  faultOf: WorkParts['faultOf'],
): Promise<AttemptResult> {
  const fault = faultOf?.({
    eventType: /"event_type":"([^"]{1,100})"/.exec(delivery.body)?.[1] ?? '',
    url: delivery.webhook?.url ?? delivery.url ?? '',
    attempts: delivery.attempts,
  })
  if (fault?.kind === 'later') return heldBack(parts, delivery, fault.seconds)
  const first = await attemptDelivery(parts, delivery, handle)
  if (fault?.kind === 'twice' && first.delivered) await attemptDelivery(parts, delivery, handle)
  return first
}

const heldBack = ({ now }: DeliverParts, { webhook, url }: ClaimedDelivery, seconds: number): AttemptResult => ({
  url: webhook?.url ?? url ?? '',
  attempt_time: now(),
  duration_ms: 0,
  delivered: false,
  status: 'PENDING',
  next_time: after(now(), seconds),
  http_status: null,
  reason: null,
  headers: {},
  body: '',
  error: 'A fault of the sandbox held it back.',
})
