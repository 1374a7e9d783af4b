import { code, table } from '../kernel/markdown.ts'
import { REDIRECT_LENGTH_MAX } from '../outbound/gateway.ts'
import { CASES_PER_PAYMENT_MAX, LINK_MAILS_A_DAY } from './case/report-routes.ts'
import { OTHERS_WAIT_SECONDS } from './pay/attempts.ts'
import { type ChargeRow, chargeRows } from './pay/charge-lifecycle.ts'
import { DENIAL_MAILS_A_DAY } from './pay/pay.ts'
import { ORDERS_PER_ACCOUNT_MAX } from './print/print-queue.ts'
import { KEPT_BYTES_MAX, PRINTING_MS_AT_ONCE, PRINTING_MS_PER_MINUTE, TIME_LIMIT_MS } from './print/printer.ts'

const rowOf = ({ stored, heard, when, to, does }: ChargeRow) => [
  code(stored),
  heard.map(code).join(' '),
  when ?? '',
  to === stored ? 'stays' : code(to),
  does.join(', ') || 'nothing',
]

/** `docs/payments.md`. */
export const paymentsPage = (): string => `# Payments

How the money of a payer gets onto an invoice: the hosted page, and the payment gateway behind it. This page is printed
from \`src/payer\` by \`npm run docs\`.

## On the hosted page

The page takes what is due; with \`allow_partial_payment\` any amount from \`minimum_amount_due\` to what is due; with
\`allow_tip\` a tip on top, at most as much as is paid with it. In a sandbox the payer chooses what becomes of the payment. In
live a payment gateway decides; without one the page says how to pay offline.

One payment of an invoice is under way at a time. The browser that began it goes on with it when it confirms the same sum
again, and replaces it when it confirms another. Any other browser is refused for ${OTHERS_WAIT_SECONDS / 60} minutes, and then replaces it. A try
that was replaced is reversed; should its charge complete all the same, the money goes back.

## The PDF

A service prints in a process beside it, which starts with the first document and ends when none was asked for. ${KEPT_BYTES_MAX / 1024 / 1024} MiB of what was printed are kept, by what the invoice says, language, logo and
day, and a request for a document that is being printed waits for that. Accounts take turns; of one account ${ORDERS_PER_ACCOUNT_MAX} documents can wait,
and more are answered 503. A document that takes longer than ${TIME_LIMIT_MS / 1000} seconds is given up. An
account that takes more than ${PRINTING_MS_PER_MINUTE / 1000} seconds of a processor in a minute, or ${PRINTING_MS_AT_ONCE / 1000} second at once, goes on in a second process, which gets what
nobody else wants of the machine.

## A problem with a payment

Anybody who has the link of a paid invoice can report a problem with its payment, which opens a dispute. Everything after that
goes through a private link, mailed to the address of the payer and shown nowhere else: reading the case, writing, answering
offers, evidence, sending an item back, appealing a decision, taking it back. A return that was agreed shows there where the item goes, with the shipping label of the seller, as does the mail that tells of it, and takes
carrier and tracking number, which is the proof of return that the API takes. In a sandbox the mail is in \`GET /sandbox/mail\`. A case that was taken back there can be
opened again, ${CASES_PER_PAYMENT_MAX} times for one payment in all; one that was cancelled through the API cannot.

## Limits of mail

${table(
  ['What', 'At most'],
  [
    ['calls of a merchant that mail about one invoice', '`MAIL_PER_INVOICE_PER_DAY` a day, then 429'],
    [
      'mails that the calls of one merchant send, now or on the issue date, by recipient',
      '`MAIL_PER_ACCOUNT_PER_DAY` a day, then 429',
    ],
    ['news of a dispute that each side is mailed, beside its beginning and its end', '`MAIL_PER_CASE_PER_DAY` a day'],
    ['mails of the private link, asked for on the page', `${LINK_MAILS_A_DAY} a day and case`],
    ['mails about denied payments of an invoice', `${DENIAL_MAILS_A_DAY} a day`],
    ['mails about refunds', 'what is left of the first two; the refund is made without a mail then'],
  ],
)}

A day begins with the first mail. Receipts are always mailed, and so is an invoice on its issue date: those it reaches were counted
when it was scheduled. A form of a page can be sent once, within an hour.

## The gateway

With \`GATEWAY_URL\` and \`GATEWAY_SECRET\` the page takes payments through whatever answers there: a small adapter in front of
your acquirer, or the acquirer itself. The contract:

| Call | Body | Answer |
|---|---|---|
| \`POST {GATEWAY_URL}/charges\` | \`charge_id\`, \`amount {currency_code, value}\`, \`description\`, \`return_url\`, \`callback_url\`, \`payer_email?\` | 200 \`{status, reference?, redirect_url?}\` |
| \`GET {GATEWAY_URL}/charges/{charge_id}\` | | the same, or 404 for a charge it does not know |
| \`POST {GATEWAY_URL}/refunds\` | \`refund_id\`, \`charge_id\`, \`amount\` | 200 \`{status}\`, COMPLETED or PENDING when it was taken |
| \`POST {PUBLIC_URL}/gateway/callback\` (from the gateway) | \`charge_id\`, \`status\`, \`reference?\`, \`redirect_url?\` | 204 |

\`status\` is \`COMPLETED\`, \`PENDING\`, \`DENIED\`, or \`ACTION_REQUIRED\` with the \`redirect_url\`, of up to ${REDIRECT_LENGTH_MAX} characters,
at which the payer must confirm; afterwards the gateway sends the payer back to \`return_url\` and calls back. Ids are ours: the same \`charge_id\` or \`refund_id\`
twice is the same order and must be carried out once.

Every call carries \`Quittance-Signature: t=<unix seconds>,v1=<hex>\`, where \`v1\` is HMAC-SHA256 with \`GATEWAY_SECRET\` over
\`<t>.<METHOD> <path> <body>\` (path without the base address; body empty for GET). A callback is signed the same way over
\`<t>.<body>\`, the body byte by byte as it is sent, and may be at most five minutes old. It may come twice.

To replace the secret while payments go on: \`GATEWAY_SECRET=old,new\` in every process, which takes callbacks signed with either; let
the gateway take both, and sign callbacks with the new one; \`new,old\` in every process, which signs calls with the new one; then
take the old one from the gateway and from every process.

A call that fails or is not answered is made again with the same ids: a charge for about ten minutes, a question or a refund for
two days; then its job is parked.

Calls to the gateway leave by the same guarded door as webhooks: redirects are not followed, an answer may take twenty
seconds and 64 KiB, and in live only \`https://\` at a public address is called, judged when the connection is made. A gateway
in your own network is normal: say so with \`GATEWAY_ALLOW_PRIVATE=true\`, and with \`GATEWAY_ALLOW_HTTP=true\` when it has no
TLS. Link-local addresses, where clouds keep credentials, stay closed. A service whose \`GATEWAY_URL\` the rules refuse does
not start.

## What becomes of a charge

The service asks for the status itself when no callback comes: every minute for thirty minutes, then after a tenth of the
time that has passed, at most six hours. It also asks for a day about a try that was refused or given up, because the payer may
take another card on the gateway's page; what is taken later than that it learns from the callback alone. Callbacks may be early, late, doubled or out of order; whatever comes, money that
was taken is on the invoice, or the gateway was told within a minute of our hearing of it to give all of it back with the
refund id \`void-<charge_id>\`. Payer and merchant are mailed when money goes back.

\`UNKNOWN\` is a gateway that answers 404, \`REPLACED\` another try that takes the place of this one. \`capture\` books the payment
and puts it on the invoice (one that was denied only in the books), \`settle\` ends one that was pending, \`reverse\` sends
\`CHECKOUT.PAYMENT-APPROVAL.REVERSED\`, \`void\` gives the money back.

${table(['The try is', 'Heard', 'When', 'Becomes', 'Does'], chargeRows.map(rowOf))}
`
