const boundary = 'quittance-boundary'

/** One part of a multipart body as a client writes it: its header lines and its content. */
export interface WrittenPart {
  readonly headers: readonly string[]
  readonly content: Buffer | string
}

export const kinds = ['form-data', 'related', 'mixed'] as const

/** A multipart body of these very parts. */
export function multipartOf(parts: readonly WrittenPart[], kind: string = 'form-data') {
  const written = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from('\r\n'),
  ])
  return {
    payload: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/${kind}; boundary=${boundary}` },
  }
}

/** The JSON of a request, in a part with these headers; as most clients write it when none are given. */
export const inputPart = (
  value: unknown,
  headers: readonly string[] = ['Content-Disposition: form-data; name="input"', 'Content-Type: application/json'],
): WrittenPart => ({ headers, content: JSON.stringify(value) })
