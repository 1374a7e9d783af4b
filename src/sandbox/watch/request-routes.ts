import { pageLinks, seqOf, seqQuery } from '../../http/keyset.ts'
import { type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { sentenceOf } from '../../http/validation/unknown.ts'
import { Links } from '../../kernel/links.ts'
import { invalid, notFound } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import type { Recorder } from './recorder.ts'
import { findRequest, findRequests, type LoggedRequest, type RequestFilter, searchedUpTo } from './request-log.ts'

const url = '/sandbox/requests'
const PAGE_SIZE_DEFAULT = 50
const PAGE_SIZE_MAX = 500

const Issue = Type.Object(
  {
    issue: Type.String(),
    description: Type.String(),
    field: Type.Optional(Type.String()),
    value: Type.Optional(Type.String()),
    location: Type.Optional(Type.String()),
  },
  { $id: 'RequestIssue' },
)
const summary = {
  debug_id: Type.String({ description: 'As in the header of the answer.' }),
  time: Type.String({ description: 'By the clock of the sandbox.' }),
  real_time: Type.String(),
  method: Type.String(),
  path: Type.String({ description: 'With its query; of parameters that open something the value is left out.' }),
  operation: Type.String({ description: '`none` where the address is not known.' }),
  status: Type.Integer(),
  duration_ms: Type.Integer({ description: 'From its arrival to the end of the answer.' }),
  app_id: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String({ description: 'Whose token it was, or who asked for one.' })),
  account_id: Type.Optional(Type.String({ description: 'The account it acted for.' })),
  problem: Type.Optional(
    Type.Object({ name: Type.String(), message: Type.String(), details: Type.Array(Issue) }, { $id: 'RequestProblem' }),
  ),
  unknown_fields: Type.Optional(
    Type.Array(Type.String(), { description: 'What of it meant nothing, and what was probably meant.' }),
  ),
}
const Side = Type.Object(
  {
    headers: Type.Record(Type.String(), Type.String(), { description: 'Without secrets.' }),
    bytes: Type.Integer(),
    body: Type.Optional(
      Type.String({ description: 'The first 64 KiB, without secrets; absent where there is none or it is no text.' }),
    ),
  },
  { $id: 'RequestSide' },
)
const Summary = Type.Object(summary, { $id: 'LoggedRequest' })
const Whole = Type.Object({ ...summary, request: Side, answer: Side, links: Links }, { $id: 'LoggedRequestWithBodies' })

const TEXT =
  'Stands in the path or a body. A page looks through 3,000 requests: while there is a link to the next, older ones may match.'

const Query = Type.Object({
  status: Type.Optional(Type.String({ maxLength: 3, description: 'A status such as 422, or a class such as 4xx.' })),
  failed: Type.Optional(Type.Boolean({ description: 'Only those that were refused or failed.' })),
  operation: Type.Optional(Type.String({ maxLength: 64 })),
  app: Type.Optional(Type.String({ maxLength: 127, description: 'The id of an app or client.' })),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: TEXT })),
  ...seqQuery(PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
})

const shared = { ...sandboxOnly, method: 'GET', watches: true } as const

interface RequestLogParts {
  readonly service: Service
  readonly recorder: Recorder | undefined
}

/** What a sandbox answered: the newest ten thousand requests. */
export const requestLogRoutes = ({ service, recorder }: RequestLogParts): AnyRoute[] => [
  route({
    ...shared,
    url,
    operation: 'listSandboxRequests',
    summary: 'List the requests the sandbox answered, newest first',
    query: Query,
    reads: true,
    success: { 200: Type.Object({ requests: Type.Array(Summary), links: Links }) },
    async handle({ db, query }) {
      await recorder?.flush()
      const { page_size: size = PAGE_SIZE_DEFAULT } = query
      const before = seqOf(query.page_token)
      const read = await findRequests(db, filterOf(query), before, size + 1)
      const rows = read.slice(0, size)
      const isFull = read.length > size
      // A page of a search may end because enough requests were looked at, with older ones left that may match.
      const next = isFull ? rows.at(-1)!.number : query.text ? await searchedUpTo(db, before) : undefined
      return {
        requests: rows.map(presentRequest),
        links: pageLinks(`${service.publicUrl}${url}`, query, next?.toString()),
      }
    },
  }),
  route({
    ...shared,
    url: `${url}/:debug_id`,
    operation: 'showSandboxRequest',
    summary: 'Show a request the sandbox answered, with what was sent and answered',
    params: Type.Object({ debug_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    reads: true,
    success: { 200: Whole },
    async handle({ db, params }) {
      await recorder?.flush()
      const found = await findRequest(db, params.debug_id)
      if (!found) throw notFound(`Request ${params.debug_id}`)
      const { request, answer } = found.details
      const self = { href: `${service.publicUrl}${url}/${found.debug_id}`, rel: 'self', method: 'GET' }
      return {
        ...presentRequest(found),
        request: { ...request, ...(found.request_body !== null && { body: found.request_body }) },
        answer: { ...answer, ...(found.answer_body !== null && { body: found.answer_body }) },
        links: [self],
      }
    },
  }),
]

function filterOf({ status, failed, operation, app, text }: Static<typeof Query>): RequestFilter {
  const [from, to] = statusRange(status)
  const least = failed ? Math.max(from ?? 0, 400) : from
  return { statusFrom: least, statusTo: failed === false ? Math.min(to ?? 399, 399) : to, operation, app, text }
}

function statusRange(status: string | undefined): [from?: number, to?: number] {
  if (status === undefined) return []
  if (/^[1-5]xx$/i.test(status)) return [Number(status[0]) * 100, Number(status[0]) * 100 + 99]
  if (/^[1-5]\d\d$/.test(status)) return [Number(status), Number(status)]
  throw invalid('status', 'Send a status such as 422, or a class such as 4xx.', 'INVALID_PARAMETER_SYNTAX')
}

/** Leaves out what is not known of a request. */
export const presentRequest = ({ details, ...row }: LoggedRequest) => ({
  debug_id: row.debug_id,
  time: row.create_time,
  real_time: row.real_time,
  method: row.method,
  path: row.path,
  operation: row.operation,
  status: row.status,
  duration_ms: details.ms,
  ...(row.app_id !== null && { app_id: row.app_id }),
  ...(row.client_id !== null && { client_id: row.client_id }),
  ...(row.account_id !== null && { account_id: row.account_id }),
  ...(details.problem && { problem: details.problem }),
  ...(details.unknowns && { unknown_fields: details.unknowns.map(sentenceOf) }),
})
