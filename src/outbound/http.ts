import type { buildConnector, Pool } from 'undici'
import { addressRefusal, type EgressPolicy, urlRefusal } from './egress.ts'
import { dialRefusal, EgressRefused, guardedLookup, type Lookup } from './guard.ts'

export const CONNECT_TIMEOUT_MS = 5_000
export const TOTAL_TIMEOUT_MS = 20_000
/** How long an answer's body may take after its head: what we keep of it is not worth a socket for longer. */
export const BODY_TIMEOUT_MS = 2_000
export const BODY_READ_MAX = 64 * 1024
export const BODY_KEPT_MAX = 4 * 1024
const HEADERS_KEPT_MAX = 50
const HEADER_LENGTH_KEPT_MAX = 1_000
const HEAD_SIZE_MAX = 16 * 1024
/** Answers that announce another (1xx); whoever sends more has none to give. */
const INFORMATIONAL_MAX = 8
const POOLS_MAX = 2_000
const TARGETS_MAX = 5_000

/** How a far end answered. Of its body only the beginning is kept. */
export interface OutboundAnswer<Body = string> {
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** A request whose answer is wanted to the last byte. */
export interface OutboundQuestion extends Omit<OutboundRequest, 'body'> {
  readonly method: 'GET' | 'POST'
  readonly body?: string
}

/** A file that somebody else keeps. */
export interface OutboundDownload extends Omit<OutboundRequest, 'body'> {
  readonly bytesMax: number
}

/** Ends a call that is under way; it then fails. */
export interface CallHandle {
  abandon?: (because: string) => void
}

/** The one door through which this service calls other people's servers. */
export interface Outbound {
  /** Comes back with the answer, whatever its status, or throws when there was none. Redirects are not followed. */
  post(request: OutboundRequest, handle?: CallHandle): Promise<OutboundAnswer>
  /** The same with the whole body; one that breaks off, never ends or is longer than we read is no answer. */
  ask(question: OutboundQuestion): Promise<OutboundAnswer>
  /** The same for a file: its bytes, and as many of them as the caller wants to read. */
  download(file: OutboundDownload): Promise<OutboundAnswer<Buffer>>
  close(): Promise<void>
}

export interface OutboundOptions extends EgressPolicy {
  /** Turns names into addresses; a test can hand in one that lies. */
  readonly lookup?: Lookup
  readonly totalTimeoutMs?: number
}

interface Target {
  readonly refusal: string | undefined
  readonly origin: string
  readonly path: string
}
const nowhere = { origin: '', pathname: '', search: '' }

/**
 * Opens the door. A name is looked up once for a connection, every address it has must be allowed, and the address that
 * was checked is the one that is dialled: an answer that changes between check and use changes nothing.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { lookup, totalTimeoutMs = TOTAL_TIMEOUT_MS } = options
  let undici: typeof import('undici') | undefined
  let connect: buildConnector.connector | undefined
  const pools = new Map<string, Pool>()
  const targets = new Map<string, Target>()
  const timeouts: Timeouts = {
    wholeMs: totalTimeoutMs,
    bodyMs: Math.min(BODY_TIMEOUT_MS, totalTimeoutMs),
  }

  /** What a URL comes to is the same every time, and reading one costs as much as sending to it. */
  function targetOf(url: string): Target {
    let target = targets.get(url)
    if (target) return target
    const refusal = urlRefusal(url, options)
    const { origin, pathname, search } = refusal === undefined ? new URL(url) : nowhere
    target = { refusal, origin, path: pathname + search }
    if (targets.size >= TARGETS_MAX) targets.clear()
    targets.set(url, target)
    return target
  }

  function poolOf({ Pool, buildConnector }: typeof import('undici'), origin: string): Pool {
    connect ??= guardedConnector(buildConnector, options, lookup)
    let pool = pools.get(origin)
    if (pool) pools.delete(origin)
    else pool = new Pool(origin, { connect, maxHeaderSize: HEAD_SIZE_MAX, headersTimeout: 0, bodyTimeout: 0 })
    // The most recently used stands last, so that the first is the one to give up.
    pools.set(origin, pool)
    if (pools.size > POOLS_MAX) {
      const [oldest, unused] = pools.entries().next().value!
      pools.delete(oldest)
      void unused.close().catch(() => {})
    }
    return pool
  }

  async function send<Body>(
    { url, headers, body }: OutboundRequest,
    how: Manner<Body>,
    handle?: CallHandle,
  ): Promise<OutboundAnswer<Body>> {
    const { refusal, origin, path } = targetOf(url)
    if (refusal !== undefined) throw new EgressRefused(refusal)
    // Loaded with the first call: it is large, and a service starts without one.
    undici ??= await import('undici')
    return call(poolOf(undici, origin), { how, path, headers, body, timeouts }, handle)
  }

  return {
    post: (request, handle) => send(request, posting, handle),
    ask: ({ url, method, headers, body = '' }) =>
      send({ url, headers, body }, { method, whole: true, readMax: BODY_READ_MAX, bodyOf: asText }),
    download: ({ url, headers, bytesMax }) =>
      send({ url, headers, body: '' }, { method: 'GET', whole: true, readMax: bytesMax, bodyOf: (bytes) => bytes }),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
      pools.clear()
    },
  }
}

const asText = (bytes: Buffer) => bytes.toString()
const posting: Manner<string> = { method: 'POST', whole: false, readMax: BODY_READ_MAX, bodyOf: asText }

function guardedConnector(
  build: typeof buildConnector,
  policy: EgressPolicy,
  lookup: Lookup | undefined,
): buildConnector.connector {
  const dial = build({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    // The connector passes what it does not know to `net.connect`, whose type of `lookup` is looser than ours.
    ...({ lookup: guardedLookup(policy, lookup) } as object),
  })
  return (target, done) => {
    const refusal = dialRefusal(target.hostname.replace(/^\[|\]$/g, ''), policy)
    if (refusal) return process.nextTick(() => done(new EgressRefused(refusal), null))
    return dial(target, (error, socket) => {
      if (error) return done(error, null)
      const reached = addressRefusal(socket.remoteAddress ?? '', policy)
      if (!reached) return done(null, socket)
      socket.destroy()
      return done(new EgressRefused(reached), null)
    })
  }
}

/** What kind of call it is. */
interface Manner<Body> {
  readonly method: 'GET' | 'POST'
  /** Whether only the whole body will do. */
  readonly whole: boolean
  /** Of a longer body no more is read. */
  readonly readMax: number
  bodyOf(bytes: Buffer): Body
}

interface Call<Body> extends Omit<OutboundRequest, 'url'> {
  readonly how: Manner<Body>
  readonly path: string
  readonly timeouts: Timeouts
}

/** How long a call may take in all, and the body of its answer. */
interface Timeouts {
  readonly wholeMs: number
  readonly bodyMs: number
}

/** One request with a deadline on the whole of it: timeouts between bytes do not stop a far end that drips. */
function call<Body>(
  pool: Pool,
  { how: { method, whole, readMax, bodyOf }, path, headers, body, timeouts }: Call<Body>,
  handle: CallHandle = {},
): Promise<OutboundAnswer<Body>> {
  return new Promise((resolve, reject) => {
    let abort: (() => void) | undefined
    let head: Omit<OutboundAnswer, 'body'> | undefined
    const kept: Buffer[] = []
    const keptMax = whole ? readMax : BODY_KEPT_MAX
    let read = 0
    let informational = 0
    let ended = false

    const end = (failure?: Error) => {
      if (ended) return
      ended = true
      clearTimeout(late)
      clearTimeout(lateBody)
      // The head decides: an answer whose body never ends or breaks off was still an answer, unless all of it is wanted.
      if (head && !(whole && failure))
        resolve({
          status: head.status,
          reason: head.reason,
          headers: head.headers,
          body: bodyOf(Buffer.concat(kept)),
        })
      else reject(failure ?? new Error('There was no answer.'))
    }
    const giveUp = (failure?: Error) => {
      end(failure)
      abort?.()
    }
    const began = performance.now()
    let lateBody: NodeJS.Timeout | undefined
    const late = setTimeout(() => {
      giveUp(new Error(`There was no answer within ${seconds(timeouts.wholeMs)} seconds.`))
    }, timeouts.wholeMs).unref()

    handle.abandon = (because) => {
      const waited = seconds(performance.now() - began)
      giveUp(new Error(`There was no answer within ${waited} seconds, and ${because}.`))
    }

    pool.dispatch(
      {
        method,
        path,
        headers: headers as Record<string, string>,
        ...(method === 'POST' && { body: Buffer.isBuffer(body) ? body : Buffer.from(body) }),
      },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(new Error('The call was ended.'))
          if (ended) abort()
        },
        onResponseStart(_controller, status, answerHeaders, reason) {
          if (status < 200) {
            if (++informational > INFORMATIONAL_MAX)
              giveUp(new Error(`There was no answer after ${INFORMATIONAL_MAX} informational ones.`))
            return
          }
          head = { status, reason: reason ?? '', headers: keptHeaders(answerHeaders) }
          if (whole) return
          lateBody = setTimeout(giveUp, timeouts.bodyMs).unref()
        },
        onResponseData(_controller, chunk) {
          if (read < keptMax) kept.push(Buffer.from(chunk.subarray(0, keptMax - read)))
          read += chunk.length
          if (read > readMax) giveUp(new Error(`The answer is longer than ${readMax / 1024} KiB.`))
        },
        onResponseEnd: () => end(),
        onResponseError: (_controller, error) => end(error),
      },
    )
  })
}

const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10

function keptHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  let count = 0
  for (const name in headers) {
    if (count++ === HEADERS_KEPT_MAX) break
    kept[name] = String(headers[name]).slice(0, HEADER_LENGTH_KEPT_MAX)
  }
  return kept
}
