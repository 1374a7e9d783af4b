import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One delivery as it came. */
export interface ReceivedCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A receiver of webhooks on this machine, for as long as a command or a story needs one. */
export interface WebhookReceiver {
  readonly url: string
  close(): Promise<void>
}

const BODY_MAX = 16 * 1024 * 1024

/** Opens a receiver whose answers `answer` decides. `reachedAt` is how a sandbox elsewhere reaches this machine. */
export async function openReceiver(
  answer: (call: ReceivedCall) => Promise<{ readonly status: number; readonly body?: string }>,
  { path = '/', reachedAt }: { path?: string; reachedAt?: string } = {},
): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > BODY_MAX) request.destroy()
      else chunks.push(chunk)
    })
    request.on('error', () => {})
    request.on('end', () => {
      void answer({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
        .catch((error: unknown) => ({ status: 502, body: error instanceof Error ? error.message : String(error) }))
        .then(({ status, body }) => response.writeHead(status).end(body))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, reachedAt === undefined ? '127.0.0.1' : '0.0.0.0', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${reachedAt ?? '127.0.0.1'}:${port}${path}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
