import type { Answer } from '../../../http/route.ts'
import { askOnce } from '../../once.ts'
import { requireDone } from '../../operate.ts'
import type { Sent, Visit } from '../../visit.ts'
import type { Webhook } from './list.ts'
import type { Id } from './replay.ts'

export const show = (visit: Pick<Visit<typeof Id>, 'look' | 'params'>) =>
  visit.look<Webhook>('showWebhook', { params: { webhook_id: visit.params.id } })

/** Sends something to a webhook, unless it was disabled since the page was drawn. */
export const whileEnabled = (send: (sent: Sent<typeof Id>) => Promise<Answer>) => async (sent: Sent<typeof Id>) =>
  (await show(sent)).status === 'ENABLED'
    ? send(sent)
    : sent.turnBack(`/console/webhooks/${sent.params.id}`, 'Nothing was sent: the webhook is disabled.')

export async function sample(sent: Sent<typeof Id>) {
  requireDone(
    await sent.operate('simulateEvent', {
      body: { webhook_id: sent.params.id, event_type: 'INVOICING.INVOICE.PAID' },
      requestId: sent.typed['request-id'],
    }),
  )
  return sent.lead(`/console/webhooks/${sent.params.id}`, 'A sample of INVOICING.INVOICE.PAID was sent.')
}

export async function rotate(sent: Sent<typeof Id>) {
  const done = await sent.operate('rotateWebhookSecret', {
    params: { webhook_id: sent.params.id },
    body: {},
    requestId: sent.typed['request-id'],
  })
  const at = `/console/webhooks/${sent.params.id}`
  if (done.refusal?.details?.some(({ issue }) => issue === 'ROTATION_UNDER_WAY'))
    return sent.turnBack(
      at,
      'Nothing was changed: the earlier secret still signs. Replace this one when it does not, or at once.',
    )
  requireDone(done)
  return sent.lead(at, 'There is a new secret; for a day the earlier one signs too.')
}

export async function replaceAtOnce(sent: Sent<typeof Id>) {
  const params = { webhook_id: sent.params.id }
  const requestId = sent.typed['request-id']
  requireDone(await sent.operate('rotateWebhookSecret', { params, body: { overlap_seconds: 0 }, requestId }))
  return sent.lead(`/console/webhooks/${sent.params.id}`, 'There is a new secret, and no earlier one signs any more.')
}

export function enabling(operation: string, notice: string) {
  return async (sent: Sent<typeof Id>) => {
    requireDone(await sent.operate(operation, { params: { webhook_id: sent.params.id }, body: {} }))
    return sent.lead(`/console/webhooks/${sent.params.id}`, notice)
  }
}

export async function remove(sent: Sent<typeof Id>) {
  const outcome = await askOnce(sent, () => sent.operate('deleteWebhook', { params: { webhook_id: sent.params.id } }))
  // On a second click, the webhook has been deleted already.
  if (outcome) requireDone(outcome)
  return sent.lead('/console/webhooks', 'The webhook was deleted.')
}
