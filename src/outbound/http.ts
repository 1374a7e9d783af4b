import type { buildConnector, Pool } from 'undici'
import {
  BODY_READ_MAX,
  type CallHandle,
  call,
  type Manner,
  type OutboundAnswer,
  type OutboundRequest,
  type Timeouts,
} from './call.ts'
import { addressRefusal, type EgressPolicy, urlRefusal } from './egress.ts'
import { dialRefusal, EgressRefused, guardedLookup, type Lookup } from './guard.ts'

export const CONNECT_TIMEOUT_MS = 5_000
export const TOTAL_TIMEOUT_MS = 20_000
/** How long the body of an answer may take after its head. What is kept of it is not worth a socket for longer. */
export const BODY_TIMEOUT_MS = 2_000
const HEAD_SIZE_MAX = 16 * 1024
const POOLS_MAX = 2_000
const TARGETS_MAX = 5_000

/** A request whose answer is wanted to the last byte. */
export interface OutboundQuestion extends Omit<OutboundRequest, 'body'> {
  readonly method: 'GET' | 'POST'
  readonly body?: string
}

/** A file that somebody else keeps. */
export interface OutboundDownload extends Omit<OutboundRequest, 'body'> {
  readonly bytesMax: number
}

/** The one door through which this service calls other people's servers. */
export interface Outbound {
  /** Comes back with the answer, whatever its status, or throws when there was none. Redirects are not followed. */
  post(request: OutboundRequest, handle?: CallHandle): Promise<OutboundAnswer>
  /** The same, but with the whole body: if it breaks off, never ends or is longer than we read, there was no answer. */
  ask(question: OutboundQuestion): Promise<OutboundAnswer>
  /** The same for a file. Gives its bytes, at most as many as the caller wants to read. */
  download(file: OutboundDownload): Promise<OutboundAnswer<Buffer>>
  close(): Promise<void>
}

export interface OutboundOptions extends EgressPolicy {
  /** Turns names into addresses. A test can hand in one that lies. */
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

  /** Remembered, because the result is always the same and reading a URL costs as much as sending to it. */
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
    // The pool that was used last stands last, so the first one is the one to give up.
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
    // Loaded with the first call, because it is large and a service can start without it.
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
