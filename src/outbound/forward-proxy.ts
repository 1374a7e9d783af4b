import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream'

export interface ProxyParts {
  readonly port: number
  /** Whether calls to this host are passed on to the sandbox. All others are refused. */
  isLed(host: string): boolean
  /** The key and certificate with which the proxy answers as this host. */
  identityOf(host: string): { readonly key: string; readonly cert: string }
  /** The address that calls are passed on to. */
  readonly target: string
  /** Told of every call and every refusal. */
  onCall(call: ProxiedCall): void
}

export interface ProxiedCall {
  readonly method: string
  readonly url: string
  /** Absent where the call was refused. */
  readonly status?: number
}

export interface ForwardProxy {
  readonly port: number
  close(): Promise<void>
}

/** Headers that concern the way to the proxy, and not the request itself. */
const ofTheWay = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'host']

/** A proxy for clients with hard-coded hosts. It resolves and dials nothing but the sandbox, whatever it is asked for. */
export async function openForwardProxy({ port, isLed, identityOf, target, onCall }: ProxyParts): Promise<ForwardProxy> {
  const hosts = new Map<string, TlsServer>()
  const sockets = new Set<Socket>()
  const { hostname, port: targetPort, host: targetHost } = new URL(target)

  function lead(asked: IncomingMessage, answer: ServerResponse, url: URL): void {
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !ofTheWay.includes(name)))
    const { method = 'GET' } = asked
    const onward = request(
      // The sandbox answers only to names of its own, so it is given one of them.
      {
        hostname,
        port: targetPort || 80,
        method,
        path: url.pathname + url.search,
        headers: { ...headers, host: targetHost },
      },
      (response) => {
        onCall({ method, url: url.href, status: response.statusCode ?? 0 })
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
        // If the sandbox ends in the middle of an answer, the client is not left waiting for the rest.
        pipeline(response, answer, () => {})
      },
    )
    onward.on('error', (error) => {
      onCall({ method, url: url.href, status: 502 })
      if (!answer.headersSent) answer.writeHead(502, { 'content-type': 'text/plain' })
      answer.end(`The sandbox at ${target} does not answer: ${error.message}\n`)
    })
    asked.pipe(onward)
  }

  /** The server that ends encrypted connections to a host, in place of the host itself. */
  function hostServer(host: string): TlsServer {
    let server = hosts.get(host)
    if (!server) {
      server = createTlsServer(identityOf(host), (asked, answer) => {
        const [path, base] = [asked.url ?? '/', `https://${host}`]
        // A request that is malformed must not end the proxy for everybody.
        if (URL.canParse(path, base)) lead(asked, answer, new URL(path, base))
        else answer.writeHead(400, { 'content-type': 'text/plain' }).end(`${path} is no address.\n`)
      })
      server.on('tlsClientError', () => {})
      hosts.set(host, server)
    }
    return server
  }

  const proxy = createServer((asked, answer) => {
    const url = URL.canParse(asked.url ?? '') ? new URL(asked.url!) : undefined
    if (url && isLed(url.hostname)) return lead(asked, answer, url)
    onCall({ method: asked.method ?? 'GET', url: asked.url ?? '' })
    answer.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(url?.hostname ?? 'this'))
  })
  proxy.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  proxy.on('connect', (asked: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => {})
    const host = (asked.url ?? '').replace(/:\d*$/, '').toLowerCase()
    if (!isLed(host)) {
      onCall({ method: 'CONNECT', url: asked.url ?? '' })
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${refusal(host)}`)
      return
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    hostServer(host).emit('connection', socket)
  })
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject)
    proxy.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (proxy.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

const refusal = (host: string) =>
  `This proxy leads calls to the hosts it was started with, and ${host} is none of them.\n`
