import { type EventType, type EventTypeDefinition, eventTypes } from '../kernel/event-types.ts'
import { table } from '../kernel/markdown.ts'
import { BODY_KEPT_MAX } from '../outbound/call.ts'
import { CONNECT_TIMEOUT_MS, TOTAL_TIMEOUT_MS } from '../outbound/http.ts'
import { JITTER, retryWaits } from './delivery/retries.ts'
import { dispatchRules, lanes } from './dispatch/lanes.ts'
import {
  EVENT_TYPES_MAX,
  LISTED_DAYS,
  OVERLAP_SECONDS_DEFAULT,
  OVERLAP_SECONDS_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  REPLAY_MAX,
  WEBHOOKS_PER_APP_MAX,
} from './schema.ts'
import { webhookSettings } from './settings.ts'

/** The operations and moments that emit each event. Gathered by a caller that knows all rooms. */
export type Emitters = Readonly<Partial<Record<EventType, readonly string[]>>>

function catalogue(emitters: Emitters): string {
  const rows = Object.entries(eventTypes).map(([name, definition]: [string, EventTypeDefinition]) => {
    const { description, resourceType, resourceVersion = '', status } = definition
    const emitted = emitters[name as EventType] ?? []
    const by = emitted.length > 0 ? emitted.join(', ') : 'simulation only'
    return [`\`${name}\``, description, resourceType, resourceVersion, status === 'DEPRECATED' ? 'never' : by]
  })
  return table(['Event', 'Meaning', 'resource_type', 'resource_version', 'Emitted by'], rows)
}

function wait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  return [hours && `${hours} h`, minutes && `${minutes} min`, rest && `${rest} s`].filter(Boolean).join(' ')
}

function ladder(): string {
  let sum = 0
  const rows = retryWaits.map((seconds, i) => {
    sum += seconds
    return [String(i + 1), wait(seconds), wait(sum)]
  })
  return table(['Retry', 'Wait', 'Since the first attempt'], rows)
}

const limits = [
  ['Webhooks an app', String(WEBHOOKS_PER_APP_MAX)],
  ['Event types a webhook', String(EVENT_TYPES_MAX)],
  ['Events a page', `${PAGE_SIZE_DEFAULT}, at most ${PAGE_SIZE_MAX}`],
  ['Events listed without `start_time`', `those of the last ${LISTED_DAYS} days`],
  [
    'An event is kept with its transmissions',
    `${webhookSettings.webhookRetentionDays.initial} days (\`WEBHOOK_RETENTION_DAYS\`), and for longer while one is pending`,
  ],
  ['Time for a connection', `${CONNECT_TIMEOUT_MS / 1000} s`],
  ['Time for an attempt', `${TOTAL_TIMEOUT_MS / 1000} s`],
  ['Kept of an answer', `${BODY_KEPT_MAX / 1024} KiB`],
  ['Overlap of two secrets', `${OVERLAP_SECONDS_DEFAULT} s, at most ${OVERLAP_SECONDS_MAX} s`],
  ['Events a replay', String(REPLAY_MAX)],
  ['Attempts at once to a webhook that answers promptly', String(dispatchRules.lanes[lanes.proven].each)],
  ['Attempts at once to one that does not', String(dispatchRules.lanes[lanes.cold].each)],
]

const operations = [
  ['GET /v1/notifications/webhooks-transmissions', 'transmissions, for example `?status=FAILURE`'],
  [
    'GET /v1/notifications/webhooks-transmissions/{id}',
    'one of them with every attempt (status, duration, headers, beginning of the answer) and `cause`, the debug id of the request its event followed from',
  ],
  [
    'POST /v1/notifications/webhooks-transmissions/{id}/attempt',
    'attempt it now; counts as one of its attempts, and works after the last one too',
  ],
  [
    'POST /v1/notifications/webhooks/{id}/replay',
    '`{start_time, end_time, include: FAILED or ALL}`: send a span of time again',
  ],
  ['POST /v1/notifications/webhooks/{id}/disable, /enable', 'while disabled, events are kept as failed, for a replay'],
  ['POST /v1/notifications/webhooks/{id}/rotate-secret', '`{overlap_seconds}`: a new secret; for that time both sign'],
]

/** `docs/webhooks.md`. */
export const webhooksPage = (emitters: Emitters): string => `# Webhooks

This page is printed from \`src/webhooks/docs.ts\` and the tables it reads by \`npm run docs\`.

An app subscribes an address to events with \`POST /v1/notifications/webhooks\`. Each change of a resource is stored
as an event in the same transaction, with one transmission for every webhook that named it or \`*\`, and then posted. An
event can be read with \`GET /v1/notifications/webhooks-events/{id}\` before the first attempt goes out.

## Events

${catalogue(emitters)}

Other names of the same form can be subscribed to and are never sent. \`POST /v1/notifications/simulate-event\` sends
any event of the table with a sample resource: stored, signed, readable and verifiable like a real one. Only the resource is
made up: the links in it answer 404. \`quittance trigger\` makes events happen, with all that stands behind them.

## Who hears of an event

- The app that made the call.
- A call for a merchant by a partner's app: that app, and the merchant's own apps.
- An event no app called for (hosted page, console, passing of time, another party): the app the resource came from, and every
  app of the account with a webhook lookup.
- Disputes: every app of the seller, and partners' apps as below. Never the buyer's.

An app of another account hears of a merchant's events while it holds, and the merchant consents to, a scope that shows
such things: \`disputes/read\`, \`read-partner\`, \`read-seller\` or \`webhooks\` for disputes, \`invoicing/invoices/read\` or
\`readwrite\` for invoices, those of payments for the rest. It is asked when the event happens, before each attempt, and
whenever the event is listed, shown or sent again: what was told under a consent that was taken back is gone for the
app. While an account is suspended nothing is sent to its webhooks; its events are kept as failed, for a replay. An app that
is disabled hears of nothing; what waited for its webhooks is kept as failed when its next attempt is due.

## Signatures

Every delivery carries two signatures over the same bytes. \`SERVICE\` stands for the header prefix of the dialect.

**With the certificate.** \`SERVICE-TRANSMISSION-SIG\` is RSA PKCS#1 v1.5 with SHA-256, in base64, over
\`<SERVICE-TRANSMISSION-ID>|<SERVICE-TRANSMISSION-TIME>|<webhook id>|<CRC-32 of the body, unsigned decimal>\`. The
certificate is at \`SERVICE-CERT-URL\`, followed by that of the authority that vouches for it. Take none that is not below
\`/v1/notifications/certs/\` of this service: elsewhere on it, as on the page of an invoice, stands what others wrote.
When the operator replaces the key, new deliveries name another address; earlier certificates stay where they are, and
what they signed keeps its signature over all retries. Keep a certificate under the address it came from, and look there
again every day: a withdrawn one answers 404 with \`CERTIFICATE_WITHDRAWN\`, and what waits is signed with another key.

\`\`\`js
import { createPublicKey, verify } from 'node:crypto'
import { crc32 } from 'node:zlib' // Node 20.15 and newer

const message = [id, time, webhookId, crc32(rawBody)].join('|')
verify('RSA-SHA256', Buffer.from(message), createPublicKey(pem), Buffer.from(signature, 'base64'))
\`\`\`

**With the secret**, as Standard Webhooks specifies: \`webhook-id\` (the event id), \`webhook-timestamp\` (real time of this
attempt, whatever the sandbox clock says, because receivers compare it with their own), \`webhook-signature\`: \`v1,\` and the HMAC-SHA256, in base64, over
\`<webhook-id>.<webhook-timestamp>.<body>\`; two of them with a space between while two secrets sign. The secret is
\`signing_secret\` of the webhook, and the key is what stands in base64 behind its \`whsec_\`; an event simulated for a \`url\` is
signed with the secret that stands in the answer.

\`\`\`js
import { Webhook } from 'standardwebhooks'

new Webhook(process.env.SIGNING_SECRET).verify(rawBody, headers)
\`\`\`

Prefer the second: it covers every byte of the body, where the first names the body by a CRC-32, for which another body is
easily found, and it needs no call.

\`POST /v1/notifications/verify-webhook-signature\` compares a delivery with what was sent, as JSON and not byte by byte, and
answers \`FAILURE\` for one it does not know: of another app, another instance, or older than the retention.

### Clients that check the chain

Older libraries look for the host name of \`PUBLIC_URL\` in the certificate and for an authority they trust. The first is there;
the second is \`GET /v1/notifications/certs/authority\`, one for each installation, kept when keys are replaced. Fetch it once
over a way you trust and give it to the verifying code alone, not to the whole machine:

\`\`\`
curl -s http://127.0.0.1:8080/v1/notifications/certs/authority -o authority.pem
openssl verify -CAfile authority.pem certificate.pem
keytool -importcert -noprompt -alias quittance -file authority.pem -keystore webhooks.p12 -storepass changeit  # Java
\`\`\`

After a change of \`PUBLIC_URL\` run \`quittance keys rotate\`, so that the certificate names the new host.

Certificate signatures are made on the thread pool of the process. On machines with more than four cores set
\`UV_THREADPOOL_SIZE\` to their number; \`WEBHOOK_SIGNATURES=standard\` leaves them out.

## Retries

Any 2xx is success. Everything else is tried again ${retryWaits.length} times, each wait longer by up to ${JITTER * 100} %;
in a sandbox from the second on to the next full second, so that what failed together comes back together. \`Retry-After\` of a
429 or 503 is honoured up to a day. 410 ends the transmission. Redirects are failures and never followed. Nothing is
disabled by itself. The transmission id, its time, the body and the certificate signature stay the same; a resend gets
new ones.

${ladder()}

Events of one resource reach a webhook in the order of their commits as long as it answers with success; one that failed
does not hold the later ones back. An event may arrive twice: tell by its id.

## Second chances

${table(
  ['Operation', ''],
  operations.map(([operation, does]) => [`\`${operation}\``, does!]),
)}

## Where deliveries go

In the sandbox anywhere on this machine or network, also without TLS. In live only to \`https://\` and public addresses,
judged when the webhook is created and again when the connection is made: the address that was looked up and checked is
the one that is dialled. Link-local addresses, where clouds keep credentials, are refused in any case. Settings:
\`WEBHOOK_ALLOW_HTTP\`, \`WEBHOOK_ALLOW_PRIVATE\`.

A webhook that does not answer within ${dispatchRules.promptMs} ms, or fails, waits in a lane of its own until it answers promptly again, so
that it only ever holds up others like it.

## Limits

${table(['What', 'How much'], limits)}
`
