import { Type } from 'typebox'
import { Answer, type AnyRoute, route } from '../http/route.ts'
import { notFound, Problem } from '../kernel/problem.ts'
import {
  accountOfApp,
  attemptNow,
  findEvent,
  findTransmission,
  listAttempts,
  listEvents,
  listTransmissions,
  replay,
  resend,
  transmissionsOf,
} from './event-store.ts'
import { findCertificate } from './keys.ts'
import { pageOf, readPage, readSpan } from './paging.ts'
import { shared, verifyScope, type WebhookParts, webhookScope } from './parts.ts'
import { allEventTypes, presentAttempt, presentEvent, presentListed } from './present.ts'
import {
  EVERY_EVENT,
  EventList,
  EventOut,
  EventQuery,
  EventTypeList,
  id,
  REPLAY_MAX,
  Replay,
  Replayed,
  Resend,
  Simulate,
  TransmissionDetail,
  TransmissionList,
  TransmissionQuery,
  Verified,
  Verify,
} from './schema.ts'
import { simulate } from './simulate.ts'
import { findWebhook, listWebhooks } from './store.ts'
import { requireCallable } from './subscription.ts'
import { isOurs } from './verify.ts'

const root = '/v1/notifications'
const EventId = Type.Object({ event_id: id() })
const TransmissionId = Type.Object({ transmission_id: id() })
const CERTIFICATE_SECONDS = 86_400

/** Events: what happened, who was told, and how to be told again. */
export function eventRoutes(parts: WebhookParts): AnyRoute[] {
  const { service, wake } = parts
  return [
    route({
      ...shared,
      method: 'GET',
      url: `${root}/webhooks-event-types`,
      operation: 'listEventTypes',
      summary: 'List every event there is',
      scopes: [],
      reads: true,
      success: { 200: EventTypeList },
      handle: async () => ({ event_types: allEventTypes }),
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${root}/webhooks-events`,
      operation: 'listEvents',
      summary: 'List events of this app, newest first',
      reads: true,
      query: EventQuery,
      success: { 200: EventList },
      async handle({ db, now, caller, query }) {
        const { appId } = caller
        const accountId = await accountOfApp(db, appId)
        const page = readPage(query, now)
        const { event_type: type, transaction_id: transactionId } = query
        const read = await listEvents(db, { appId, accountId, type, transactionId }, page)
        const { items, links } = pageOf(read, page, {
          url: `${service.publicUrl}${root}/webhooks-events`,
          query,
          keyOf: (event) => ({ time: event.create_time, id: event.id }),
        })
        const sent = await transmissionsOf(
          db,
          accountId,
          appId,
          items.map((event) => event.id),
        )
        const events = items.map((event) =>
          presentEvent(
            service,
            event,
            sent.filter(({ event_id }) => event_id === event.id),
          ),
        )
        return { events, count: events.length, links }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${root}/webhooks-events/:event_id`,
      operation: 'showEvent',
      summary: 'Show an event and its transmissions',
      reads: true,
      params: EventId,
      success: { 200: EventOut },
      async handle({ db, caller, params }) {
        const event = await findEvent(db, caller.appId, params.event_id)
        const accountId = await accountOfApp(db, caller.appId)
        return presentEvent(service, event, await transmissionsOf(db, accountId, caller.appId, [event.id]))
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/webhooks-events/:event_id/resend`,
      operation: 'resendEvent',
      summary: 'Send an event again',
      params: EventId,
      body: Resend,
      bodyOptional: true,
      success: { 202: EventOut },
      precheck: async (db, caller, { event_id }) => void (await findEvent(db, caller.appId, event_id)),
      async handle({ tx, caller, params, body }) {
        const event = await findEvent(tx, caller.appId, params.event_id)
        const all = await listWebhooks(tx, caller.appId, 'APPLICATION')
        const { webhook_ids: wanted } = body
        if (wanted?.some((webhookId) => !all.some((webhook) => webhook.id === webhookId))) throw notFound('The webhook')
        const webhooks = all.filter(({ id, event_types }) =>
          wanted ? wanted.includes(id) : event_types.includes(event.type) || event_types.includes(EVERY_EVENT),
        )
        const accountId = await accountOfApp(tx, caller.appId)
        const sent = await transmissionsOf(tx, accountId, caller.appId, [event.id])
        resend(tx, event, webhooks)
        tx.afterCommit(wake)
        const shown = presentEvent(service, event, sent)
        return { ...shown, status: webhooks.length > 0 ? 'PENDING' : shown.status }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/simulate-event`,
      operation: 'simulateEvent',
      summary: 'Send a made-up event, signed and stored like a real one',
      body: Simulate,
      success: { 202: EventOut },
      async handle({ tx, caller, body }) {
        const { event_type: type, webhook_id: webhookId, url, resource_version: resourceVersion, resource } = body
        if (webhookId !== undefined) await findWebhook(tx, caller.appId, webhookId)
        else if (url !== undefined) requireCallable(service, url)
        else
          throw new Problem(400, 'VALIDATION_ERROR', [
            { issue: 'MISSING_REQUIRED_PARAMETER', field: 'webhook_id', description: 'Send webhook_id or url.' },
          ])
        const text = simulate(tx, service, {
          appId: caller.appId,
          type,
          ...(webhookId !== undefined ? { webhookId } : { url: url! }),
          ...(resourceVersion !== undefined && { resourceVersion }),
          ...(resource !== undefined && { resource }),
        })
        tx.afterCommit(wake)
        return { ...(JSON.parse(text) as object), status: 'PENDING' }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/verify-webhook-signature`,
      operation: 'verifyWebhookSignature',
      summary: 'Tell whether a delivery is ours',
      scopes: [webhookScope, verifyScope],
      reads: true,
      body: Verify,
      success: { 200: Verified },
      async handle({ db, caller, body, raw }) {
        const isTrue = await isOurs(db, service, { appId: caller.appId, claim: body, raw })
        return { verification_status: isTrue ? 'SUCCESS' : 'FAILURE' }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${root}/certs/:cert_id`,
      operation: 'showCertificate',
      summary: 'Get the certificate that deliveries are signed with',
      scopes: 'public',
      reads: true,
      params: Type.Object({ cert_id: id() }),
      produces: ['application/x-pem-file', 'application/pem-certificate-chain', 'text/plain'],
      success: { 200: Type.String() },
      async handle({ db, params }) {
        const certificate = await findCertificate(db, params.cert_id)
        if (!certificate) throw notFound('The certificate')
        return new Answer(200, Buffer.from(certificate), {
          'content-type': 'application/x-pem-file',
          'cache-control': `public, max-age=${CERTIFICATE_SECONDS}`,
        })
      },
    }),
    ...transmissionRoutes(parts),
  ]
}

/** Our own: the way of each event to each webhook, attempt by attempt, and second chances. */
function transmissionRoutes({ service, wake }: WebhookParts): AnyRoute[] {
  const url = `${root}/webhooks-transmissions`
  return [
    route({
      ...shared,
      method: 'GET',
      url,
      operation: 'listTransmissions',
      summary: 'List transmissions, newest first, for example those that failed',
      reads: true,
      query: TransmissionQuery,
      success: { 200: TransmissionList },
      async handle({ db, now, caller, query }) {
        const { appId } = caller
        const accountId = await accountOfApp(db, appId)
        const page = readPage(query, now)
        const { webhook_id: webhookId, status } = query
        const read = await listTransmissions(db, { appId, accountId, webhookId, status }, page)
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
        const accountId = await accountOfApp(db, caller.appId)
        const found = await findTransmission(db, accountId, caller.appId, params.transmission_id)
        const attempts = await listAttempts(db, accountId, found.id)
        return { ...presentListed(service, found), attempt_log: attempts.map(presentAttempt) }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${url}/:transmission_id/attempt`,
      operation: 'attemptTransmission',
      summary: 'Attempt a transmission now, also one that has failed for good',
      params: TransmissionId,
      body: Type.Object({}),
      bodyOptional: true,
      success: { 202: TransmissionList.properties.transmissions.items },
      async handle({ tx, caller, params }) {
        const accountId = await accountOfApp(tx, caller.appId)
        const found = await findTransmission(tx, accountId, caller.appId, params.transmission_id)
        if (found.status !== 'SUCCESS') {
          attemptNow(tx, accountId, found.id)
          tx.afterCommit(wake)
        }
        const status = found.status === 'SUCCESS' ? found.status : 'PENDING'
        return presentListed(service, { ...found, status, next_time: tx.now })
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/webhooks/:webhook_id/replay`,
      operation: 'replayEvents',
      summary: 'Send the events of a span of time to a webhook again',
      locks: true,
      params: Type.Object({ webhook_id: id() }),
      body: Replay,
      success: { 202: Replayed },
      async handle({ tx, caller, params, body }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        const span = readSpan(body.start_time, body.end_time, tx.now)
        const failedOnly = body.include !== 'ALL'
        const replayed = await replay(tx, webhook, { ...span, failedOnly, max: REPLAY_MAX })
        tx.afterCommit(wake)
        return { replayed }
      },
    }),
  ]
}
