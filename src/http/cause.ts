import type { FastifyRequest } from 'fastify'
import type { Caller } from '../kernel/caller.ts'
import type { RequestCause } from '../kernel/cause.ts'
import type { AnyRoute } from './route.ts'

/** Enough for an address of version 6 with its zone. What a proxy makes up may be longer. */
const ADDRESS_LENGTH_MAX = 64
const RESOURCE_LENGTH_MAX = 255

/** The parts of a request from which its cause is made. */
type Arrived = Pick<FastifyRequest, 'id' | 'ip' | 'params'> & { readonly caller?: Caller | undefined }

/** A request as the cause of what it changes. */
export function causeOf(
  { operation, stranger }: AnyRoute,
  { id, ip, caller, params }: Arrived,
  requestId?: string,
): RequestCause {
  const cause = { kind: 'request', id, operation, address: ip.slice(0, ADDRESS_LENGTH_MAX) } as const
  if (!caller) return { ...cause, ...(stranger && { stranger }) }
  const { appId, personId, accountId, onBehalf } = caller
  const [resourceId] = Object.values(params as Readonly<Record<string, string>>)
  return {
    ...cause,
    ...(personId === undefined ? { appId } : { personId }),
    // A caller who works for the whole service acts for no account.
    ...(accountId !== '' && { accountId }),
    onBehalf,
    ...(requestId !== undefined && { requestId }),
    ...(resourceId !== undefined && { resourceId: resourceId.slice(0, RESOURCE_LENGTH_MAX) }),
  }
}
