import { setting, url } from '../config.ts'

/** Which service commands talk to. */
export const commandSettings = {
  sandboxUrl: setting<string | undefined>({
    variable: 'QUITTANCE_URL',
    initial: undefined,
    initialText: 'the address that `HOST` and `PORT` name',
    ...url,
    description: 'The running sandbox that commands such as `listen` and `scenario run` talk to.',
  }),
} as const
