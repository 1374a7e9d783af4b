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
  if (!text.includes('{}')) return text
  const parsed: unknown = JSON.parse(text)
  dropEmptyObjects(parsed)
  return JSON.stringify(parsed)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false
  for (const _name in value) return false
  return true
}

/**
 * A client in PHP that has an event verified sends `[]` where we sent `{}`, so we send none. Most of a document has none and stays
 * as it is: to make all of it anew would take longer than to write the event.
 */
function dropEmptyObjects(value: unknown): void {
  if (Array.isArray(value)) {
    for (const entry of value) dropEmptyObjects(entry)
    if (value.some(isEmptyObject)) value.splice(0, value.length, ...value.filter((entry) => !isEmptyObject(entry)))
  } else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      if (!isObject(member)) continue
      dropEmptyObjects(member)
      if (isEmptyObject(member)) delete value[name]
    }
}
