import { malformed } from '../../kernel/problem.ts'

/** The limits of a form body. */
export const formLimits = { bytes: 64 * 1024, fields: 100 } as const

/** More distinct names than any operation takes. The rest of a query is noise, or worse. */
export const queryLimits = { length: 16 * 1024, fields: 1000 } as const

const prototypeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const refusal = (description: string, location: 'body' | 'query', issue: string) =>
  malformed({ issue, location, description })

const formRefusal = (description: string) => refusal(description, 'body', 'MISSING_OR_INVALID_REQUEST_BODY')
const queryRefusal = (description: string) => refusal(description, 'query', 'INVALID_PARAMETER_SYNTAX')

/** Reads `application/x-www-form-urlencoded`. A field that is there twice is refused, as RFC 6749 asks. */
export function parseForm(body: Buffer): Record<string, string> {
  if (body.length > formLimits.bytes) throw formRefusal(`A form may have at most ${formLimits.bytes} bytes.`)
  const fields: Record<string, string> = Object.create(null)
  let count = 0
  // Latin-1 keeps each byte separate. A byte that is not ASCII is refused when it is decoded.
  for (const [name, value] of pairs(body.toString('latin1'), formRefusal)) {
    if (++count > formLimits.fields) throw formRefusal(`A form may have at most ${formLimits.fields} fields.`)
    if (name in fields) throw formRefusal(`The field "${shown(name)}" is there twice; send it once.`)
    fields[name] = value
  }
  return fields
}

/**
 * Reads the query of an address, without the question mark. A parameter that is there twice counts once if both have
 * the same value, as some clients send it; with different values it becomes a list. `name[]` and `name[0]`, as some
 * write the values of a list, are `name`.
 */
export function parseQuery(text: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null)
  if (text === '') return parameters
  if (text.length > queryLimits.length) throw queryRefusal(`A query may have at most ${queryLimits.length} characters.`)
  let count = 0
  for (const [written, value] of pairs(text, queryRefusal)) {
    const name = written.replace(/\[\d{0,3}\]$/, '')
    if (prototypeNames.has(name)) throw queryRefusal(`The name "${name}" is not accepted.`)
    if (++count > queryLimits.fields) throw queryRefusal(`A query may have at most ${queryLimits.fields} parameters.`)
    const present = parameters[name]
    if (present === undefined) parameters[name] = value
    else if (typeof present !== 'string') present.push(value)
    else if (present !== value) parameters[name] = [present, value]
  }
  return parameters
}

function* pairs(text: string, refuse: (description: string) => Error): Generator<readonly [string, string]> {
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) {
      const pair = text.slice(start, end)
      const equals = pair.indexOf('=')
      const name = decode(equals === -1 ? pair : pair.slice(0, equals), refuse)
      if (prototypeNames.has(name)) throw refuse(`The name "${name}" is not accepted.`)
      yield [name, equals === -1 ? '' : decode(pair.slice(equals + 1), refuse)]
    }
    start = end + 1
  }
}

const meansItself = /^[\w.~-]*$/

function decode(text: string, refuse: (description: string) => Error): string {
  if (meansItself.test(text)) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refuse('A percent sign must be followed by two hex digits, and the bytes they stand for must be UTF-8.')
  }
  if (decoded.includes('\0')) throw refuse('NUL characters are not accepted.')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes beyond ASCII must come percent-encoded.
  if (/[^\x00-\x7f]/.test(text)) throw refuse('Characters beyond ASCII must be percent-encoded as UTF-8.')
  return decoded
}

const shown = (name: string): string => (name.length > 50 ? `${name.slice(0, 50)}…` : name)
