import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { malformed, Problem } from '../../kernel/problem.ts'
import { sizeInWords } from '../../kernel/size.ts'
import type { TSchema } from '../../kernel/type.ts'
import type { AnyRoute } from '../route.ts'
import { withOthers } from '../validation/issues.ts'
import { readerOf } from '../validation/reader.ts'
import { type Unknown, unknownsFinder } from '../validation/unknown.ts'
import { makeValidator } from '../validation/validator.ts'
import { collect } from './collect.ts'
import { parseForm } from './form.ts'
import { parseJson } from './json.ts'
import { jsonLimits } from './json-scan.ts'
import { isInUtf8, parseMediaType, unsupported } from './media-type.ts'
import { fieldsOf, multipartLimits, readMultipart, refuseUnread, type UploadedFile } from './multipart.ts'
import type { Take } from './upload-budget.ts'

/** A body as it was sent: its bytes, or the stream of one that is multipart. */
export interface SentBody {
  /** Undefined if there is no body, or if it is multipart. */
  readonly bytes: Buffer | undefined
  readonly stream: Readable | undefined
  /** Its bytes as JSON, read once however often it is asked for. */
  json(): unknown
}

/** What became of a body: its value and files, or the reason why it cannot be used. */
export interface ReadBody {
  readonly value: unknown
  readonly files: readonly UploadedFile[]
  readonly problem?: Problem
  /** Looks for parts that have no meaning here. */
  unknowns?(): Unknown[]
}

const FORM = 'application/x-www-form-urlencoded'

/** The kinds of body that an operation takes. The body of a change may also call itself a JSON patch. */
export const takenBy = ({ method, accepts = ['application/json'] }: AnyRoute): readonly string[] =>
  method === 'PATCH' && accepts.includes('application/json') ? [...accepts, 'application/json-patch+json'] : accepts

const isMultipart = (type: string | undefined) => /^multipart\/(form-data|mixed|related)$/.test(type ?? '')

const typeOf = (headers: IncomingHttpHeaders) => parseMediaType(headers['content-type'])?.type

/**
 * The limits for forms. A file that is too large is refused by what the form asks for, so that the page can say so beside
 * all that was typed. Each field is a part: an invoice of a hundred lines has four hundred.
 */
const formLimits = { ...multipartLimits, fileBytes: Number.POSITIVE_INFINITY, parts: 600 }

/**
 * The limit for a body that anybody may send: there can be as many of these as there are connections. A sandbox belongs to
 * its developer, so it has no such limit.
 */
const PUBLIC_BYTES_MAX = 65_536

const tooLarge = (bytesMax: number) =>
  new Problem(413, 'PAYLOAD_TOO_LARGE', [
    {
      issue: 'PAYLOAD_TOO_LARGE',
      location: 'body',
      description: `A body without files may have at most ${sizeInWords(bytesMax)}.`,
    },
  ])

/** Collects the bytes of a body, unless it is multipart, which an operation reads when it knows that it takes it. */
export function receiveBody(
  headers: IncomingHttpHeaders,
  body: unknown,
  route: Pick<AnyRoute, 'scopes' | 'environment'>,
): SentBody | Promise<SentBody> {
  if (!(body instanceof Readable)) return noBody
  if (isMultipart(typeOf(headers))) return { ...noBody, stream: body }
  return collected(headers, body, route)
}

const noBody: SentBody = { bytes: undefined, stream: undefined, json: () => undefined }

async function collected(
  headers: IncomingHttpHeaders,
  stream: Readable,
  { scopes, environment }: Pick<AnyRoute, 'scopes' | 'environment'>,
): Promise<SentBody> {
  const declared = headers['content-length']
  const bytesMax = scopes === 'public' && environment !== 'sandbox' ? PUBLIC_BYTES_MAX : jsonLimits.bytes
  const bytes = await collect(stream, { bytesMax, declared, tooLarge: () => tooLarge(bytesMax) })
  let parsed: { readonly value: unknown } | undefined
  return {
    bytes,
    stream: undefined,
    json() {
      parsed ??= { value: parseJson(bytes) }
      return parsed.value
    },
  }
}

/** How a route's body is read: leniently as to its form, and then checked. */
export function bodyReader(route: AnyRoute, alsoKnown: () => readonly TSchema[] = () => []) {
  const { bodyOptional = false, fileParts } = route
  const schema = route.body!
  const takes = takenBy(route)
  const prepare = route.prepare ?? readerOf(schema)
  const check = makeValidator(schema, 'body')
  const findUnknowns = unknownsFinder(() => [schema, ...alsoKnown()], route.alsoKnown)
  const isList = (schema as { type?: string }).type === 'array'

  /** Refuses what the operation does not take, before any of it is looked at. */
  function requireMediaType(headers: IncomingHttpHeaders, { bytes, stream }: SentBody): void {
    const media = parseMediaType(headers['content-type'])
    const type = media?.type
    const isEmpty = stream === undefined && (bytes === undefined || bytes.length === 0)
    // If no token is needed, a form on any web page could call. The content type stops it, which a form has even if it is empty.
    const isTypeless = headers['content-type'] === undefined
    if (isEmpty && (isTypeless || (bodyOptional && route.scopes !== 'public'))) return
    // Some old clients send a form without a content type to the token operations.
    if (type === undefined && takes.includes(FORM)) return
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() !== 'identity') throw unsupported('Send the body without a Content-Encoding.')
    if (!media || !takes.some((taken) => (taken === 'multipart' ? isMultipart(type) : taken === type)))
      throw unsupported(`Send ${takes.join(' or ')}.`)
    if (!isInUtf8(media, bytes))
      throw unsupported(`Send the body in UTF-8; it says that it is ${media.parameters['charset']}.`)
  }

  /** Reads and checks the body. Problems are returned, because other refusals may come first. */
  async function read(headers: IncomingHttpHeaders, sent: SentBody, take: Take): Promise<ReadBody> {
    try {
      const { value: given, files } = await parse(headers, sent, take)
      const understood = meant(given)
      const value = prepare(understood)
      const issues = check(value)
      return {
        value,
        files,
        unknowns: () => findUnknowns(understood),
        ...(issues.length > 0 && { problem: malformed(...withOthers(value, issues, route.alsoWrong)) }),
      }
    } catch (error) {
      if (error instanceof Problem) return { value: undefined, files: [], problem: error }
      throw error
    }
  }

  async function parse(headers: IncomingHttpHeaders, { bytes, stream, json }: SentBody, take: Take) {
    if (stream) {
      const declared = headers['content-length']
      // A form of ours has fields. Any other multipart body carries JSON.
      const isForm = takes.includes(FORM)
      const limits = isForm ? formLimits : multipartLimits
      const parts = await readMultipart(stream, headers['content-type']!, { limits, fileParts, declared, take })
      if (isForm) return { value: fieldsOf(parts.rest), files: parts.files }
      refuseUnread(parts.rest)
      return { value: parts.json, files: parts.files }
    }
    if (takes.includes(FORM)) return { value: parseForm(bytes ?? Buffer.alloc(0)), files: [] }
    if (bytes !== undefined && bytes.length > 0) return { value: json(), files: [] }
    if (bodyOptional) return { value: {}, files: [] }
    throw malformed({ issue: 'MISSING_OR_INVALID_REQUEST_BODY', description: 'This operation needs a JSON body.' })
  }

  /** What a client means if it writes the whole body in another way than the contract. */
  function meant(given: unknown): unknown {
    if (given === null && bodyOptional) return {}
    const isArray = Array.isArray(given)
    if (!isList) return isArray && given.length === 0 ? {} : given
    const isOneEntry = route.method === 'PATCH' && typeof given === 'object' && given !== null && !isArray
    return isOneEntry ? [given] : given
  }

  return { requireMediaType, read }
}
