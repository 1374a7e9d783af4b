import type { CallExample } from '../../src/http/openapi/describe.ts'
import { describedService } from '../../src/printed.ts'
import { describedRoutes } from '../../src/routes.ts'
import type { Person, World } from '../support/world.ts'

/** A file that goes along with a call. */
export interface SentFile {
  readonly part: string
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Shown {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Sent as a form instead of JSON. */
  readonly form?: Readonly<Record<string, string>>
  readonly files?: readonly SentFile[]
  readonly headers?: Readonly<Record<string, string>>
  /** The fields of the answer that are shown, where all of them would be too long. */
  readonly only?: readonly string[]
}

type Body = Record<string, never>
export type Show = (operation: string, who: Person | undefined, shown?: Shown) => Promise<Answered>
interface Answered {
  readonly status: number
  readonly body: Body
  readonly text: string
  readonly headers: Record<string, string | string[] | number | undefined>
}

const LIST_MAX = 2
const TEXT_MAX = 300
const BOUNDARY = 'between-the-parts'

const routes = new Map(describedRoutes(describedService).map((route) => [route.operation, route]))

/** Calls operations by their names, and keeps each call and its answer for the reference. */
export class Recorder {
  readonly #examples = new Map<string, CallExample>()
  readonly #renamed: (readonly [found: string, shown: string])[] = []

  /** What differs from run to run, such as a port, is shown as something else. */
  rename(found: string, shown: string): void {
    this.#renamed.push([found, shown])
  }

  in(world: World): Show {
    return async (operation, who, shown = {}) => {
      const route = routes.get(operation)
      if (!route) throw new Error(`There is no operation ${operation}.`)
      const { params = {}, query = {}, body, form, files, headers = {}, only } = shown
      const path = route.url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      const typed = form && { 'content-type': 'application/x-www-form-urlencoded' }
      const sent = form ? new URLSearchParams(form).toString() : files ? multipart(body, files) : body
      const options = { headers: { ...typed, ...(files && upload), ...headers }, query: { ...query } }
      const answer = await (who
        ? who.send(route.method, path, sent, options)
        : world.call(route.method, path, sent, options))
      if (answer.status >= 400) throw new Error(`${operation} answered ${answer.status}: ${answer.text}`)
      const search = new URLSearchParams(query).toString()
      const type = String(answer.headers['content-type'] ?? '').split(';')[0]!
      this.#keep(operation, {
        path: search === '' ? path : `${path}?${search}`,
        parameters: { ...params, ...query },
        ...(who && { as: who.clientId }),
        ...(form ? { type: 'application/x-www-form-urlencoded', body: form } : body !== undefined && { body }),
        ...(files && { type: 'multipart/form-data', files: files.map(({ part, name }) => ({ part, name })) }),
        status: answer.status,
        ...(answer.text !== '' && { answerType: type, answer: readable(type, answer, only) }),
      })
      return answer as Answered
    }
  }

  #keep(operation: string, example: CallExample): void {
    if (this.#examples.has(operation)) throw new Error(`${operation} is shown twice.`)
    let text = JSON.stringify(steady(example))
    for (const [found, shown] of this.#renamed) text = text.replaceAll(found, shown)
    this.#examples.set(operation, JSON.parse(text))
  }

  /** In the order of their names. */
  examples(): Record<string, CallExample> {
    return Object.fromEntries([...this.#examples].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** A body with files, and what says so. */
export const upload = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

export function multipart(body: unknown, files: readonly SentFile[]): Buffer {
  const part = (disposition: string, type: string, bytes: Buffer) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]
  return Buffer.concat([
    ...part('name="input"', 'application/json', Buffer.from(JSON.stringify(body))),
    ...files.flatMap(({ part: name, name: file, type, bytes }) =>
      part(`name="${name}"; filename="${file}"`, type, bytes),
    ),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])
}

/** JSON as it is, text by its beginning, and of anything else nothing. */
function readable(type: string, { body, text }: { body: unknown; text: string }, only?: readonly string[]): unknown {
  if (type === 'application/json')
    return only ? Object.fromEntries(Object.entries(body as object).filter(([name]) => only.includes(name))) : body
  return /^text\/|pem|xml|rfc822/.test(type) ? text : undefined
}

/** What is drawn anew in every run, by the name of its field. */
const drawn: Readonly<Record<string, unknown>> = {
  access_token: 'A21AAIYXQmVzdC1vZi1hbGwtcG9zc2libGUtdG9rZW5z',
  nonce: '2026-03-02T09:00:00ZbGlrZS1ubyBvdGhlciBub25jZSBpbiB0aGUgd29ybGQ',
  expires_in: 32_400,
  signing_secret: 'whsec_QW4gZXhhbXBsZSBvZiBhIHNlY3JldCwgd2hpY2ggaXMgbm9uZQ==',
  transmission_sig: 'RXhhY3RseSB3aGF0IHRoZSBoZWFkZXIgb2YgdGhlIGRlbGl2ZXJ5IHNheXM=',
  transmission_time: '2026-03-02T09:00:00Z',
  duration: 12,
  duration_ms: 12,
  ms: 12,
  seq: 42,
  last_seq: 47,
  real_time: '2026-03-02T09:00:00.000Z',
  timestamp: '2026-03-02T09:00:00Z',
  token: 'the token of the form',
  image: 'iVBORw0KGgoAAAANSUhEUgAAAfQAAAH0AQAAAADjreInAAAC…',
}

const DAY_MS = 86_400_000
const isNow = (instant: string) => Math.abs(Date.parse(instant) - Date.now()) < DAY_MS

/** The same within texts. */
const settled = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => (isNow(instant) ? drawn['real_time'] : instant) as string)
    .replace(/http:\/\/127\.0\.0\.1:(?!8080)\d+/g, 'http://127.0.0.1:41973')
    .replace(/\bf_[0-9a-f]{8}\b/g, 'f_1012ef41')
    .replace(/\bCERT-[0-9a-f-]+/g, 'CERT-360caa42-fca2a594')
    .replace(/\bin \d+ ms\b/g, 'in 12 ms')
    .replace(/\bpage_token=\d+(?![\w%.-])/g, 'page_token=42')
    .replace(/\bpage-[0-9a-f]{16}\./g, 'page-9585cabdd5678f9e.')
    .replace(/(BEGIN CERTIFICATE-----\n)[\s\S]*/, '$1MIIDNTCCAh2gAwIBAgIQZ7vujzBoL4BoxSq1Wr1WATANBgkqhkiG9w0BAQsFADAm…')
    .replace(/^(?!# )\w+(?:\{[^}]*\})? [\d.e+-]+\n/gm, '')

const short = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)

/** The same in every run, and short: of a long list the first entries, of a long text its beginning. */
function steady(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.slice(0, key === 'links' ? 20 : LIST_MAX).map((item) => steady(item))
  if (typeof value === 'string') return short(settled(value))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name]) => !['date', 'connection', 'keep-alive', 'user-agent'].includes(name.toLowerCase()))
    .map(([name, part]) => [name, name in drawn && part !== undefined ? drawn[name] : steady(part, name)])
  return Object.fromEntries(entries)
}
