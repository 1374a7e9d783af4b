import { isUtf8 } from 'node:buffer'
import { type MediaType, parseMediaType, parseParameters } from './media-type.ts'

/** One part of a multipart body, its content decoded. */
export interface Part {
  readonly name: string | undefined
  /** The file name that either header gives. It may be empty. */
  readonly fileName: string | undefined
  readonly isAttachment: boolean
  /** Undefined if the part does not say. */
  readonly contentType: MediaType | undefined
  readonly bytes: Buffer
}

/** The limits of a multipart body. */
export interface MultipartLimits {
  /** All of the body, with headers and delimiters. */
  readonly bodyBytes: number
  /** All files of one request together. */
  readonly totalFileBytes: number
  /** A file must be smaller than this. */
  readonly fileBytes: number
  /** The part that holds the JSON. */
  readonly jsonBytes: number
  /** A field of a form. */
  readonly fieldBytes: number
  /** All fields of a form together, with their names. */
  readonly fieldsBytes: number
  readonly parts: number
  readonly files: number
  readonly headersPerPart: number
  readonly headerBytesPerPart: number
}

type Refuse = (description: string) => Error

const carriageReturn = 0x0d
const lineFeed = 0x0a
const dash = 0x2d
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09

/**
 * Takes a whole multipart body apart (RFC 2046). Text before the first delimiter and after the last is ignored; a body
 * that does not end with the closing delimiter was cut short and is refused.
 */
export function splitParts(body: Buffer, boundary: string, limits: MultipartLimits, refuse: Refuse): Part[] {
  const parts: Part[] = []
  let delimiter = findDelimiter(body, boundary, 0, refuse)
  if (delimiter === undefined) throw refuse('The boundary that the Content-Type names does not occur in the body.')
  while (!delimiter.closes) {
    const next = findDelimiter(body, boundary, delimiter.after, refuse)
    if (next === undefined) throw refuse('The body stops before the closing delimiter.')
    if (parts.length === limits.parts) throw refuse(`A body may have at most ${limits.parts} parts.`)
    parts.push(readPart(body.subarray(delimiter.after, next.start), limits, refuse))
    delimiter = next
  }
  return parts
}

interface Delimiter {
  /** Where the part before it ends: the line break before a delimiter belongs to the delimiter. */
  readonly start: number
  readonly after: number
  readonly closes: boolean
}

/** The next line that is a delimiter, at or after `from`, which is the start of a line. */
function findDelimiter(body: Buffer, boundary: string, from: number, refuse: Refuse): Delimiter | undefined {
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  for (let found = body.indexOf(mark, from); found !== -1; found = body.indexOf(mark, found + mark.length)) {
    if (found !== from && body[found - 1] !== lineFeed) continue
    const breakLength = found === from ? 0 : body[found - 2] === carriageReturn ? 2 : 1
    const start = Math.max(from, found - breakLength)
    let after = found + mark.length
    const closes = body[after] === dash && body[after + 1] === dash
    if (closes) return { start, after: after + 2, closes }
    while (isBlank(body[after])) after++
    if (body[after] === carriageReturn && body[after + 1] === lineFeed) return { start, after: after + 2, closes }
    if (body[after] === lineFeed) return { start, after: after + 1, closes }
    if (after >= body.length) throw refuse('The body stops before the closing delimiter.')
    // A longer boundary that only starts like ours, for example of a multipart inside a part.
  }
  return undefined
}

function readPart(part: Buffer, limits: MultipartLimits, refuse: Refuse): Part {
  const { headers, content } = splitHeaders(part, limits, refuse)
  const disposition = headers.get('content-disposition')
  const names = disposition === undefined ? undefined : readDisposition(disposition, refuse)
  const declared = headers.get('content-type')
  const contentType = parseMediaType(declared)
  if (declared !== undefined && contentType === undefined) {
    throw refuse('A part has a Content-Type that cannot be read.')
  }
  if (contentType?.type.startsWith('multipart/')) throw refuse('A multipart inside a multipart is not accepted.')
  // Mail programs, and libraries made for mail, put the name of a file into the Content-Type.
  const nameInType = contentType?.parameters['name']
  return {
    name: names?.name,
    fileName: names?.fileName ?? (nameInType === undefined ? undefined : withoutPath(nameInType)),
    isAttachment: names?.isAttachment ?? false,
    contentType,
    bytes: decodeContent(content, headers.get('content-transfer-encoding'), refuse),
  }
}

function splitHeaders(part: Buffer, limits: MultipartLimits, refuse: Refuse) {
  const headers = new Map<string, string>()
  let position = 0
  for (;;) {
    // The part ends right after its headers, without an empty line: the line break before the delimiter took its place.
    if (position === part.length && position > 0) return { headers, content: part.subarray(position) }
    const end = part.indexOf(lineFeed, position)
    if (end === -1 || end >= limits.headerBytesPerPart) {
      throw refuse(`A part needs its headers, at most ${limits.headerBytesPerPart} bytes, and then an empty line.`)
    }
    const line = part.subarray(position, part[end - 1] === carriageReturn && end > position ? end - 1 : end)
    position = end + 1
    if (line.length === 0) return { headers, content: part.subarray(position) }
    if (headers.size === limits.headersPerPart) {
      throw refuse(`A part may have at most ${limits.headersPerPart} headers.`)
    }
    if (!isUtf8(line) || line.includes(0) || line.includes(carriageReturn)) {
      throw refuse('The header of a part must be UTF-8 text without control characters.')
    }
    const match = /^([!#$%&'*+.^_`|~0-9a-z-]+):(.*)$/i.exec(line.toString('utf8'))
    if (match === null) throw refuse('A part has a header line that is not of the form "Name: value".')
    const name = match[1]!.toLowerCase()
    if (headers.has(name)) throw refuse(`A part has the header ${name} twice.`)
    headers.set(name, match[2]!.trim())
  }
}

function readDisposition(header: string, refuse: Refuse) {
  const kind = /^[a-z-]+/i.exec(header)
  const parameters = kind === null ? undefined : parseParameters(browserQuotes(header), kind[0].length)
  if (parameters === undefined) throw refuse('A part has a Content-Disposition that cannot be read.')
  const read = (name: string): string | undefined => {
    const extended = parameters[`${name}*`]
    const value = extended === undefined ? parameters[name] : decodeExtended(extended, refuse)
    if (value?.includes('\0')) throw refuse('NUL characters are not accepted in names.')
    return value
  }
  const filename = read('filename')
  return {
    name: read('name'),
    fileName: filename === undefined ? undefined : withoutPath(filename),
    isAttachment: kind?.[0].toLowerCase() === 'attachment',
  }
}

/** Some browsers leave a backslash in a file name as it is, which is no escape there: `filename="C:\papers\a.pdf"`. */
const browserQuotes = (header: string): string => header.replace(/\\(?!["\\])/g, '\\\\')

const withoutPath = (name: string): string => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)

/** RFC 8187: `UTF-8''na%C3%AFve.pdf`. */
function decodeExtended(value: string, refuse: Refuse): string {
  const match = /^(utf-8|iso-8859-1)'[a-z0-9-]*'((?:%[0-9a-f]{2}|[!#$&+.^_`|~0-9a-z-])*)$/i.exec(value)
  if (match === null) throw refuse("An extended name is of the form UTF-8''name, percent-encoded.")
  if (match[1]!.toLowerCase() === 'iso-8859-1') return unescapeBytes(match[2]!).toString('latin1')
  const bytes = unescapeBytes(match[2]!)
  if (!isUtf8(bytes)) throw refuse('An extended name is not valid UTF-8.')
  return bytes.toString('utf8')
}

const unescapeBytes = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

function decodeContent(content: Buffer, encoding: string | undefined, refuse: Refuse): Buffer {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return content
    case 'base64':
      return decodeBase64(content, refuse)
    case 'quoted-printable':
      return decodeQuotedPrintable(content, refuse)
    default:
      throw refuse('The Content-Transfer-Encoding of a part is binary, 8bit, 7bit, base64 or quoted-printable.')
  }
}

function decodeBase64(content: Buffer, refuse: Refuse): Buffer {
  const text = content.toString('latin1').replace(/[\r\n\t ]+/g, '')
  if (text.length % 4 !== 0 || !/^[0-9A-Za-z+/]*={0,2}$/.test(text)) {
    throw refuse('A part says it is base64 but is not.')
  }
  return Buffer.from(text, 'base64')
}

function decodeQuotedPrintable(content: Buffer, refuse: Refuse): Buffer {
  const text = content.toString('latin1').replace(/=[ \t]*\r?\n/g, '')
  if (/=(?![0-9A-Fa-f]{2})/.test(text)) throw refuse('A part says it is quoted-printable but is not.')
  return Buffer.from(
    text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
