import { Problem } from '../../kernel/problem.ts'
import { urlRefusal } from '../../outbound/egress.ts'
import type { Service } from '../../room.ts'
import { EVENT_NAME, EVERY_EVENT, type NewWebhook, type WebhookPatch } from '../schema.ts'
import type { Webhook } from './store.ts'

const invalidField = (field: string, issue: string, description: string) =>
  new Problem(400, 'VALIDATION_ERROR', [{ issue, field, description }])

/** Refuses an address that is never called, and says why. */
export function requireCallable({ settings }: Service, url: string, field = 'url'): void {
  const policy = { allowHttp: settings.webhookAllowHttp, allowPrivate: settings.webhookAllowPrivate }
  const refusal = urlRefusal(url, policy)
  if (refusal) throw invalidField(field, 'INVALID_URL', refusal)
}

const eventName = new RegExp(EVENT_NAME)

/** The names, each once. `*` includes all others, so it stands alone. */
export function readEventTypes(types: NewWebhook['event_types']): string[] {
  const names = [...new Set(types.map(({ name }) => name))]
  const unknown = names.find((name) => name !== EVERY_EVENT && !eventName.test(name))
  if (unknown !== undefined)
    throw invalidField(
      'event_types',
      'INVALID_EVENT_TYPE',
      `${unknown} is not the name of an event; GET /v1/notifications/webhooks-event-types lists them, and * is all of them.`,
    )
  return names.includes(EVERY_EVENT) ? [EVERY_EVENT] : names
}

/** The address and events a webhook has after the patch. */
export function patched(
  service: Service,
  webhook: Webhook,
  patch: WebhookPatch,
): { url: string; eventTypes: string[] } {
  let { url } = webhook
  let eventTypes = [...webhook.event_types]
  for (const { path, value } of patch) {
    const isText = typeof value === 'string'
    if (isText !== (path === '/url'))
      throw invalidField(
        path.slice(1),
        'INVALID_VALUE',
        path === '/url'
          ? 'The value of /url must be text.'
          : 'The value of /event_types must be a list of {"name": …}.',
      )
    if (isText) {
      requireCallable(service, value)
      url = value
    } else {
      eventTypes = readEventTypes(value)
    }
  }
  const isSame = url === webhook.url && sorted(eventTypes) === sorted(webhook.event_types)
  if (isSame)
    throw new Problem(400, 'WEBHOOK_PATCH_REQUEST_NO_CHANGE', [
      { issue: 'NO_CHANGE', description: 'The webhook already has this address and these events.' },
    ])
  return { url, eventTypes }
}

const sorted = (names: readonly string[]) => [...names].sort().join()
