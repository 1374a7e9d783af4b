import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { breaches, malformed, Problem } from '../../kernel/problem.ts'
import { sizeInWords } from '../../kernel/size.ts'
import { collect } from './collect.ts'
import { parseJson } from './json.ts'
import { jsonLimits } from './json-scan.ts'
import { isInUtf8, isJson, type MediaType, parseMediaType, unsupported } from './media-type.ts'
import { type MultipartLimits, type Part, splitParts } from './multipart-parts.ts'
import type { Take } from './upload-budget.ts'

/** A file of a multipart request, received whole and within the limits. Its name is the client's: never a path. */
export interface UploadedFile {
  readonly partName: string
  /** Empty where the client gave none. */
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

const kibi = 1024
const mebi = 1024 * kibi

/** The contract's limits for documents: each smaller than 10 MiB, 50 MiB together, 100 to one evidence. */
export const multipartLimits: MultipartLimits = {
  bodyBytes: 52 * mebi,
  totalFileBytes: 50 * mebi,
  fileBytes: 10 * mebi,
  jsonBytes: jsonLimits.bytes,
  fieldBytes: 64 * kibi,
  // As much as what a form stands for may have. A page may draw all of it again, where letters take several times the room.
  fieldsBytes: jsonLimits.bytes,
  parts: 130,
  files: 100,
  headersPerPart: 20,
  headerBytesPerPart: 8 * kibi,
}

export interface MultipartOptions {
  readonly limits?: MultipartLimits
  /** Names of parts that are documents even if nothing else says so. A number may follow the name. */
  readonly fileParts?: readonly string[] | undefined
  /** The Content-Length of the request. */
  readonly declared?: string | undefined
  readonly take?: Take
}

/** What a multipart request carries. `json` is `{}` when no part holds JSON. */
export interface MultipartBody {
  readonly json: unknown
  readonly files: UploadedFile[]
  /** Parts that are neither JSON nor files: fields of a form, or parts for which an operation that takes JSON has no use. */
  readonly rest: readonly Part[]
}

const refusal = (description: string) =>
  malformed({ issue: 'MISSING_OR_INVALID_REQUEST_BODY', location: 'body', description })

const payloadTooLarge = (description: string) =>
  new Problem(413, 'PAYLOAD_TOO_LARGE', [{ issue: 'PAYLOAD_TOO_LARGE', location: 'body', description }])

const tooLarge = (part: Part, bytesMax: number) =>
  payloadTooLarge(`${described(part)} is larger than ${sizeInWords(bytesMax)}, the most it may have.`)

const tooManyBytes = ({ totalFileBytes }: MultipartLimits) =>
  breaches('INVALID_EVIDENCE_FILE', `All files of a request together may have at most ${sizeInWords(totalFileBytes)}.`)

/**
 * Reads `multipart/form-data`, `multipart/mixed` or `multipart/related` to its end. The JSON is the part named `input`,
 * whatever else it carries, or else the first with a JSON type. A document is a part with a file name or a name of
 * `fileParts`, an attachment, and whatever says that it is neither text nor JSON.
 */
export async function readMultipart(
  stream: Readable,
  contentType: string,
  { limits = multipartLimits, fileParts = [], declared, take = () => {} }: MultipartOptions = {},
): Promise<MultipartBody> {
  const boundary = boundaryOf(parseMediaType(contentType))
  const body = await collect(stream, {
    bytesMax: limits.bodyBytes,
    declared,
    take,
    tooLarge: () => tooManyBytes(limits),
  })
  const parts = splitParts(body, boundary, limits, refusal).filter((part) => !isEmptyChoice(part))

  const names = new Set(fileParts)
  // Without the look behind, each digit of a long row would be tried as the first of those at the end.
  const isNamedFile = ({ name = '' }: Part) => names.has(name.replace(/(?<!\d)\d+$/, ''))
  const inputs = parts.filter(({ name }) => name === 'input')
  if (inputs.length > 1) throw refusal('Two parts are named "input"; send one JSON object.')
  const input = inputs[0] ?? parts.find((part) => !isNamedFile(part) && isJson(typeOf(part)))
  const others = parts.filter((part) => part !== input)
  const isDocument = (part: Part) => isNamedFile(part) || looksLikeFile(part)
  return {
    json: input === undefined ? {} : parseJson(textOf(input, limits.jsonBytes)),
    files: readFiles(others.filter(isDocument), limits),
    rest: others.filter((part) => !isDocument(part)),
  }
}

const typeOf = ({ contentType }: Part): string => contentType?.type ?? 'text/plain'

const looksLikeFile = (part: Part): boolean =>
  part.fileName !== undefined || part.isAttachment || !/^text\/|json$/.test(typeOf(part))

/** Whether this is what a browser sends for a file field in which nobody chose a file. */
const isEmptyChoice = (part: Part): boolean => part.fileName === '' && part.bytes.length === 0

/** Refuses parts that an operation does not use, because a client that sends them expects them to be read. */
export function refuseUnread([part]: readonly Part[]): void {
  if (part === undefined) return
  throw refusal(
    `${described(part)} is not read here. Send the JSON in one part named "input", and each document in a part with a file name.`,
  )
}

/** The fields of a form by name. If a name is there more than once, the last one counts. */
export function fieldsOf(
  parts: readonly Part[],
  { fieldBytes, fieldsBytes } = multipartLimits,
): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  let total = 0
  for (const part of parts) {
    if (part.name === undefined) continue
    if (part.name === '__proto__') throw refusal('A part may not be called "__proto__".')
    const bytes = textOf(part, fieldBytes)
    total += part.name.length + bytes.length
    if (total > fieldsBytes)
      throw payloadTooLarge(`All fields of a form together may have at most ${sizeInWords(fieldsBytes)}.`)
    if (!isUtf8(bytes)) throw refusal(`${described(part)} is not valid UTF-8.`)
    fields[part.name] = bytes.toString('utf8')
  }
  return fields
}

function boundaryOf(contentType: MediaType | undefined): string {
  const boundary = contentType?.parameters['boundary']
  if (contentType === undefined || !contentType.type.startsWith('multipart/') || boundary === undefined) {
    throw refusal('The Content-Type of a multipart body must name its boundary, once: multipart/form-data; boundary=…')
  }
  if (!/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary)) {
    throw refusal("A boundary has 1 to 70 letters, digits and '()+_,-./:=? or blanks, and does not end with a blank.")
  }
  return boundary
}

const described = ({ name }: Part): string =>
  name === undefined ? 'A part without a name' : `The part "${name.slice(0, 100)}"`

function readFiles(documents: readonly Part[], limits: MultipartLimits): UploadedFile[] {
  if (documents.length > limits.files) {
    throw breaches('INVALID_EVIDENCE_FILE', `A request may carry at most ${limits.files} files.`)
  }
  let total = 0
  for (const { bytes, fileName, name } of documents) {
    total += bytes.length
    if (bytes.length < limits.fileBytes) continue
    throw breaches(
      'INVALID_EVIDENCE_FILE',
      `The file "${fileName || name}" must be smaller than ${sizeInWords(limits.fileBytes)}.`,
    )
  }
  if (total > limits.totalFileBytes) throw tooManyBytes(limits)
  return documents.map((part) => ({
    partName: part.name ?? '',
    fileName: part.fileName ?? '',
    contentType: typeOf(part),
    bytes: part.bytes,
  }))
}

function textOf(part: Part, bytesMax: number): Buffer {
  if (part.bytes.length > bytesMax) throw tooLarge(part, bytesMax)
  const { contentType, bytes } = part
  if (contentType && !isInUtf8(contentType, bytes))
    throw unsupported(
      `${described(part)} must be in UTF-8; it says that it is ${contentType.parameters['charset']}.`,
      'body',
    )
  return bytes
}
