import { accountSettings } from './accounts/settings.ts'
import { auditSettings } from './audit/settings.ts'
import { cellSettings } from './cells/settings.ts'
import { commandSettings } from './cli/settings.ts'
import {
  type Environment,
  inSandbox,
  oneOf,
  perEnvironment,
  readAll,
  type SettingsOf,
  setting,
  unknownIn,
  type Written,
  whole,
} from './config.ts'
import { consoleSettings } from './console/settings.ts'
import { databaseSettings } from './database/settings.ts'
import { disputeSettings } from './disputes/settings.ts'
import { httpSettings } from './http/settings.ts'
import { invariantSettings } from './invariants/settings.ts'
import { invoiceSettings } from './invoices/settings.ts'
import { type DialectName, dialectNames } from './kernel/dialect.ts'
import { isGuessable, readSecretRing, SANDBOX_SECRET, type SecretRing } from './kernel/secrets.ts'
import { ledgerSettings } from './ledger/settings.ts'
import { payerSettings } from './payer/settings.ts'
import { sandboxSettings } from './sandbox/settings.ts'
import { webhookSettings } from './webhooks/settings.ts'

/** Every setting there is: those of the whole service, and what each room hands in. `docs/configuration.md` is printed from here. */
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
  secrets: setting<SecretRing | undefined>({
    variable: 'QUITTANCE_SECRET',
    confidential: true,
    initial: (environment) => (environment === 'sandbox' ? [SANDBOX_SECRET] : undefined),
    initialText: 'a public one in the sandbox; none in live, where it must be set',
    form: 'text of at least 32 characters that cannot be guessed, or several, separated by commas or line ends',
    read: (text) => readSecretRing(text),
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
  shutdownGraceSeconds: setting<number>({
    variable: 'SHUTDOWN_GRACE_SECONDS',
    ...perEnvironment(0, 5),
    ...whole(0, 60),
    description: 'How long `/readyz` says no before the service stops accepting, so that a balancer can turn away.',
  }),
  stopWithParent: setting<boolean>({
    variable: 'STOP_WITH_PARENT',
    ...inSandbox,
    initialText: '`true` in the sandbox and below `npm start` and `npx`, `false` in live',
    description:
      'Whether a service, or a command that goes on such as `listen`, ends when the process that started it has ended, for example a test runner that was killed.',
  }),
  ...databaseSettings,
  ...cellSettings,
  ...httpSettings,
  ...accountSettings,
  ...invoiceSettings,
  ...disputeSettings,
  ...ledgerSettings,
  ...payerSettings,
  ...webhookSettings,
  ...auditSettings,
  ...invariantSettings,
  ...consoleSettings,
  ...sandboxSettings,
  ...commandSettings,
} as const

export type Settings = SettingsOf<typeof settings>

/** Variables that look like settings of ours and are none, each with a sentence that says so. */
export const unknownVariables = (variables: Written) => unknownIn(settings, variables)

/** The same of names that are meant for nobody else. */
export const unknownSettings = (given: Written) => unknownIn(settings, given, () => true)

/** Reads every setting from flags first, then the environment, then its default. */
export const readSettings = (variables: Written, flags: Readonly<Record<string, unknown>> = {}): Settings =>
  readAll(settings, variables, flags)
