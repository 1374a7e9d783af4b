import { type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { invalid, notFound, refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { SandboxParts } from '../parts.ts'
import { deliveryFaults, FAULTS_MAX, LATENCY_MS_MAX, requestFaults } from './faults.ts'

const url = '/sandbox/faults'
const text = (description: string, maxLength = 255) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))
const DAY_SECONDS = 86_400

const rule = {
  fault: Type.Enum([...requestFaults, ...deliveryFaults], {
    description:
      'Of requests: latency, an answer of 429, 500 or 503, a dropped connection, a token that is not accepted. Of deliveries: made twice, delayed, or after a later one.',
  }),
  operation: text('Only calls of this operation.'),
  method: text('Only calls with this method.', 8),
  path: text('Only calls whose path begins so.'),
  client_id: text('Only calls with a token of this client.'),
  event_type: text('Only deliveries of this event.'),
  url: text('Only deliveries to an address that begins so.', 2_048),
  milliseconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LATENCY_MS_MAX,
      description: 'How long latency takes; a second by default.',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * DAY_SECONDS,
      description: 'What Retry-After says (5), or by how much of the sandbox’s time a delivery is delayed (60).',
    }),
  ),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'It is over after so many.' })),
}
const Rule = Type.Object(rule, { $id: 'FaultRule' })
const Standing = Type.Object(
  { id: Type.String(), hits: Type.Integer({ description: 'How often it came about.' }), ...rule },
  { $id: 'Fault' },
)

/** Faults: things that go wrong because somebody wants to see what their client does then. */
export function faultRoutes({ faults }: SandboxParts): AnyRoute[] {
  const shared = { ...sandboxOnly, reads: 'free' } as const
  return [
    route({
      ...shared,
      method: 'GET',
      url,
      operation: 'listFaults',
      summary: 'List the faults of the sandbox and how often each came about',
      watches: true,
      success: { 200: Type.Object({ faults: Type.Array(Standing) }) },
      handle: async () => ({ faults: faults.list() }),
    }),
    route({
      ...shared,
      method: 'POST',
      url,
      operation: 'addFault',
      summary: 'Make requests or deliveries go wrong',
      body: Rule,
      success: { 201: Standing },
      async handle({ body }) {
        if (faults.list().length >= FAULTS_MAX)
          throw refused('FAULT_LIMIT_EXCEEDED', `There are ${FAULTS_MAX} faults already; remove one first.`)
        const ofDelivery = deliveryFaults.some((known) => known === body.fault)
        for (const name of ofDelivery
          ? (['operation', 'method', 'path', 'client_id'] as const)
          : (['event_type', 'url'] as const))
          if (body[name] !== undefined)
            throw invalid(
              `/${name}`,
              `This says which ${ofDelivery ? 'requests' : 'deliveries'} go wrong, and ${body.fault} is a fault of ${ofDelivery ? 'deliveries' : 'requests'}.`,
            )
        return faults.add(body)
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      url,
      operation: 'clearFaults',
      summary: 'Remove all faults',
      success: { 204: null },
      handle: async () => faults.clear(),
    }),
    route({
      ...shared,
      method: 'DELETE',
      url: `${url}/:id`,
      operation: 'removeFault',
      summary: 'Remove a fault',
      params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
      success: { 204: null },
      async handle({ params }) {
        if (!faults.remove(params.id)) throw notFound(`Fault ${params.id}`)
      },
    }),
  ]
}
