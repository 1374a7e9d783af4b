import { toSeconds } from '../../kernel/clock.ts'
import { eventTypes } from '../../kernel/event-types.ts'
import type { Link } from '../../kernel/links.ts'
import type { Service } from '../../room.ts'
import { definitionOf } from '../events/envelope.ts'
import type { StoredEvent } from '../events/store.ts'
import type { Attempt, Transmission } from '../events/transmissions.ts'
import { EVERY_EVENT } from '../schema.ts'
import type { Seal } from '../signing/seal.ts'
import { printSecret } from '../signing/signature.ts'
import type { Lookup, Webhook } from '../subscriptions/store.ts'

const base = ({ publicUrl }: Service) => `${publicUrl}/v1/notifications`

const EVERY_DESCRIPTION = 'Every event, also of kinds that are added later.'
const UNKNOWN_DESCRIPTION = 'Accepted for the sake of existing clients; this service does not send it.'

const descriptionOf = (name: string) =>
  name === EVERY_EVENT ? EVERY_DESCRIPTION : (definitionOf(name)?.description ?? UNKNOWN_DESCRIPTION)

/** An event type as a subscription shows it; `detailed` where the contract also shows whether it is in use. */
function subscribed(name: string, detailed: boolean) {
  return {
    name,
    description: descriptionOf(name),
    ...(detailed && { status: definitionOf(name)?.status ?? ('ENABLED' as const) }),
  }
}

export const subscribedTypes = ({ event_types }: Webhook) => event_types.map((name) => subscribed(name, true))

/** Everything that can happen here. */
export const allEventTypes = Object.keys(eventTypes).map((name) => {
  const { description, status = 'ENABLED', resourceVersion = '1.0' } = definitionOf(name)!
  return { name, description, status, resource_versions: [resourceVersion] }
})

export interface ShownWebhook {
  readonly detailed?: boolean
  /** Opens the secret, for the app that owns it. */
  readonly seal?: Seal
}

export function presentWebhook(service: Service, webhook: Webhook, { detailed = true, seal }: ShownWebhook = {}) {
  const { id, url, event_types, enabled, secret, previous_until } = webhook
  const href = `${base(service)}/webhooks/${id}`
  return {
    id,
    url,
    event_types: event_types.map((name) => subscribed(name, detailed)),
    status: enabled ? 'ENABLED' : 'DISABLED',
    ...(seal && { signing_secret: printSecret(seal.open(secret, id)) }),
    ...(previous_until !== null && { previous_secret_expire_time: previous_until }),
    links: [
      { href, rel: 'self', method: 'GET' },
      { href, rel: 'update', method: 'PATCH' },
      { href, rel: 'delete', method: 'DELETE' },
    ] satisfies Link[],
  }
}

export function presentLookup(service: Service, { id, client_id }: Lookup) {
  const href = `${base(service)}/webhooks-lookup/${id}`
  return {
    id,
    client_id,
    links: [
      { href, rel: 'self', method: 'GET' },
      { href, rel: 'delete', method: 'DELETE' },
    ] satisfies Link[],
  }
}

export function presentTransmission(service: Service, transmission: Transmission) {
  const { id, webhook_id, url, status, attempts, transmit_time, next_time } = transmission
  const { http_status, error, reason, duration_ms, response_headers } = transmission
  const href = `${base(service)}/webhooks-transmissions/${id}`
  return {
    webhook_id,
    webhook_url: url ?? '',
    ...(http_status !== null && { http_status }),
    ...(reason !== null && { reason_phrase: reason }),
    ...(response_headers !== null && { response_headers }),
    transmission_id: id,
    status,
    timestamp: toSeconds(transmit_time),
    attempts,
    ...(duration_ms !== null && { duration: duration_ms }),
    ...(error !== null && { error_message: error }),
    ...(next_time !== null && { next_attempt_time: next_time }),
    links: [
      { href, rel: 'self', method: 'GET' },
      ...(status === 'SUCCESS' ? [] : [{ href: `${href}/attempt`, rel: 'attempt', method: 'POST' }]),
    ] satisfies Link[],
  }
}

/** A transmission outside its event, so that it says which one it carries. */
export const presentListed = (service: Service, transmission: Transmission) => ({
  ...presentTransmission(service, transmission),
  event_id: transmission.event_id,
  event_type: transmission.event_type,
})

export const presentAttempt = (attempt: Attempt) => ({
  number: attempt.number,
  time: attempt.attempt_time,
  webhook_url: attempt.url,
  duration: attempt.duration_ms,
  ...(attempt.http_status !== null && { http_status: attempt.http_status }),
  ...(attempt.reason !== null && { reason_phrase: attempt.reason }),
  response_headers: attempt.response_headers,
  response_body: attempt.response_body,
  ...(attempt.error !== null && { error_message: attempt.error }),
})

/** Where an event stands: with each webhook its latest transmission counts, since a resend supersedes what failed. */
export function statusOf(transmissions: readonly Transmission[]): Transmission['status'] {
  const latest = new Map(transmissions.map(({ webhook_id, status }) => [webhook_id, status]))
  const statuses = new Set(latest.values())
  if (statuses.has('PENDING')) return 'PENDING'
  return statuses.has('FAILURE') ? 'FAILURE' : 'SUCCESS'
}

/** An event as the operations show it: what was delivered, and what became of it. */
export function presentEvent(service: Service, { body }: StoredEvent, transmissions: readonly Transmission[]) {
  const { links, ...event } = JSON.parse(body) as { links: Link[] }
  return {
    ...event,
    status: statusOf(transmissions),
    transmissions: transmissions.map((transmission) => presentTransmission(service, transmission)),
    links,
  }
}
