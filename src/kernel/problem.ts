/** One reason for a refusal. `field` is a JSON pointer into the body, or the bare name of a path or query parameter. */
export interface Issue {
  readonly issue: string
  readonly description: string
  readonly field?: string
  readonly value?: string
  readonly location?: 'body' | 'path' | 'query' | 'header'
}

/** The sentence that goes with each error name. Codes are the contract; these words are ours. */
export const problemMessages = {
  INVALID_REQUEST: 'The request is not well formed or breaks the schema; the details say where.',
  VALIDATION_ERROR: 'The request breaks a rule of this operation; the details say which.',
  AUTHENTICATION_FAILURE: 'Send a valid access token in the header "Authorization: Bearer <token>".',
  NOT_AUTHORIZED: 'This caller may not do this; the details say what is missing.',
  FORBIDDEN: 'This caller may not do this.',
  AUTHORIZATION_ERROR: 'This caller may not do this.',
  RESOURCE_NOT_FOUND: 'There is no such resource for this caller.',
  INVALID_RESOURCE_ID: 'There is no such resource for this caller.',
  METHOD_NOT_ALLOWED: 'This address does not take this method; the Allow header lists those it takes.',
  NOT_ACCEPTABLE: 'None of the media types in the Accept header can be produced here.',
  RESOURCE_CONFLICT: 'Another request is changing the same thing; try again.',
  PAYLOAD_TOO_LARGE: 'The request body is larger than this operation takes.',
  UNSUPPORTED_MEDIA_TYPE: 'This operation does not take a body of this content type.',
  UNPROCESSABLE_ENTITY: 'The request is well formed but cannot be carried out now; the details say why.',
  RATE_LIMIT_REACHED: 'Too many requests; wait as long as the Retry-After header says.',
  INTERNAL_SERVER_ERROR: 'Something failed on our side. Nothing was changed; quote the debug id when you report it.',
  INTERNAL_SERVICE_ERROR: 'Something failed on our side. Nothing was changed; quote the debug id when you report it.',
  SERVICE_UNAVAILABLE: 'The service cannot take this request now; try again shortly.',
  WEBHOOK_URL_ALREADY_EXISTS: 'This app already has a webhook with this address.',
  WEBHOOK_NUMBER_LIMIT_EXCEEDED: 'This app has as many webhooks as it may have; delete one first.',
  WEBHOOK_PATCH_REQUEST_NO_CHANGE: 'The patch leaves the webhook as it is.',
} as const satisfies Record<string, string>

export type ProblemName = keyof typeof problemMessages

/**
 * A refusal the caller can understand and act on. Anything else that is thrown is our mistake and becomes a 500.
 */
export class Problem extends Error {
  readonly status: number
  override readonly name: ProblemName
  readonly details: readonly Issue[]
  readonly headers: Readonly<Record<string, string>>
  /** Set where the contract answers in the shape of RFC 6749: `{error, error_description}`. */
  readonly oauthError: string | undefined

  constructor(
    status: number,
    name: ProblemName,
    details: readonly Issue[] = [],
    {
      headers = {},
      oauthError,
      cause,
    }: { headers?: Record<string, string>; oauthError?: string; cause?: unknown } = {},
  ) {
    super(problemMessages[name], cause === undefined ? undefined : { cause })
    this.status = status
    this.name = name
    this.details = details
    this.headers = headers
    this.oauthError = oauthError
  }
}

/** 400: wrong whatever the present state. Several issues are reported together. */
export const malformed = (...details: Issue[]) => new Problem(400, 'INVALID_REQUEST', details)

/** 400 for one field with a code of its own. */
export const invalid = (field: string, description: string, issue = 'INVALID_PARAMETER_VALUE') =>
  malformed({ issue, field, description })

/** 400, in operations whose rules have names of their own. */
export const breaches = (issue: string, description: string, field?: string) =>
  new Problem(400, 'VALIDATION_ERROR', [{ issue, description, ...(field !== undefined && { field }) }])

/** 404. Also for what belongs to somebody else, because the two must look the same. */
export const notFound = (what = 'The resource') =>
  new Problem(404, 'RESOURCE_NOT_FOUND', [
    { issue: 'INVALID_RESOURCE_ID', description: `${what} does not exist, or not for this caller.`, location: 'path' },
  ])

/** 403: we know the caller, but they may not do this. */
export const forbidden = (description: string, issue = 'PERMISSION_DENIED') =>
  new Problem(403, 'NOT_AUTHORIZED', [{ issue, description, location: 'header' }])

/** 422: well formed, but not possible in the present state. */
export const refused = (issue: string, description: string, field?: string) =>
  new Problem(422, 'UNPROCESSABLE_ENTITY', [{ issue, description, ...(field !== undefined && { field }) }])

/** 409: the same thing is being changed by somebody else right now. */
export const conflict = (issue: string, description: string) =>
  new Problem(409, 'RESOURCE_CONFLICT', [{ issue, description }])

/** 401 for a token that is unknown, malformed, expired or revoked. */
export const invalidToken = (description: string) =>
  new Problem(401, 'AUTHENTICATION_FAILURE', [{ issue: 'INVALID_TOKEN', description, location: 'header' }], {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    oauthError: 'invalid_token',
  })

/** 503: this cannot be answered now; says when to try again. The cause is only for the log. */
export const unavailable = (description: string, retryAfterSeconds = 1, cause?: unknown) =>
  new Problem(503, 'SERVICE_UNAVAILABLE', [{ issue: 'SERVICE_UNAVAILABLE', description }], {
    headers: { 'retry-after': String(retryAfterSeconds) },
    cause,
  })
