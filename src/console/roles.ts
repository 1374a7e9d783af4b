import { operatorScope } from '../accounts/scopes.ts'

/** What people can be: the first three are roles at an account, the other two are roles for the whole service. */
export const roles = ['viewer', 'support', 'admin', 'agent', 'operator'] as const
export type Role = (typeof roles)[number]

/** Roles that belong to an account. */
export const accountRoles = ['viewer', 'support', 'admin'] as const satisfies readonly Role[]

export const isRole = (name: string): name is Role => roles.some((role) => role === name)
export const isOfAccount = (role: Role): boolean => accountRoles.some((one) => one === role)

/** What a page shows or an action does, as far as it matters who may. */
export const capabilities = {
  self: 'their own passkeys and sign-ins',
  see: 'see invoices, disputes, money and deliveries of the account',
  work: 'write and send invoices, record payments, answer disputes, add evidence',
  settle: 'refund, accept a claim, replay',
  manage: 'webhooks, apps, secrets and people of the account',
  review: 'see disputes that are under review',
  decide: 'adjudicate, require evidence',
  operate: 'accounts, jobs, keys and people of the service',
} as const
export type Capability = keyof typeof capabilities

/**
 * Who may what. Every page and form of the console names what it takes, and the guard before all of them reads it here;
 * `test/scenarios/console/access.test.ts` tries every one as everybody.
 */
// biome-ignore format: a table reads best as a table
const table: Readonly<Record<Role, readonly Capability[]>> = {
  viewer:   ['self', 'see'],
  support:  ['self', 'see', 'work', 'settle'],
  admin:    ['self', 'see', 'work', 'settle', 'manage'],
  agent:    ['self', 'review', 'decide'],
  operator: ['self', 'review', 'decide', 'operate'],
}

/** An operator who looks at an account as its people do: nobody acts for a merchant from the operator's side. */
export const onlyLooking: readonly Capability[] = ['self', 'see']

export const capabilitiesOf = (role: Role): readonly Capability[] => table[role]

/** The scopes of the API that each capability opens, for the operations behind pages and forms. */
const scopesOf: Readonly<Record<Capability, readonly string[]>> = {
  self: [],
  see: ['invoicing/invoices/read', 'disputes/read-seller', 'reporting/search/read', 'applications/webhooks'],
  work: ['invoicing', 'invoicing/invoices/readwrite', 'disputes/update-seller'],
  settle: ['payments/refund'],
  manage: [],
  review: [operatorScope],
  decide: [operatorScope],
  operate: [operatorScope],
}

export const scopesFor = (held: readonly Capability[]): ReadonlySet<string> =>
  new Set(held.flatMap((capability) => scopesOf[capability]))

/** The page that `/console` leads to, by role. */
export const homes: Readonly<Record<Role, string>> = {
  viewer: '/console/invoices',
  support: '/console/disputes',
  admin: '/console/invoices',
  agent: '/console/operator/decisions',
  operator: '/console/operator',
}

export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  support: 'Support',
  admin: 'Admin',
  agent: 'Dispute agent',
  operator: 'Operator',
}
