import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const EVERY_MS = 50
/** For how long a new connection may stay silent: a client that has just connected is about to send its request. */
const SILENT_MS_MAX = 1_000

/**
 * Gives a function that closes every connection without a request under way, again and again until the server is closed
 * and none is left. Node calls a connection idle only after its first request: one that was opened and never used, as
 * browsers and balancers do, would keep the server open until the time for its headers is over.
 */
export function hangsUp(server: Server): () => void {
  const openedAt = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    openedAt.set(socket, performance.now())
    socket.once('close', () => openedAt.delete(socket))
  })

  const hangUp = () => {
    server.closeIdleConnections()
    const silentSince = performance.now() - SILENT_MS_MAX
    for (const [socket, opened] of openedAt) if (opened < silentSince && socket.bytesRead === 0) socket.destroy()
    // Not when the server closes: connections that came to another address of it may still be open.
    if (!server.listening && openedAt.size === 0) clearInterval(timer)
  }

  let timer: NodeJS.Timeout | undefined
  return () => {
    if (!server.listening) return
    // A connection that was busy when closing began is kept alive after its answer; it is closed once it is idle.
    timer = setInterval(hangUp, EVERY_MS)
  }
}
