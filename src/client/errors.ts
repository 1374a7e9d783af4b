import type { Schemas } from './api.ts'

/** Why a request was refused, as the service says it. */
export type Problem = Schemas['Error']

/** One reason among those of a refusal. */
export interface Issue {
  readonly issue: string
  readonly description?: string
  readonly field?: string
  readonly value?: string
  readonly location?: string
}

/** What a refused or failed call was. */
export interface Called {
  readonly method: string
  readonly url: string
  /** The id with which the request can be sent again without taking effect twice. */
  readonly requestId?: string
}

const kind = Symbol.for('quittance.error')

/**
 * Lets `instanceof` go by the name of the class. The package holds its classes twice, because the test library runs what was put
 * together into one script; and a test catches what its clients throw by the class that it imports.
 */
export function knownByName(own: new (...values: never[]) => Error, name: string): void {
  Object.defineProperty(own.prototype, kind, { value: name })
  Object.defineProperty(own, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      const isMade = Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      // A class that somebody derived from ours knows its own alone.
      return isMade || (this === own && value instanceof Error && kind in value && value[kind] === name)
    },
  })
}

/** The service refused the request, or failed. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  /** The kind of refusal: `UNPROCESSABLE_ENTITY`. */
  readonly problem: string
  readonly issues: readonly Issue[]
  /** Names this answer in the logs of the service. */
  readonly debugId: string | undefined
  readonly request: Called
  /** The body as it came. */
  readonly body: unknown

  constructor(status: number, body: unknown, request: Called) {
    const { name, message, debug_id, details, error, error_description } = fieldsOf(body)
    const issues = issuesOf(details)
    const said = issues.map(({ issue, description, field }) =>
      [field, issue, description].filter((part) => part !== undefined && part !== '').join(' '),
    )
    const reason =
      said.length > 0 ? said.join('; ') : (text(message) ?? text(error_description) ?? 'no reason was given')
    super(
      `${request.method} ${new URL(request.url).pathname} answered ${status} ${text(name) ?? text(error) ?? ''}: ${reason}`,
    )
    this.status = status
    this.problem = text(name) ?? text(error) ?? 'UNKNOWN'
    this.issues = issues
    this.debugId = text(debug_id)
    this.request = request
    this.body = body
  }

  /** Whether this is among the reasons: `error.is('INVOICE_NOT_FOUND')`. */
  is(issue: string): boolean {
    return this.problem === issue || this.issues.some((one) => one.issue === issue)
  }
}
knownByName(ProblemError, 'ProblemError')

/** No answer came, however often the request was sent. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly request: Called

  constructor(request: Called, cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause)
    super(`${request.method} ${request.url} got no answer: ${reason}`, { cause })
    this.request = request
  }
}
knownByName(ConnectionError, 'ConnectionError')

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

/** The webhook operations call the code `code` and the sentence `issue`. */
function issuesOf(details: unknown): Issue[] {
  if (!Array.isArray(details)) return []
  return details.map((detail: unknown) => {
    const { issue, code, description, field, value, location } = fieldsOf(detail)
    const sentence = code === undefined ? text(description) : text(issue)
    return {
      issue: text(code) ?? text(issue) ?? 'UNKNOWN',
      ...(sentence !== undefined && { description: sentence }),
      ...(text(field) !== undefined && { field: text(field)! }),
      ...(text(value) !== undefined && { value: text(value)! }),
      ...(text(location) !== undefined && { location: text(location)! }),
    }
  })
}
