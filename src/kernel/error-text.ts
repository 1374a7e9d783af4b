import { beginning } from './beginning.ts'
import { Problem } from './problem.ts'

/** A word that can be an e-mail address in the middle of other text. Paths of packages contain an @ too, but behind a slash. */
const word = /[^\s<>()[\]"',;:/\\]+/g

/**
 * The text without the addresses of people, which far ends like to quote when they refuse something. It is searched word by
 * word: in one search over everything, each letter of a long text would be the start of a search for an @ that never comes.
 */
export const withoutAddresses = (text: string): string =>
  text.replace(word, (one) => (/[^@]@[^@]/.test(one) ? '(address)' : one))

/** The fields that are kept of an error beside its message: none that quotes what somebody wrote, such as a refused row. */
const kept = ['code', 'constraint', 'table', 'column', 'command', 'responseCode', 'statusCode'] as const

/** An error in the form that may be logged. */
export function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutAddresses(String(error)) }
  const { name, message, stack, cause } = error
  const more = Object.fromEntries(kept.flatMap((key) => (key in error ? [[key, Reflect.get(error, key)]] : [])))
  return {
    type: name,
    message: withoutAddresses(message),
    ...more,
    ...(stack && { stack: withoutAddresses(stack) }),
    ...(cause !== undefined && { cause: loggedError(cause) }),
  }
}

/** What an error says, as a sentence: without the name of its class, and for a refusal what the caller would have been told. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Problem && error.details.length > 0)
    return error.details.map(({ description }) => description).join(' ')
  // If several addresses failed, the error for all of them has no message of its own.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  return error.message || error.name
}

/** The text may hold what a far end sent, including characters that no row can hold. */
const storable = (text: string, lengthMax: number) => beginning(withoutAddresses(text).replaceAll('\0', ''), lengthMax)

/** The message of an error, for a row that people read. */
export const errorSentence = (error: unknown, lengthMax: number): string => storable(messageOf(error), lengthMax)

/** The same with the stack below it, for a row that says what failed. */
export function errorText(error: unknown, lengthMax: number): string {
  const way = error instanceof Error ? (/\n {4}at [\s\S]*/.exec(error.stack ?? '')?.[0] ?? '') : ''
  return storable(messageOf(error) + way, lengthMax)
}
