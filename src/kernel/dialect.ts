/**
 * Every name on the wire that depends on a brand. `service` speaks neutral names; `paypal` speaks those that
 * unmodified clients of the public API expect. Input in either is understood everywhere; only output follows the
 * configured one. We store and compare the neutral form.
 */
export interface Dialect {
  readonly name: DialectName
  /** Starts the names of request headers: `Service-Request-Id`. */
  readonly headerPrefix: string
  readonly debugIdHeader: string
  /** Starts the names of the headers of a webhook delivery. */
  readonly transmissionHeaderPrefix: string
  /** Starts brand-dependent JSON keys: `service_fee`. */
  readonly keyPrefix: string
  /** The dispute state that says an agent is looking. The status of the same meaning has one name in both. */
  readonly stateUnderReview: string
  /** Where scope identifiers start. */
  scopeBase(publicUrl: string): string
  /** Prints a neutral enum value. */
  literal(neutral: string): string
  /** Prints a neutral scope name. */
  scope(neutral: string): string
}

export const dialectNames = ['service', 'paypal'] as const
export type DialectName = (typeof dialectNames)[number]

/** Enum values that hold the brand word: the neutral one, and the one of the public API. */
const literals: readonly (readonly [neutral: string, branded: string])[] = [
  ['SERVICE', 'PAYPAL'],
  ['PROOF_OF_REFUND_OUTSIDE_SERVICE', 'PROOF_OF_REFUND_OUTSIDE_PAYPAL'],
  ['CANCELLED_SERVICE_BILLING_AGREEMENT', 'CANCELLED_PAYPAL_BILLING_AGREEMENT'],
  ['DOCUMENTATION_MATCHES_AMOUNT_IN_SERVICE_ACCOUNT', 'DOCUMENTATION_MATCHES_AMOUNT_IN_PAYPAL_ACCOUNT'],
  ['PROTECTED_BY_SERVICE', 'PROTECTED_BY_PAYPAL'],
  ['REPRESENTED_BY_SERVICE', 'REPRESENTED_BY_PAYPAL'],
]
const toBranded = new Map(literals)
const toNeutral = new Map(literals.map(([neutral, branded]) => [branded, neutral]))

const brandedScopeBase = 'https://uri.paypal.com'

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  service: {
    name: 'service',
    headerPrefix: 'Service',
    debugIdHeader: 'Service-Debug-Id',
    transmissionHeaderPrefix: 'SERVICE',
    keyPrefix: 'service',
    stateUnderReview: 'UNDER_REVIEW',
    scopeBase: (publicUrl) => publicUrl,
    literal: (neutral) => neutral,
    scope: (neutral) => neutral,
  },
  paypal: {
    name: 'paypal',
    headerPrefix: 'PayPal',
    debugIdHeader: 'Paypal-Debug-Id',
    transmissionHeaderPrefix: 'PAYPAL',
    keyPrefix: 'paypal',
    stateUnderReview: 'UNDER_PAYPAL_REVIEW',
    scopeBase: () => brandedScopeBase,
    literal: (neutral) => toBranded.get(neutral) ?? neutral,
    scope: (neutral) => (neutral === 'disputes/read-marketplace' ? 'disputes/read-ebay' : neutral),
  },
}

/** Reads an enum value of either dialect. */
export const neutralLiteral = (value: string): string => toNeutral.get(value) ?? value

/** Reads a dispute state of either dialect. */
export const neutralState = (value: string): string => (value === 'UNDER_PAYPAL_REVIEW' ? 'UNDER_REVIEW' : value)

/** Reads a scope of either dialect, with or without its base: `disputes/read-seller`. */
export function neutralScope(scope: string, publicUrl: string): string {
  const bases = Object.values(dialects).map((dialect) => `${dialect.scopeBase(publicUrl)}/services/`)
  const base = bases.find((candidate) => scope.startsWith(candidate)) ?? ''
  const name = scope.slice(base.length)
  return name === 'disputes/read-ebay' ? 'disputes/read-marketplace' : name
}

/** Reads a request header under either prefix: `requestHeader(headers, 'request-id')`. */
export function requestHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = headers[`service-${name}`] ?? headers[`paypal-${name}`]
  return typeof value === 'string' ? value : undefined
}
