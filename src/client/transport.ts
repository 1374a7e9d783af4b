import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, ProblemError } from './errors.ts'

/** Who calls, and how. */
export interface ClientOptions {
  /** Where the service is: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** Which names the headers carry; those of the service it talks to. */
  readonly dialect?: 'service' | 'paypal'
  /** The id or the e-mail address of an account to act for. */
  readonly actingFor?: string
  /** How often a request is sent again that got no answer or a passing refusal; 3 by default. */
  readonly retries?: number
  /** How long one answer is waited for, of a request for a token as of any other; 30 seconds by default. */
  readonly timeoutMs?: number
  /** Told of every answer, and of requests without one. */
  readonly onCall?: (call: Call) => void
}

/** One request and what came of it. */
export interface Call {
  readonly method: string
  readonly url: string
  readonly requestId?: string
  readonly status?: number
  readonly body?: unknown
  readonly answer?: unknown
  readonly error?: unknown
}

export interface Sending {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string | FormData
  /** What the body was made of, for whoever is told of calls. */
  readonly given?: unknown
  /** Without a token. */
  readonly open: boolean
  /** Sent with a request id, so that it takes effect once however often it is sent. */
  readonly requestId: string | undefined
  readonly answer: 'json' | 'bytes' | 'text' | 'nothing'
  readonly signal: AbortSignal | undefined
}

const RETRIES = 3
const TIMEOUT_MS = 30_000
const FIRST_WAIT_MS = 100
const WAIT_MS_MAX = 30_000
/** A token is renewed so long before it ends. */
const LEEWAY_MS = 60_000
/** Refused before anything was done, so it can be sent again whatever it is. */
const notBegun = new Set([429, 503])
const passing = new Set([500, 502, 503, 504, 429])

export type Transport = ReturnType<typeof openTransport>

/** Sends requests: with a token that is renewed in time, again when that helps, and with refusals as errors. */
export function openTransport({ url, clientId, clientSecret, dialect = 'service', ...options }: ClientOptions) {
  const base = url.replace(/\/+$/, '')
  const prefix = dialect === 'paypal' ? 'PayPal' : 'Service'
  const { actingFor, retries = RETRIES, timeoutMs = TIMEOUT_MS, onCall = () => {} } = options
  let token: { text: Promise<string>; until: number } | undefined

  function currentToken(): Promise<string> {
    if (token && performance.now() < token.until) return token.text
    const asked = { text: newToken(), until: Number.POSITIVE_INFINITY }
    asked.text.catch(() => {
      if (token === asked) token = undefined
    })
    token = asked
    return asked.text

    async function newToken(): Promise<string> {
      const began = performance.now()
      const { answer } = await attempts({
        method: 'POST',
        url: `${base}/v1/oauth2/token`,
        headers: {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
        open: true,
        requestId: undefined,
        answer: 'json',
        signal: undefined,
      })
      const { access_token, expires_in } = answer as { access_token: string; expires_in: number }
      const lifeMs = expires_in * 1000
      asked.until = began + Math.max(lifeMs / 2, lifeMs - LEEWAY_MS)
      return access_token
    }
  }

  async function once(sending: Sending): Promise<{ status: number; answer: unknown; headers: Headers }> {
    const { method, url: target, body, answer: kind, signal, requestId } = sending
    const bearer = sending.open ? undefined : `Bearer ${await given(currentToken(), signal)}`
    const headers = { ...sending.headers, ...(bearer !== undefined && { authorization: bearer }) }
    // From here on: the request for a token had a limit of its own.
    const limit = AbortSignal.timeout(timeoutMs)
    const called = { method, url: target, ...(requestId !== undefined && { requestId }) }
    const told = { ...called, ...(sending.given !== undefined && { body: sending.given }) }
    try {
      const response = await fetch(target, {
        method,
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        ...(body !== undefined && { body }),
      })
      const { status } = response
      const answer = await read(response, status >= 400 ? 'json' : kind)
      onCall({ ...told, status, answer })
      return { status, answer, headers: response.headers }
    } catch (error) {
      onCall({ ...told, error })
      if (signal?.aborted) throw error
      throw new ConnectionError(called, error)
    }
  }

  /** Sends until there is an answer that stands, or no more tries. */
  async function attempts(sending: Sending): Promise<{ status: number; answer: unknown }> {
    const { method, url: target, requestId } = sending
    const repeatable =
      requestId !== undefined || method === 'GET' || method === 'PUT' || target.endsWith('/oauth2/token')
    let renewed = false
    for (let attempt = 0; ; attempt++) {
      try {
        const { status, answer, headers } = await once(sending)
        if (status < 400) return { status, answer }
        if (status === 401 && !sending.open && !renewed) {
          renewed = true
          token = undefined
          attempt--
          continue
        }
        const error = new ProblemError(status, answer, {
          method,
          url: target,
          ...(requestId !== undefined && { requestId }),
        })
        const again =
          notBegun.has(status) || (repeatable && (passing.has(status) || error.is('PREVIOUS_REQUEST_IN_PROGRESS')))
        if (!again || attempt >= retries) throw error
        await pause(waitMs(attempt, headers.get('retry-after')), undefined, { signal: sending.signal })
      } catch (error) {
        // A token that could not be had was asked for as often as that may help.
        const isOurs = error instanceof ConnectionError && error.request.url === target
        if (!isOurs || !repeatable || attempt >= retries) throw error
        await pause(waitMs(attempt, null), undefined, { signal: sending.signal })
      }
    }
  }

  return {
    base,
    send: attempts,
    /** The headers of a call, named as the dialect names them. */
    headers: (requestId: string | undefined, account = actingFor): Record<string, string> => ({
      ...(requestId !== undefined && { [`${prefix}-Request-Id`]: requestId }),
      ...(account !== undefined && { [`${prefix}-Auth-Assertion`]: assertion(clientId, account) }),
    }),
    newRequestId: () => randomBytes(16).toString('hex'),
  }
}

/** What is waited for together with others, who go on when one of them is told to stop. */
function given<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return awaited
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop)
    awaited.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

async function read(response: Response, kind: Sending['answer']): Promise<unknown> {
  if (kind === 'bytes') return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  if (kind === 'text') return text
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Longer each time, and never the same for two clients. */
function waitMs(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1000
  if (Number.isFinite(asked) && asked >= 0) return Math.min(asked, WAIT_MS_MAX)
  const share = 0.5 + randomBytes(1)[0]! / 510
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, WAIT_MS_MAX) * share
}

/** Names the account to act for. It is not signed: the token says who we are. */
function assertion(clientId: string, account: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ iss: clientId, [account.includes('@') ? 'email' : 'payer_id']: account })}.`
}
