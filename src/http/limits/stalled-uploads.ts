import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** Within this time an upload must bring a certain amount. One that stands still holds memory that others need. */
export const STALLED_MS = 10_000
const PROGRESS_BYTES_MIN = 32_768

interface Upload {
  readonly request: IncomingMessage
  readonly payload: Readable
  readonly answer: ServerResponse
}

/** Calls `end` once if an upload brings too little within a span of time. Stops when it has arrived or is answered. */
export function endOnceStalled(
  { request: { socket }, payload, answer }: Upload,
  spanMs: number,
  end: () => void,
): void {
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const isStalled = socket.bytesRead - before < PROGRESS_BYTES_MIN
    before = socket.bytesRead
    if (!isStalled) return
    clearInterval(timer)
    end()
  }, spanMs).unref()
  const isOver = () => clearInterval(timer)
  payload.once('end', isOver).once('close', isOver)
  // An answer that did not wait for the whole body ends the wait too.
  answer.once('finish', isOver)
}
