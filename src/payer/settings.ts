import { inSandbox, setting, whole } from '../setting.ts'

/** The settings that only mail reads. */
export const mailSettings = {
  smtpUrl: setting<string | undefined>({
    variable: 'SMTP_URL',
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
  mailPerInvoicePerDay: setting<number>({
    variable: 'MAIL_PER_INVOICE_PER_DAY',
    initial: 10,
    ...whole(0, 1_000_000),
    description:
      'Calls of a merchant that mail somebody about one invoice (send, update, remind, cancel) within a day; more are refused with 429. 0 is no limit.',
  }),
  mailPerAccountPerDay: setting<number>({
    variable: 'MAIL_PER_ACCOUNT_PER_DAY',
    initial: (environment) => (environment === 'sandbox' ? 0 : 5_000),
    initialText: '0 in the sandbox, 5000 in live',
    ...whole(0, 100_000_000),
    description:
      'Mails that the calls of one merchant may send within a day, counted by recipient; more are refused with 429. 0 is no limit.',
  }),
  mailPerCasePerDay: setting<number>({
    variable: 'MAIL_PER_CASE_PER_DAY',
    initial: 10,
    ...whole(0, 1_000_000),
    description:
      'News of one dispute that each side is mailed within a day, beside its beginning and its end; more are not mailed. 0 is no limit.',
  }),
  mailFrom: setting<string>({
    variable: 'MAIL_FROM',
    initial: 'invoices@localhost',
    form: 'an e-mail address',
    read: (value) => (/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(value) ? value : undefined),
    description: 'The address mails are sent from. Replies go to the merchant.',
  }),
}
