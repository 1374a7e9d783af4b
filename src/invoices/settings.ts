import { flag, perEnvironment, setting, whole } from '../config.ts'

/** What invoices are refused, and how many mails they may cause. */
export const invoiceSettings = {
  strictInvoicerEmail: setting<boolean>({
    variable: 'STRICT_INVOICER_EMAIL',
    initial: false,
    ...flag,
    description: 'Refuses invoices whose `invoicer.email_address` is not an address of the calling merchant.',
  }),
  mailPerInvoicePerDay: setting<number>({
    variable: 'MAIL_PER_INVOICE_PER_DAY',
    initial: 10,
    ...whole(0, 1_000_000),
    description:
      'Calls of a merchant that mail somebody about one invoice (send, update, remind, cancel) within a day; more are refused with 429. A refund counts as well, and is not mailed when there are more. 0 is no limit.',
  }),
  mailPerAccountPerDay: setting<number>({
    variable: 'MAIL_PER_ACCOUNT_PER_DAY',
    ...perEnvironment(0, 5_000),
    ...whole(0, 100_000_000),
    description:
      'Mails that the calls of one merchant may send within a day or cause on an issue date, counted by recipient; more are refused with 429. 0 is no limit.',
  }),
} as const
