import { beginning } from '../../kernel/beginning.ts'
import { type Instant, realSeconds, systemClock, toSeconds } from '../../kernel/clock.ts'
import { messageOf } from '../../kernel/error-text.ts'
import type { OutboundAnswer } from '../../outbound/call.ts'
import type { Outbound } from '../../outbound/http.ts'
import type { Service } from '../../room.ts'
import { version } from '../../version.ts'
import { type AttemptHandle, type Lane, lanes } from '../dispatch/lanes.ts'
import type { SigningKeys } from '../signing/keys.ts'
import { AUTH_ALGORITHM, type SigningSecret, signedMessage, standardHeaders } from '../signing/signature.ts'
import type { Signer } from '../signing/signer.ts'
import { ANY_WEBHOOK } from './free-address.ts'
import { type ClaimedDelivery, DISABLED, type RecordedAttempt, SUSPENDED } from './queue.ts'
import { nextAttempt, retryAfterSeconds } from './retries.ts'

export const AUTH_VERSION = 'v2'
const ERROR_LENGTH_MAX = 500
const GONE = 410
/** Statuses with which a receiver may tell us, in `Retry-After`, when to come back. */
const ASKS_TO_WAIT = new Set([429, 503])

export const certificateUrl = ({ publicUrl }: Service, keyId: string) => `${publicUrl}/v1/notifications/certs/${keyId}`

/** What became of an attempt: enough to write it down. */
export interface AttemptResult
  extends Omit<RecordedAttempt, 'account_id' | 'id' | 'claim' | 'lane' | 'signature' | 'key_id'> {
  readonly delivered: boolean
}

export interface DeliverParts {
  readonly service: Service
  readonly headerNames: HeaderNames
  readonly outbound: Outbound
  readonly keys: SigningKeys
  /** Opens a webhook's secret. */
  openSecret(sealed: string, webhookId: string): SigningSecret
  /** What signs for an account where there is no webhook. */
  derivedSecret(accountId: string): SigningSecret
  readonly signer: Signer
  now(): Instant
}

/** Whether a delivery is signed with the certificate, or was at an earlier attempt. One without a webhook always is. */
export const needsSignature = ({ service }: DeliverParts, { key_id, webhook }: ClaimedDelivery): boolean =>
  key_id !== null || service.settings.webhookSignatures === 'both' || webhook === undefined

/**
 * Signs a delivery before its first attempt. The certificate signature covers nothing that changes between attempts, so
 * it is made once and kept, unless its key is withdrawn.
 */
export async function signDelivery(parts: DeliverParts, delivery: ClaimedDelivery): Promise<ClaimedDelivery> {
  const { keys, signer } = parts
  if (delivery.key_id !== null && !(await keys.isWithdrawn(delivery.key_id))) return delivery
  const { id, transmit_time: time, webhook_id: webhookId } = delivery
  const message = signedMessage({ id, time, webhookId }, delivery.body)
  const first = delivery.lane === lanes.proven
  const key = await keys.current()
  return { ...delivery, signature: await signer.sign(message, key.privateKey, { first }), key_id: key.id }
}

/** Attempts a delivery once. Never throws: whatever happens is a result. */
export async function attemptDelivery(
  parts: DeliverParts,
  delivery: ClaimedDelivery,
  handle: AttemptHandle,
): Promise<AttemptResult> {
  const { webhook } = delivery
  const attemptTime = parts.now()
  const started = performance.now()
  const url = delivery.webhook_id === ANY_WEBHOOK ? delivery.url : webhook?.url
  // Results and headers are set field by field: copies of whole objects stood out in the profile of a busy process.
  const result = (outcome: Outcome): AttemptResult => ({
    url: url ?? '',
    attempt_time: attemptTime,
    duration_ms: Math.round(performance.now() - started),
    delivered: outcome.delivered,
    status: outcome.status,
    next_time: outcome.next_time,
    http_status: outcome.http_status,
    reason: outcome.reason,
    headers: outcome.headers,
    body: outcome.body,
    error: outcome.error,
  })
  if (webhook?.active === false) return result(failed(SUSPENDED))
  if (webhook?.heard === false) return result(failed(DISABLED))
  if (delivery.stopped !== null) return result(failed(delivery.stopped))
  if (!delivery.permitted)
    return result(failed('The consent to hear of this event was taken back before this attempt.'))
  if (url == null || webhook?.enabled === false)
    return result(failed('The webhook was deleted or disabled before this attempt.'))
  try {
    const body = Buffer.from(delivery.body)
    const headers = Object.assign(transmissionHeaders(parts, delivery), secretHeaders(parts, delivery, body))
    const answer = await parts.outbound.post({ url, headers, body }, handle)
    return result(judge(parts, delivery, answer))
  } catch (error) {
    return result({ ...failed(messageOf(error)), ...retry(parts, delivery) })
  }
}

/** Put together once: the engine has to intern every name that is made anew, which would happen for each delivery. */
export function headerNamesOf({ dialect: { transmissionHeaderPrefix: prefix } }: Service) {
  return {
    id: `${prefix}-TRANSMISSION-ID`,
    time: `${prefix}-TRANSMISSION-TIME`,
    signature: `${prefix}-TRANSMISSION-SIG`,
    certificate: `${prefix}-CERT-URL`,
    algorithm: `${prefix}-AUTH-ALGO`,
    version: `${prefix}-AUTH-VERSION`,
  } as const
}
type HeaderNames = ReturnType<typeof headerNamesOf>

const USER_AGENT = `Quittance/${version}`

function transmissionHeaders(
  { service, headerNames: names }: DeliverParts,
  { id, transmit_time, signature, key_id }: ClaimedDelivery,
) {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: '*/*',
    'User-Agent': USER_AGENT,
    'Correlation-Id': id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 15),
    [names.id]: id,
    [names.time]: toSeconds(transmit_time),
  }
  if (signature === null || key_id === null) return headers
  headers[names.signature] = signature
  headers[names.certificate] = certificateUrl(service, key_id)
  headers[names.algorithm] = AUTH_ALGORITHM
  headers[names.version] = AUTH_VERSION
  return headers
}

/** Signed anew at each attempt, with its real time: receivers compare it with their own clocks, which no sandbox moves. */
function secretHeaders(parts: DeliverParts, delivery: ClaimedDelivery, body: Buffer): Record<string, string> {
  const { openSecret, now } = parts
  const { webhook, event_id, account_id } = delivery
  const message = { id: event_id, seconds: realSeconds(), body }
  if (!webhook) return standardHeaders(message, [parts.derivedSecret(account_id)])
  const { id, secret, previous_secret, previous_until } = webhook
  const isOverlap = previous_secret !== null && previous_until !== null && now() < previous_until
  const sealed = isOverlap ? [secret, previous_secret] : [secret]
  return standardHeaders(
    message,
    sealed.map((one) => openSecret(one, id)),
  )
}

type Outcome = Pick<
  AttemptResult,
  'delivered' | 'status' | 'next_time' | 'http_status' | 'reason' | 'headers' | 'body' | 'error'
>

function judge(parts: DeliverParts, delivery: ClaimedDelivery, answer: OutboundAnswer): Outcome {
  const { status, headers } = answer
  const [reason, body] = [storable(answer.reason), storable(answer.body)]
  if (status >= 200 && status < 300)
    return { delivered: true, status: 'SUCCESS', http_status: status, reason, headers, body, error: null }
  const heard = { http_status: status, reason, headers, body }
  const error =
    status < 400 ? `The receiver answered ${status}; redirects are not followed.` : `The receiver answered ${status}.`
  if (status === GONE) return { ...heard, delivered: false, status: 'FAILURE', error }
  const wait = ASKS_TO_WAIT.has(status) ? retryAfterSeconds(headers['retry-after'], systemClock.now()) : undefined
  return { ...heard, delivered: false, error, ...retry(parts, delivery, wait) }
}

function retry({ service, now }: DeliverParts, { id, attempts }: ClaimedDelivery, wait?: number) {
  const failure = { deliveryId: id, attempts: attempts + 1, now: now(), retryAfterSeconds: wait }
  const pace = { speed: service.settings.webhookRetrySpeed, isSandbox: service.environment === 'sandbox' }
  const next = nextAttempt(failure, pace)
  return next === undefined ? ({ status: 'FAILURE' } as const) : ({ status: 'PENDING', next_time: next } as const)
}

const failed = (error: string): Outcome => ({
  delivered: false,
  status: 'FAILURE',
  http_status: null,
  reason: null,
  headers: {},
  body: '',
  error: beginning(storable(error), ERROR_LENGTH_MAX),
})

/** The row of a result. */
export function asRecord(delivery: ClaimedDelivery, result: AttemptResult, lane: Lane): RecordedAttempt {
  return {
    account_id: delivery.account_id,
    id: delivery.id,
    claim: delivery.claim,
    lane,
    status: result.status,
    next_time: result.next_time,
    url: result.url,
    ...(result.status === 'PENDING' && { signature: delivery.signature, key_id: delivery.key_id }),
    attempt_time: result.attempt_time,
    http_status: result.http_status,
    reason: result.reason,
    duration_ms: result.duration_ms,
    headers: result.headers,
    body: result.body,
    error: result.error,
  }
}

/** PostgreSQL's text has no place for NUL, and nobody misses it. */
const storable = (text: string) => (text.includes('\u0000') ? text.replaceAll('\u0000', '') : text)
