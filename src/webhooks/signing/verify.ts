import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { type Instant, toSeconds } from '../../kernel/clock.ts'
import type { Service } from '../../room.ts'
import { certificateUrl } from '../delivery/deliver.ts'
import { isUuid } from '../events/transmissions.ts'
import type { Verify } from '../schema.ts'
import { findCertificate } from './keys.ts'
import { AUTH_ALGORITHM, isSignedBy, signedMessage } from './signature.ts'

interface SentTransmission {
  readonly webhook_id: string
  readonly transmit_time: Instant
  readonly body: string
}

const sentTransmission = sql`
  select d.webhook_id, d.transmit_time, e.body
  from deliveries d join events e on e.account_id = d.event_account_id and e.id = d.event_id
  where d.account_id = (select account_id from apps where id = $1) and d.id = $2 and d.app_id = $1`

/**
 * Whether a delivery is ours. Clients parse and print the event again before they ask, so it is compared with what we
 * sent as JSON and not byte by byte, and the signature is checked against what we sent. What we no longer know is not
 * vouched for: the certificate signature names the body by a CRC-32 only, for which another body is easily found.
 */
export async function isOurs(db: Reader, service: Service, appId: string, claim: Verify): Promise<boolean> {
  if (claim.auth_algo !== AUTH_ALGORITHM || !isUuid(claim.transmission_id)) return false
  const sent = await db.row<SentTransmission>(sentTransmission, [appId, claim.transmission_id])
  if (!sent || !isSame(sent, claim)) return false
  const keyId = claim.cert_url.split('/').at(-1) ?? ''
  if (claim.cert_url !== certificateUrl(service, keyId)) return false
  const { certificate, withdraw_time } = (await findCertificate(db, keyId)) ?? {}
  if (certificate === undefined || withdraw_time !== null) return false
  const { transmission_id: id, webhook_id: webhookId } = claim
  const message = signedMessage({ id, time: sent.transmit_time, webhookId }, sent.body)
  return isSignedBy(message, claim.transmission_sig, certificate)
}

const isSame = (sent: SentTransmission, claim: Verify): boolean =>
  sent.webhook_id === claim.webhook_id &&
  toSeconds(sent.transmit_time) === claim.transmission_time &&
  isDeepStrictEqual(JSON.parse(sent.body), claim.webhook_event)
