import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A delivery on its way to somebody's own handler. */
export interface HandlerCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Takes a certificate that nobody vouches for. */
  readonly skipVerify?: boolean
  /** Sends the body in so many pieces with a rest in between, as a slow line does. */
  readonly drip?: { readonly pieces: number; readonly restMs: number }
  readonly timeoutMs?: number
}

export interface HandlerAnswer {
  readonly status: number
  readonly ms: number
}

const TIMEOUT_MS = 20_000

/** Posts to a handler and comes back with how it answered; throws when it did not. Redirects are not followed. */
export function callHandler(call: HandlerCall): Promise<HandlerAnswer> {
  const { url, headers, body, skipVerify = false, drip, timeoutMs = TIMEOUT_MS } = call
  const began = performance.now()
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sending = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.length) },
        rejectUnauthorized: !skipVerify,
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
      },
      (response) => {
        response.resume()
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, ms: Math.round(performance.now() - began) }),
        )
      },
    )
    sending.on('error', reject)
    if (!drip) return void sending.end(body)
    const size = Math.ceil(body.length / drip.pieces)
    const sendFrom = (start: number) => {
      if (start >= body.length || sending.destroyed) return void sending.end()
      sending.write(body.subarray(start, start + size))
      setTimeout(() => sendFrom(start + size), drip.restMs)
    }
    sendFrom(0)
  })
}
