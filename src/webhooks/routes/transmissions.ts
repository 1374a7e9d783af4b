import { type AnyRoute, route } from '../../http/route.ts'
import { Type } from '../../kernel/type.ts'
import { attemptNow, replay } from '../delivery/redeliver.ts'
import { accountOfApp } from '../events/store.ts'
import { findTransmission, listAttempts, listTransmissions } from '../events/transmissions.ts'
import { id, REPLAY_MAX, Replay, Replayed, TransmissionDetail, TransmissionList, TransmissionQuery } from '../schema.ts'
import { findWebhook } from '../subscriptions/store.ts'
import { pageOf, readPage, readSpan } from './paging.ts'
import { NoBody, root, shared, WebhookId, type WebhookParts } from './parts.ts'
import { presentAttempt, presentListed } from './present.ts'

const TransmissionId = Type.Object({ transmission_id: id() })
const url = `${root}/webhooks-transmissions`

/** Our own: the way of each event to each webhook, attempt by attempt, and second chances. */
export function transmissionRoutes({ service }: WebhookParts): AnyRoute[] {
  return [
    route({
      ...shared,
      method: 'GET',
      url,
      operation: 'listTransmissions',
      summary: 'List transmissions, newest first, for example those that failed',
      reads: true,
      fromReplica: true,
      query: TransmissionQuery,
      success: { 200: TransmissionList },
      async handle({ db, now, caller, query }) {
        const { appId, scopes } = caller
        const accountId = await accountOfApp(db, caller)
        const page = readPage(query, now)
        const { webhook_id: webhookId, status } = query
        const read = await listTransmissions(db, { appId, scopes, accountId, webhookId, status }, page)
        const { items, links } = pageOf(read, page, {
          url: `${service.publicUrl}${url}`,
          query,
          keyOf: (transmission) => ({ time: transmission.transmit_time, id: transmission.id }),
        })
        return { transmissions: items.map((item) => presentListed(service, item)), count: items.length, links }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${url}/:transmission_id`,
      operation: 'showTransmission',
      summary: 'Show a transmission with every attempt',
      reads: true,
      params: TransmissionId,
      success: { 200: TransmissionDetail },
      async handle({ db, caller, params }) {
        const accountId = await accountOfApp(db, caller)
        const found = await findTransmission(db, accountId, caller, params.transmission_id)
        const attempts = await listAttempts(db, accountId, found.id)
        return {
          ...presentListed(service, found),
          ...(found.cause !== null && { cause: found.cause }),
          attempt_log: attempts.map(presentAttempt),
        }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${url}/:transmission_id/attempt`,
      operation: 'attemptTransmission',
      summary: 'Attempt a transmission now, also one that has failed for good',
      params: TransmissionId,
      body: NoBody,
      bodyOptional: true,
      success: { 202: TransmissionList.properties.transmissions.items },
      async handle({ tx, caller, params }) {
        const accountId = await accountOfApp(tx, caller)
        const found = await findTransmission(tx, accountId, caller, params.transmission_id)
        if (found.status === 'SUCCESS') return presentListed(service, found)
        attemptNow(tx, accountId, found.id)
        return presentListed(service, { ...found, status: 'PENDING', next_time: tx.now })
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/webhooks/:webhook_id/replay`,
      operation: 'replayEvents',
      summary: 'Send the events of a span of time to a webhook again',
      locks: true,
      params: WebhookId,
      body: Replay,
      success: { 202: Replayed },
      async handle({ tx, caller, params, body }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        const span = readSpan(body.start_time, body.end_time, tx.now)
        const failedOnly = body.include !== 'ALL'
        const replayed = await replay(tx, webhook, caller, { ...span, failedOnly, max: REPLAY_MAX })
        return { replayed }
      },
    }),
  ]
}
