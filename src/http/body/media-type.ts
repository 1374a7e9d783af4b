import { isAscii } from 'node:buffer'
import { Problem } from '../../kernel/problem.ts'

/** A media type as a header names it: both in lower case, parameter values as sent. */
export interface MediaType {
  /** For example `application/json`. */
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Longer headers are not parsed. */
const maxHeaderLength = 1024

const typeForm = /^([!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*(?:;|$)/i
const parameterForm =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)=(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[^"\\\r\n\0]|\\[^\r\n\0])*)"))?[ \t]*/iy

/** Reads a Content-Type; undefined when it is not one, has a parameter twice or is unreasonably long. */
export function parseMediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined
  const text = header.trim()
  const type = typeForm.exec(text)?.[1]
  if (type === undefined) return undefined
  const parameters = parseParameters(text, type.length)
  return parameters === undefined ? undefined : { type: type.toLowerCase(), parameters }
}

/**
 * Reads `; name=value; name="value"` from `start` to the end of `text`; undefined when it is anything else. Also reads
 * what follows the first word of a Content-Disposition.
 */
export function parseParameters(text: string, start: number): Record<string, string> | undefined {
  // Without a prototype, a parameter may have any name.
  const parameters: Record<string, string> = Object.create(null)
  let position = start
  while (position < text.length) {
    parameterForm.lastIndex = position
    const match = parameterForm.exec(text)
    if (match === null) return undefined
    const [whole, name, token, quoted] = match
    position += whole.length
    if (name === undefined) continue
    if (name.toLowerCase() in parameters) return undefined
    parameters[name.toLowerCase()] = token ?? quoted!.replace(/\\(.)/g, '$1')
  }
  return parameters
}

/** True for `application/json` and for types that say they are written in JSON. */
export const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

/** Refuses with 415, and says what would be accepted. */
export const unsupported = (description: string, location: 'header' | 'body' = 'header') =>
  new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', [{ issue: 'UNSUPPORTED_MEDIA_TYPE', description, location }])

const asciiOrUtf8 = /^(?:utf-?8|(?:us-)?ascii)$/i
/** Charsets that equal UTF-8 within ASCII. Some libraries name one of them for every form that they send. */
const beyondAscii = /^(?:iso-8859-\d{1,2}|latin-?1|windows-125\d)$/i

/** Whether text of this type is UTF-8, as we read it: by the charset that it names, and by its bytes if they are known. */
export function isInUtf8({ parameters: { charset = 'utf-8' } }: MediaType, bytes: Buffer | undefined): boolean {
  return asciiOrUtf8.test(charset) || (beyondAscii.test(charset) && (bytes === undefined || isAscii(bytes)))
}

/** How well a media range fits: 3 for the type itself, 2 for `type/*`, 1 for everything, 0 for no fit. */
function fit(range: string, type: string): number {
  if (range === type) return 3
  if (range === '*/*' || range === '*') return 1
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0
}

/**
 * The one of `produces` that the Accept header prefers, the earlier of equals; undefined when it takes none of them.
 * No header takes everything. Parts of the header that cannot be read do not count.
 */
export function acceptable(acceptHeader: string | undefined, produces: readonly string[]): string | undefined {
  if (acceptHeader === undefined || acceptHeader.trim() === '') return produces[0]
  if (acceptHeader.length > maxHeaderLength) return undefined
  const ranges = acceptHeader.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    // Some clients write `.2`, and some write more digits than the standard allows.
    return /^(?:0?\.\d{1,9}|0\.?|1(?:\.0{0,9})?)$/.test(weight) ? [{ range, weight: Number(weight) }] : []
  })

  let best: string | undefined
  let bestWeight = 0
  for (const type of produces) {
    // The most specific range decides, also when it says no (`application/json;q=0, */*`).
    let fits = 0
    let weight = 0
    for (const candidate of ranges) {
      const fitting = fit(candidate.range, type)
      if (fitting > fits) {
        fits = fitting
        weight = candidate.weight
      }
    }
    if (weight > bestWeight) {
      best = type
      bestWeight = weight
    }
  }
  return best
}
