import { perEnvironment, setting, whole } from '../config.ts'

/** How long a token lives, and how often one may call. */
export const accountSettings = {
  tokenSeconds: setting<number>({
    variable: 'TOKEN_SECONDS',
    initial: 32_400,
    ...whole(60, 86_400),
    description: 'How long an access token is valid.',
  }),
  rateLimitPerMinute: setting<number>({
    variable: 'RATE_LIMIT_PER_MINUTE',
    ...perEnvironment(0, 600),
    ...whole(0, 1_000_000),
    description:
      'Requests an app may make a minute, in each process; a body counts as one more for every 16 KiB, uploads aside. 0 is no limit.',
  }),
  rateLimitBurst: setting<number>({
    variable: 'RATE_LIMIT_BURST',
    initial: 100,
    ...whole(1, 1_000_000),
    description: 'Requests an app may make at once before the limit a minute binds.',
  }),
  tokenRateLimitPerMinute: setting<number>({
    variable: 'TOKEN_RATE_LIMIT_PER_MINUTE',
    ...perEnvironment(0, 60),
    ...whole(0, 1_000_000),
    description:
      'Token requests a client id may make a minute from one address, in each process, and ten times as many with whatever client ids; as many may come with access tokens that nobody holds. 0 is no limit.',
  }),
  pageRateLimitPerMinute: setting<number>({
    variable: 'PAGE_RATE_LIMIT_PER_MINUTE',
    ...perEnvironment(0, 300),
    ...whole(0, 1_000_000),
    description:
      'Hosted pages, PDFs and forms that one address may ask for a minute, in each process; an address of version 6 counts as its /64 network. 0 is no limit.',
  }),
  processorSharePercent: setting<number>({
    variable: 'PROCESSOR_SHARE_PERCENT',
    ...perEnvironment(0, 5),
    ...whole(0, 100),
    description:
      'How much of the time of a process the requests of one account may take while others call as well; an address without a token has half of it. Beyond it they wait and go on one at a time, and are refused with 429 when a hundred of them wait. Some 35 invoices a second fit into 5; who raises RATE_LIMIT_PER_MINUTE beyond that raises this too. 0 is no limit.',
  }),
} as const
