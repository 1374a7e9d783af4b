import type { Pool } from 'undici'

export const BODY_READ_MAX = 64 * 1024
export const BODY_KEPT_MAX = 4 * 1024
const HEADERS_KEPT_MAX = 50
const HEADER_LENGTH_KEPT_MAX = 1_000
/** How many informational answers (1xx) may come before the real one. Whoever sends more has none to give. */
const INFORMATIONAL_MAX = 8

/** How a far end answered. Only the beginning of its body is kept. */
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

/** Ends a call that is under way; it then fails. */
export interface CallHandle {
  abandon?: (because: string) => void
}

/** What kind of call it is. */
export interface Manner<Body> {
  readonly method: 'GET' | 'POST'
  /** Whether an answer counts only with its whole body. */
  readonly whole: boolean
  /** The most that is read of a body. */
  readonly readMax: number
  bodyOf(bytes: Buffer): Body
}

interface Call<Body> extends Omit<OutboundRequest, 'url'> {
  readonly how: Manner<Body>
  readonly path: string
  readonly timeouts: Timeouts
}

/** How long a call may take in all, and how long the body of its answer may take. */
export interface Timeouts {
  readonly wholeMs: number
  readonly bodyMs: number
}

/** Makes one request with a deadline for the whole of it: timeouts between bytes do not stop a far end that drips. */
export function call<Body>(
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
      // The head decides: if the body never ends or breaks off, there still was an answer, unless the whole body is wanted.
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
