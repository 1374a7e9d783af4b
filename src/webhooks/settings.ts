import { inSandbox, oneOf, setting, whole } from '../config.ts'

/** Which receivers are called, how, and for how long events are kept. */
export const webhookSettings = {
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
} as const
