import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
// What calls a receiver is loaded with the first call, which on a busy machine takes longer than a moving clock waits.
import 'undici'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'

/** One call a receiver got. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
  /** When its first byte was seen, on the process's monotonic clock. */
  readonly at: number
  readonly event: { id: string; event_type: string; resource: Record<string, unknown> }
}

/** How a receiver answers: a status, headers and a body, or whatever it does with the response itself. */
export type Behaviour =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | ((call: Received, response: ServerResponse) => void | Promise<void>)

/** A webhook endpoint on loopback, which remembers what it got and answers as it is told. */
export class Receiver {
  readonly received: Received[] = []
  readonly #server: Server
  readonly #waiting = new Set<() => void>()
  readonly #behaviours = new Map<string, Behaviour>()
  behaviour: Behaviour = { status: 200 }

  private constructor() {
    this.#server = createServer((request, response) => {
      const at = performance.now()
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const { url: path = '', headers, rawHeaders } = request
        const call: Received = { path, headers, rawHeaders, body, at, event: JSON.parse(body) }
        this.received.push(call)
        const behaviour = this.#behaviours.get(path) ?? this.behaviour
        if (typeof behaviour === 'function') void behaviour(call, response)
        else response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
        for (const check of this.#waiting) check()
      })
    })
    this.#server.keepAliveTimeout = 60_000
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** How one path answers, whatever the others do. */
  answers(path: string, behaviour: Behaviour): void {
    this.#behaviours.set(path, behaviour)
  }

  /** Comes back when so many calls have arrived, with all of them. */
  async has(count: number, { within = 60_000 }: { within?: number } = {}): Promise<readonly Received[]> {
    await this.until(() => this.received.length >= count, { within, wish: `${count} calls` })
    return this.received
  }

  /** Comes back when what arrived satisfies the condition. */
  until(condition: () => boolean, { within = 60_000, wish = 'the condition' } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!condition()) return
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(check)
        reject(new Error(`The receiver waited ${within} ms for ${wish} and has ${this.received.length}.`))
      }, within)
      this.#waiting.add(check)
      check()
    })
  }

  /** The types of what arrived, in order of arrival. */
  get types(): string[] {
    return this.received.map(({ event }) => event.event_type)
  }

  forget(): void {
    this.received.length = 0
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A bare TCP server on loopback, for far ends that do not speak proper HTTP. */
export class RawReceiver {
  readonly #server: TcpServer
  readonly #sockets = new Set<Socket>()
  connections = 0

  private constructor(onSocket: (socket: Socket) => void) {
    this.#server = createTcpServer((socket) => {
      this.connections++
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
      onSocket(socket)
    })
  }

  static async open(onSocket: (socket: Socket) => void, host = '127.0.0.1'): Promise<RawReceiver> {
    const receiver = new RawReceiver(onSocket)
    await new Promise<void>((resolve) => receiver.#server.listen(0, host, resolve))
    return receiver
  }

  get open(): number {
    return this.#sockets.size
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/hook', scheme = 'http'): string {
    return `${scheme}://127.0.0.1:${this.port}${path}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
