import { beginning } from './beginning.ts'

/** An e-mail address in the middle of other text. Paths of packages have an @ too, behind a slash. */
const address = /[^\s@<>()[\]"',;:/\\]+@[^\s@<>()[\]"',;:/\\]+/g

/** The text without the addresses of people in it, which far ends like to quote when they refuse something. */
export const withoutAddresses = (text: string): string => text.replace(address, '(address)')

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

/** The same as text, for a row that says what failed. What a far end sent may stand in it, also what no row can hold. */
export function errorText(error: unknown, lengthMax: number): string {
  const text = withoutAddresses(String(error instanceof Error ? (error.stack ?? error) : error))
  return beginning(text.replaceAll('\0', ''), lengthMax)
}
