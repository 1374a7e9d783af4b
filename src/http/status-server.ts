import Fastify, { type FastifyInstance } from 'fastify'

const urls = ['/healthz', '/readyz', '/metrics']

/**
 * Answers at a port of its own what machines ask of a process, just as the service itself does, even where the service does
 * not listen.
 */
export function makeStatusServer(answering: FastifyInstance): FastifyInstance {
  const server = Fastify({ forceCloseConnections: true })
  for (const url of urls)
    server.get(url, async (_request, reply) => {
      // A request under way may take longer to end than the server that answers it.
      const answer = await answering.inject(url).catch(() => undefined)
      if (!answer) return reply.code(503).send({ status: 'not ready', reasons: ['shutting down'] })
      const { statusCode, headers, rawPayload } = answer
      return reply.code(statusCode).header('content-type', headers['content-type']).send(rawPayload)
    })
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ message: `Only ${urls.join(', ')} are answered here.` }),
  )
  return server
}
