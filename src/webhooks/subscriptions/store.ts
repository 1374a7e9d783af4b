import { randomBytes } from 'node:crypto'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { calledAt } from '../../outbound/egress.ts'
import { lanes } from '../dispatch/lanes.ts'
import { WEBHOOKS_PER_APP_MAX } from '../schema.ts'
import type { Seal } from '../signing/seal.ts'
import { SECRET_BYTES } from '../signing/signature.ts'
import { dropWaiting } from './waiting.ts'

/** A subscription as it is stored. It belongs to an app; `account_id` is the app's. */
export interface Webhook {
  readonly account_id: string
  readonly app_id: string
  readonly id: string
  readonly url: string
  readonly event_types: readonly string[]
  readonly secret: Buffer
  readonly previous_until: Instant | null
  readonly enabled: boolean
  readonly version: number
}

export interface Lookup {
  readonly id: string
  readonly client_id: string
}

const webhookOfApp = sql`
  select account_id, app_id, id, url, event_types, secret, previous_until, enabled, version
  from webhooks where id = $2 and app_id = $1`
const webhooksOfApp = sql`
  select account_id, app_id, id, url, event_types, secret, previous_until, enabled, version
  from webhooks where app_id = $1 order by create_time, id`
const webhooksOfAccount = sql`
  select account_id, app_id, id, url, event_types, secret, previous_until, enabled, version
  from webhooks where account_id = (select account_id from apps where id = $1) order by create_time, id`
const lockApp = sql`select account_id from apps where id = $1 for no key update`
const insertWebhook = sql`
  insert into webhooks (account_id, app_id, id, url, event_types, secret, lane, create_time, update_time)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`
const updateWebhook = sql`
  update webhooks set url = $4, event_types = $5, version = version + 1, update_time = $6
  where account_id = $1 and id = $2 and version = $3`
const setEnabled = sql`
  update webhooks set enabled = $4, version = version + 1, update_time = $5
  where account_id = $1 and id = $2 and version = $3`
const replaceSecret = sql`
  update webhooks set previous_secret = secret, previous_until = $5, secret = $4, version = version + 1, update_time = $6
  where account_id = $1 and id = $2 and version = $3`
const deleteWebhook = sql`delete from webhooks where account_id = $1 and id = $2 and version = $3`

const lookupsOfApp = sql`
  select l.id, a.client_id from webhook_lookups l join apps a on a.id = l.app_id
  where l.account_id = a.account_id and a.id = $1`
const insertLookup = sql`
  insert into webhook_lookups (account_id, app_id, id, create_time)
  select account_id, id, $2, $3 from apps where id = $1 on conflict do nothing`
const deleteLookup = sql`
  delete from webhook_lookups where id = $2 and app_id = $1 and account_id = (select account_id from apps where id = $1)`

/** The webhook, if it is the app's own. */
export async function findWebhook(db: Reader, appId: string, id: string): Promise<Webhook> {
  const webhook = await db.row<Webhook>(webhookOfApp, [appId, id])
  if (!webhook) throw notFound('The webhook')
  return webhook
}

export const listWebhooks = (db: Reader, appId: string, anchor: 'APPLICATION' | 'ACCOUNT'): Promise<Webhook[]> =>
  db.rows<Webhook>(anchor === 'ACCOUNT' ? webhooksOfAccount : webhooksOfApp, [appId])

const newSecret = (seal: Seal, webhookId: string) => seal.close(randomBytes(SECRET_BYTES), webhookId)

/** Locks an app, so that no webhook of it is added or gets another address meanwhile, and gives the webhooks it has. */
async function holdApp(tx: Tx, appId: string): Promise<{ account_id: string; webhooks: Webhook[] }> {
  const app = await tx.row<{ account_id: string }>(lockApp, [appId])
  if (!app) throw notFound('The app')
  return { ...app, webhooks: await tx.rows<Webhook>(webhooksOfApp, [appId]) }
}

export const urlTaken = () =>
  new Problem(400, 'WEBHOOK_URL_ALREADY_EXISTS', [
    { issue: 'WEBHOOK_URL_ALREADY_EXISTS', field: 'url', description: 'Another webhook of this app has this address.' },
  ])

/** Refuses an address that one of these webhooks has, in whatever spelling; the index knows only of equal ones. */
function requireFree(webhooks: readonly Webhook[], url: string): void {
  if (webhooks.some((one) => calledAt(one.url) === calledAt(url))) throw urlTaken()
}

/** Adds a webhook to an app that has room for it. */
export async function addWebhook(
  tx: Tx,
  seal: Seal,
  { appId, url, eventTypes }: { appId: string; url: string; eventTypes: readonly string[] },
): Promise<Webhook> {
  const { account_id, webhooks } = await holdApp(tx, appId)
  if (webhooks.length >= WEBHOOKS_PER_APP_MAX)
    throw new Problem(400, 'WEBHOOK_NUMBER_LIMIT_EXCEEDED', [
      {
        issue: 'WEBHOOK_NUMBER_LIMIT_EXCEEDED',
        description: `An app can have ${WEBHOOKS_PER_APP_MAX} webhooks; delete one first.`,
      },
    ])
  requireFree(webhooks, url)
  const id = tx.newId('webhook')
  const secret = newSecret(seal, id)
  tx.about(account_id, id)
  tx.write(insertWebhook, [account_id, appId, id, url, eventTypes, secret, lanes.unproven, tx.now])
  return {
    account_id,
    app_id: appId,
    id,
    url,
    event_types: eventTypes,
    secret,
    previous_until: null,
    enabled: true,
    version: 1,
  }
}

const keyOf = ({ account_id, id, version }: Webhook) => [account_id, id, version]

/** Open retries go to the new address without further ado: it is read when they are claimed. */
export async function changeWebhook(
  tx: Tx,
  webhook: Webhook,
  url: string,
  eventTypes: readonly string[],
): Promise<void> {
  if (url !== webhook.url) {
    const { webhooks } = await holdApp(tx, webhook.app_id)
    const others = webhooks.filter(({ id }) => id !== webhook.id)
    requireFree(others, url)
  }
  tx.guard(updateWebhook, [...keyOf(webhook), url, eventTypes, tx.now])
}

/** A disabled webhook keeps its history; what was under way to it has failed and can be replayed. */
export async function enableWebhook(tx: Tx, webhook: Webhook, enabled: boolean): Promise<void> {
  tx.guard(setEnabled, [...keyOf(webhook), enabled, tx.now])
  if (!enabled) await dropWaiting(tx, webhook, 'failed')
}

export function rotateSecret(tx: Tx, seal: Seal, webhook: Webhook, overlapSeconds: number): Webhook {
  const secret = newSecret(seal, webhook.id)
  const until = after(tx.now, overlapSeconds)
  tx.guard(replaceSecret, [...keyOf(webhook), secret, until, tx.now])
  return { ...webhook, secret, previous_until: until }
}

export async function removeWebhook(tx: Tx, webhook: Webhook): Promise<void> {
  tx.guard(deleteWebhook, keyOf(webhook))
  await dropWaiting(tx, webhook, 'forgotten')
}

export const listLookups = (db: Reader, appId: string): Promise<Lookup[]> => db.rows<Lookup>(lookupsOfApp, [appId])

export async function findLookup(db: Reader, appId: string, id: string): Promise<Lookup> {
  const lookup = (await listLookups(db, appId)).find((one) => one.id === id)
  if (!lookup) throw notFound('The webhook lookup')
  return lookup
}

/** An app has one. When another call made it in between, the work starts over and finds that. */
export function addLookup(tx: Tx, appId: string): string {
  const id = tx.newId('lookup')
  tx.guard(insertLookup, [appId, id, tx.now])
  return id
}

export function removeLookup(tx: Tx, appId: string, id: string): void {
  tx.guard(deleteLookup, [appId, id])
}
