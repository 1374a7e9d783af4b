import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { malformed, Problem } from '../kernel/problem.ts'
import type { Rendered } from './render.ts'

/** More headers than any client sends. The parser keeps one more than this, so that it shows when there were too many. */
export const HEADERS_MAX = 100

const OVERRIDE = 'x-http-method-override'

/** Headers of which only the first one would count, while somebody on the way might have looked at the second. */
const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', 'idempotency-key', OVERRIDE])

const strange = (description: string) => malformed({ issue: 'MALFORMED_REQUEST', location: 'header', description })

/** The methods that a POST may name in a header, for clients that can send no other method. */
const overriding: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * The address that a request means. Slashes that a client doubles when it joins a base address and a path count once, but
 * only in the API, so that nobody gets around a rule that hides addresses of ours by how they begin. A POST may name another
 * method in a header, and a form may leave out the first half of its type.
 */
export function straighten(request: IncomingMessage): string {
  const { url = '', method, headers } = request
  const override = String(headers[OVERRIDE] ?? '').toUpperCase()
  if (method === 'POST' && overriding.has(override)) request.method = override
  const type = headers['content-type']
  if (type !== undefined && /^x-www-form-urlencoded\b/i.test(type)) headers['content-type'] = `application/${type}`
  const [path = ''] = url.split('?', 1)
  if (!path.includes('//')) return url
  const straight = path.replace(/\/{2,}/g, '/')
  return /^\/v[12]\//.test(straight) ? straight + url.slice(path.length) : url
}

/** Refuses requests that the parser lets through but that two readers could understand in two ways. */
export function checkWire({ url = '', method, rawHeaders, httpVersion, headers }: IncomingMessage): void {
  if (!url.startsWith('/')) throw strange('The target of a request is a path, such as /v1/oauth2/token.')
  const override = headers[OVERRIDE]
  if (method === 'POST' && override !== undefined && override !== 'POST')
    throw strange(`${OVERRIDE} makes a POST one of ${[...overriding].join(', ')}.`)
  const { 'transfer-encoding': transfer = 'chunked' } = headers
  if (transfer.toLowerCase() !== 'chunked')
    throw strange('Send the body with a Content-Length, or with Transfer-Encoding: chunked and nothing else.')
  if (headers.host === undefined && httpVersion === '1.1') throw strange('The header Host is missing.')
  if (rawHeaders.length > 2 * HEADERS_MAX) {
    throw new Problem(431, 'INVALID_REQUEST', [
      { issue: 'MALFORMED_REQUEST', location: 'header', description: `Send at most ${HEADERS_MAX} headers.` },
    ])
  }
  let seen = ''
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    // The parser of the oldest Node version that we support lets it through.
    if (name === '') throw strange('A header has no name.')
    if (!single.has(name)) continue
    if (seen.includes(`${name};`)) throw strange(`The header ${name} is there twice; send it once.`)
    seen += `${name};`
  }
}

const statuses: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

/** What the parser found wrong, as a refusal. */
export function wireProblem(code: string | undefined): Problem {
  const refusal = (status: number, description: string) =>
    new Problem(status, 'INVALID_REQUEST', [{ issue: 'MALFORMED_REQUEST', location: 'header', description }])
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'All headers together may have at most 16 KiB.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusal(413, 'The chunks of the body have extensions that are too long.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'The request took too long to arrive.')
    case 'CONNECT':
      return refusal(405, 'This is no proxy.')
    case 'EXPECT':
      return refusal(417, 'The only expectation that can be met is 100-continue.')
    default:
      return refusal(400, 'The request is not valid HTTP/1.1.')
  }
}

/** Answers on the bare connection, where there is no request to answer, and closes it. */
export function endWith(socket: Duplex, { status, headers, body }: Rendered): void {
  // A response that has begun cannot be taken back. The field is the one the HTTP server itself looks at.
  const begun = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent
  if (begun || !socket.writable) {
    socket.destroy()
    return
  }
  const text = String(body)
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(text), connection: 'close' })
  socket.end(
    `HTTP/1.1 ${status} ${statuses[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
  )
}
