import type { Readable } from 'node:stream'
import { malformed, type Problem } from '../../kernel/problem.ts'
import type { Take } from './upload-budget.ts'

/** How much of a refused body is read and thrown away: most clients look for an answer only when they have sent everything. */
const DISCARD_BYTES_MAX = 256 * 1024 * 1024

export interface CollectOptions {
  readonly bytesMax: number
  /** The length of the body as the sender says, for example in Content-Length. */
  readonly declared?: string | undefined
  /** Told of every byte before it is kept; throws when there is no room for it. */
  readonly take?: Take
  tooLarge(): Problem
}

/**
 * Collects a body, never more than `bytesMax` bytes of it. One that is larger is refused as soon as that is known; the
 * rest is read and thrown away, within a bound, so that the sender sees the refusal. A sender that goes away is a
 * refusal, not a hang.
 */
export function collect(stream: Readable, options: CollectOptions): Promise<Buffer> {
  const { bytesMax, declared, take = () => {}, tooLarge } = options
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const end = (finish: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      finish()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > bytesMax) throw tooLarge()
        take(chunk.length)
        chunks.push(chunk)
      } catch (problem) {
        discard(stream)
        end(() => reject(problem))
      }
    }
    const onEnd = () => end(() => resolve(Buffer.concat(chunks, length)))
    const onClose = () => end(() => reject(cutShort()))
    // This listener stays attached: a stream may fail again after it was given up, and then nobody else would listen.
    stream.on('error', onClose)
    if (stream.destroyed) return onClose()
    if (Number(declared) > bytesMax) {
      discard(stream)
      return reject(tooLarge())
    }
    stream.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

function discard(stream: Readable): void {
  let discarded = 0
  stream.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > DISCARD_BYTES_MAX) stream.destroy()
  })
}

const cutShort = () =>
  malformed({
    issue: 'MISSING_OR_INVALID_REQUEST_BODY',
    location: 'body',
    description: 'The body stopped before its end.',
  })
