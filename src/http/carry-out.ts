import type { FastifyRequest } from 'fastify'
import type { Constraints } from '../database/errors.ts'
import type { Reader, Transact, TransactFor, Tx } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { letOthersIn } from '../kernel/working.ts'
import type { Service } from '../room.ts'
import { causeOf } from './cause.ts'
import { keyedRequest, makeAnswerBox, requestHash, requestKey, UnderWay } from './idempotency.ts'
import type { Condition } from './inner.ts'
import { networkOf } from './limits/rate-limit.ts'
import { countStored } from './limits/stored-bytes.ts'
import { makeOnce, type Work } from './once.ts'
import { type Rendered, render } from './render.ts'
import {
  type AnyRoute,
  type FreeRoute,
  type ReadRoute,
  type Request,
  takesRequestId,
  type WriteRoute,
} from './route.ts'

/** What operations need to do their work. */
export interface WorkParts {
  readonly service: Service
  readonly db: Reader
  /** Where lists, searches, pages and reports read. Absent if there is no replica. */
  readonly replica?: Reader
  readonly transactFor: TransactFor
  readonly clock: Clock
  readonly constraints: Constraints
  /** A condition that must still hold when the call of this caller is committed. */
  conditionOf?(caller: Caller): Condition | undefined
}

/** Does what a request asks for, once it was found to be in order. */
export type CarryOut = (request: FastifyRequest, checked: Request) => Promise<Rendered>

/** What the operations of one service share, so that a repeated request takes effect once. */
export const repeatsOf = ({ settings }: Service) => ({
  underWay: new UnderWay(),
  answers: makeAnswerBox(settings.secrets!),
})

/** Work on a body longer than this takes milliseconds. It is done in parts, so that others get their turn in between. */
const LONG_BYTES = 16_384
export const isLong = (body: Buffer | undefined): boolean => body !== undefined && body.length > LONG_BYTES

/** How an operation does its work: it reads, it is one unit of work, or it opens units of work itself. */
export function carryOutOf(route: AnyRoute, parts: WorkParts, repeats: ReturnType<typeof repeatsOf>): CarryOut {
  if (route.reads === true) return reading(route, parts)
  return route.reads === 'free' ? workingFreely(route, parts) : changing(route, parts, repeats)
}

const usualStatusOf = ({ success }: AnyRoute): number => Number(Object.keys(success)[0])

const readerFor = ({ fromReplica }: AnyRoute, { db, replica }: WorkParts): Reader =>
  (fromReplica ? replica : undefined) ?? db

/** Counts the bytes of a request towards what its sender may store within a time. */
function countSent(tx: Tx, { settings }: Service, accountId: string | undefined, sent: Request): Promise<void> {
  const bytes = sent.files.reduce((sum, file) => sum + file.bytes.length, sent.raw?.length ?? 0)
  return countStored(tx, settings, { accountId, network: networkOf(sent.address) }, bytes)
}

function reading(route: ReadRoute, parts: WorkParts): CarryOut {
  const { clock } = parts
  const db = readerFor(route, parts)
  const usualStatus = usualStatusOf(route)
  return async (_request, checked) => render(await route.handle({ ...checked, db, now: clock.now() }), usualStatus)
}

/** The operation opens units of work itself; the first of them counts what was sent. */
function workingFreely(route: FreeRoute, parts: WorkParts): CarryOut {
  const { service, transactFor } = parts
  const db = readerFor(route, parts)
  const replica = route.fromReplica ? parts.replica : undefined
  const usualStatus = usualStatusOf(route)

  return async ({ id, ip, params, caller }, checked) => {
    let isCounted = false
    const transactAs = (known?: Caller): Transact => {
      const transact = readingFrom(replica, transactFor(causeOf(route, { id, ip, params, caller: known })))
      return (work, options) => {
        if (isCounted) return transact(work, options)
        isCounted = true
        return transact(async (tx) => {
          await countSent(tx, service, known?.accountId, checked)
          return work(tx)
        }, options)
      }
    }
    return render(await route.handle({ ...checked, db, transact: transactAs(caller), transactAs }), usualStatus)
  }
}

/** Units of work that read what they need from a replica, if there is one. */
const readingFrom = (replica: Reader | undefined, transact: Transact): Transact =>
  replica ? (work, options) => transact(work, { ...options, reader: replica }) : transact

/** Runs one unit of work. Under a request id it takes effect once, however often the request is sent. */
function changing(route: WriteRoute, parts: WorkParts, { underWay, answers }: ReturnType<typeof repeatsOf>): CarryOut {
  const { service, transactFor } = parts
  const { locks = false, operation, replayHours: hours } = route
  const usualStatus = usualStatusOf(route)
  const once = makeOnce(route, parts, answers)

  return async (request, checked) => {
    const { caller, body, files } = checked
    const key = takesRequestId(route) ? requestKey(request.headers) : undefined
    const transact = transactFor(causeOf(route, request, key))
    const work: Work = async (tx) => {
      await countSent(tx, service, request.caller?.accountId, checked)
      const result = await route.handle({ ...checked, tx })
      // Read after what the commit guards, so what it finds is what the commit replaces.
      await parts.conditionOf?.(caller)?.(tx)
      if (isLong(checked.raw)) await letOthersIn()
      return render(result, usualStatus)
    }
    if (key === undefined) return transact(work, { locks })
    const hash = requestHash(request.url, body, files)
    const keyed = keyedRequest(caller, { operation, url: request.url, key, hash, hours })
    return underWay.run(keyed, () => once(request, keyed, work, { transact, locks }))
  }
}
