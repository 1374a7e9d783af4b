import { inSandbox, setting, url, whole } from '../config.ts'
import { readSecretRing, type SecretRing } from '../kernel/secrets.ts'

const GATEWAY_SECRET_LENGTH_MIN = 16

/** The payment gateway and the mail server. */
export const payerSettings = {
  gatewayUrl: setting<string | undefined>({
    variable: 'GATEWAY_URL',
    initial: undefined,
    initialText: 'none: the page says how to pay offline',
    ...url,
    description: 'The payment gateway of a live service; docs/payments.md says what it must answer.',
  }),
  gatewaySecrets: setting<SecretRing | undefined>({
    variable: 'GATEWAY_SECRET',
    confidential: true,
    initial: undefined,
    initialText: 'none; needed with `GATEWAY_URL`',
    form: `text of at least ${GATEWAY_SECRET_LENGTH_MIN} characters, or several, separated by commas or line ends`,
    read: (text) => readSecretRing(text, GATEWAY_SECRET_LENGTH_MIN),
    description:
      'The key that calls to the gateway and its callbacks are signed with. Of several, the first signs the calls, and a callback may be signed with any: docs/payments.md says how to replace it.',
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
  smtpUrl: setting<string | undefined>({
    variable: 'SMTP_URL',
    confidential: true,
    initial: undefined,
    initialText: 'none: mails are kept in the sandbox and dropped in live',
    form: 'an smtp or smtps address, for example `smtps://user:password@mail.example.com:465`',
    read: (value) => (URL.canParse(value) && /^smtps?:/.test(value) ? value : undefined),
    description: 'The mail server that mails are handed to.',
  }),
  smtpAllowPrivate: setting<boolean>({
    variable: 'SMTP_ALLOW_PRIVATE',
    ...inSandbox,
    description:
      'Whether the mail server may be on this machine or in a private network. Link-local addresses are refused in any case.',
  }),
  smtpAllowPlain: setting<boolean>({
    variable: 'SMTP_ALLOW_PLAIN',
    ...inSandbox,
    description:
      'Whether an `smtp:` server that offers no STARTTLS is handed mails and the password in clear. Without it such a server gets neither.',
  }),
  mailFrom: setting<string>({
    variable: 'MAIL_FROM',
    initial: 'invoices@localhost',
    form: 'an e-mail address',
    read: (value) => (/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(value) ? value : undefined),
    description: 'The address mails are sent from. Replies go to the merchant.',
  }),
  mailPerCasePerDay: setting<number>({
    variable: 'MAIL_PER_CASE_PER_DAY',
    initial: 10,
    ...whole(0, 1_000_000),
    description:
      'News of one dispute that each side is mailed within a day, beside its beginning and its end; more are not mailed. 0 is no limit.',
  }),
} as const
