import { eventTypes } from '../kernel/event-types.ts'
import { Link } from '../kernel/links.ts'
import { type Static, Type } from '../kernel/type.ts'
import { URL_LENGTH_MAX } from '../outbound/egress.ts'

export const WEBHOOKS_PER_APP_MAX = 10
export const EVENT_TYPES_MAX = 500
export const PAGE_SIZE_MAX = 300
export const PAGE_SIZE_DEFAULT = 10
export const LISTED_DAYS = 30
export const OVERLAP_SECONDS_DEFAULT = 86_400
export const OVERLAP_SECONDS_MAX = 7 * 86_400
export const REPLAY_MAX = 10_000

/** Any name of this form can be subscribed to; those we do not know are never sent. */
export const EVENT_NAME = '^[A-Z0-9]+([.-][A-Z0-9]+)+$'
export const EVERY_EVENT = '*'

const time = Type.String({ maxLength: 64 })
export const id = (maxLength = 100) => Type.String({ minLength: 1, maxLength })

const EventTypeName = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    'x-extensible-enum': [EVERY_EVENT, ...Object.keys(eventTypes)],
  }),
})
const EventTypeNames = Type.Array(EventTypeName, { minItems: 1, maxItems: EVENT_TYPES_MAX })

export const NewWebhook = Type.Object({
  url: Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description: 'Where events are posted to.' }),
  event_types: EventTypeNames,
})
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Array(
  Type.Object({
    op: Type.Enum(['replace'], { description: 'Only replacing is possible.' }),
    path: Type.Enum(['/url', '/event_types']),
    value: Type.Union([Type.String({ maxLength: URL_LENGTH_MAX }), EventTypeNames]),
  }),
  { minItems: 1, maxItems: 10 },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const EventTypeOut = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    status: Type.Optional(Type.Enum(['ENABLED', 'DEPRECATED'])),
    resource_versions: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'EventType', description: 'A kind of event that can be subscribed to.' },
)
export const EventTypeList = Type.Object({ event_types: Type.Array(EventTypeOut) })

export const WebhookOut = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    event_types: Type.Array(EventTypeOut),
    status: Type.Enum(['ENABLED', 'DISABLED']),
    signing_secret: Type.Optional(Type.String({ description: 'The secret of the Standard Webhooks signature.' })),
    previous_secret_expire_time: Type.Optional(
      Type.String({ description: 'Until then the previous secret signs too.' }),
    ),
    links: Type.Array(Link),
  },
  { $id: 'Webhook', description: 'A subscription: an address, and the events that are posted to it.' },
)
export const WebhookList = Type.Object({ webhooks: Type.Array(WebhookOut) })

export const LookupOut = Type.Object(
  { id: Type.String(), client_id: Type.String(), links: Type.Array(Link) },
  { $id: 'WebhookLookup', description: 'Lets an app hear of events of its account that no app caused.' },
)
export const LookupList = Type.Object({ webhooks_lookups: Type.Array(LookupOut) })

export const TransmissionOut = Type.Object(
  {
    webhook_id: Type.String(),
    webhook_url: Type.String(),
    transmission_id: Type.String(),
    status: Type.Enum(['PENDING', 'SUCCESS', 'FAILURE']),
    timestamp: Type.String(),
    attempts: Type.Integer(),
    http_status: Type.Optional(Type.Integer()),
    reason_phrase: Type.Optional(Type.String()),
    response_headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    duration: Type.Optional(Type.Integer({ description: 'Milliseconds the last attempt took.' })),
    error_message: Type.Optional(Type.String()),
    next_attempt_time: Type.Optional(Type.String()),
    links: Type.Array(Link),
  },
  { $id: 'Transmission', description: 'An event on its way to a webhook.' },
)
export const AttemptOut = Type.Object(
  {
    number: Type.Integer(),
    time: Type.String(),
    webhook_url: Type.String(),
    duration: Type.Integer({ description: 'Milliseconds.' }),
    http_status: Type.Optional(Type.Integer()),
    reason_phrase: Type.Optional(Type.String()),
    response_headers: Type.Record(Type.String(), Type.String()),
    response_body: Type.String({ description: 'The beginning of the answer.' }),
    error_message: Type.Optional(Type.String()),
  },
  { $id: 'DeliveryAttempt', description: 'One call of a webhook and what came back.' },
)
export const TransmissionDetail = Type.Object({
  ...TransmissionOut.properties,
  event_id: Type.String(),
  event_type: Type.String(),
  cause: Type.Optional(
    Type.String({
      description: 'The debug id of the request that the event followed from, or the id of the job or command.',
    }),
  ),
  attempt_log: Type.Array(AttemptOut),
})
export const TransmissionList = Type.Object({
  transmissions: Type.Array(
    Type.Object({ ...TransmissionOut.properties, event_id: Type.String(), event_type: Type.String() }),
  ),
  count: Type.Integer(),
  links: Type.Array(Link),
})

export const EventOut = Type.Object(
  {
    id: Type.String(),
    event_version: Type.String(),
    create_time: Type.String(),
    resource_type: Type.String(),
    resource_version: Type.Optional(Type.String()),
    event_type: Type.String(),
    summary: Type.String(),
    resource: Type.Object({}, { additionalProperties: true }),
    status: Type.Optional(Type.Enum(['PENDING', 'SUCCESS', 'FAILURE'])),
    transmissions: Type.Optional(Type.Array(TransmissionOut)),
    links: Type.Array(Link),
  },
  { $id: 'WebhookEvent', description: 'Something that happened to a resource, with the resource as it then was.' },
)
export const SimulatedOut = Type.Object({
  ...EventOut.properties,
  signing_secret: Type.Optional(
    Type.String({ description: 'The secret of the Standard Webhooks signature; only where no webhook has one.' }),
  ),
})
export const EventList = Type.Object({ events: Type.Array(EventOut), count: Type.Integer(), links: Type.Array(Link) })

const paging = {
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT })),
  start_time: Type.Optional(time),
  end_time: Type.Optional(time),
  move_to: Type.Optional(Type.Enum(['next', 'previous'])),
  index_time: Type.Optional(time),
  index_id: Type.Optional(id()),
}
export const EventQuery = Type.Object({
  ...paging,
  transaction_id: Type.Optional(id(255)),
  event_type: Type.Optional(id()),
})
export const TransmissionQuery = Type.Object({
  ...paging,
  webhook_id: Type.Optional(id(50)),
  status: Type.Optional(
    Type.Enum(['PENDING', 'RETRYING', 'SUCCESS', 'FAILURE'], {
      description:
        'RETRYING are those of PENDING that were attempted in vain, FAILURE those that will not be tried again.',
    }),
  ),
})

export const Resend = Type.Object({ webhook_ids: Type.Optional(Type.Array(id(50), { minItems: 1, maxItems: 500 })) })

export const Simulate = Type.Object({
  event_type: Type.String({ minLength: 1, maxLength: 50 }),
  webhook_id: Type.Optional(Type.String({ minLength: 1, maxLength: 50, pattern: '^[a-zA-Z0-9]+$' })),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX })),
  resource_version: Type.Optional(Type.Enum(['1.0', '2.0'])),
  resource: Type.Optional(
    Type.Object({}, { additionalProperties: true, minProperties: 1, description: 'A sample of your own.' }),
  ),
})

export const Verify = Type.Object({
  auth_algo: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-zA-Z0-9]+$' }),
  cert_url: Type.String({ minLength: 1, maxLength: 500 }),
  transmission_id: Type.String({ minLength: 1, maxLength: 50 }),
  transmission_sig: Type.String({ minLength: 1, maxLength: 500 }),
  transmission_time: Type.String({ minLength: 1, maxLength: 100 }),
  webhook_id: Type.String({ minLength: 1, maxLength: 50, pattern: '^([a-zA-Z0-9]+|WEBHOOK_ID)$' }),
  webhook_event: Type.Object({}, { additionalProperties: true }),
})
export type Verify = Static<typeof Verify>
export const Verified = Type.Object({ verification_status: Type.Enum(['SUCCESS', 'FAILURE']) })

export const RotateSecret = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_SECONDS_MAX,
      default: OVERLAP_SECONDS_DEFAULT,
      description: 'How long the previous secret signs beside the new one.',
    }),
  ),
})

export const Replay = Type.Object({
  start_time: time,
  end_time: time,
  include: Type.Optional(
    Type.Enum(['FAILED', 'ALL'], {
      default: 'FAILED',
      description: 'Events that have not arrived, with what is being retried attempted at once, or all of them.',
    }),
  ),
})
export const Replayed = Type.Object({ replayed: Type.Integer() })
