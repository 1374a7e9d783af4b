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
  const envelope = {
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
  }
  const text = JSON.stringify(envelope)
  return text.includes('{}') ? JSON.stringify(withoutEmptyObjects(envelope)) : text
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** As JSON sees it: a member that is undefined is none. */
function isEmptyObject(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false
  for (const name in value) if (value[name as keyof typeof value] !== undefined) return false
  return true
}

/**
 * A client written in PHP that asks us to verify an event sends `[]` where we sent `{}`, so events hold no empty objects. A
 * value without empty objects is returned as it is. That is most of a document, so little is made anew.
 */
function withoutEmptyObjects(value: unknown): unknown {
  if (!isObject(value)) return value
  if (Array.isArray(value)) {
    const entries = value.map(withoutEmptyObjects)
    const isSame = entries.every((entry, i) => entry === value[i] && !isEmptyObject(entry))
    return isSame ? value : entries.filter((entry) => !isEmptyObject(entry))
  }
  let changed: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(value)) {
    if (!isObject(member)) continue
    const kept = withoutEmptyObjects(member)
    const isGone = isEmptyObject(kept)
    if (kept === member && !isGone) continue
    changed ??= { ...value }
    if (isGone) delete changed[name]
    else changed[name] = kept
  }
  return changed ?? value
}
