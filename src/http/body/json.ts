import { isUtf8 } from 'node:buffer'
import { refusal, scan } from './json-scan.ts'

/**
 * Reads a JSON body: all that `JSON.parse` reads, within `jsonLimits` and without what is only ever sent to do
 * harm (duplicate or prototype keys, NUL, halves of surrogate pairs, numbers beyond a double).
 */
export function parseJson(body: Buffer): unknown {
  const bytes = body.length > 2 && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
  if (!isUtf8(bytes)) throw refusal('The body is not valid UTF-8; encode the JSON text as UTF-8.')
  const keys = scan(bytes)
  const parsed: unknown = JSON.parse(bytes.toString('utf8'))
  // After parsing, every key that was written is there, unless one was written twice. Then the second scan says which.
  if (countKeys(parsed) !== keys) scan(bytes, [])
  return parsed
}

/** How many keys all objects in `parsed` have. NaN if one of the keys reaches for a prototype. */
function countKeys(parsed: unknown): number {
  if (typeof parsed !== 'object' || parsed === null) return 0
  let count = 0
  if (Array.isArray(parsed)) {
    for (const item of parsed) if (typeof item === 'object') count += countKeys(item)
    return count
  }
  for (const name in parsed) {
    if (name === '__proto__') return Number.NaN
    // `name` is a key of `parsed`, as the loop says.
    const member: unknown = parsed[name as keyof typeof parsed]
    count++
    if (typeof member !== 'object' || member === null) continue
    if (name === 'constructor' && Object.hasOwn(member, 'prototype')) return Number.NaN
    count += countKeys(member)
  }
  return count
}
