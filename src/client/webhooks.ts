import { createHmac, createPublicKey, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { knownByName } from './errors.ts'

/** The headers of a delivery, as a server of any kind has them. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** A delivery as it came. The body must be the bytes that were sent: parsing and printing changes them. */
export interface Delivery {
  readonly headers: DeliveryHeaders
  readonly body: string | Uint8Array
}

/** What happened, as a subscriber hears of it. */
export interface WebhookEvent<Resource = Record<string, unknown>> {
  readonly id: string
  readonly event_type: string
  readonly event_version: string
  readonly create_time: string
  readonly resource_type: string
  readonly resource_version?: string
  readonly summary: string
  readonly resource: Resource
}

/** A delivery that does not come from the service, or not as it was sent. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
}
knownByName(SignatureError, 'SignatureError')

/** How far the time of an attempt may be from ours, as Standard Webhooks recommends. */
const TOLERANCE_SECONDS = 300

/** Checks the signature made with the secret of the webhook, and gives the event. */
export function verifyWebhook(
  { headers, body }: Delivery,
  { secret, toleranceSeconds = TOLERANCE_SECONDS }: { secret: string | readonly string[]; toleranceSeconds?: number },
): WebhookEvent {
  const id = headerOf(headers, 'webhook-id')
  const time = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !time || !signatures)
    throw new SignatureError('The delivery has no webhook-id, -timestamp and -signature.')
  if (!(Math.abs(Number(time) - realSeconds()) <= toleranceSeconds))
    throw new SignatureError('The delivery is older or newer than it may be: it may have been sent before.')
  const secrets = typeof secret === 'string' ? [secret] : secret
  const expected = secrets.map((one) =>
    createHmac('sha256', Buffer.from(one.replace(/^whsec_/, ''), 'base64'))
      .update(`${id}.${time}.`)
      .update(body)
      .digest(),
  )
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
  const isOurs = given.some((one) => expected.some((mac) => one.length === mac.length && timingSafeEqual(one, mac)))
  if (!isOurs) throw new SignatureError('The signature does not fit the secret of the webhook.')
  return parse(body)
}

export interface CertificateCheck {
  readonly webhookId: string
  /** Where the service is; certificates are taken from nowhere else. */
  readonly url: string
  /** Gives the certificate at an address; fetched and kept for a day by default. */
  readonly certificate?: (url: string) => Promise<string>
}

/** Checks the signature made with the certificate of the service, in either dialect, and gives the event. */
export async function verifyTransmission(
  { headers, body }: Delivery,
  { webhookId, url, certificate = fetchCertificate }: CertificateCheck,
): Promise<WebhookEvent> {
  const header = (name: string) => headerOf(headers, `service-${name}`) ?? headerOf(headers, `paypal-${name}`)
  const [id, time, signature] = ['transmission-id', 'transmission-time', 'transmission-sig'].map(header)
  const certificateUrl = header('cert-url')
  if (!id || !time || !signature || !certificateUrl)
    throw new SignatureError('The delivery has no transmission id, time, signature and certificate address.')
  if (header('auth-algo') !== 'SHA256withRSA') throw new SignatureError('The signature is of a kind that is not known.')
  if (!isCertificate(certificateUrl, url))
    throw new SignatureError(`The certificate is not at ${url}${CERTIFICATES}, so it is not one of the service.`)
  const pem = await certificate(certificateUrl)
  const message = [id, time, webhookId, crc32(body)].join('|')
  const key = createPublicKey(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' }))
  if (!verify('RSA-SHA256', Buffer.from(message), key, Buffer.from(signature, 'base64')))
    throw new SignatureError('The signature does not fit the certificate and the body.')
  return parse(body)
}

/** Where the service has its certificates, and nothing else. On its pages stand words of others, and a certificate is made of words. */
const CERTIFICATES = '/v1/notifications/certs/'
const isCertificate = (address: string, url: string) => {
  const start = url.replace(/\/+$/, '') + CERTIFICATES
  return address.startsWith(start) && /^[\w-]+$/.test(address.slice(start.length))
}

const certificates = new Map<string, { readonly text: Promise<string>; readonly until: number }>()
const CERTIFICATES_MAX = 100
/** How long a certificate is kept before it is fetched again, since it may have been withdrawn. */
const KEPT_SECONDS = 86_400
const FETCH_MS_MAX = 30_000

function fetchCertificate(url: string): Promise<string> {
  const known = certificates.get(url)
  if (known && realSeconds() < known.until) return known.text
  if (certificates.size >= CERTIFICATES_MAX) certificates.clear()
  const text = fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS_MAX) }).then((response) => {
    if (!response.ok) throw new SignatureError(`The certificate at ${url} cannot be had: ${response.status}.`)
    return response.text()
  })
  certificates.set(url, { text, until: realSeconds() + KEPT_SECONDS })
  text.catch(() => certificates.delete(url))
  return text
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

/** By the clock of the machine: the time since the process began stands still while a machine sleeps. */
const realSeconds = () => Date.now() / 1000

// What is signed is an event of the service.
const parse = (body: string | Uint8Array) => JSON.parse(Buffer.from(body).toString()) as WebhookEvent
