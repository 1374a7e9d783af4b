import { beginning } from './beginning.ts'
import { Problem } from './problem.ts'

/** What can be an e-mail address in the middle of other text. Paths of packages have an @ too, behind a slash. */
const word = /[^\s<>()[\]"',;:/\\]+/g

/**
 * The text without the addresses of people in it, which far ends like to quote when they refuse something. Word by word: looked for in
 * one go, an @ that never comes would be looked for from every letter of however much a far end sends.
 */
export const withoutAddresses = (text: string): string =>
  text.replace(word, (one) => (/[^@]@[^@]/.test(one) ? '(address)' : one))

/** What is said of an error beside its message: nothing that quotes what somebody wrote, as a row that was refused does. */
const kept = ['code', 'constraint', 'table', 'column', 'command', 'responseCode', 'statusCode'] as const

/** An error as logs may have it. */
export function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutAddresses(String(error)) }
  const { name, message, stack, cause } = error
  const more = Object.fromEntries(kept.flatMap((key) => (key in error ? [[key, Reflect.get(error, key)]] : [])))
  return {
    type: name,
    message: withoutAddresses(message),
    ...more,
    stack: withoutAddresses(stack ?? ''),
    ...(cause !== undefined && { cause: loggedError(cause) }),
  }
}

/** What an error says, as a sentence: not what its class is called, and of a refusal what the caller would have been told. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Problem && error.details.length > 0)
    return error.details.map(({ description }) => description).join(' ')
  // Several addresses that all failed are reported as one error without words of its own.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ')
  return error.message || error.name
}

/** What a far end sent may stand in it, also what no row can hold. */
const storable = (text: string, lengthMax: number) => beginning(withoutAddresses(text).replaceAll('\0', ''), lengthMax)

/** What an error says, for a row that people read. */
export const errorSentence = (error: unknown, lengthMax: number): string => storable(messageOf(error), lengthMax)

/** The same with the way it came below it, for a row that says what failed. */
export function errorText(error: unknown, lengthMax: number): string {
  const way = error instanceof Error ? (/\n {4}at [\s\S]*/.exec(error.stack ?? '')?.[0] ?? '') : ''
  return storable(messageOf(error) + way, lengthMax)
}
