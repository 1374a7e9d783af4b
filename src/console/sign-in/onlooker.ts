import { tokensOfAddress } from '../../accounts/admission.ts'
import type { Account } from '../../accounts/schema.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { cookieOf } from '../../http/cookies.ts'
import { networkOf, RateLimit } from '../../http/limits/rate-limit.ts'
import { after, type Clock, type Instant } from '../../kernel/clock.ts'
import type { SecretRing } from '../../kernel/secrets.ts'
import type { Service } from '../../room.ts'
import { capabilitiesOf, onlyLooking, roleNames, scopesFor } from '../roles.ts'
import type { Onlooker, SignedIn } from '../who.ts'
import { isTokenOf, tokenFor } from './form-tokens.ts'
import { LINK_SECONDS } from './links.ts'
import { isFresh, type Login, loginOf, type Place, sessionIn } from './logins.ts'

const PLACE = 'console-place'
const LOOK = 'console-look'
const OF_THE_SERVICE = 'service'

const kept = '; Path=/console; Secure; HttpOnly; SameSite=Lax'
/** Says where somebody who works at several places is working now. */
export const placeCookie = (place: string): string => `${PLACE}=${encodeURIComponent(place)}${kept}`
/**
 * Says which account an operator looks at, for as long as they are signed in. It is bound to their login: somebody who writes
 * it by hand looks at nothing, and so no look goes unnoted.
 */
export const lookCookie = (ring: SecretRing, accountId: string, { session, now }: Looker): string =>
  `${LOOK}=${accountId}${OF_LOGIN}${tokenFor(ring, session, lookAt(accountId), now)}${kept}`
export const lookGone = `${LOOK}=; Max-Age=0${kept}`

/** Stands between an account and what binds it to a login. */
const OF_LOGIN = '~'
const lookAt = (accountId: string) => `/console/look-as/${accountId}`

const nameOf = ({ account }: Place) => account?.id ?? OF_THE_SERVICE

const accountLookedAt = sql`
  select body as account, (
    select apps.id from apps where apps.account_id = accounts.id and apps.status = 'ENABLED'
    order by apps.create_time, apps.id limit 1) as app_id
  from accounts where id = $1`

export interface Arrived {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly address: string
}

/** Tells who is at a page of a live service; undefined for somebody who must sign in first. */
export function makeLiveOnlooker({ settings }: Service, realTime: Clock) {
  // Counts the cookies that nobody holds, by the address they come from.
  const most = tokensOfAddress(settings)
  const guesses = new RateLimit(most, most)

  return async (db: Reader, { headers, address }: Arrived): Promise<Onlooker | undefined> => {
    const cookies = headers['cookie'] as string | undefined
    const session = sessionIn(cookies)
    if (session === undefined) return undefined
    const now = realTime.now()
    const network = networkOf(address)
    guesses.take(network)
    const login = await loginOf(db, session, now)
    if (!login) return undefined
    guesses.giveBack(network)
    return atPlace(db, login, { cookies, session, now, ring: settings.secrets! })
  }
}

interface Looker {
  readonly session: string
  readonly now: Instant
}

interface Known extends Looker {
  readonly cookies: string | undefined
  readonly ring: SecretRing
}

async function atPlace(db: Reader, login: Login, known: Known): Promise<Onlooker | undefined> {
  const { cookies, session, now } = known
  const chosen = cookieOf(cookies, PLACE)
  const place = login.places.find((one) => encodeURIComponent(nameOf(one)) === chosen) ?? login.places[0]
  // This person has no role anywhere any more.
  if (!place) return undefined
  const looked = place.role === 'operator' ? await lookedAt(db, known) : undefined
  const { account, app_id } = looked ?? place
  const held = looked ? onlyLooking : capabilitiesOf(place.role)
  const person: SignedIn = {
    id: login.person_id,
    name: login.name,
    email: login.email,
    role: place.role,
    ...(account && { account: { id: account.id, name: account.name } }),
    isLooking: looked !== undefined,
    elsewhere: login.places
      .filter((one) => one !== place)
      .map((one) => ({ value: nameOf(one), label: one.account?.name ?? roleNames[one.role] })),
    session,
    isFresh: isFresh(login, now),
    isJustIn: login.way === 'link' && after(login.create_time, LINK_SECONDS) > now,
    isManaged: login.issuer !== null,
  }
  const zone = account?.time_zone ?? 'utc'
  return {
    face: 'live',
    mark: account ? 'merchant' : 'agent',
    name: login.name,
    person,
    zone,
    accountZone: zone,
    may: (capability) => held.includes(capability),
    caller: {
      appId: app_id ?? '',
      personId: login.person_id,
      clientId: 'console',
      accountId: account?.id ?? '',
      onBehalf: false,
      hasConsents: false,
      scopes: scopesFor(held),
      roles: account ? [] : ['agent'],
      ...(place.role === 'agent' && { onlyUnderReview: true }),
    },
  }
}

async function lookedAt(db: Reader, { cookies, ring, session, now }: Known) {
  const [accountId = '', token = ''] = cookieOf(cookies, LOOK)?.split(OF_LOGIN) ?? []
  if (!isTokenOf(ring, session, lookAt(accountId), token, now)) return undefined
  return db.row<{ account: Account; app_id: string | null }>(accountLookedAt, [accountId])
}
