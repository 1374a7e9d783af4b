import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { type SecretRing, secretId } from '../kernel/secrets.ts'
import { secretDigest } from './credentials.ts'
import type { Account, App } from './schema.ts'

const accountById = sql`select body from accounts where id = $1`
const firstAccount = sql`select body from accounts where kind = $1 order by create_time, id limit 1`
const accountByEmail = sql`select body from accounts where email = lower($1)`
const nextAccounts = sql`select body from accounts where cell is null and id > $1 order by id limit $2`
const insertAccount = sql`insert into accounts (id, body, create_time) values ($1, $2, $3)`
const updateAccount = sql`update accounts set body = $2 where id = $1 and body = $3`

export async function findAccount(db: Reader, id: string): Promise<Account | undefined> {
  return (await db.row<{ body: Account }>(accountById, [id]))?.body
}

export async function findAccountByEmail(db: Reader, email: string): Promise<Account | undefined> {
  return (await db.row<{ body: Account }>(accountByEmail, [email]))?.body
}

/** The account that was there first. A sandbox makes up what a call leaves out with this one. */
export async function findFirstAccount(db: Reader, kind: Account['kind']): Promise<Account | undefined> {
  return (await db.row<{ body: Account }>(firstAccount, [kind]))?.body
}

/** All accounts that live here, oldest first. */
export const listAccounts = (db: Reader): Promise<Account[]> =>
  pageByPage(async (after, limit) =>
    (await db.rows<{ body: Account }>(nextAccounts, [after, limit])).map(({ body }) => body),
  )

const PAGE_SIZE = 1_000

/** All rows, read page by page after the key of the last, so that a late page costs no more than the first. */
async function pageByPage<Row extends { readonly id: string; readonly create_time: string }>(
  next: (after: string, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (;;) {
    const page = await next(found.at(-1)?.id ?? '', PAGE_SIZE)
    found.push(...page)
    if (page.length < PAGE_SIZE) break
  }
  const ageOf = ({ create_time, id }: Row) => `${create_time} ${id}`
  return found.sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
}

export function addAccount(tx: Tx, account: Account): void {
  tx.about(account.id, account.id)
  tx.write(insertAccount, [account.id, JSON.stringify(account), account.create_time])
}

/** Saves a changed account. A suspension ends the access tokens of its apps for good. */
export function saveAccount(tx: Tx, before: Account, after: Account): void {
  tx.about(before.id, before.id)
  tx.guard(updateAccount, [before.id, JSON.stringify(after), JSON.stringify(before)])
  if (before.status === 'ACTIVE' && after.status === 'SUSPENDED') tx.write(newGenerationOfAccount, [before.id])
}

const nextApps = sql`
  select id, account_id, client_id, name, features, scopes, status, sandbox, create_time from apps
  where account_id in (select id from accounts where cell is null) and id > $1 order by id limit $2`
const appByClientId = sql`
  select id, account_id, client_id, name, features, scopes, status, sandbox, create_time from apps where client_id = $1`
const insertApp = sql`
  insert into apps (id, account_id, client_id, name, features, scopes, status, sandbox, create_time)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
const enableApp = sql`update apps set status = 'ENABLED' where client_id = $1`
const disableApp = sql`
  update apps set status = 'DISABLED', token_generation = token_generation + 1 where client_id = $1`
const newGeneration = sql`update apps set token_generation = token_generation + 1 where id = $1`
const newGenerationOfAccount = sql`update apps set token_generation = token_generation + 1 where account_id = $1`
const deleteTokens = sql`delete from tokens using apps where app_id = apps.id and client_id = $1`
const deleteAppRow = sql`delete from apps where client_id = $1`
const insertSecret = sql`insert into app_secrets (app_id, digest, create_time, key_id) values ($1, $2, $3, $4)`
const replaceDigest = sql`update app_secrets set digest = $3, key_id = $4 where app_id = $1 and digest = $2`
const clientsWithOtherKey = sql`
  select distinct client_id from app_secrets join apps on apps.id = app_id
  where key_id is distinct from $1 order by client_id`
const deleteSecretsBut = sql`
  delete from app_secrets where app_id = $1 and digest not in (
    select digest from app_secrets where app_id = $1 order by create_time desc limit $2)`
const insertConsent = sql`
  insert into consents (account_id, app_id, scopes, create_time) values ($1, $2, $3, $4)
  on conflict (account_id, app_id) do update set scopes = excluded.scopes`
const deleteConsent = sql`delete from consents where account_id = $1 and app_id = $2`

export const listApps = (db: Reader): Promise<App[]> =>
  pageByPage((after, limit) => db.rows<App>(nextApps, [after, limit]))

export const findApp = (db: Reader, clientId: string): Promise<App | undefined> =>
  db.row<App>(appByClientId, [clientId])

export function addApp(tx: Tx, app: App): void {
  const { id, account_id, client_id, name, features, scopes, status, sandbox, create_time } = app
  tx.about(account_id, id)
  tx.write(insertApp, [id, account_id, client_id, name, features, scopes, status, sandbox, create_time])
}

/** Stores what is needed to check a secret, but never the secret itself. */
export function addSecret(tx: Tx, appId: string, secret: string, [first]: SecretRing): void {
  tx.write(insertSecret, [appId, secretDigest(secret, first), tx.now, secretId(first)])
}

/**
 * Stores the digest of a secret anew, made with the first of the service's secrets. Only the secret's owner can bring it to us.
 */
export function renewDigest(tx: Tx, appId: string, old: Buffer, secret: string, [first]: SecretRing): void {
  tx.write(replaceDigest, [appId, old, secretDigest(secret, first), secretId(first)])
}

/** The apps with a secret whose digest was made, or may have been made, with another than the first of the service's secrets. */
export async function clientsToRenew(db: Reader, [first]: SecretRing): Promise<string[]> {
  const rows = await db.rows<{ client_id: string }>(clientsWithOtherKey, [secretId(first)])
  return rows.map(({ client_id }) => client_id)
}

/** Keeps the newest secrets of an app and revokes the others. */
export function keepNewestSecrets(tx: Tx, appId: string, count: number): void {
  tx.write(deleteSecretsBut, [appId, count])
}

/** Takes an app out of service, which ends its access tokens for good, or back into it. */
export function changeAppStatus(tx: Tx, clientId: string, status: App['status']): void {
  tx.guard(status === 'ENABLED' ? enableApp : disableApp, [clientId])
}

/** Ends every access token of an app, also one that is being issued right now. */
export function endTokens(tx: Tx, appId: string): void {
  tx.guard(newGeneration, [appId])
}

/** Deletes the app with its secrets, consents and tokens. */
export function deleteApp(tx: Tx, clientId: string): void {
  tx.write(deleteTokens, [clientId])
  tx.guard(deleteAppRow, [clientId])
}

/** The merchant lets the app of a partner act for it within these scopes. */
export function grantConsent(tx: Tx, accountId: string, appId: string, scopes: readonly string[]): void {
  tx.about(accountId, appId)
  tx.write(insertConsent, [accountId, appId, scopes, tx.now])
}

export function revokeConsent(tx: Tx, accountId: string, appId: string): void {
  tx.about(accountId, appId)
  tx.write(deleteConsent, [accountId, appId])
}
