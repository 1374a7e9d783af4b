import { setting, whole } from '../config.ts'

export const sandboxSettings = {
  forksMax: setting<number>({
    variable: 'FORKS_MAX',
    initial: 20,
    ...whole(1, 1000),
    description:
      'How many forks of a sandbox there may be at once. Each is a database and a service in the same process.',
  }),
  clockPatienceSeconds: setting<number>({
    variable: 'CLOCK_PATIENCE_SECONDS',
    initial: 5,
    ...whole(1, 20),
    description:
      'How long a move of the clock waits for a webhook receiver that does not answer; what it is sent later on the way is not waited for again. Not used in live.',
  }),
} as const
