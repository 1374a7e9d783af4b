import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import type { Account, App, Feature } from './schema.ts'
import { defaultScopes } from './scopes.ts'
import { addApp, addSecret, endTokens, keepNewestSecrets } from './store.ts'

/** Two secrets are valid at once, so that one can be replaced without an outage. */
const SECRETS_MAX = 2
const APPS_SHOWN_MAX = 200

export interface NewApp {
  readonly name: string
  readonly features: readonly Feature[]
  /** When none are named, the app gets the scopes that an account of its kind needs for these features. */
  readonly scopes?: readonly string[]
}

/** Makes an app of an account. Its secret is given out only this once. Undefined when the app would have no scope at all. */
export function makeApp(
  tx: Tx,
  account: Account,
  { name, features, scopes = defaultScopes(account.kind, features) }: NewApp,
  ring: SecretRing,
): { app: App; secret: string } | undefined {
  if (scopes.length === 0) return undefined
  const app: App = {
    id: tx.newId('app'),
    account_id: account.id,
    client_id: tx.newId('client'),
    name,
    features,
    scopes,
    status: 'ENABLED',
    sandbox: false,
    create_time: tx.now,
  }
  const secret = tx.newId('secret')
  addApp(tx, app)
  addSecret(tx, app.id, secret, ring)
  return { app, secret }
}

/**
 * Makes a new secret and gives it out only this once. The one before stays valid until the next is made; `revoke` ends all
 * earlier secrets and the tokens.
 */
export function rotateAppSecret(tx: Tx, { id }: App, revoke: boolean, ring: SecretRing): string {
  const made = tx.newId('secret')
  // This statement does not see the secret that the same commit inserts, so it keeps one fewer.
  keepNewestSecrets(tx, id, revoke ? 0 : SECRETS_MAX - 1)
  addSecret(tx, id, made, ring)
  if (revoke) endTokens(tx, id)
  return made
}

/**
 * An app with what belongs to it: when its secrets were made, how many let it act for them, and whether it hears of everything.
 */
export interface AppShown extends App {
  readonly secrets: readonly string[]
  readonly consents: number
  readonly lookup: string | null
}

/** The consent that an account gave to somebody's app. */
export interface GivenConsent {
  readonly app_id: string
  readonly client_id: string
  readonly name: string
  readonly owner: string
  readonly scopes: readonly string[]
  readonly create_time: string
}

const appsOfAccount = sql`
  select id, account_id, client_id, name, features, scopes, status, sandbox, create_time,
    array(select s.create_time::text from app_secrets s where s.app_id = apps.id order by s.create_time desc) as secrets,
    (select count(*)::int from consents c where c.app_id = apps.id) as consents,
    (select l.id from webhook_lookups l where l.account_id = apps.account_id and l.app_id = apps.id) as lookup
  from apps where account_id = $1 order by create_time, id limit $2`
const consentsOfAccount = sql`
  select c.app_id, p.client_id, p.name, o.body->>'name' as owner, c.scopes, c.create_time
  from consents c join apps p on p.id = c.app_id join accounts o on o.id = p.account_id
  where c.account_id = $1 order by c.create_time, c.app_id limit $2`

export const appsOf = (db: Reader, accountId: string): Promise<AppShown[]> =>
  db.rows<AppShown>(appsOfAccount, [accountId, APPS_SHOWN_MAX])

export const consentsBy = (db: Reader, accountId: string): Promise<GivenConsent[]> =>
  db.rows<GivenConsent>(consentsOfAccount, [accountId, APPS_SHOWN_MAX])
