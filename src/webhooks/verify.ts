import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { type Instant, toSeconds } from '../kernel/clock.ts'
import type { Service } from '../room.ts'
import { ANY_WEBHOOK, certificateUrl } from './deliver.ts'
import { isUuid } from './event-store.ts'
import { findCertificate } from './keys.ts'
import type { Verify } from './schema.ts'
import { AUTH_ALGORITHM, isSignedBy, sameText } from './signature.ts'

interface SentTransmission {
  readonly app_id: string
  readonly webhook_id: string
  readonly transmit_time: Instant
  readonly signature: string | null
  readonly key_id: string | null
  readonly body: string
}

const sentTransmission = sql`
  select d.app_id, d.webhook_id, d.transmit_time, d.signature, d.key_id, e.body
  from deliveries d join events e on e.account_id = d.event_account_id and e.id = d.event_id
  where d.account_id = (select account_id from apps where id = $1) and d.id = $2`
const ownsWebhook = sql`select 1 from webhooks where app_id = $1 and id = $2`

/**
 * Whether a delivery is ours. Clients parse and print the event again before they ask, so what we sent is compared as
 * JSON and not byte by byte. Of what we no longer know, or another instance sent, the signature alone decides.
 */
export async function isOurs(
  db: Reader,
  service: Service,
  { appId, claim, raw }: { appId: string; claim: Verify; raw: Buffer | undefined },
): Promise<boolean> {
  if (claim.auth_algo !== AUTH_ALGORITHM) return false
  const sent = isUuid(claim.transmission_id)
    ? await db.row<SentTransmission>(sentTransmission, [appId, claim.transmission_id])
    : undefined
  // While the first attempt is under way its signature is not written down yet, and the signature decides as well.
  if (sent && sent.app_id === appId && sent.signature !== null)
    return isAsSent(service, sent, claim) && (await findCertificate(db, sent.key_id ?? ''))?.withdraw_time === null
  return isSigned(db, service, appId, claim, raw)
}

function isAsSent(service: Service, sent: SentTransmission, claim: Verify): boolean {
  return (
    sent.webhook_id === claim.webhook_id &&
    toSeconds(sent.transmit_time) === claim.transmission_time &&
    sameText(sent.signature ?? '', claim.transmission_sig) &&
    certificateUrl(service, sent.key_id ?? '') === claim.cert_url &&
    isDeepStrictEqual(JSON.parse(sent.body), claim.webhook_event)
  )
}

async function isSigned(
  db: Reader,
  service: Service,
  appId: string,
  claim: Verify,
  raw: Buffer | undefined,
): Promise<boolean> {
  const isForCaller = claim.webhook_id === ANY_WEBHOOK || (await db.row(ownsWebhook, [appId, claim.webhook_id]))
  const keyId = claim.cert_url.split('/').at(-1) ?? ''
  if (!isForCaller || claim.cert_url !== certificateUrl(service, keyId)) return false
  const { certificate, withdraw_time } = (await findCertificate(db, keyId)) ?? {}
  if (certificate === undefined || withdraw_time !== null) return false
  const texts = [rawEvent(raw), Buffer.from(JSON.stringify(claim.webhook_event))]
  for (const text of texts) {
    if (!text) continue
    const { transmission_id, transmission_time, webhook_id, transmission_sig } = claim
    const message = `${transmission_id}|${transmission_time}|${webhook_id}|${crc32(text)}`
    if (await isSignedBy(message, transmission_sig, certificate)) return true
  }
  return false
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
