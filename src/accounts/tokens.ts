import { hash } from 'node:crypto'
import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { Answer, type AnyRoute, route } from '../http/route.ts'
import { removeAll, type Sweep } from '../jobs/sweep.ts'
import { marked } from '../kernel/cell.ts'
import { after, type Clock, type Instant, toSeconds } from '../kernel/clock.ts'
import { neutralScope } from '../kernel/dialect.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import { Type } from '../kernel/type.ts'
import type { Service } from '../room.ts'
import type { Believed } from './authenticate.ts'
import { authenticateClient, type Client, type ClientWithToken, oauthProblem } from './authenticate-client.ts'
import { sameDigest, tokenDigest, tokenOf, tokenTextOf } from './credentials.ts'
import { grantableScopes } from './scopes.ts'

const field = Type.Optional(Type.String({ maxLength: 8_000 }))

const TokenRequest = Type.Object({
  grant_type: Type.Optional(Type.String({ maxLength: 100, description: 'client_credentials' })),
  scope: field,
  client_id: field,
  client_secret: field,
  ignoreCache: field,
})

const TokenResponse = Type.Object(
  {
    scope: Type.String({ description: 'Space-separated scopes.' }),
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    app_id: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds this token is still valid.' }),
    nonce: Type.String(),
  },
  { $id: 'AccessToken' },
)

const TerminateRequest = Type.Object({ token: field, token_type_hint: field, client_id: field, client_secret: field })

/** A token with the text that its client sends. */
interface Token {
  readonly text: string
  readonly scopes: string[]
  readonly nonce: string
  readonly expire_time: Instant
}

// Everybody knows the secret of an app that was seeded for a sandbox, so outside of a sandbox such an app counts for nothing.
const clientById = sql`
  select apps.id as app_id, apps.account_id, features, scopes, token_generation,
    coalesce(held.digests, '{}') as digests, coalesce(held.keys, '{}') as keys
  from apps join accounts on accounts.id = apps.account_id cross join lateral (
    select array_agg(digest order by digest) as digests, array_agg(key_id order by digest) as keys
    from app_secrets where app_id = apps.id) held
  where client_id = $1 and apps.status = 'ENABLED' and accounts.status = 'ACTIVE' and (not apps.sandbox or $2)`
/** The same client with the token that can be handed out again. There nearly always is one, and then nothing else is asked. */
const clientWithToken = sql`
  select apps.id as app_id, apps.account_id, client_id, features, apps.scopes, token_generation,
    coalesce(held.digests, '{}') as digests, coalesce(held.keys, '{}') as keys,
    valid.id as token_id, valid.digest, valid.scopes as granted, valid.nonce, valid.expire_time
  from apps join accounts on accounts.id = apps.account_id cross join lateral (
    select array_agg(digest order by digest) as digests, array_agg(key_id order by digest) as keys
    from app_secrets where app_id = apps.id) held
  left join lateral (
    select id, digest, scopes, nonce, expire_time from tokens
    where app_id = apps.id and requested = $3 and expire_time > $4 and generation = apps.token_generation
    order by create_time desc, expire_time desc limit 1) valid on true
  where client_id = $1 and apps.status = 'ENABLED' and accounts.status = 'ACTIVE' and (not apps.sandbox or $2)`
const insertToken = sql`
  insert into tokens (digest, id, app_id, scopes, requested, nonce, create_time, expire_time, generation)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
const deleteToken = sql`delete from tokens where digest = $1 and app_id = $2`
const expireTokens = sql`update tokens set expire_time = $1 where expire_time > $1 returning 1`
const removeExpired = sql`
  delete from tokens where ctid = any(array(
    select ctid from tokens where expire_time <= $1 order by expire_time limit $2 for update skip locked))
  returning 1`

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Lets every token expire now, and returns how many there were. */
export const expireAllTokens = async (db: Reader, now: Instant): Promise<number> =>
  (await db.rows(expireTokens, [now])).length

/** Removes tokens that have expired by real time, which is the time they live on. */
export const sweepTokens =
  (realTime: Clock): Sweep =>
  (parts) =>
    removeAll(parts, removeExpired, realTime.now())

export interface TokenParts {
  readonly realTime: Clock
  /** Emptied in every process when an app, its secrets or a token change. */
  readonly clients: Believed<ClientWithToken>
  /** Called when a token has ended. Comes back when no process believes it any more. */
  onChange(): Promise<void>
}

/** The operations that hand out and end access tokens. */
export function tokenRoutes(service: Service, { realTime, clients, onChange }: TokenParts): AnyRoute[] {
  const shared = {
    tag: 'Access tokens',
    method: 'POST',
    scopes: 'public',
    accepts: ['application/x-www-form-urlencoded'],
    errors: 'oauth',
  } as const

  const isSandbox = service.environment === 'sandbox'
  const texts: Texts = new RecentMap(TEXTS_MAX)

  const issue = route({
    ...shared,
    url: '/v1/oauth2/token',
    operation: 'createAccessToken',
    summary: 'Exchange client credentials for an access token',
    body: TokenRequest,
    success: { 200: TokenResponse },
    async handle({ tx, body, headers }) {
      if (body.grant_type !== 'client_credentials')
        throw oauthProblem(400, 'unsupported_grant_type', 'Send grant_type=client_credentials.')
      const requested = requestedScopes(service, body.scope)
      const now = realTime.now()
      const isNew = body.ignoreCache === 'true'
      // Hashed, because its sender decides how long it is.
      const wish = requested === '' ? '' : hash('sha256', requested, 'base64')
      const memory = (id: string) => `${id} ${wish}`
      const client = await authenticateClient(
        tx,
        service,
        { headers, body },
        {
          known: (id) => (isNew ? undefined : knownClient(clients, memory(id), now)),
          async find(id) {
            const keep = clients.asking()
            const found = await tx.row<ClientWithToken>(clientWithToken, [id, isSandbox, requested, now])
            if (found && found.token_id !== null) keep(memory(id), found)
            return found
          },
        },
      )
      const reused = isNew ? undefined : handedOut(service, client, texts)
      if (!reused) tx.afterCommit(() => clients.delete(memory(client.client_id)))
      const token = reused ?? newToken(tx, service, client, { requested, now })
      return new Answer(200, present(service, client, token, now), noStore)
    },
  })

  const terminate = route({
    ...shared,
    url: '/v1/oauth2/token/terminate',
    operation: 'terminateAccessToken',
    summary: 'End an access token before it expires',
    reads: 'free',
    body: TerminateRequest,
    success: { 200: null },
    async handle({ transact, body, headers }) {
      await transact(async (tx) => {
        const find = (id: string) => tx.row<Client>(clientById, [id, isSandbox])
        const client = await authenticateClient(tx, service, { headers, body }, { find })
        tx.about(client.account_id, client.app_id)
        tx.write(deleteToken, [tokenDigest(body.token ?? ''), client.app_id])
      })
      await onChange()
      return new Answer(200, undefined, noStore)
    },
  })

  return [issue, terminate]
}

/** A client that asked for the same a moment ago, and whose token has not expired since. */
function knownClient(clients: TokenParts['clients'], key: string, now: Instant): ClientWithToken | undefined {
  const known = clients.get(key)
  return known && known.expire_time > now ? known : undefined
}

/** Texts of tokens by their ids, so that one that is handed out again is not derived again. */
type Texts = RecentMap<string, string>
const TEXTS_MAX = 1_000

interface TokenWish {
  readonly requested: string
  readonly now: Instant
}

/** The token that was handed out before. Undefined when there is none, or when the secret that it was derived from is gone. */
function handedOut({ settings }: Service, client: ClientWithToken, texts: Texts): Token | undefined {
  const { token_id: id, digest, granted: scopes, nonce, expire_time } = client
  if (id === null) return undefined
  const known = texts.get(id)
  // Whatever is remembered, only the stored digest decides which text is the token.
  const text =
    known !== undefined && sameDigest(tokenDigest(known), digest)
      ? known
      : tokenTextOf({ id, digest }, settings.secrets!)
  if (text === undefined) return undefined
  texts.set(id, text)
  return { text, scopes, nonce, expire_time }
}

/**
 * A new token, of the generation in which its client was authenticated: if the tokens of the app were ended since, it is
 * invalid from the start.
 */
function newToken(tx: Tx, { settings }: Service, client: Client, { requested, now }: TokenWish): Token {
  const grantable = grantableScopes(client.scopes, client.features)
  const wanted = requested === '' ? grantable : requested.split(' ')
  const scopes = grantable.filter((scope) => wanted.includes(scope))
  if (scopes.length === 0 && requested !== OPENID)
    throw oauthProblem(400, 'invalid_scope', 'None of the requested scopes can be granted.')
  const id = tx.newId('token')
  const token = {
    text: marked('accessToken', tokenOf(id, settings.secrets![0]), settings.cell),
    scopes,
    nonce: `${toSeconds(now)}${tx.newId('nonce')}`,
    expire_time: after(now, settings.tokenSeconds),
  }
  const { text, nonce, expire_time } = token
  const { app_id, token_generation } = client
  tx.about(client.account_id, app_id)
  tx.write(insertToken, [tokenDigest(text), id, app_id, scopes, requested, nonce, now, expire_time, token_generation])
  return token
}

function present(service: Service, client: Client, token: Token, now: Instant) {
  const base = `${service.dialect.scopeBase(service.publicUrl)}/services/`
  return {
    scope: [...token.scopes.map((scope) => base + service.dialect.scope(scope)), OPENID].join(' '),
    access_token: token.text,
    token_type: 'Bearer',
    app_id: client.app_id,
    expires_in: Math.floor((Date.parse(token.expire_time) - Date.parse(now)) / 1000),
    nonce: token.nonce,
  }
}

/** A scope that every token has. A client that asks for it alone gets nothing else. */
const OPENID = 'openid'

/** The requested scopes in one spelling and order; empty when none were named. */
function requestedScopes(service: Service, scope: string | undefined): string {
  const named = (scope ?? '').split(' ').filter((name) => name !== '')
  const names = named.filter((name) => name !== OPENID)
  if (names.length === 0 && named.length > 0) return OPENID
  return [...new Set(names.map((name) => neutralScope(name, service.publicUrl)))].sort().join(' ')
}
