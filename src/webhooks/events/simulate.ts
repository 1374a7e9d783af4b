import { sql, statementOf } from '../../database/sql.ts'
import type { Tx } from '../../database/transaction.ts'
import { actorOf, causeId } from '../../kernel/cause.ts'
import { eventTypes } from '../../kernel/event-types.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Service } from '../../room.ts'
import { deliveryId } from '../delivery/delivery-id.ts'
import { ANY_WEBHOOK } from '../delivery/free-address.ts'
import { queueInserted } from '../delivery/queue.ts'
import { EVENT_NAME, EVERY_EVENT } from '../schema.ts'
import { definitionOf, eventBody } from './envelope.ts'
import { mentionIds } from './mentioned-ids.ts'
import { anything, type Sample, samples } from './samples.ts'

const insertSimulated = sql`
  insert into events (account_id, id, app_id, type, resource_id, body, create_time, actor, cause)
  select account_id, $2, id, $3, $2, $4, $5, $6, $7 from apps where id = $1
  returning seq, account_id, id, app_id, type, resource_id, create_time`
const insertAudience = sql`
  insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
  select account_id, app_id, id, account_id, type, seq, create_time from announced`
const insertDelivery = statementOf(`
  insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
    url, transmit_time)
  select account_id, ${deliveryId({ event: 'announced.id', webhook: '$1::text', round: '0' })}, app_id, $1, account_id, id,
    type, seq, resource_id, $2, create_time
  from announced returning *`)

export interface Simulation {
  readonly appId: string
  readonly type: string
  readonly webhookId?: string
  /** Only without a webhook. */
  readonly url?: string
  readonly resourceVersion?: string
  readonly resource?: object
}

const eventName = new RegExp(EVENT_NAME)

const refusal = (field: string, description: string) =>
  new Problem(400, 'VALIDATION_ERROR', [{ issue: 'INVALID_VALUE', field, description }])

/** Sends a made-up event as a real one: stored, signed, delivered, readable and verifiable like any other. */
export function simulate(tx: Tx, service: Service, simulation: Simulation): string {
  const { appId, type, webhookId = ANY_WEBHOOK, url, resourceVersion, resource } = simulation
  if (type === EVERY_EVENT) throw refusal('event_type', 'Name one event; * stands for all of them.')
  if (!eventName.test(type))
    throw refusal('event_type', `${type} is not the name of an event, such as ${Object.keys(eventTypes)[0]}.`)
  const id = tx.newId('event')
  const shown = resource ?? sampleOf(tx, service, type)
  const body = eventBody(service, {
    id,
    time: tx.now,
    type,
    summary: `A simulated event: ${definitionOf(type)?.description ?? type}`,
    resource: shown,
    ...(resourceVersion !== undefined && { resourceVersion }),
  })
  tx.write(insertSimulated, [appId, id, type, body, tx.now, actorOf(tx.cause), causeId(tx.cause)], 'announced')
  tx.write(insertAudience, [])
  tx.write(insertDelivery, [webhookId, url ?? null], 'inserted')
  tx.write(queueInserted, [])
  for (const { statement, values } of mentionIds([{ id, resourceId: id, resource: shown }], [body]))
    tx.write(statement, values)
  tx.wake('deliveries')
  return body
}

function sampleOf(tx: Tx, service: Service, type: string): object {
  const parts: Sample = {
    now: tx.now,
    newId: tx.newId.bind(tx),
    publicUrl: service.publicUrl,
    dialect: service.dialect,
    type,
  }
  const make = samples[definitionOf(type)?.resourceType ?? ''] ?? anything
  return make(parts)
}
