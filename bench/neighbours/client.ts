import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly ms: number
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly token?: string
}

/** Somebody at an address of their own, who keeps connections. Loopback has as many addresses as we like. */
export function clientAt(localAddress: string, connections = 32) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    localAddress,
    call(baseUrl: string, { method = 'GET', path, headers = {}, body, token }: Call): Promise<Answer> {
      const { port } = new URL(baseUrl)
      const began = performance.now()
      return new Promise((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            localAddress,
            agent,
            method,
            path,
            headers: {
              ...(token !== undefined && { authorization: `Bearer ${token}` }),
              ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
              ...headers,
            },
          },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.on('error', reject)
            answer.on('end', () =>
              resolve({
                status: answer.statusCode!,
                headers: answer.headers,
                text: Buffer.concat(chunks).toString(),
                ms: performance.now() - began,
              }),
            )
          },
        )
        sent.on('error', reject)
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}
export type Client = ReturnType<typeof clientAt>

export const json = (value: object) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})
