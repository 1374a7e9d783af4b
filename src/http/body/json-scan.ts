import { malformed } from '../../kernel/problem.ts'

/** The limits of a JSON body. One that breaks them is refused before anything is built from it. */
export const jsonLimits = {
  /** For a body of its own, or for a part of a multipart body. */
  bytes: 1024 * 1024,
  /** Arrays and objects inside one another. */
  depth: 32,
  /** Values of any kind, counting those inside arrays and objects. */
  values: 10_000,
  /** Characters of one number. */
  numberLength: 40,
} as const

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const minus = 0x2d
const plus = 0x2b
const dot = 0x2e
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** The state of the scan: what it expects next. */
const wantsValue = 0
const wantsValueOrClose = 1
const wantsKey = 2
const wantsKeyOrClose = 3
const wantsCommaOrClose = 4
const wantsNothing = 5

const table = (characters: string): Uint8Array => {
  const found = new Uint8Array(256)
  for (const character of characters) found[character.charCodeAt(0)] = 1
  return found
}
const isBlank = table(' \t\n\r')
const isSimpleEscape = table('"\\/bfnrt')
/** Bytes that may stand in a string unescaped: all but the quote, the backslash and control characters. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== quote && byte !== backslash ? 1 : 0,
)
const literals: Readonly<Record<number, Buffer>> = {
  116: Buffer.from('true'),
  102: Buffer.from('false'),
  110: Buffer.from('null'),
}

export const refusal = (description: string) =>
  malformed({ issue: 'MALFORMED_REQUEST_JSON', location: 'body', description })

/** A refusal that says where: lines and columns count from 1, columns in characters. */
function at(bytes: Buffer, offset: number, description: string) {
  let line = 1
  let start = 0
  for (let i = 0; i < offset; i++) {
    if (bytes[i] !== 0x0a) continue
    line++
    start = i + 1
  }
  const column = [...bytes.subarray(start, offset).toString('utf8')].length + 1
  return refusal(`Line ${line}, column ${column}: ${description}`)
}

/** The keys of an object that is not closed yet, for the scan that compares keys. */
interface OpenObject {
  readonly names: Set<string>
  latest: string
}

/**
 * Goes over the bytes once and refuses what is not JSON or breaks a limit. Gives the number of keys. With `open` it also
 * compares the keys, and refuses one that is there twice or that reaches for a prototype.
 *
 * Every byte of every JSON body passes here, so it is one loop over numbers that builds nothing, and a deep body costs no
 * stack.
 */
export function scan(bytes: Buffer, open?: OpenObject[]): number {
  const length = bytes.length
  const inObject = new Uint8Array(jsonLimits.depth)
  let depth = 0
  let keys = 0
  let values = 0
  let state = wantsValue
  let i = 0

  for (;;) {
    while (i < length && isBlank[bytes[i]!] === 1) i++
    if (i === length) {
      if (state === wantsNothing) return keys
      throw at(bytes, i, length === 0 ? 'the body is empty; send a JSON value.' : 'the JSON text stops too early.')
    }
    const byte = bytes[i]!

    if (state === wantsCommaOrClose) {
      const isInObject = inObject[depth - 1] === 1
      if (byte === comma) {
        state = isInObject ? wantsKey : wantsValue
      } else if (byte === (isInObject ? closeObject : closeArray)) {
        depth--
        state = depth === 0 ? wantsNothing : wantsCommaOrClose
      } else {
        throw at(bytes, i, `expected a comma or ${isInObject ? '"}"' : '"]"'}.`)
      }
      i++
      continue
    }

    if (state === wantsKey || state === wantsKeyOrClose) {
      if (byte === closeObject && state === wantsKeyOrClose) {
        depth--
        state = depth === 0 ? wantsNothing : wantsCommaOrClose
        i++
        continue
      }
      if (byte !== quote) throw at(bytes, i, 'expected a key in double quotes.')
      const after = scanString(bytes, i)
      if (open !== undefined) checkName(bytes, i, after, open, depth - 1)
      keys++
      i = after
      while (i < length && isBlank[bytes[i]!] === 1) i++
      if (bytes[i] !== colon) throw at(bytes, i, 'expected a colon after the key.')
      i++
      state = wantsValue
      continue
    }

    if (state === wantsNothing) throw at(bytes, i, 'expected nothing more after the JSON value.')
    if (byte === closeArray && state === wantsValueOrClose) {
      depth--
      state = depth === 0 ? wantsNothing : wantsCommaOrClose
      i++
      continue
    }

    if (++values > jsonLimits.values) throw at(bytes, i, `a body may hold at most ${jsonLimits.values} values.`)
    if (byte === openObject || byte === openArray) {
      if (depth === jsonLimits.depth) {
        throw at(bytes, i, `arrays and objects may be at most ${jsonLimits.depth} deep inside one another.`)
      }
      inObject[depth++] = byte === openObject ? 1 : 0
      if (open !== undefined) open[depth - 1] = { names: new Set(), latest: '' }
      state = byte === openObject ? wantsKeyOrClose : wantsValueOrClose
      i++
      continue
    }
    i = byte === quote ? scanString(bytes, i) : scanScalar(bytes, i, byte)
    state = depth === 0 ? wantsNothing : wantsCommaOrClose
  }
}

/** From the opening quote to just behind the closing one. */
function scanString(bytes: Buffer, start: number): number {
  const length = bytes.length
  let i = start + 1
  for (;;) {
    while (i < length && isPlain[bytes[i]!] === 1) i++
    if (i >= length) throw at(bytes, length, 'a string is not closed.')
    const byte = bytes[i]!
    if (byte === quote) return i + 1
    if (byte !== backslash) throw at(bytes, i, 'control characters in strings are written as escapes, such as \\n.')
    const escaped = bytes[i + 1]
    if (escaped === 0x75) {
      i = scanUnicodeEscape(bytes, i)
    } else if (escaped !== undefined && isSimpleEscape[escaped] === 1) {
      i += 2
    } else {
      throw at(bytes, i, 'this is no escape; known are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits.')
    }
  }
}

/** From the backslash to just behind the escape, or behind both halves of a surrogate pair. */
function scanUnicodeEscape(bytes: Buffer, start: number): number {
  const unit = hexUnit(bytes, start)
  if (unit === -1) throw at(bytes, start, '\\u needs four hex digits.')
  if (unit === 0) throw at(bytes, start, 'NUL characters are not accepted.')
  if (unit < 0xd800 || unit > 0xdfff) return start + 6
  const next = hexUnit(bytes, start + 6)
  if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) {
    throw at(bytes, start, 'half of a surrogate pair is not accepted; write both halves or the character itself.')
  }
  return start + 12
}

/** The code unit of the escape that starts at `start`; -1 when there is none. */
function hexUnit(bytes: Buffer, start: number): number {
  if (bytes[start] !== backslash || bytes[start + 1] !== 0x75) return -1
  let unit = 0
  for (let i = start + 2; i < start + 6; i++) {
    const byte = bytes[i] ?? 0
    const digit =
      byte >= 0x30 && byte <= 0x39
        ? byte - 0x30
        : (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66
          ? (byte | 0x20) - 0x57
          : -1
    if (digit === -1) return -1
    unit = unit * 16 + digit
  }
  return unit
}

function scanScalar(bytes: Buffer, start: number, first: number): number {
  const literal = literals[first]
  if (literal !== undefined) {
    const after = start + literal.length
    if (bytes.compare(literal, 0, literal.length, start, Math.min(after, bytes.length)) === 0) return after
  } else if (first === minus || isDigit(first)) {
    return scanNumber(bytes, start)
  }
  throw at(bytes, start, 'expected a JSON value: an object, an array, a string, a number, true, false or null.')
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

function scanNumber(bytes: Buffer, start: number): number {
  const digits = (from: number): number => {
    let i = from
    while (isDigit(bytes[i])) i++
    if (i === from) throw at(bytes, i, 'expected a digit.')
    return i
  }
  let i = bytes[start] === minus ? start + 1 : start
  i = bytes[i] === 0x30 ? i + 1 : digits(i)
  if (bytes[i] === dot) i = digits(i + 1)
  const hasExponent = bytes[i] === 0x65 || bytes[i] === 0x45
  if (hasExponent) {
    i++
    i = digits(bytes[i] === plus || bytes[i] === minus ? i + 1 : i)
  }
  if (i - start > jsonLimits.numberLength) {
    throw at(bytes, start, `a number may have at most ${jsonLimits.numberLength} characters.`)
  }
  if (hasExponent && !Number.isFinite(Number(bytes.toString('latin1', start, i)))) {
    throw at(bytes, start, 'this number is too large.')
  }
  return i
}

function checkName(bytes: Buffer, start: number, after: number, open: OpenObject[], level: number) {
  // The scan has just read this slice as a string.
  const name = JSON.parse(bytes.toString('utf8', start, after)) as string
  const object = open[level]!
  if (object.names.has(name)) throw at(bytes, start, 'this key is in the same object twice.')
  if (name === '__proto__' || (name === 'prototype' && open[level - 1]?.latest === 'constructor')) {
    throw at(bytes, start, 'this key is not accepted.')
  }
  object.names.add(name)
  object.latest = name
}
