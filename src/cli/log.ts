import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { loggedError } from '../kernel/error-text.ts'
import type { Settings } from '../settings.ts'
import { makePaint, type Paint, plainly } from './paint.ts'

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

/** Where lines go, until the end. */
export interface LogDestination extends DestinationStream {
  /** Lets what is left go out, for a moment. Whoever does not read, or is gone, must not keep the process from ending. */
  end(): Promise<void>
  /** Gives up what is left. */
  drop(): void
}

/** A line goes out this much after it was written at the latest, with all that came in between. */
const TOGETHER_MS = 20
const TOGETHER_LENGTH = 8_192
const END_MS_MAX = 1_000

/**
 * JSON lines for programs, several in a write: one for each line would cost more than the line. What is not out yet when
 * the process ends goes out then; the library would wait for that without end, and keep the process.
 */
export function lineLog(): LogDestination {
  const out = pino.destination({ dest: 1, minLength: TOGETHER_LENGTH, sync: false })
  let isDue = false
  let isOver = false
  const flush = () => {
    isDue = false
    if (!isOver) out.flush()
  }
  const drop = () => {
    isOver = true
    out.destroy()
  }
  return {
    write(line) {
      if (isOver) return
      out.write(line)
      if (!isDue) setTimeout(flush, TOGETHER_MS).unref()
      isDue = true
    },
    async end() {
      const flushed = new Promise((resolve) => out.flush(resolve))
      await Promise.race([flushed, new Promise((resolve) => setTimeout(resolve, END_MS_MAX))])
      drop()
    },
    drop,
  }
}

/** What our log lines hold; each has some of it. */
interface Line {
  readonly level: number
  readonly time: number
  readonly msg?: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly ms?: number
  readonly debug_id?: string
  readonly account?: string
  readonly issues?: readonly string[]
  readonly event?: string
  readonly url?: string
  readonly next_time?: string
  readonly error?: string
  readonly job?: string
  readonly err?: { readonly message?: string }
}

const WARN = 40
const ERROR = 50

/** Log lines for a person at a terminal: one short line each, failures in colour. Programs get JSON instead. */
export function terminalLog(out: (text: string) => void, { coloured }: { coloured: boolean }): LogDestination {
  const paint = makePaint({ coloured })
  return {
    write: (json) => out(`${terminalLine(readLine(json), paint)}\n`),
    end: async () => {},
    drop() {},
  }
}

/** What far ends answered stands in some of them. */
const readLine = (json: string) =>
  JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? plainly(value) : value)) as Line

function terminalLine(line: Line, paint: Paint): string {
  const time = paint('dim', new Date(line.time).toTimeString().slice(0, 8))
  if (line.msg === 'request') return `${time}  ${request(line, paint)}`
  if (line.msg === 'delivery') return `${time}  ${delivery(line, paint)}`
  const text = [line.msg, line.job, line.err?.message].filter(Boolean).join(': ')
  return `${time}  ${line.level >= ERROR ? paint('red', text) : line.level >= WARN ? paint('yellow', text) : text}`
}

function request({ method, path, status = 0, ms, account, issues = [], debug_id }: Line, paint: Paint): string {
  const colour = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const parts = [paint(colour, String(status)), method, path, paint('dim', `${ms} ms`), account]
  if (status >= 400) parts.push(paint(colour, issues.join(', ')), paint('dim', debug_id ?? ''))
  return parts.filter(Boolean).join('  ')
}

function delivery({ level, event, url, status, ms, next_time, error }: Line, paint: Paint): string {
  const isLost = level >= WARN
  const parts = [paint(isLost ? 'red' : 'green', status ? String(status) : '---'), 'webhook', event, url]
  parts.push(paint('dim', `${ms} ms`))
  if (isLost)
    parts.push(paint('red', [error, next_time ? `again at ${next_time}` : 'given up'].filter(Boolean).join(', ')))
  return parts.filter(Boolean).join('  ')
}
