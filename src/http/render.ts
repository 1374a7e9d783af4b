import { Readable } from 'node:stream'
import { Answer, RawJson } from './route.ts'

/** An answer as it goes out. */
export interface Rendered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream goes out as it comes, for as long as it lasts. */
  readonly body: string | Buffer | Readable | undefined
}

const json = 'application/json; charset=utf-8'

/** Turns what a handler returned into what goes out. A string or bytes go out as they are, under their content type. */
export function render(result: unknown, usualStatus: number): Rendered {
  if (!(result instanceof Answer)) return render(new Answer(usualStatus, result), usualStatus)
  const { status, body, headers } = result
  if (body === undefined || body === null) return { status, headers, body: undefined }
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
  if (headers['content-type'] !== undefined && (isWhole || body instanceof Readable)) return { status, headers, body }
  const text = body instanceof RawJson ? body.text : JSON.stringify(body)
  return { status, headers: { 'content-type': json, ...headers }, body: text }
}
