import type { FastifyRequest } from 'fastify'
import type { RequestCause } from '../kernel/cause.ts'
import type { AnyRoute } from './route.ts'

/** An address of version 6 with its zone; what a proxy makes up may be longer. */
const ADDRESS_LENGTH_MAX = 64
const RESOURCE_LENGTH_MAX = 255

/** A request as the cause of what it changes. */
export function causeOf(
  { operation, stranger }: AnyRoute,
  { id, ip, caller, params }: FastifyRequest,
  requestId?: string,
): RequestCause {
  const cause = { kind: 'request', id, operation, address: ip.slice(0, ADDRESS_LENGTH_MAX) } as const
  if (!caller) return { ...cause, ...(stranger && { stranger }) }
  const { appId, accountId, onBehalf } = caller
  const [resourceId] = Object.values(params as Readonly<Record<string, string>>)
  return {
    ...cause,
    appId,
    accountId,
    onBehalf,
    ...(requestId !== undefined && { requestId }),
    ...(resourceId !== undefined && { resourceId: resourceId.slice(0, RESOURCE_LENGTH_MAX) }),
  }
}
