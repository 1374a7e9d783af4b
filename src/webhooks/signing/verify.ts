import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { type Instant, toSeconds } from '../../kernel/clock.ts'
import type { Service } from '../../room.ts'
import { ANY_WEBHOOK, certificateUrl } from '../delivery/deliver.ts'
import { isUuid } from '../events/store.ts'
import type { Verify } from '../schema.ts'
import { findCertificate } from './keys.ts'
import { AUTH_ALGORITHM, isSignedBy } from './signature.ts'

interface SentTransmission {
  readonly app_id: string
  readonly webhook_id: string
  readonly transmit_time: Instant
  readonly body: string
}

const sentTransmission = sql`
  select d.app_id, d.webhook_id, d.transmit_time, e.body
  from deliveries d join events e on e.account_id = d.event_account_id and e.id = d.event_id
  where d.account_id = (select account_id from apps where id = $1) and d.id = $2`
const ownsWebhook = sql`select 1 from webhooks where app_id = $1 and id = $2`

interface Question {
  readonly appId: string
  readonly claim: Verify
  readonly raw: Buffer | undefined
}

/**
 * Whether a delivery is ours. Clients parse and print the event again before they ask, so what we sent is compared as
 * JSON and not byte by byte, and the signature is checked against what we sent. Of what we no longer know, or another
 * instance sent, the signature alone decides.
 */
export async function isOurs(db: Reader, service: Service, question: Question): Promise<boolean> {
  const { appId, claim } = question
  if (claim.auth_algo !== AUTH_ALGORITHM) return false
  const known = isUuid(claim.transmission_id)
    ? await db.row<SentTransmission>(sentTransmission, [appId, claim.transmission_id])
    : undefined
  const sent = known?.app_id === appId ? known : undefined
  const texts = sent ? textsAsSent(sent, claim) : await textsAsAsked(db, question)
  const keyId = claim.cert_url.split('/').at(-1) ?? ''
  if (texts.length === 0 || claim.cert_url !== certificateUrl(service, keyId)) return false
  const { certificate, withdraw_time } = (await findCertificate(db, keyId)) ?? {}
  if (certificate === undefined || withdraw_time !== null) return false
  const { transmission_id, transmission_time, webhook_id, transmission_sig } = claim
  for (const text of texts) {
    const message = `${transmission_id}|${transmission_time}|${webhook_id}|${crc32(text)}`
    if (await isSignedBy(message, transmission_sig, certificate)) return true
  }
  return false
}

/** What was signed when we sent it; nothing when that was something else. */
function textsAsSent(sent: SentTransmission, claim: Verify): readonly string[] {
  const isSame =
    sent.webhook_id === claim.webhook_id &&
    toSeconds(sent.transmit_time) === claim.transmission_time &&
    isDeepStrictEqual(JSON.parse(sent.body), claim.webhook_event)
  return isSame ? [sent.body] : []
}

/** What may have been signed, judging by the question; nothing when the webhook is not the caller's. */
async function textsAsAsked(db: Reader, { appId, claim, raw }: Question): Promise<readonly Buffer[]> {
  if (claim.webhook_id !== ANY_WEBHOOK && !(await db.row(ownsWebhook, [appId, claim.webhook_id]))) return []
  return [rawEvent(raw), Buffer.from(JSON.stringify(claim.webhook_event))].filter((text) => text !== undefined)
}

/** The event as it stands in the request, byte by byte: from its first brace to the one that closes it. */
export function rawEvent(raw: Buffer | undefined): Buffer | undefined {
  if (!raw) return undefined
  const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]
  const name = Buffer.from('"webhook_event"')
  let depth = 0
  let start = -1
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i]
    if (byte === quote) {
      const isName = depth === 1 && start < 0 && raw.subarray(i, i + name.length).equals(name)
      for (i++; i < raw.length && raw[i] !== quote; i++) if (raw[i] === backslash) i++
      if (isName) start = raw.indexOf(open!, i)
      if (isName && start > 0) {
        // Go on inside the event, one level down.
        i = start
        depth = 2
      }
    } else if (byte === open) depth++
    else if (byte === close && --depth === 1 && start > 0) return raw.subarray(start, i + 1)
  }
  return undefined
}
