import { recordSettings } from './audit/settings.ts'
import { disputeSettings } from './dispute-settings.ts'
import { type DialectName, dialectNames } from './kernel/dialect.ts'
import { isGuessable, readSecretRing, SANDBOX_SECRET, type SecretRing } from './kernel/secrets.ts'
import { nearest } from './kernel/spelling.ts'
import { mailSettings } from './payer/settings.ts'
import {
  databaseAddress,
  type Environment,
  flag,
  flagOf,
  inSandbox,
  oneOf,
  optional,
  readOne,
  type Setting,
  setting,
  text,
  url,
  type Written,
  whole,
} from './setting.ts'

export type { Environment }

/** Every setting there is. `docs/configuration.md` is printed from here. */
export const settings = {
  environment: setting<Environment>({
    variable: 'QUITTANCE_ENVIRONMENT',
    initial: 'sandbox',
    ...oneOf(['sandbox', 'live']),
    description:
      'A sandbox has seeded people, a clock that can be moved and test operations; live has none of these. The first start writes it into the database, and a start in the other refuses.',
  }),
  dialect: setting<DialectName>({
    variable: 'QUITTANCE_DIALECT',
    initial: 'service',
    ...oneOf(dialectNames),
    description: 'Which brand-dependent names answers carry. Requests may use either.',
  }),
  host: setting<string>({
    variable: 'HOST',
    initial: '127.0.0.1',
    ...text(),
    description: 'The address to listen on.',
  }),
  port: setting<number>({
    variable: 'PORT',
    initial: 8080,
    ...whole(0, 65535),
    description: 'The port to listen on; 0 takes a free one.',
  }),
  publicUrl: setting<string | undefined>({
    variable: 'PUBLIC_URL',
    initial: undefined,
    initialText: 'the listening address',
    ...url,
    description: 'The address clients and customers reach the service at. Every link is built from it.',
  }),
  sandboxUrl: setting<string | undefined>({
    variable: 'QUITTANCE_URL',
    initial: undefined,
    initialText: 'the address that `HOST` and `PORT` name',
    ...url,
    description: 'The running sandbox that commands such as `listen` and `scenario run` talk to.',
  }),
  allowedHosts: setting<readonly string[]>({
    variable: 'ALLOWED_HOSTS',
    initial: [],
    initialText: 'none',
    form: 'names with commas between them, or `*`',
    read: (value) => (/^(\*|[\w.-]+(\s*,\s*[\w.-]+)*)$/.test(value) ? value.toLowerCase().split(/\s*,\s*/) : undefined),
    description:
      'Further names that a sandbox answers to, and whose web pages may call it; `*` answers to all. Addresses, `localhost`, names without dots or below `.test`, `.local`, `.internal` and the name in `PUBLIC_URL` need none. Not used in live.',
  }),
  databaseUrl: setting<string | undefined>({
    variable: 'DATABASE_URL',
    initial: undefined,
    initialText: 'the embedded server',
    ...databaseAddress,
    description:
      'A PostgreSQL 15 or newer to use instead of the embedded one. May name several servers, of which the one that takes writes is used: `postgres://user:password@one:5432,two:5432/database`.',
  }),
  databaseConnections: setting<number>({
    variable: 'DATABASE_CONNECTIONS',
    initial: 20,
    ...whole(2, 500),
    description: 'How many connections to PostgreSQL a process keeps at most.',
  }),
  dataDir: setting<string>({
    variable: 'QUITTANCE_DATA_DIR',
    initial: './data',
    ...text(),
    description: 'Where the embedded server keeps its data. Not used with `DATABASE_URL`.',
  }),
  secrets: setting<SecretRing | undefined>({
    variable: 'QUITTANCE_SECRET',
    initial: (environment) => (environment === 'sandbox' ? [SANDBOX_SECRET] : undefined),
    initialText: 'a public one in the sandbox; none in live, where it must be set',
    form: 'text of at least 32 characters that cannot be guessed, or several, separated by commas or line ends',
    read: readSecretRing,
    unfit: (ring, environment) => environment === 'live' && ring !== undefined && isGuessable(ring),
    description:
      'The key that access tokens, page tokens, links and stored secrets depend on; the same for all processes. Of several, the first is used for all that is new, and the others open what they made: docs/operating.md says how to replace it.',
  }),
  logLevel: setting<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    variable: 'LOG_LEVEL',
    initial: 'info',
    ...oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    description:
      'How much is logged: `info` one line a request and a delivery, `warn` what went wrong. At a terminal a line is for people, elsewhere it is JSON.',
  }),
  tokenSeconds: setting<number>({
    variable: 'TOKEN_SECONDS',
    initial: 32_400,
    ...whole(60, 86_400),
    description: 'How long an access token is valid.',
  }),
  strictInvoicerEmail: setting<boolean>({
    variable: 'STRICT_INVOICER_EMAIL',
    initial: false,
    ...flag,
    description: 'Refuses invoices whose `invoicer.email_address` is not an address of the calling merchant.',
  }),
  strictFields: setting<boolean>({
    variable: 'STRICT_FIELDS',
    initial: false,
    ...flag,
    description:
      'Refuses requests with fields or event types that are not known, which are otherwise ignored; a sandbox names them in a header of the answer.',
  }),
  rateLimitPerMinute: setting<number>({
    variable: 'RATE_LIMIT_PER_MINUTE',
    initial: (environment) => (environment === 'sandbox' ? 0 : 600),
    initialText: '0 in the sandbox, 600 in live',
    ...whole(0, 1_000_000),
    description:
      'Requests an app may make a minute, in each process; a body counts as one more for every 16 KiB, uploads aside. 0 is no limit.',
  }),
  rateLimitBurst: setting<number>({
    variable: 'RATE_LIMIT_BURST',
    initial: 100,
    ...whole(1, 1_000_000),
    description: 'Requests an app may make at once before the limit a minute binds.',
  }),
  tokenRateLimitPerMinute: setting<number>({
    variable: 'TOKEN_RATE_LIMIT_PER_MINUTE',
    initial: (environment) => (environment === 'sandbox' ? 0 : 60),
    initialText: '0 in the sandbox, 60 in live',
    ...whole(0, 1_000_000),
    description:
      'Token requests a client id may make a minute from one address, in each process, and ten times as many with whatever client ids; 0 is no limit.',
  }),
  pageRateLimitPerMinute: setting<number>({
    variable: 'PAGE_RATE_LIMIT_PER_MINUTE',
    initial: (environment) => (environment === 'sandbox' ? 0 : 300),
    initialText: '0 in the sandbox, 300 in live',
    ...whole(0, 1_000_000),
    description:
      'Hosted pages, PDFs and forms that one address may ask for a minute, in each process; an address of version 6 counts as its /64 network. 0 is no limit.',
  }),
  storedMegabytesPerDay: setting<number>({
    variable: 'STORED_MEGABYTES_PER_DAY',
    initial: (environment) => (environment === 'sandbox' ? 0 : 2_048),
    initialText: '0 in the sandbox, 2048 in live',
    ...whole(0, 1_000_000),
    description:
      'Megabytes that an account may send in a day in requests of more than 8 KiB, files included; an address without a token a tenth of it. 0 is no limit.',
  }),
  trustProxy: setting<string | undefined>({
    variable: 'TRUST_PROXY',
    initial: undefined,
    initialText: 'nobody',
    ...optional,
    description: 'Comma-separated addresses or ranges of proxies whose `X-Forwarded-For` is believed.',
  }),
  paymentFeePercent: setting<string>({
    variable: 'PAYMENT_FEE_PERCENT',
    initial: '0',
    form: '0 to 99.9999, at most four decimals',
    read: (value) => (/^\d{1,2}(\.\d{1,4})?$/.test(value) ? value : undefined),
    description: 'The share of a payment that the service keeps, in percent. A refund does not give it back.',
  }),
  webhookAllowHttp: setting<boolean>({
    variable: 'WEBHOOK_ALLOW_HTTP',
    ...inSandbox,
    description: 'Whether a webhook, or the logo on an invoice, may have an address that begins with `http://`.',
  }),
  webhookAllowPrivate: setting<boolean>({
    variable: 'WEBHOOK_ALLOW_PRIVATE',
    ...inSandbox,
    description:
      'Whether a webhook, or the logo on an invoice, may be on this machine or in a private network. Link-local addresses are refused in any case.',
  }),
  webhookRetrySpeed: setting<number>({
    variable: 'WEBHOOK_RETRY_SPEED',
    initial: 1,
    ...whole(1, 1_000_000),
    description: 'Divides the waits between the attempts to deliver an event, for tests against a clock that runs.',
  }),
  webhookSignatures: setting<'both' | 'standard'>({
    variable: 'WEBHOOK_SIGNATURES',
    initial: 'both',
    ...oneOf(['both', 'standard']),
    description:
      'How deliveries are signed: with the certificate and with the secret of the webhook, or with the secret alone, which costs far less.',
  }),
  webhookRetentionDays: setting<number>({
    variable: 'WEBHOOK_RETENTION_DAYS',
    initial: 30,
    ...whole(0, 36_500),
    description:
      'How many days an event is kept with its transmissions and their attempts, and for longer while one is pending; 0 keeps all.',
  }),
  gatewayUrl: setting<string | undefined>({
    variable: 'GATEWAY_URL',
    initial: undefined,
    initialText: 'none: the page says how to pay offline',
    ...url,
    description: 'The payment gateway of a live service; docs/payments.md says what it must answer.',
  }),
  gatewaySecret: setting<string | undefined>({
    variable: 'GATEWAY_SECRET',
    initial: undefined,
    initialText: 'none; needed with `GATEWAY_URL`',
    ...text(/^.{16,}$/),
    description: 'The key that calls to the gateway and its callbacks are signed with; at least 16 characters.',
  }),
  gatewayAllowHttp: setting<boolean>({
    variable: 'GATEWAY_ALLOW_HTTP',
    ...inSandbox,
    description: 'Whether `GATEWAY_URL` may begin with `http://`.',
  }),
  gatewayAllowPrivate: setting<boolean>({
    variable: 'GATEWAY_ALLOW_PRIVATE',
    ...inSandbox,
    description:
      'Whether the gateway may be on this machine or in a private network, as one of your own is. Link-local addresses are refused in any case.',
  }),
  ...mailSettings,
  shutdownGraceSeconds: setting<number>({
    variable: 'SHUTDOWN_GRACE_SECONDS',
    initial: (environment) => (environment === 'sandbox' ? 0 : 5),
    initialText: '0 in the sandbox, 5 in live',
    ...whole(0, 60),
    description: 'How long `/readyz` says no before the service stops accepting, so that a balancer can turn away.',
  }),
  stopWithParent: setting<boolean>({
    variable: 'STOP_WITH_PARENT',
    ...inSandbox,
    initialText: '`true` in the sandbox and below `npm start`, `false` in live',
    description:
      'Whether the service ends when the process that started it has ended, as a test runner may that is killed.',
  }),
  ...disputeSettings,
  ...recordSettings,
} as const satisfies Record<string, Setting<never> | object>

type SettingTable = typeof settings
export type Settings = {
  readonly [Name in keyof SettingTable]: SettingTable[Name] extends Setting<infer Value> ? Value : never
}

/** Variables that look like settings of ours and are none, each with a sentence that says so. */
export function unknownVariables(variables: Written): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  return Object.keys(variables)
    .filter((name) => name.startsWith('QUITTANCE_') && !known.includes(name))
    .map((name) => {
      const plain = known.find((variable) => flagOf(variable) === flagOf(name)) ?? nearest(name, known)
      return `${name} is no setting and has no effect.${plain === undefined ? '' : ` Did you mean ${plain}?`}`
    })
}

/** Reads every setting from flags first, then the environment, then its default. */
export function readSettings(variables: Written, flags: Readonly<Record<string, unknown>> = {}): Settings {
  const environment = readOne<Environment>(settings.environment, { variables, flags }, 'sandbox')
  const values = Object.entries(settings).map(([name, definition]) => [
    name,
    readOne(definition as Setting<unknown>, { variables, flags }, environment),
  ])
  // Each value was read by the definition of the same name.
  return Object.fromEntries(values) as Settings
}
