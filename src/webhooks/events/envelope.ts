import type { Instant } from '../../kernel/clock.ts'
import { type EventTypeDefinition, eventTypes } from '../../kernel/event-types.ts'
import type { Service } from '../../room.ts'

export const EVENT_VERSION = '1.0'

export interface EnvelopeParts {
  readonly id: string
  readonly time: Instant
  readonly type: string
  readonly summary: string
  readonly resource: object
  /** Overrides what the table of event types says. */
  readonly resourceVersion?: string
}

/** The table's entry; an event type that is not in it can only be simulated. */
export const definitionOf = (type: string): EventTypeDefinition | undefined =>
  (eventTypes as Readonly<Record<string, EventTypeDefinition>>)[type]

export const eventUrl = ({ publicUrl }: Service, id: string) => `${publicUrl}/v1/notifications/webhooks-events/${id}`

/** What a subscriber receives, as text. It is stored like this, and its keys stand in the order clients know. */
export function eventBody(
  service: Service,
  { id, time, type, summary, resource, resourceVersion }: EnvelopeParts,
): string {
  const definition = definitionOf(type)
  const version = resourceVersion ?? definition?.resourceVersion
  const url = eventUrl(service, id)
  const text = JSON.stringify({
    id,
    event_version: EVENT_VERSION,
    create_time: time,
    resource_type: definition?.resourceType ?? 'resource',
    ...(version !== undefined && { resource_version: version }),
    event_type: type,
    summary,
    resource,
    links: [
      { href: url, rel: 'self', method: 'GET', encType: 'application/json' },
      { href: `${url}/resend`, rel: 'resend', method: 'POST', encType: 'application/json' },
    ],
  })
  return text.includes('{}') ? JSON.stringify(withoutEmptyObjects(JSON.parse(text))) : text
}

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

/** A client in PHP that has an event verified sends `[]` where we sent `{}`, so we send none. */
function withoutEmptyObjects(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutEmptyObjects).filter((entry) => !isEmptyObject(entry))
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmptyObjects(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => !isEmptyObject(member)))
}
