import { type AnyRoute, route } from '../../http/route.ts'
import { refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import {
  EventTypeList,
  NewWebhook,
  OVERLAP_SECONDS_DEFAULT,
  RotateSecret,
  WebhookList,
  WebhookOut,
  WebhookPatch,
} from '../schema.ts'
import {
  addWebhook,
  changeWebhook,
  enableWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
} from '../subscriptions/store.ts'
import { patched, readEventTypes, requireCallable } from '../subscriptions/subscription.ts'
import { NoBody, root, shared, WebhookId, type WebhookParts } from './parts.ts'
import { presentWebhook, subscribedTypes } from './present.ts'

const url = `${root}/webhooks`

/** Subscriptions: who wants to hear of what, and where. */
export function webhookRoutes({ service, seal, forget }: WebhookParts): AnyRoute[] {
  const enabling = (enabled: boolean) =>
    route({
      ...shared,
      method: 'POST',
      url: `${url}/:webhook_id/${enabled ? 'enable' : 'disable'}`,
      operation: enabled ? 'enableWebhook' : 'disableWebhook',
      summary: enabled
        ? 'Send events to a webhook again'
        : 'Stop sending events to a webhook; they are kept for a replay',
      params: WebhookId,
      body: NoBody,
      bodyOptional: true,
      success: { 200: WebhookOut },
      async handle({ tx, caller, params }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        if (webhook.enabled !== enabled) await enableWebhook(tx, webhook, enabled)
        if (!enabled) tx.afterCommit(() => forget(webhook.id))
        return presentWebhook(service, { ...webhook, enabled })
      },
    })

  return [
    route({
      ...shared,
      method: 'POST',
      url,
      operation: 'createWebhook',
      summary: 'Subscribe an address to events',
      locks: true,
      body: NewWebhook,
      success: { 201: WebhookOut },
      async handle({ tx, caller, body }) {
        requireCallable(service, body.url)
        const eventTypes = readEventTypes(body.event_types)
        const webhook = await addWebhook(tx, seal, { appId: caller.appId, url: body.url, eventTypes })
        return presentWebhook(service, webhook, { detailed: false, seal })
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url,
      operation: 'listWebhooks',
      summary: 'List webhooks',
      reads: true,
      query: Type.Object({ anchor_type: Type.Optional(Type.Enum(['APPLICATION', 'ACCOUNT'])) }),
      success: { 200: WebhookList },
      async handle({ db, caller, query }) {
        const webhooks = await listWebhooks(db, caller.appId, query.anchor_type ?? 'APPLICATION')
        return { webhooks: webhooks.map((webhook) => presentWebhook(service, webhook)) }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${url}/:webhook_id`,
      operation: 'showWebhook',
      summary: 'Show a webhook',
      reads: true,
      params: WebhookId,
      success: { 200: WebhookOut },
      handle: async ({ db, caller, params }) =>
        presentWebhook(service, await findWebhook(db, caller.appId, params.webhook_id), { seal }),
    }),
    route({
      ...shared,
      method: 'PATCH',
      url: `${url}/:webhook_id`,
      operation: 'updateWebhook',
      summary: 'Change the address or the events of a webhook',
      locks: true,
      params: WebhookId,
      body: WebhookPatch,
      success: { 200: WebhookOut },
      precheck: async (db, caller, { webhook_id }) => void (await findWebhook(db, caller.appId, webhook_id)),
      async handle({ tx, caller, params, body }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        const after = patched(service, webhook, body)
        await changeWebhook(tx, webhook, after.url, after.eventTypes)
        return presentWebhook(
          service,
          { ...webhook, url: after.url, event_types: after.eventTypes },
          { detailed: false },
        )
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      url: `${url}/:webhook_id`,
      operation: 'deleteWebhook',
      summary: 'Delete a webhook; what was under way to it is dropped',
      params: WebhookId,
      success: { 204: null },
      async handle({ tx, caller, params }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        await removeWebhook(tx, webhook)
        tx.afterCommit(() => forget(webhook.id))
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${url}/:webhook_id/event-types`,
      operation: 'listEventTypesOfWebhook',
      summary: 'List the events a webhook is subscribed to',
      reads: true,
      params: WebhookId,
      success: { 200: EventTypeList },
      handle: async ({ db, caller, params }) => ({
        event_types: subscribedTypes(await findWebhook(db, caller.appId, params.webhook_id)),
      }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: `${url}/:webhook_id/rotate-secret`,
      operation: 'rotateWebhookSecret',
      summary: 'Replace the signing secret; for a while both sign',
      params: WebhookId,
      body: RotateSecret,
      bodyOptional: true,
      success: { 200: WebhookOut },
      async handle({ tx, caller, params, body }) {
        const webhook = await findWebhook(tx, caller.appId, params.webhook_id)
        const isOverlap = webhook.previous_until !== null && tx.now < webhook.previous_until
        if (isOverlap && body.overlap_seconds !== 0)
          throw refused(
            'ROTATION_UNDER_WAY',
            `The last secret but one still signs until ${webhook.previous_until}; wait, or send overlap_seconds 0.`,
          )
        const rotated = rotateSecret(tx, seal, webhook, body.overlap_seconds ?? OVERLAP_SECONDS_DEFAULT)
        return presentWebhook(service, rotated, { seal })
      },
    }),
    enabling(true),
    enabling(false),
  ]
}
