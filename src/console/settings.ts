import { setting, text, whole } from '../config.ts'

/** Who signs in to the console of a live service, and how. */
export const consoleSettings = {
  consoleName: setting<string>({
    variable: 'CONSOLE_NAME',
    initial: 'Quittance',
    ...text(/^[^\p{Cc}]{1,40}$/u),
    description: 'The name that stands on the console, for example that of whoever runs the service.',
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
      'Up to how much support may refund or accept at the console at once, in whole units of whatever currency it is in. An admin confirms with a fresh passkey what is more.',
  }),
} as const
