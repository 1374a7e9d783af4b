import type { Readable } from 'node:stream'
import { breaches, malformed, Problem } from '../../kernel/problem.ts'
import { parseJson } from './json.ts'
import { isJson, type MediaType, parseMediaType } from './media-type.ts'
import { type Part, splitParts } from './multipart-parts.ts'
import type { Take } from './upload-budget.ts'

/** A file of a multipart request, received whole and within the limits. Its name is the client's: never a path. */
export interface UploadedFile {
  readonly partName: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

/** What a multipart body may be at most. */
export interface MultipartLimits {
  /** All of the body, with headers and delimiters. */
  readonly bodyBytes: number
  /** All files of one request together. */
  readonly totalFileBytes: number
  /** A file must be smaller than this. */
  readonly fileBytes: number
  /** A part that is no file, the JSON object included. */
  readonly fieldBytes: number
  readonly parts: number
  readonly files: number
  readonly headersPerPart: number
  readonly headerBytesPerPart: number
}

const kibi = 1024
const mebi = 1024 * kibi

/** The contract's limits for documents: each smaller than 10 MiB, 50 MiB together, 100 to one evidence. */
export const multipartLimits: MultipartLimits = {
  bodyBytes: 51 * mebi,
  totalFileBytes: 50 * mebi,
  fileBytes: 10 * mebi,
  fieldBytes: 64 * kibi,
  parts: 130,
  files: 100,
  headersPerPart: 20,
  headerBytesPerPart: 8 * kibi,
}

/** What a multipart request carries. `json` is `{}` when no part holds JSON. */
export interface MultipartBody {
  readonly json: unknown
  readonly files: UploadedFile[]
  /** Parts that are neither files nor the JSON object, by name; of equal names the last. */
  readonly fields: Readonly<Record<string, string>>
}

const refusal = (description: string) =>
  malformed({ issue: 'MISSING_OR_INVALID_REQUEST_BODY', location: 'body', description })

/** Closes the connection: whoever sends too much is not listened to until the end. */
const tooLarge = (description: string) =>
  new Problem(413, 'PAYLOAD_TOO_LARGE', [{ issue: 'PAYLOAD_TOO_LARGE', location: 'body', description }], {
    headers: { connection: 'close' },
  })

/**
 * Reads `multipart/form-data`, `multipart/mixed` or `multipart/related` to its end. Every part with a file name is a
 * document, whatever it is called; the JSON object is the part named `input`, or else the first with a JSON type.
 * `take` is told of every byte before it is kept.
 */
export async function readMultipart(
  stream: Readable,
  contentType: string,
  limits: MultipartLimits = multipartLimits,
  take: Take = () => {},
): Promise<MultipartBody> {
  // Stays attached: a stream may fail again after it was given up, and nobody else would listen.
  stream.on('error', () => {})
  const boundary = boundaryOf(parseMediaType(contentType))
  const body = await readWhole(stream, limits.bodyBytes, take)
  const parts = splitParts(body, boundary, limits, refusal).filter((part) => !isEmptyChoice(part))

  const documents = parts.filter((part) => part.fileName !== undefined)
  const rest = parts.filter((part) => part.fileName === undefined)
  const inputs = rest.filter((part) => part.name === 'input')
  if (inputs.length > 1) throw refusal('Two parts are named "input"; send one JSON object.')
  const input = inputs[0] ?? rest.find((part) => isJson(part.contentType.type))
  for (const part of rest) {
    if (part.bytes.length <= limits.fieldBytes) continue
    throw tooLarge(
      `${described(part)} is larger than ${limits.fieldBytes} bytes, the most a part that is no file may have.`,
    )
  }

  return {
    files: readFiles(documents, limits),
    json: input === undefined ? {} : parseJson(utf8Only(input)),
    fields: readFields(rest.filter((part) => part !== input)),
  }
}

/** What a browser sends for a file field in which nobody chose a file. */
const isEmptyChoice = (part: Part): boolean => part.fileName === '' && part.bytes.length === 0

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

/** Collects the body, never more than `limit` bytes of it. A sender that goes away is a refusal, not a hang. */
function readWhole(stream: Readable, limit: number, take: Take): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (finish: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      finish()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > limit) throw tooLarge(`The body is larger than ${limit} bytes.`)
        take(chunk.length)
        chunks.push(chunk)
      } catch (problem) {
        stream.pause()
        settle(() => reject(problem))
      }
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)))
    const onClose = () => settle(() => reject(refusal('The body stopped before its end.')))
    stream.on('error', onClose)
    stream.on('data', onData).on('end', onEnd).on('close', onClose)
    if (stream.destroyed) onClose()
  })
}

const described = (part: Part): string =>
  part.name === undefined ? 'A part without a name' : `The part "${part.name}"`

function readFiles(documents: readonly Part[], limits: MultipartLimits): UploadedFile[] {
  if (documents.length > limits.files) {
    throw breaches('INVALID_EVIDENCE_FILE', `A request may carry at most ${limits.files} files.`)
  }
  let total = 0
  for (const { bytes, fileName } of documents) {
    total += bytes.length
    if (bytes.length < limits.fileBytes) continue
    throw breaches('INVALID_EVIDENCE_FILE', `The file "${fileName}" must be smaller than ${limits.fileBytes} bytes.`)
  }
  if (total > limits.totalFileBytes) {
    throw tooLarge(`All files of a request together may have at most ${limits.totalFileBytes} bytes.`)
  }
  return documents.map(({ name, fileName, contentType, bytes }) => ({
    partName: name ?? '',
    fileName: fileName!,
    contentType: contentType.type,
    bytes,
  }))
}

function readFields(parts: readonly Part[]): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  for (const part of parts) {
    if (part.name === undefined) continue
    if (part.name === '__proto__') throw refusal('A part may not be called "__proto__".')
    fields[part.name] = utf8Only(part).toString('utf8')
  }
  return fields
}

function utf8Only(part: Part): Buffer {
  const charset = (part.contentType.parameters['charset'] ?? 'utf-8').toLowerCase()
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw refusal(`${described(part)} must be written in UTF-8, not ${charset}.`)
  }
  return part.bytes
}
