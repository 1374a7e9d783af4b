import type { Configuration, IDToken } from 'openid-client'
import { after, type Instant } from '../../kernel/clock.ts'
import { forbidden, unavailable } from '../../kernel/problem.ts'
import { makeSealedBox } from '../../kernel/sealed-box.ts'
import type { EgressPolicy } from '../../outbound/egress.ts'
import { openOutbound } from '../../outbound/http.ts'
import type { Service } from '../../room.ts'
import type { Settings } from '../../settings.ts'
import { consoleUrl } from './links.ts'
import { FRESH_SECONDS } from './logins.ts'
import type { Grant } from './people.ts'

/** How many seconds somebody may stay with the issuer before they come back. */
const AWAY_SECONDS = 600
const NAME_LENGTH_MAX = 300
const EMAIL_LENGTH_MAX = 254

/**
 * What is remembered while somebody is with the issuer. It travels with them, sealed, as `state`, and fits only their browser.
 */
interface Remembered {
  readonly nonce: string
  readonly verifier: string
  readonly back: string
  /** Whether they must prove anew who they are, however long they have been signed in there. */
  readonly again: boolean
  readonly until: Instant
}

/** Somebody as the issuer tells of them. */
export interface Vouched {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly email: string
  readonly grants: readonly Grant[]
  /** Whether they proved who they are a few minutes ago at most. */
  readonly isFresh: boolean
  readonly back: string
}

const text = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, max) : undefined

/** What their groups make of somebody: at each place, the first role that the setting names. */
export function grantsOf(groups: unknown, { consoleOidcRoles }: Pick<Settings, 'consoleOidcRoles'>): Grant[] {
  const held = new Set(Array.isArray(groups) ? groups : [groups])
  const grants = new Map<string, Grant>()
  for (const { group, role, accountId } of consoleOidcRoles)
    if (held.has(group) && !grants.has(accountId ?? ''))
      grants.set(accountId ?? '', { role, account_id: accountId ?? null })
  return [...grants.values()]
}

/**
 * Calls the issuer by the guarded door, like every call that leaves the house. People sign in only now and then, so a
 * connection is not kept.
 */
const callsBy =
  (policy: EgressPolicy) =>
  async (url: string, { method, headers = {}, body }: { method?: string; headers?: object; body?: unknown }) => {
    const outbound = openOutbound(policy)
    try {
      const answer = await outbound.ask({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...headers },
        ...(body !== undefined && body !== null && { body: String(body) }),
      })
      const { 'content-encoding': _1, 'content-length': _2, 'transfer-encoding': _3, ...told } = answer.headers
      return new Response(answer.body === '' ? null : answer.body, { status: answer.status, headers: told })
    } finally {
      await outbound.close()
    }
  }

/** Loaded only when the first person comes. */
const library = () => import('openid-client')

/** What the issuer of the settings says of itself. */
export async function discoverIssuer(settings: Settings): Promise<Configuration> {
  const { discovery, customFetch, allowInsecureRequests, enableNonRepudiationChecks } = await library()
  const { consoleOidcIssuer, consoleOidcClientId, consoleOidcClientSecret } = settings
  const { consoleOidcAllowHttp: allowHttp, consoleOidcAllowPrivate: allowPrivate } = settings
  return discovery(new URL(consoleOidcIssuer!), consoleOidcClientId!, consoleOidcClientSecret, undefined, {
    [customFetch]: callsBy({ allowHttp, allowPrivate }),
    // The signature is checked too, although the token comes straight from the issuer.
    execute: [enableNonRepudiationChecks, ...(allowHttp ? [allowInsecureRequests] : [])],
  })
}

/** Signing in by way of an OpenID Connect issuer: the code flow with PKCE, `state`, `nonce` and `iss`. */
export function openOidc(service: Service) {
  const { settings } = service
  const box = makeSealedBox(settings.secrets!, 'console single sign-on')
  // It is asked for again when the issuer did not answer.
  let discovered: Promise<Configuration> | undefined
  const redirect = () => `${consoleUrl(service)}/console/sign-in/oidc/callback`

  async function configuration(): Promise<Configuration> {
    discovered ??= discoverIssuer(settings)
    return discovered.catch((error: unknown) => {
      discovered = undefined
      const sentence = 'The issuer does not answer as it should; the log of this service says why.'
      throw unavailable(sentence, 30, error)
    })
  }

  /** The address to send somebody to, who must come back with the same browser. */
  async function begin(session: string, wish: { back: string; again: boolean }, now: Instant): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier } = await library()
    const config = await configuration()
    const remembered: Remembered = {
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      ...wish,
      until: after(now, AWAY_SECONDS),
    }
    const hasGroups = config.serverMetadata().scopes_supported?.includes('groups')
    return buildAuthorizationUrl(config, {
      redirect_uri: redirect(),
      scope: `openid profile email${hasGroups ? ' groups' : ''}`,
      state: box.close(Buffer.from(JSON.stringify(remembered)), session).toString('base64url'),
      nonce: remembered.nonce,
      code_challenge: await calculatePKCECodeChallenge(remembered.verifier),
      code_challenge_method: 'S256',
      ...(wish.again && { prompt: 'login', max_age: String(FRESH_SECONDS) }),
    }).href
  }

  function remembered(session: string, state: string | undefined, now: Instant): Remembered {
    try {
      const kept = JSON.parse(box.open(Buffer.from(state ?? '', 'base64url'), session).toString()) as Remembered
      if (kept.until > now) return kept
    } catch {}
    throw forbidden('This came back too late, or to another browser than it left from. Sign in again.')
  }

  /** Tells who came back, after everything that the issuer says was checked. */
  async function finish(session: string, query: Readonly<Record<string, string>>, now: Instant): Promise<Vouched> {
    const { nonce, verifier, back, again } = remembered(session, query['state'], now)
    const { authorizationCodeGrant } = await library()
    const config = await configuration()
    const tokens = await authorizationCodeGrant(config, new URL(`${redirect()}?${new URLSearchParams(query)}`), {
      pkceCodeVerifier: verifier,
      expectedState: query['state']!,
      expectedNonce: nonce,
      idTokenExpected: true,
      ...(again && { maxAge: FRESH_SECONDS }),
    }).catch((error: unknown) => {
      throw forbidden(`The issuer did not vouch for you (${reasonOf(error)}). Sign in again.`)
    })
    return vouched(tokens.claims()!, back, now)
  }

  function vouched(claims: IDToken, back: string, now: Instant): Vouched {
    const { iss, sub, auth_time } = claims
    const email = text(claims['email'], EMAIL_LENGTH_MAX) ?? text(claims['preferred_username'], EMAIL_LENGTH_MAX)
    return {
      issuer: iss,
      subject: sub,
      name: text(claims['name'], NAME_LENGTH_MAX) ?? email ?? sub.slice(0, NAME_LENGTH_MAX),
      email: email !== undefined && email.length >= 3 ? email : 'no address',
      grants: grantsOf(claims['groups'], settings),
      isFresh: auth_time !== undefined && auth_time * 1000 + FRESH_SECONDS * 1000 > Date.parse(now),
      back,
    }
  }

  return { begin, finish }
}

/** The code of what went wrong. It tells an operator enough, and a stranger nothing. */
const reasonOf = (error: unknown): string => {
  const { error: told, code } = error as { error?: unknown; code?: unknown }
  return ([told, code].find((one) => typeof one === 'string' && /^[\w-]{1,60}$/.test(one)) as string) ?? 'no answer'
}
