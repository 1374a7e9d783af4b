import type { IncomingHttpHeaders } from 'node:http'
import type { Tx } from '../database/transaction.ts'
import type { Instant } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { type SecretRing, secretId } from '../kernel/secrets.ts'
import type { Service } from '../room.ts'
import { sameDigest, secretDigest } from './credentials.ts'
import { whereItWent } from './forwards.ts'
import type { Feature } from './schema.ts'
import { renewDigest } from './store.ts'

export interface Client {
  readonly app_id: string
  readonly account_id: string
  readonly features: Feature[]
  readonly scopes: string[]
  readonly token_generation: number
  readonly digests: Buffer[]
  /** For each digest, which of the service's secrets it was made with; null where that is not known. */
  readonly keys: (string | null)[]
}

/** A client with its token, if one is still valid; otherwise `token_id` is null, and the other fields of the token are not to be read. */
export interface ClientWithToken extends Client {
  readonly client_id: string
  readonly token_id: string | null
  readonly digest: Buffer
  readonly granted: string[]
  readonly nonce: string
  readonly expire_time: Instant
}

interface Ways<Found> {
  find(id: string): Promise<Found | undefined>
  /** The client as it was found a moment ago; the database is not asked. */
  known?(id: string): Found | undefined
}

/** Takes Basic credentials, or the same two as form fields, but never both. */
export async function authenticateClient<Found extends Client>(
  tx: Tx,
  service: Service,
  { headers, body }: { headers: IncomingHttpHeaders; body: { client_id?: string; client_secret?: string } },
  { find, known }: Ways<Found>,
): Promise<Found> {
  const basic = readBasic(headers)
  if (basic && body.client_secret !== undefined)
    throw oauthProblem(400, 'invalid_request', 'Send the client credentials in one way: header or form.')
  const { id, secret } = basic ?? { id: body.client_id ?? '', secret: body.client_secret ?? '' }
  if (id === '') throw invalidClient(HOW_TO_SAY_WHO)
  const ring = service.settings.secrets!
  let client = known?.(id)
  let matching = client && matchingDigest(client.digests, secret, ring)
  if (!client || !matching || !isOfNow(client, matching, ring)) {
    client = await find(id)
    // An unknown client costs the same as a wrong secret, so that the time of the answer tells nothing.
    matching = matchingDigest(client?.digests ?? [secretDigest('', ring[0])], secret, ring)
  }
  if (!client || !matching) throw invalidClient(await whereItWent(tx, 'client', id))
  if (!isOfNow(client, matching, ring)) {
    tx.about(client.account_id, client.app_id)
    renewDigest(tx, client.app_id, matching, secret, ring)
  }
  return client
}

/** Whether a digest was made with the present secret of the service, so that it need not be made anew. */
const isOfNow = ({ keys, digests }: Client, digest: Buffer, ring: SecretRing): boolean =>
  keys[digests.indexOf(digest)] === secretId(ring[0])

/** The digest among these that the client secret yields with any of the service's secrets. */
function matchingDigest(digests: readonly Buffer[], secret: string, ring: SecretRing): Buffer | undefined {
  const made = ring.map((serviceSecret) => secretDigest(secret, serviceSecret))
  return digests.filter((digest) => made.filter((one) => sameDigest(one, digest)).length > 0)[0]
}

interface Basic {
  readonly id: string
  readonly secret: string
}

/**
 * Credentials that were read already, by the headers of their request: it is counted against its client id before it is carried
 * out, so they are needed twice.
 */
const alreadyRead = new WeakMap<IncomingHttpHeaders, Basic>()

function readBasic(headers: IncomingHttpHeaders): Basic | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  const known = alreadyRead.get(headers)
  if (known) return known
  const encoded = /^basic +([A-Za-z0-9+/=_-]{1,2000})$/i.exec(authorization)?.[1]
  if (encoded === undefined) throw invalidClient(HOW_TO_SAY_WHO)
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const basic = { id: formDecoded(id), secret: formDecoded(rest.join(':')) }
  alreadyRead.set(headers, basic)
  return basic
}

/**
 * RFC 6749 wants both encoded as in a form, which most clients leave out. The ids and secrets that we make read the same either
 * way.
 */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The client id that a token request names in its header. Refuses a header of another kind. */
export const clientIdOf = (headers: IncomingHttpHeaders): string => readBasic(headers)?.id ?? ''

const HOW_TO_SAY_WHO =
  'Send the client id and secret by HTTP Basic (curl -u id:secret), or as client_id and client_secret in the form.'

const invalidClient = (description = 'The client id or the client secret is wrong.') =>
  new Problem(401, 'AUTHENTICATION_FAILURE', [{ issue: 'INVALID_CLIENT', description }], {
    headers: { 'www-authenticate': 'Basic realm="quittance"' },
    oauthError: 'invalid_client',
  })

export const oauthProblem = (status: number, oauthError: string, description: string) =>
  new Problem(status, 'INVALID_REQUEST', [{ issue: oauthError.toUpperCase(), description }], { oauthError })
