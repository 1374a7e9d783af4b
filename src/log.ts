import type { LoggerOptions } from 'pino'
import { loggedError } from './kernel/error-text.ts'
import type { Settings } from './settings.ts'

/** Names that never reach a log, wherever they stand. */
const secrets = ['authorization', 'cookie', 'client_secret', 'access_token', 'signing_secret', 'password', 'secret']
const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `headers["${name}"]`])

/** How the service logs: JSON lines without secrets, and without the addresses of people. */
export const logOptions = (level: Settings['logLevel']): LoggerOptions => ({
  level,
  redact,
  base: null,
  serializers: { err: loggedError },
})
