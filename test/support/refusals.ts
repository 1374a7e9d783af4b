import type { AnyRoute } from '../../src/http/route.ts'
import { refusalsOf } from '../../src/reference/refusals.ts'

interface Refused {
  readonly details?: readonly { readonly issue: string; readonly code?: string }[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

const known = new WeakMap<AnyRoute, ReadonlySet<string>>()

/** The issues that the page of an operation names; put together once, for most refusals are of few operations. */
function namedOn(route: AnyRoute): ReadonlySet<string> {
  const found = known.get(route) ?? new Set(refusalsOf(route).map(({ issue }) => issue))
  known.set(route, found)
  return found
}

/** What an operation answered and its page of the reference does not name, as pairs of operation and issue. */
export function undocumented(body: unknown, routes: () => readonly AnyRoute[]): string[] {
  const { details = [], links = [] } = (body ?? {}) as Refused
  const [, operation] = /\/docs\/(\w+)$/.exec(links.find(({ rel }) => rel === 'information_link')?.href ?? '') ?? []
  const route = operation && routes().find((one) => one.operation === operation)
  if (!route) return []
  const named = namedOn(route)
  // The webhook operations have the code beside the sentence.
  const seen = details.map(({ issue, code }) => code ?? issue)
  return [...new Set(seen)].filter((issue) => !named.has(issue)).map((issue) => `${operation} ${issue}`)
}
