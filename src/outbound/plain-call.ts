/** A call as commands and scenarios make it: to a service of one's own, so no address is refused. */
export interface PlainCall {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | FormData
  readonly signal?: AbortSignal
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Comes back with the answer, whatever its status; throws when there was none. Redirects are not followed. */
export async function plainCall({ method, url, headers = {}, body, signal }: PlainCall): Promise<PlainAnswer> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    // The library's type asks for a certain kind of buffer, which every array of bytes here is.
    ...(body !== undefined && { body: body as string | FormData }),
    ...(signal && { signal }),
  })
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

/** Why there was no answer, in short: the system's code, or the message of the error. */
export function noAnswerReason(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? message
}
