import { randomBytes } from 'node:crypto'
import type { Connection } from '../../src/database/open.ts'
import { statementOf } from '../../src/database/sql.ts'
import type { SecretRing } from '../../src/kernel/secrets.ts'
import { queueInserted } from '../../src/webhooks/delivery/queue.ts'
import { makeSeal } from '../../src/webhooks/signing/seal.ts'
import { quantile } from '../harness/statistics.ts'

export const merchantId = 'MERCHANTAAAAA'
const WEBHOOKS_PER_APP = 10

export interface Subscriber {
  readonly app: string
  readonly id: string
  readonly url: string
}

/** A live service has nobody at first. */
export async function addMerchant(database: Connection): Promise<void> {
  await database.rows(statementOf('insert into accounts (id, body, create_time) values ($1, $2, $3)'), [
    merchantId,
    { kind: 'BUSINESS', status: 'ACTIVE', email: 'm@shop.test' },
    '2026-01-01T00:00:00.000Z',
  ])
}

/** So many webhooks, ten an app, at addresses made from their number. */
export const subscribers = (kind: string, count: number, url: (n: number) => string): Subscriber[] =>
  Array.from({ length: count }, (_, n) => ({
    app: `APP-${kind}-${Math.floor(n / WEBHOOKS_PER_APP)}`,
    id: `${kind}${n}`,
    url: url(n),
  }))

/** Puts apps and webhooks straight into the database: by the operations a thousand would take a while. */
export async function subscribe(database: Connection, secrets: SecretRing, rows: readonly Subscriber[]): Promise<void> {
  const seal = makeSeal(secrets)
  const sealed = rows.map((row) => ({ ...row, secret: seal.close(randomBytes(32), row.id).toString('hex') }))
  const now = '2026-01-01T00:00:00.000Z'
  await database.rows(
    statementOf(`insert into apps (id, account_id, client_id, name, features, scopes, status, create_time)
      select distinct app, $2, app, app, '{}'::text[], '{}'::text[], 'ENABLED', $3
      from json_to_recordset($1) as r (app text) on conflict do nothing`),
    [JSON.stringify(sealed), merchantId, now],
  )
  await database.rows(
    statementOf(`insert into webhooks (account_id, app_id, id, url, event_types, secret, lane, create_time, update_time)
      select $2, app, id, url, '{*}', decode(secret, 'hex'), 1, $3, $3
      from json_to_recordset($1) as r (app text, id text, url text, secret text)`),
    [JSON.stringify(sealed), merchantId, now],
  )
}

/** A backlog as commits would have left it: events with their deliveries, spread over the webhooks. */
export async function addBacklog(
  database: Connection,
  { round, count, body, now }: { round: number; count: number; body: string; now: string },
): Promise<void> {
  await database.rows(
    statementOf(`with made as (
      insert into events (account_id, id, app_id, type, resource_id, body, create_time)
      select $1, 'WH-' || $2 || '-' || n, null, 'INVOICING.INVOICE.PAID', 'R-' || $2 || '-' || n, $4, $5
      from generate_series(1, $3::int) as n returning seq, id, resource_id),
    inserted as (
    insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
      transmit_time)
    select w.account_id, gen_random_uuid(), w.app_id, w.id, $1, made.id, 'INVOICING.INVOICE.PAID', made.seq,
      made.resource_id, $5
    from made join (select *, row_number() over (order by id) - 1 as n, count(*) over () as of from webhooks) w
      on w.n = made.seq % w.of returning *)
    ${queueInserted.text}`),
    [merchantId, String(round), count, body, now],
  )
}

export const open = statementOf('select count(*)::int as open from delivery_queue')

export const p95 = (values: readonly number[]) => quantile(values, 0.95)
export const p99 = (values: readonly number[]) => quantile(values, 0.99)

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A body of the size of an invoice's. */
export const sampleBody = JSON.stringify({
  id: 'WH-00000000000000000-00000000000000000',
  event_version: '1.0',
  create_time: '2026-01-01T00:00:00.000Z',
  resource_type: 'invoices',
  event_type: 'INVOICING.INVOICE.PAID',
  summary: 'An invoice was paid.',
  resource: { id: 'INV2-AAAA-BBBB-CCCC-DDDD', status: 'PAID', note: 'x'.repeat(1_200) },
  links: [],
})
