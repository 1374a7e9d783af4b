import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Gives the server `listenAt`. On most machines `localhost` is two addresses, and Fastify would open another server for the
 * second: without our limits and answers, and not waited for at the end. Here one server has the connections of both.
 */
export function listensAt(server: FastifyInstance): void {
  const others: Server[] = []
  let ended: Promise<unknown> | undefined

  server.decorate('listenAt', async ({ host, port }: Address) => {
    const [first = host, ...more] = host === 'localhost' ? await addressesOf(host) : [host]
    await server.listen({ host: first, port })
    const bound = server.server.address() as AddressInfo
    for (const address of more) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        server.server.emit('connection', socket),
      )
      // One that cannot be listened on is not missed: the name leads to the first as well.
      if (await opens(other, { host: address, port: bound.port })) others.push(other)
    }
  })

  server.addHook('preClose', async () => {
    ended = Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))))
  })
  server.addHook('onClose', async () => {
    await ended
  })
}

const addressesOf = async (host: string): Promise<string[]> => [
  ...new Set((await lookup(host, { all: true })).map(({ address }) => address)),
]

const opens = (server: Server, address: Address) =>
  new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(address, () => resolve(true))
  })

declare module 'fastify' {
  interface FastifyInstance {
    /** Listens at the address; at all addresses of `localhost`. */
    listenAt(address: Address): Promise<void>
  }
}
