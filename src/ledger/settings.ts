import { setting } from '../config.ts'

/** What the service keeps of a payment. */
export const ledgerSettings = {
  paymentFeePercent: setting<string>({
    variable: 'PAYMENT_FEE_PERCENT',
    initial: '0',
    form: '0 to 99.9999, at most four decimals',
    read: (value) => (/^\d{1,2}(\.\d{1,4})?$/.test(value) ? value : undefined),
    description: 'The share of a payment that the service keeps, in percent. A refund does not give it back.',
  }),
} as const
