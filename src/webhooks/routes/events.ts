import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { resend } from '../delivery/redeliver.ts'
import { simulate } from '../events/simulate.ts'
import { accountOfApp, findEvent, listEvents } from '../events/store.ts'
import { transmissionsOf } from '../events/transmissions.ts'
import {
  EVERY_EVENT,
  EventList,
  EventOut,
  EventQuery,
  EventTypeList,
  id,
  Resend,
  Simulate,
  SimulatedOut,
  Verified,
  Verify,
} from '../schema.ts'
import { findCertificate } from '../signing/keys.ts'
import { printSecret } from '../signing/signature.ts'
import { isOurs } from '../signing/verify.ts'
import { findWebhook, listWebhooks } from '../subscriptions/store.ts'
import { requireCallable } from '../subscriptions/subscription.ts'
import { pageOf, readPage } from './paging.ts'
import { root, shared, verifyScope, type WebhookParts, webhookScope } from './parts.ts'
import { allEventTypes, presentEvent } from './present.ts'

const EventId = Type.Object({ event_id: id() })
const CERTIFICATE_SECONDS = 86_400

const withdrawn = () =>
  new Problem(404, 'RESOURCE_NOT_FOUND', [
    {
      issue: 'CERTIFICATE_WITHDRAWN',
      description: 'This certificate was withdrawn. Trust nothing that is signed with it, and forget every copy.',
      location: 'path',
    },
  ])

/** Events: what happened, who was told, and how to be told again. */
export function eventRoutes({ service, seal }: WebhookParts): AnyRoute[] {
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
      fromReplica: true,
      query: EventQuery,
      success: { 200: EventList },
      async handle({ db, now, caller, query }) {
        const { appId, scopes } = caller
        const accountId = await accountOfApp(db, caller)
        const page = readPage(query, now)
        const { event_type: type, transaction_id: transactionId } = query
        const filter = { appId, scopes, accountId, actingFor: caller.accountId, type, transactionId }
        const read = await listEvents(db, filter, page, { isDated: service.hasDatedEvents?.() ?? false })
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
        const event = await findEvent(db, caller, params.event_id)
        const accountId = await accountOfApp(db, caller)
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
      precheck: async (db, caller, { event_id }) => void (await findEvent(db, caller, event_id)),
      async handle({ tx, caller, params, body }) {
        const event = await findEvent(tx, caller, params.event_id)
        const all = await listWebhooks(tx, caller.appId, 'APPLICATION')
        const { webhook_ids: wanted } = body
        if (wanted?.some((webhookId) => !all.some((webhook) => webhook.id === webhookId))) throw notFound('The webhook')
        const webhooks = all.filter(({ id, event_types }) =>
          wanted ? wanted.includes(id) : event_types.includes(event.type) || event_types.includes(EVERY_EVENT),
        )
        const accountId = await accountOfApp(tx, caller)
        const sent = await transmissionsOf(tx, accountId, caller.appId, [event.id])
        resend(tx, event, webhooks)
        const shown = presentEvent(service, event, sent)
        return { ...shown, status: webhooks.some(({ enabled }) => enabled) ? 'PENDING' : shown.status }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${root}/simulate-event`,
      operation: 'simulateEvent',
      summary: 'Send a made-up event, signed and stored like a real one',
      body: Simulate,
      success: { 202: SimulatedOut },
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
        const event = { ...(JSON.parse(text) as object), status: 'PENDING' }
        if (webhookId !== undefined) return event
        return { ...event, signing_secret: printSecret(seal.derived(await accountOfApp(tx, caller))) }
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
      async handle({ db, caller, body }) {
        const isTrue = await isOurs(db, service, caller.appId, body)
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
        const found = await findCertificate(db, params.cert_id)
        if (!found) throw notFound('The certificate')
        if (found.withdraw_time !== null) throw withdrawn()
        return new Answer(200, Buffer.from(found.certificate), {
          'content-type': 'application/x-pem-file',
          'cache-control': `public, max-age=${CERTIFICATE_SECONDS}`,
        })
      },
    }),
  ]
}
