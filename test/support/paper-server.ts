import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Type } from 'typebox'
import { Recall } from '../../src/database/recall.ts'
import { route } from '../../src/http/route.ts'
import { makeServer, type ServerParts } from '../../src/http/server.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { dialects } from '../../src/kernel/dialect.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { readSettings } from '../../src/settings.ts'

export const publicUrl = 'https://public.example'
const text = Type.String({ maxLength: 100 })
const routes = [
  route({
    method: 'POST',
    url: '/papers',
    operation: 'takePapers',
    summary: 'Takes papers',
    tag: 'Test',
    scopes: 'public',
    reads: 'free',
    accepts: ['application/json', 'multipart'],
    body: Type.Object({ note: Type.Optional(text) }),
    success: { 200: null },
    handle: async ({ body, files }) => ({ note: body.note, files: files.map(({ fileName }) => fileName) }),
  }),
  route({
    method: 'GET',
    url: '/papers/:id',
    operation: 'showPaper',
    summary: 'Shows a paper',
    tag: 'Test',
    scopes: 'public',
    reads: true,
    params: Type.Object({ id: Type.String({ pattern: '^[a-z]+$', maxLength: 10 }) }),
    query: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1 })) }),
    success: { 200: null },
    handle: async ({ params, query }) => ({ ...params, ...query }),
  }),
  route({
    method: 'GET',
    url: '/pulse',
    operation: 'showPulse',
    summary: 'Says that the process lives',
    tag: 'Test',
    scopes: 'public',
    reads: true,
    always: true,
    success: { 200: null },
    handle: async () => ({}),
  }),
]
// These operations neither ask who calls nor reach a database.
const unused = {} as never

/** The real HTTP server with a few small operations and nothing behind it. */
export function paperServer(
  parts: Pick<ServerParts, 'bodyTimeoutMs' | 'stalledMs' | 'loopDelay'> = {},
): FastifyInstance {
  return makeServer({
    service: {
      environment: 'sandbox',
      dialect: dialects.service,
      settings: readSettings({}),
      publicUrl,
      recall: new Recall(0),
    },
    routes,
    constraints: {},
    db: unused,
    transactFor: () => unused,
    clock: systemClock,
    ids: randomIds,
    log: pino({ level: 'silent' }),
    authenticate: unused,
    admit: () => ({}),
    observe: () => {},
    ...parts,
  })
}

/** Starts it on a free port. */
export async function listen(server: FastifyInstance): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as AddressInfo).port
}
