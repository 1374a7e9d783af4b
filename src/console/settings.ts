import { inSandbox, setting, text, url, whole } from '../config.ts'

/** A role that membership of a group gives. */
export interface GroupRole {
  readonly group: string
  readonly role: 'viewer' | 'support' | 'admin' | 'agent' | 'operator'
  /** The account that a viewer, support or admin belongs to. */
  readonly accountId?: string
}

/** `group:role` for agents and operators, `group:role@account` for people of an account; undefined when it is neither. */
function readGroupRole(text: string): GroupRole | undefined {
  const [, group, role, accountId] = /^(.+):(viewer|support|admin|agent|operator)(?:@([\w-]{1,30}))?$/.exec(text) ?? []
  if (group === undefined || role === undefined) return undefined
  const isOfService = role === 'agent' || role === 'operator'
  if (isOfService !== (accountId === undefined)) return undefined
  return { group, role: role as GroupRole['role'], ...(accountId !== undefined && { accountId }) }
}

/** Who signs in to the console of a live service, and how. */
export const consoleSettings = {
  consoleName: setting<string>({
    variable: 'CONSOLE_NAME',
    initial: 'Quittance',
    ...text(/^[^\p{Cc}]{1,40}$/u),
    description: 'The name shown on the console, for example that of your company.',
  }),
  consoleUrl: setting<string | undefined>({
    variable: 'CONSOLE_URL',
    initial: undefined,
    initialText: '`PUBLIC_URL`',
    ...url,
    description:
      'The address people reach the console at, where that is another: of several cells each has a console of its own. Links to it in mails, links to sign in, passkeys and single sign-on are for it.',
  }),
  consolePasskeys: setting<boolean>({
    variable: 'CONSOLE_PASSKEYS',
    initial: true,
    initialText: '`on`',
    form: '`on` or `off`',
    read: (value) => (value === 'on' ? true : value === 'off' ? false : undefined),
    description:
      'Whether people sign in to the console with links and passkeys. With `off` they sign in by single sign-on only.',
  }),
  consoleOidcIssuer: setting<string | undefined>({
    variable: 'CONSOLE_OIDC_ISSUER',
    initial: undefined,
    initialText: 'none: no single sign-on',
    form: 'an http or https address',
    // It must match to the letter, and some issuers end with a slash.
    read: (value) => (URL.canParse(value) && /^https?:/.test(value) ? value : undefined),
    description: 'The OpenID Connect issuer that people may sign in to the console with, as it calls itself.',
  }),
  consoleOidcClientId: setting<string | undefined>({
    variable: 'CONSOLE_OIDC_CLIENT_ID',
    initial: undefined,
    initialText: 'none; needed with `CONSOLE_OIDC_ISSUER`',
    ...text(/^[\x21-\x7e]{1,200}$/),
    description: 'What the issuer calls this service.',
  }),
  consoleOidcClientSecret: setting<string | undefined>({
    variable: 'CONSOLE_OIDC_CLIENT_SECRET',
    confidential: true,
    initial: undefined,
    initialText: 'none; needed with `CONSOLE_OIDC_ISSUER`',
    ...text(/^[\x21-\x7e]{1,500}$/),
    description: 'The secret that the issuer gave this service.',
  }),
  consoleOidcRoles: setting<readonly GroupRole[]>({
    variable: 'CONSOLE_OIDC_ROLES',
    initial: [],
    initialText: 'none: nobody gets in by single sign-on',
    form: '`group:role` or `group:role@account`, separated by commas',
    read(value) {
      const read = value.split(',').map((part) => readGroupRole(part.trim()))
      return read.every((one) => one !== undefined) ? read : undefined
    },
    description:
      'What the groups of the claim `groups` make of a person: `ops:operator,desk:agent,shop:admin@<account id>`.',
  }),
  consoleOidcAllowHttp: setting<boolean>({
    variable: 'CONSOLE_OIDC_ALLOW_HTTP',
    ...inSandbox,
    description: 'Whether `CONSOLE_OIDC_ISSUER` may begin with `http://`.',
  }),
  consoleOidcAllowPrivate: setting<boolean>({
    variable: 'CONSOLE_OIDC_ALLOW_PRIVATE',
    ...inSandbox,
    description:
      'Whether the issuer may be on this machine or in a private network. Link-local addresses are refused in any case.',
  }),
  consoleTriesPerMinute: setting<number>({
    variable: 'CONSOLE_TRIES_PER_MINUTE',
    initial: 10,
    ...whole(0, 1_000_000),
    description: 'How often one address may try to sign in within a minute; 0 is no limit.',
  }),
  consoleRefundLimit: setting<number>({
    variable: 'CONSOLE_REFUND_LIMIT',
    initial: 500,
    ...whole(0, 100_000_000),
    description:
      'Up to how much support may refund, accept or offer at the console at once, in whole units of its currency. An admin confirms with a fresh passkey what is more.',
  }),
} as const
