import { type Account, type Feature, features } from './schema.ts'

/** The scopes that each feature lets an app ask for. Names are neutral, and without the address before them on the wire. */
export const scopesOfFeature: Readonly<Record<Feature, readonly string[]>> = {
  disputes: [
    'disputes/read-seller',
    'disputes/read-buyer',
    'disputes/read-marketplace',
    'disputes/read',
    'disputes/read-partner',
    'disputes/webhooks',
    'disputes/create',
    'disputes/update-seller',
    'disputes/update-buyer',
    'disputes/update-partner',
    'referred-disputes/readwrite',
  ],
  invoicing: ['invoicing', 'invoicing/invoices/read', 'invoicing/invoices/readwrite', 'invoicing/internal'],
  webhooks: ['applications/webhooks', 'applications/verify-webhook-signature'],
  payments: [
    'payments/refund',
    'payments/realtimepayment',
    'payments/payment/authcapture',
    'reporting/search/read',
    'subscriptions',
  ],
}

/** Held only by apps made for an operator on the command line; no feature grants it. */
export const operatorScope = 'operator'

export const allScopes: readonly string[] = [...Object.values(scopesOfFeature).flat(), operatorScope]

/**
 * What an app gets of a feature unless its scopes are named: what an account of its kind needs for itself. Scopes that show the
 * other side, that are for partners or that show everything must be named.
 */
const usualScopes: Readonly<Record<Account['kind'], Partial<Record<Feature, readonly string[]>>>> = {
  BUSINESS: {
    disputes: ['disputes/read-seller', 'disputes/update-seller', 'disputes/create', 'disputes/webhooks'],
    // Without the umbrella scope, which stands for the others.
    invoicing: scopesOfFeature.invoicing.filter((scope) => scope !== 'invoicing/internal'),
    webhooks: scopesOfFeature.webhooks,
    payments: scopesOfFeature.payments,
  },
  PERSONAL: { disputes: ['disputes/read-buyer', 'disputes/update-buyer', 'disputes/create'] },
}

/** The default scopes of an app with these features, by the kind of its account. */
export const defaultScopes = (kind: Account['kind'], enabled: readonly Feature[]): string[] =>
  enabled.flatMap((feature) => usualScopes[kind][feature] ?? [])

/** Of the scopes that an app lists, those that its enabled features allow. */
export function grantableScopes(scopes: readonly string[], enabled: readonly Feature[]): string[] {
  const allowed = new Set([...enabled.flatMap((feature) => scopesOfFeature[feature]), operatorScope])
  return scopes.filter((scope) => allowed.has(scope))
}

/** Scopes that include others. */
const umbrellas: Readonly<Record<string, readonly string[]>> = {
  invoicing: ['invoicing/invoices/read', 'invoicing/invoices/readwrite'],
  'invoicing/internal': ['invoicing/invoices/read', 'invoicing/invoices/readwrite'],
}

/** This scope, and the scopes that include it. */
export const scopesThatOpen = (scope: string): string[] => [
  scope,
  ...Object.keys(umbrellas).filter((umbrella) => umbrellas[umbrella]!.includes(scope)),
]

/** These scopes, with all that they include. */
export const expandScopes = (scopes: readonly string[]): ReadonlySet<string> =>
  new Set(scopes.flatMap((scope) => [scope, ...(umbrellas[scope] ?? [])]))

export const isFeature = (name: string): name is Feature => features.some((feature) => feature === name)
