import { hash } from 'node:crypto'
import { RecentMap } from '../../kernel/recent-map.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LENGTH = 17

/** The same few taxes and templates come with every invoice of a merchant. */
const derived = new RecentMap<string, string>(2_000)

/** The part of an identifier that follows from what it names, so that the same thing always has the same one. */
export const derivedCode = (name: string): string => derived.getOrMake(name, () => derive(name))

function derive(name: string): string {
  const digest = hash('sha256', name, 'buffer')
  let code = ''
  for (let i = 0; i < LENGTH; i++) code += ALPHABET[digest[i]! % ALPHABET.length]
  return code
}

/**
 * Names an update by what was sent and what that came to. Whoever sends the same where that is still so has lost the answer and
 * means what they meant then; read beside what is shown by now it could mean something else.
 */
export function updateName(sent: unknown, { detail, ...written }: { readonly detail?: object | undefined }): string {
  const { metadata: _times, viewed_by_recipient: _isViewed, ...lasting } = (detail ?? {}) as Record<string, unknown>
  return hash('sha256', JSON.stringify([sent, lasting, written], inOrder), 'base64url')
}

/** The database forgets in which order the fields were. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** The code in the address of the hosted page: the id without prefix and hyphens. */
export const recipientCode = (id: string): string => id.replace(/^INV2-/, '').replaceAll('-', '')

/** The id behind a recipient code; undefined when it cannot be one. */
export function idOfCode(code: string): string | undefined {
  if (!/^[0-9A-Z]{16}$/.test(code)) return undefined
  return `INV2-${code.match(/.{4}/g)!.join('-')}`
}
