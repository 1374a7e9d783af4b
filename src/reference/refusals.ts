import { type AnyRoute, takesRequestId } from '../http/route.ts'
import type { IssueReference } from '../kernel/reference.ts'
import { references } from './rooms.ts'

type General = Omit<IssueReference, 'by'> & { readonly of: (route: AnyRoute) => boolean }

const isOpen = ({ scopes }: AnyRoute) => scopes === 'public'
const writes = ({ method, reads }: AnyRoute) => method !== 'GET' && reads !== true
const isPage = ({ refusal }: AnyRoute) => refusal !== undefined

/** The limits that the schemas of an operation set, by their keywords; a limit with a code of its own is told with that. */
function limitsOf({ body, query, params }: AnyRoute): ReadonlySet<string> {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    if (!('issue' in node)) for (const keyword of Object.keys(node)) found.add(keyword)
    for (const child of Object.values(node)) walk(child)
  }
  for (const schema of [body, query, params]) walk(schema)
  return found
}
const limits =
  (...keywords: string[]) =>
  (route: AnyRoute) => {
    const own = limitsOf(route)
    return keywords.some((keyword) => own.has(keyword))
  }

/** What every operation of a kind refuses in the same way. */
const general: readonly General[] = [
  {
    issue: 'MALFORMED_REQUEST_JSON',
    status: 400,
    of: ({ body, accepts }) => body !== undefined && (accepts === undefined || accepts.includes('application/json')),
    when: 'The body is no JSON, or deeper or larger than is read.',
    mend: 'Send JSON as the body describes it.',
  },
  {
    issue: 'MISSING_OR_INVALID_REQUEST_BODY',
    status: 400,
    of: ({ body }) => body !== undefined,
    when: 'There is no body, or one that cannot be read as its content type says.',
    mend: 'Send a body as the operation describes it.',
  },
  {
    issue: 'MISSING_REQUIRED_PARAMETER',
    status: 400,
    of: ({ body, query }) => body !== undefined || query !== undefined,
    when: 'A required field or parameter is absent.',
    mend: 'Send it; `field` names where.',
  },
  {
    issue: 'INVALID_PARAMETER_SYNTAX',
    status: 400,
    of: ({ body, query, params }) => [body, query, params].some((schema) => schema !== undefined),
    when: 'A value is not of its type or form.',
    mend: 'Write it as the field describes it.',
  },
  {
    issue: 'INVALID_PARAMETER_VALUE',
    status: 400,
    of: (route) => route.body !== undefined || route.query !== undefined || limits('enum', 'anyOf')(route),
    when: 'A value is none of those that are possible.',
    mend: 'Use one that the field lists.',
  },
  {
    issue: 'INVALID_STRING_LENGTH',
    status: 400,
    of: ({ body, query, params }) => [body, query, params].some((schema) => schema !== undefined),
    when: 'A text is too short or too long.',
    mend: 'Keep to the length of the field.',
  },
  {
    issue: 'INVALID_STRING_MAX_LENGTH',
    status: 400,
    of: limits('maxLength'),
    when: 'A text is too long.',
    mend: 'Keep to the length of the field.',
  },
  {
    issue: 'INVALID_ARRAY_MAX_ITEMS',
    status: 400,
    of: limits('maxItems'),
    when: 'A list has too many entries.',
    mend: 'Send no more than the field takes.',
  },
  {
    issue: 'INVALID_ARRAY_MIN_ITEMS',
    status: 400,
    of: limits('minItems'),
    when: 'A list has too few entries.',
    mend: 'Send as many as the field asks for.',
  },
  {
    issue: 'INVALID_INTEGER_MIN_VALUE',
    status: 400,
    of: limits('minimum', 'exclusiveMinimum'),
    when: 'A number is too small.',
    mend: 'Send one within the range of the field.',
  },
  {
    issue: 'INVALID_INTEGER_MAX_VALUE',
    status: 400,
    of: limits('maximum', 'exclusiveMaximum'),
    when: 'A number is too large.',
    mend: 'Send one within the range of the field.',
  },
  {
    issue: 'UNKNOWN_FIELD',
    status: 400,
    of: ({ body, query }) => body !== undefined || query !== undefined,
    when: 'With STRICT_FIELDS: a field or parameter is not known. Without it such are ignored.',
    mend: 'Leave it out, or write it as the description names it.',
  },
  {
    issue: 'UNKNOWN_VALUE',
    status: 400,
    of: ({ body, query }) => body !== undefined || query !== undefined,
    when: 'With STRICT_FIELDS: a value is not known. Without it such are ignored.',
    mend: 'Use one that the field lists.',
  },
  {
    issue: 'SIMULATED_FAULT',
    status: 500,
    of: () => true,
    when: 'A fault of a sandbox asked for this answer, with the status that it names.',
    mend: 'Take the fault away, or answer as to the real thing.',
  },
  {
    issue: 'INVALID_TOKEN',
    status: 401,
    of: (route) => !isOpen(route),
    when: 'The access token is absent, unknown, expired or ended.',
    mend: 'Get one with createAccessToken and send it as Authorization: Bearer.',
  },
  {
    issue: 'PERMISSION_DENIED',
    status: 403,
    of: (route) => !isOpen(route) || route.environment !== undefined,
    when: 'The token has none of the scopes, the account has not consented, or the operation is of the other environment.',
    mend: 'Give the app a scope of this operation, or act for an account that agreed.',
  },
  {
    issue: 'INVALID_RESOURCE_ID',
    status: 404,
    of: ({ params }) => params !== undefined,
    when: 'There is no such thing for this caller; that of somebody else looks the same.',
    mend: 'Check the id, and whose token it is.',
  },
  {
    issue: 'CONCURRENT_UPDATE',
    status: 409,
    of: (route) => writes(route) && !isPage(route),
    when: 'Others kept changing the same thing; nothing was changed.',
    mend: 'Send it again.',
  },
  {
    issue: 'PREVIOUS_REQUEST_IN_PROGRESS',
    status: 409,
    of: takesRequestId,
    when: 'The first request with this request id is still under way.',
    mend: 'Wait a moment and repeat it; the first answer comes again.',
  },
  {
    issue: 'PAYLOAD_TOO_LARGE',
    status: 413,
    of: ({ body }) => body !== undefined,
    when: 'The body is larger than is taken.',
    mend: 'Send less, or fewer files.',
  },
  {
    issue: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    of: ({ body }) => body !== undefined,
    when: 'The body is of a content type that this operation does not take, or not in UTF-8.',
    mend: 'Send one of the content types of the body, in UTF-8.',
  },
  {
    issue: 'DUPLICATE_REQUEST_ID',
    status: 422,
    of: takesRequestId,
    when: 'The request id was used for another request.',
    mend: 'Choose a new one for every new request.',
  },
  {
    issue: 'ANSWER_NOT_READABLE',
    status: 409,
    of: takesRequestId,
    when: 'The request with this request id was carried out, and its answer was kept with a secret that the service no longer has.',
    mend: 'Show what it made or changed instead.',
  },
  {
    issue: 'QUOTA_EXCEEDED',
    status: 429,
    of: writes,
    when: 'What the account may send to be kept in a day is used up.',
    mend: 'Wait as long as Retry-After says.',
  },
  {
    issue: 'RATE_LIMIT_REACHED',
    status: 429,
    of: () => true,
    when: 'Too many requests came from this caller or address.',
    mend: 'Wait as long as Retry-After says.',
  },
  {
    issue: 'SERVICE_UNAVAILABLE',
    status: 503,
    of: () => true,
    when: 'The service is starting, stopping or overloaded.',
    mend: 'Send it again after Retry-After, with the same request id.',
  },
]

/** What is refused before it is known which operation is meant. */
const beforeAll: readonly Omit<IssueReference, 'by'>[] = [
  {
    issue: 'MALFORMED_REQUEST',
    status: 400,
    when: 'The request cannot be read as one, or could be read in two ways: its target, its headers, or a body that breaks off. With 405, 408, 413, 417 or 431 the status says what it is.',
    mend: 'Send what the description names; most HTTP libraries do.',
  },
  {
    issue: 'HOST_NOT_ALLOWED',
    status: 403,
    when: 'A sandbox does not answer to this name, because web pages can point names at it.',
    mend: 'Call it by its address, or name the host in ALLOWED_HOSTS.',
  },
  {
    issue: 'ORIGIN_NOT_ALLOWED',
    status: 403,
    when: 'A browser sent this to a sandbox for a page of another origin.',
    mend: 'Name the host of the page in ALLOWED_HOSTS, or call from a server.',
  },
  {
    issue: 'NO_SUCH_OPERATION',
    status: 404,
    when: 'No operation has this address.',
    mend: 'Look at the description, which names the one that was probably meant.',
  },
]

/** What an operation refuses, its own rules first. */
export function refusalsOf(route: AnyRoute): IssueReference[] {
  const own = references.flatMap(({ issues }) => issues.filter(({ by }) => by.includes(route.operation)))
  const shared = general
    .filter(({ of, issue }) => of(route) && own.every((row) => row.issue !== issue))
    .map(({ of: _, ...row }) => ({ ...row, by: [] }))
  return [...own, ...shared]
}

/** Every refusal there is, with the operations that have it; none where nearly all have it. */
export const everyRefusal = (): IssueReference[] => [
  ...references.flatMap(({ issues }) => issues),
  ...general.map(({ of: _, ...row }) => ({ ...row, by: [] })),
  ...beforeAll.map((row) => ({ ...row, by: [] })),
]

/** Whether it is one that nearly every operation has. */
export const isGeneral = ({ by }: IssueReference): boolean => by.length === 0
