import { sql } from '../../database/sql.ts'
import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { removeAll, type SweepParts } from '../../jobs/sweep.ts'
import { after, parseInstant } from '../../kernel/clock.ts'
import { Money } from '../../kernel/money.ts'
import { invalid } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { channels, reasons, stages } from '../schema/enums.ts'
import { tag } from './parts.ts'

const DAY_SECONDS = 86_400
const optional = Type.Optional
const details = Type.Unsafe<object>({ type: 'object', maxProperties: 100 })

/** An event about a dispute in the form of CloudEvents 1.0. */
const CloudEvent = Type.Object({
  specversion: Type.Enum(['1.0']),
  id: Type.String({ minLength: 1, maxLength: 255 }),
  type: Type.String({ minLength: 1, maxLength: 255 }),
  source: Type.String({ minLength: 1, maxLength: 2000 }),
  datacontenttype: Type.Enum(['application/json']),
  time: optional(Type.String({ maxLength: 64 })),
  subject: optional(Type.String({ maxLength: 2000 })),
  dataschema: optional(Type.String({ maxLength: 2000 })),
  data: Type.Object({
    dispute_id: optional(Type.String({ minLength: 1, maxLength: 255 })),
    amount: optional(Money),
    notes: optional(Type.String({ maxLength: 2000 })),
    disputed_transactions: optional(
      Type.Array(
        Type.Object({
          reference_id: optional(Type.String({ maxLength: 255 })),
          items: optional(Type.Array(details, { maxItems: 100 })),
        }),
        { maxItems: 1000 },
      ),
    ),
    create_time: optional(Type.String({ maxLength: 64 })),
    reason: optional(Type.Enum([...reasons])),
    external_reason_code: optional(Type.String({ maxLength: 2000 })),
    response_due_date: optional(Type.String({ maxLength: 64 })),
    dispute_outcome: optional(Type.Unknown()),
    dispute_life_cycle_stage: optional(Type.Enum([...stages])),
    dispute_channel: optional(Type.Enum([...channels])),
    dispute_extensions: optional(details),
    event_extensions: optional(details),
    event_channel: optional(Type.Enum(['RESOLUTION_CENTER', 'FRONT_OFFICE', 'BACK_OFFICE', 'CRM_TOOL'])),
  }),
})

const insertEvent = sql`
  insert into dispute_event_inbox (account_id, source, id, body, create_time) values ($1, $2, $3, $4, $5)
  on conflict (account_id, source, id) do nothing`

const removeOld = sql`
  delete from dispute_event_inbox where ctid = any(array(
    select ctid from dispute_event_inbox where create_time <= $1 order by create_time limit $2 for update skip locked))
  returning 1`

/** Removes what was taken in longer ago than events are kept. */
export async function sweepEventInbox(parts: SweepParts, days: number): Promise<void> {
  if (days > 0) await removeAll(parts, removeOld, after(parts.now, -days * DAY_SECONDS))
}

/** Takes in what other systems say about disputes. It is kept for as long as events are, and changes nothing. */
export const eventInboxRoutes = (): AnyRoute[] => [
  route({
    method: 'POST',
    url: '/v1/customer/dispute-events',
    operation: 'receiveDisputeEvent',
    summary: 'Receive an event about a dispute of another system',
    tag,
    scopes: ['disputes/webhooks'],
    body: CloudEvent,
    success: { 204: null },
    async handle({ tx, caller, body }) {
      const times = {
        time: body.time,
        'data/create_time': body.data.create_time,
        'data/response_due_date': body.data.response_due_date,
      }
      for (const [field, value] of Object.entries(times))
        if (value !== undefined && !parseInstant(value))
          throw invalid(`/${field}`, 'Write an RFC 3339 date-time with seconds.', 'INVALID_PARAMETER_SYNTAX')
      tx.write(insertEvent, [caller.accountId, body.source, body.id, JSON.stringify(body), tx.now])
      return new Answer(204)
    },
  }),
]
