import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../../kernel/clock.ts'
import { maskedHeaders, maskedPath, maskedText } from './masked.ts'

/** How much of a body is kept. */
const BODY_LENGTH_MAX = 65_536
const PATH_LENGTH_MAX = 2_048
/** Roughly what a request holds in memory besides its bodies. */
const OTHER_BYTES = 4_096

/** A request that was answered, as it is held until it is written. What must not be kept is removed when it is written. */
export type AnsweredRequest = ReturnType<typeof answeredRequest>

export const answeredRequest = (request: FastifyRequest, reply: FastifyReply, now: Instant, realTime: Instant) => ({
  id: request.id,
  method: request.method,
  url: request.url,
  headers: request.headers,
  operation: request.operation?.route.operation ?? 'none',
  caller: request.caller,
  sent: request.sent,
  problem: request.problem,
  unknowns: request.unknowns,
  status: reply.statusCode,
  answered: request.answered,
  answerHeaders: reply.getHeaders(),
  ms: reply.elapsedTime,
  now,
  realTime,
  bytes: (request.sent?.length ?? 0) + (request.answered?.length ?? 0) + OTHER_BYTES,
  letGo: undefined as { readonly sent: number; readonly answered: number } | undefined,
})

/** Drops what was sent and answered, and keeps only how much it was. */
export function withoutBodies(answered: AnsweredRequest): void {
  if (answered.letGo) return
  answered.letGo = { sent: answered.sent?.length ?? 0, answered: bytesOf(answered.answered) }
  answered.sent = undefined
  answered.answered = undefined
  answered.bytes = 0
}

const bytesOf = (body: Buffer | string | undefined) => (body === undefined ? 0 : Buffer.byteLength(body))

/** Looking at a sandbox does not count as something that happens in it. */
export const isKept = ({ operation }: FastifyRequest): boolean => !operation?.route.always && !operation?.route.watches

/** Whose call it is: that of the client whose token it has, or else of the name with which a token was asked for. */
export const clientOf = ({ caller, headers }: Pick<AnsweredRequest, 'caller' | 'headers'>): string | undefined =>
  caller?.clientId ?? basicUser(headers.authorization)

function basicUser(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic ([\w+/=-]{1,400})$/i.exec(authorization ?? '') ?? []
  return encoded && Buffer.from(encoded, 'base64').toString().split(':', 1)[0]!.slice(0, 127)
}

/** As a row of the request log, without secrets. */
export function rowOf(answered: AnsweredRequest) {
  const { caller, sent, problem, unknowns, headers, answerHeaders, status, letGo } = answered
  return {
    debug_id: answered.id,
    account_id: caller?.accountId ?? null,
    app_id: caller?.appId ?? null,
    client_id: clientOf(answered) ?? null,
    operation: answered.operation,
    method: answered.method,
    path: shownPath(answered.url),
    status,
    request_body: textOf(sent, headers['content-type']),
    answer_body: textOf(answered.answered, answerHeaders['content-type']),
    details: {
      ms: Math.round(answered.ms),
      request: {
        headers: maskedHeaders(headers),
        bytes: Number(headers['content-length'] ?? sent?.length ?? letGo?.sent ?? 0),
      },
      answer: {
        headers: maskedHeaders(answerHeaders),
        bytes: letGo?.answered ?? bytesOf(answered.answered),
      },
      ...(problem &&
        status >= 400 && { problem: { name: problem.name, message: problem.message, details: problem.details } }),
      ...(unknowns && { unknowns }),
    },
    create_time: answered.now,
    real_time: answered.realTime,
  }
}

export const shownPath = (url: string): string => maskedPath(url.slice(0, PATH_LENGTH_MAX))

const isText = (type: string) => /json|^text\/|urlencoded|xml/.test(type)

/** A body as text; null when there is none, or when it is no text. */
function textOf(body: Buffer | string | undefined, type: unknown): string | null {
  if (body === undefined || body.length === 0 || !isText(String(type ?? 'text/plain'))) return null
  const kept = typeof body === 'string' ? body.slice(0, BODY_LENGTH_MAX) : body.toString('utf8', 0, BODY_LENGTH_MAX)
  // A character that the cut would split is left out.
  return body.length > BODY_LENGTH_MAX ? `${maskedText(kept).replace(/\ufffd+$/, '')}…` : maskedText(kept)
}

/** JSON in a form that the database takes: without zeros and without halves of characters. Only these are escaped in this way. */
export const storable = (json: string): string =>
  json.includes('\\u') ? json.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\ufffd') : json
