import { setting, whole } from '../config.ts'

export const sandboxSettings = {
  forksMax: setting<number>({
    variable: 'FORKS_MAX',
    initial: 20,
    ...whole(1, 1000),
    description:
      'How many forks of a sandbox there may be at once. Each is a database and a service in the same process.',
  }),
} as const
