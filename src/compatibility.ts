import { table } from './kernel/markdown.ts'

/** Clients that were pointed at a running sandbox, unmodified, and what was done with them. */
// biome-ignore format: a table reads best as a table
const tried = [
  ['curl', '7.88.1', 'tokens, JSON, `-F` with and without file names, 66 MB of files, 30 MB of JSON'],
  ['Python 3.11.7, requests', '2.34.2', 'tokens, booleans and lists in queries, `None`, floats, files as objects, as bytes and as tuples, 66 MB of files'],
  ['Python 3.11.7, urllib and email.mime', '3.11.7', '`multipart/mixed` with parts in base64'],
  ['PHP, streams', '8.2.35', 'tokens, arrays for empty objects, `null`, floats, a form, and an event verified after `json_decode` and `json_encode`'],
  ['Java, HttpURLConnection', '17.0.20', 'its own Accept and that of older versions, a PATCH by `X-HTTP-Method-Override`, a form, 66 MB of files'],
  ['Java, java.net.http', '17.0.20', 'a JSON patch of one object, its offer of HTTP/2, 66 MB of files'],
  ['Node, fetch (undici 6.24.1)', '20.20.2', '`FormData` with text and with a `Blob`, 66 MB of files'],
  ['axios with form-data 4.0.6', '1.21.1', 'tokens, lists in queries both ways, a form from a stream, 66 MB of files'],
  ['node-fetch with form-data 4.0.6', '2.7.0', 'a form from a stream'],
  ['superagent', '10.4.2', 'a form with `field` and `attach`'],
  ['got', '14.6.6', 'a PATCH'],
  ['Perl, HTTP::Tiny', '0.080', 'tokens and lists'],
  ['Go, net/http and mime/multipart', '1.19.8', 'tokens, `nil`, floats, a body of unknown length, forms from a buffer and from a pipe, 114 MB of files, a PATCH'],
  ['Ruby 3.1.2, net/http', '0.2.0', 'tokens, `nil`, floats, a form by `set_form`'],
  ['Ruby, rest-client', '2.1.0', 'tokens, lists in queries, a form with a file'],
  ['Ruby, Faraday', '1.1.0', 'lists in queries, a form with the JSON as text and as a file'],
  ['Ruby, HTTParty', '0.21.0', 'tokens, lists in queries, a POST without a body, a form with a file'],
  ['C# (Mono 6.8), HttpClient', '4.0', 'tokens, `True`, forms of both kinds, a PATCH, `Expect: 100-continue`'],
  ['C# (Mono 6.8), HttpWebRequest', '4.0', 'a POST without a body, gzip'],
  ['@paypal/checkout-server-sdk', '1.0.3', 'its HTTP client with a base address of our own: tokens, invoices, lists of disputes'],
  ['paypal-rest-sdk', '1.8.1', 'by `quittance proxy`, dialect `paypal`: webhooks made, listed, changed, deleted; event types; events read, sent again and verified'],
  ['@paypal/agent-toolkit', '1.8.0', 'by `quittance proxy`: invoices made, sent, listed, read, reminded of, cancelled, QR code; disputes listed, read, a claim accepted'],
  ['@paypal/paypal-server-sdk', '2.5.0', 'by `quittance proxy`: tokens (it knows neither invoices nor disputes)'],
] as const

/** What clients write in ways of their own. A test sends each of them as it was recorded (`test/scenarios/clients`). */
// biome-ignore format: a table reads best as a table
export const recorded = {
  'curl, a form':                         '`input` without a content type',
  'curl, a file without a name':          'a part named `evidence-file` without a file name',
  'requests, a file from bytes':          'the name of the part as the file name',
  'requests, a query':                    '`True`, and a list as one key several times',
  'requests, nothing':                    '`null` as a body',
  'fetch, a form of Blobs':               '`filename="blob"`, also for the JSON',
  'superagent, a form':                   'its own order of headers, and a connection that it closes',
  'email.mime, an attachment':            '`multipart/mixed`, base64, the file name in the content type',
  'HttpClient of C#, a form':              'names without quotes, and `filename*` beside `filename`',
  'Go, a form from a pipe':               'a body in chunks, and `application/octet-stream` for the file',
  'HttpURLConnection, a change':          '`X-HTTP-Method-Override: PATCH` on a POST',
  'HttpURLConnection before 2016, a list': '`Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2`',
  'axios, a query':                       'a list as `name[]`',
  'PHP, a query':                         'a list as `name[0]`, `name[1]`',
  'PHP, nothing':                         '`[]` for an empty object',
} as const

/** What does not work, and what to do about it. */
// biome-ignore format: a table reads best as a table
const cannot = [
  ['a client whose base address is fixed, by itself', 'It calls somebody else. `quittance proxy` leads it here ([proxy.md](proxy.md)); a client whose address can be set needs nothing.'],
  ['offline checks of a delivery against the public service’s own authority', 'Its key is not ours. Trust the authority at `/v1/notifications/certs/authority`, check the Standard Webhooks signature, or ask `verify-webhook-signature`.'],
  ['assertions that are signed', 'Of secrets only digests are kept, with which no signature can be checked. Send the assertion unsigned, with `alg` none: whose it is, the access token beside it says, and what it may do, the merchant’s consent.'],
  ['clients of the first invoicing interface (`/v1/invoicing`)', 'It is not part of the contract; `/v2/invoicing` is.'],
  ['clients that look who changed an invoice or a template (`last_updated_by`)', 'Descriptions of the interface name it, and the published service never sends it; neither do we. `last_update_time` says when, and the audit log who.'],
  ['HTTP/2', 'The service speaks HTTP/1.1; put a proxy before it. Clients that only offer HTTP/2 are answered in HTTP/1.1.'],
  ['bodies with a Content-Encoding', '415: send them as they are.'],
  ['bodies in another charset than UTF-8', '415: send UTF-8. Where all of it is ASCII, one that calls itself ISO-8859-1 or Windows-1252 is read.'],
  ['a multipart inside a multipart', '400: send each document in a part of its own.'],
  ['money as a number of more than 15 digits', '400: a number of that length loses digits on the way; send text.'],
  ['a body of more than 256 MiB beyond what is taken', 'The connection is closed before such a client has written everything and looks for the answer.'],
] as const

/** `docs/compatibility.md`. */
export const compatibilityPage = (): string => `# Compatibility

Existing clients work by changing their base address. This page is printed by \`npm run docs\` from \`src/compatibility.ts\`.

## Clients that were tried

Against a running sandbox, unmodified, through their usual calls. All that is listed worked.

${table(['Client', 'Version', 'What was done'], tried)}

## What it runs on

The whole suite passes with Node 20.20 and 26.12. With 20.19.0, the oldest that is taken, 22.23 and 24.22 it was run too, and what failed there was
mended. It runs on PostgreSQL 18.4, which it brings; what asks the database passes on 15 too.

## Ways of their own

Taken everywhere: \`null\` as absent, money as a JSON number, booleans in queries in any case, a list in a query with commas, as
one key several times, as \`name[]\` or \`name[0]\`, doubled slashes, \`*\` in Accept, \`X-HTTP-Method-Override\` on a POST,
\`application/json-patch+json\`, a single entry as a change, and \`[]\` where an empty object is meant. A body that is too large is
refused, and the rest of it read, so that a client which writes everything first gets to the answer.

These requests are sent by a test as the clients sent them:

${table(['Recorded from', 'What is special'], Object.entries(recorded))}

## What cannot work

${table(['What', 'Why, and what to do'], cannot)}
`
