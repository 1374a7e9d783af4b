import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { Instant } from '../../kernel/clock.ts'
import { forbidden } from '../../kernel/problem.ts'
import type { SecretRing } from '../../kernel/secrets.ts'
import { issueFormToken, readFormToken } from '../../payer/page/form-token.ts'
import type { Service } from '../../room.ts'
import type { SignedIn } from '../who.ts'
import { requireUnanswered } from './answered.ts'
import { consoleUrl } from './links.ts'

/** How many seconds somebody has to touch their key. */
const CHALLENGE_SECONDS = 300
const PASSKEYS_MAX = 20
const JSON_LENGTH_MAX = 20_000

/** What a passkey is asked for. An answer for one purpose fits no other. */
type Purpose = 'create' | 'sign-in' | 'confirm'

export interface Passkey {
  readonly id: string
  readonly person_id: string
  readonly public_key: Buffer
  readonly counter: bigint
  readonly transports: string[]
  readonly name: string
  readonly create_time: Instant
  readonly used_time: Instant | null
}

const findPasskey = sql`
  select k.id, k.person_id, k.public_key, k.counter, k.transports, k.name, k.create_time, k.used_time
  from console_passkeys k join console_people p on p.id = k.person_id
  where k.id = $1 and p.removed_time is null`
const passkeysOf = sql`
  select id, person_id, public_key, counter, transports, name, create_time, used_time from console_passkeys
  where person_id = $1 order by create_time, id`
const insertPasskey = sql`
  insert into console_passkeys (id, person_id, public_key, counter, transports, name, create_time)
  values ($1, $2, $3, $4, $5, $6, $7)`
const notePasskeyUsed = sql`
  update console_passkeys set counter = $2, used_time = $3 where id = $1 and counter = $4`
const deleteOne = sql`delete from console_passkeys where person_id = $1 and id = $2`

export const listPasskeys = (db: Reader, personId: string): Promise<Passkey[]> =>
  db.rows<Passkey>(passkeysOf, [personId])

export const deletePasskey = (tx: Tx, personId: string, id: string): void => tx.write(deleteOne, [personId, id])

/** Loaded only when the first passkey comes: the library is large, and a service can start without it. */
const library = () => import('@simplewebauthn/server')

const purposeOf = (purpose: Purpose) => ({ purpose: `passkey ${purpose}` })
const rpId = (service: Service) => new URL(consoleUrl(service)).hostname
const refused = () => forbidden('This passkey is not known here, or it took too long. Try again.')

/**
 * What an authenticator signs: a token of ours, bound to the browser and to the purpose. Nothing is stored until it is
 * answered, so that drawing a page costs nothing.
 */
const challengeFor = (ring: SecretRing, session: string, purpose: Purpose, now: Instant): string =>
  Buffer.from(issueFormToken(ring, { session, ...purposeOf(purpose) }, now, CHALLENGE_SECONDS).text).toString(
    'base64url',
  )

/** Options for a browser to hand to `navigator.credentials.get`. Any passkey that it holds for us will do. */
export function askOptions(service: Service, session: string, purpose: 'sign-in' | 'confirm', now: Instant): string {
  const challenge = challengeFor(service.settings.secrets!, session, purpose, now)
  return JSON.stringify({
    challenge,
    rpId: rpId(service),
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1000,
  })
}

/** Options for a browser to hand to `navigator.credentials.create`. */
export function makeOptions(service: Service, person: SignedIn, held: readonly Passkey[], now: Instant): string {
  return JSON.stringify({
    challenge: challengeFor(service.settings.secrets!, person.session, 'create', now),
    rp: { id: rpId(service), name: service.settings.consoleName },
    user: { id: Buffer.from(person.id).toString('base64url'), name: person.email, displayName: person.name },
    // EdDSA, ES256 and RS256, the best first.
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: held.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
    attestation: 'none',
    timeout: CHALLENGE_SECONDS * 1000,
  })
}

interface Answered {
  readonly session: string
  readonly text: string
  readonly now: Instant
}

function readJson<Body>(text: string): Body {
  if (text === '') throw forbidden('A passkey needs scripts to run on this page; allow them, or ask for a link.')
  try {
    if (text.length <= JSON_LENGTH_MAX) return JSON.parse(text) as Body
  } catch {}
  throw refused()
}

/** The challenge that was answered, if it is ours and of this browser; it is not used up yet. */
function makeChallengeCheck(service: Service, { session, now }: Answered, purpose: Purpose) {
  let token: string | undefined
  return {
    expectedChallenge(challenge: string): boolean {
      const text = Buffer.from(challenge, 'base64url').toString()
      const fits = readFormToken(service.settings.secrets!, { session, ...purposeOf(purpose) }, text, now) !== undefined
      if (fits) token = text
      return fits
    },
    token: () => token!,
  }
}

/** Tells whose passkey has answered. `take` uses up what it signed, in the unit of work that it is good for. */
export async function verifyPasskey(service: Service, db: Reader, answered: Answered, purpose: 'sign-in' | 'confirm') {
  const response = readJson<AuthenticationResponseJSON>(answered.text)
  const passkey = typeof response?.id === 'string' ? await db.row<Passkey>(findPasskey, [response.id]) : undefined
  if (!passkey) throw refused()
  const { verifyAuthenticationResponse } = await library()
  const { expectedChallenge, token } = makeChallengeCheck(service, answered, purpose)
  const { id, public_key, counter, transports } = passkey
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: new URL(consoleUrl(service)).origin,
    expectedRPID: rpId(service),
    credential: {
      id,
      publicKey: new Uint8Array(public_key),
      counter: Number(counter),
      transports: transports as AuthenticatorTransport[],
    },
    requireUserVerification: true,
  }).catch(() => {
    throw refused()
  })
  if (!verified) throw refused()
  return {
    personId: passkey.person_id,
    async take(tx: Tx): Promise<void> {
      await requireUnanswered(tx, token(), answered.now, CHALLENGE_SECONDS)
      tx.guard(notePasskeyUsed, [id, authenticationInfo.newCounter, answered.now, counter])
    },
  }
}

/** Stores a new passkey of somebody. */
export async function registerPasskey(service: Service, person: SignedIn, answered: Answered, name: string) {
  const response = readJson<RegistrationResponseJSON>(answered.text)
  const { verifyRegistrationResponse } = await library()
  const { expectedChallenge, token } = makeChallengeCheck(service, answered, 'create')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: new URL(consoleUrl(service)).origin,
    expectedRPID: rpId(service),
    requireUserVerification: true,
  }).catch(() => {
    throw refused()
  })
  if (!verified) throw refused()
  const { id, publicKey, counter } = registrationInfo.credential
  const transports = (response.response.transports ?? []).filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 8)
  return async (tx: Tx): Promise<void> => {
    await requireUnanswered(tx, token(), answered.now, CHALLENGE_SECONDS)
    const held = await listPasskeys(tx, person.id)
    if (held.length >= PASSKEYS_MAX) throw forbidden(`A person has ${PASSKEYS_MAX} passkeys at most; delete one first.`)
    if (await tx.row(findPasskey, [id])) throw refused()
    tx.about(null, person.id)
    tx.write(insertPasskey, [id, person.id, Buffer.from(publicKey), counter, transports, name, answered.now])
  }
}
