import { appendFileSync } from 'node:fs'
import type { AnyRoute } from '../../src/http/route.ts'
import { refusalsOf } from '../../src/reference/refusals.ts'

interface Refused {
  readonly error?: string
  readonly details?: readonly { readonly issue: string; readonly code?: string }[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

/** With a name here, every refusal that is seen is noted in a file there, for `unseen-refusals.ts` to read. */
const seen = process.env['REFUSALS_SEEN']
/** Whether all refusals are looked at, and not only those of scenarios. */
export const isNoting = seen !== undefined

const known = new WeakMap<AnyRoute, ReadonlySet<string>>()

/** The issues that the page of an operation names; put together once, for most refusals are of few operations. */
function namedOn(route: AnyRoute): ReadonlySet<string> {
  const found = known.get(route) ?? new Set(refusalsOf(route).map(({ issue }) => issue))
  known.set(route, found)
  return found
}

/** What an operation answered and its page of the reference does not name, as pairs of operation and issue. */
export function undocumented(path: string, body: unknown, routes: () => readonly AnyRoute[]): string[] {
  const { operation, issues } = refusalIn(path, body)
  const route = operation && routes().find((one) => one.operation === operation)
  if (!route) return []
  if (seen) appendFileSync(`${seen}/${process.pid}`, issues.map((issue) => `${operation} ${issue}\n`).join(''))
  const named = namedOn(route)
  return issues.filter((issue) => !named.has(issue)).map((issue) => `${operation} ${issue}`)
}

function refusalIn(path: string, body: unknown): { operation: string | undefined; issues: readonly string[] } {
  const { error, details = [], links = [] } = (body ?? {}) as Refused
  // Tokens are refused in the words of OAuth, which have no link.
  if (typeof error === 'string' && path.startsWith('/v1/oauth2/token'))
    return {
      operation: path.includes('terminate') ? 'terminateAccessToken' : 'createAccessToken',
      issues: [error.toUpperCase()],
    }
  const [, operation] = /\/docs\/(\w+)$/.exec(links.find(({ rel }) => rel === 'information_link')?.href ?? '') ?? []
  // The webhook operations have the code beside the sentence.
  return { operation, issues: [...new Set(details.map(({ issue, code }) => code ?? issue))] }
}
