import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { cookieOf } from '../http/cookies.ts'
import { Answer } from '../http/route.ts'
import { beginning } from '../kernel/beginning.ts'

const folder = new URL('./assets/', import.meta.url)
const order = ['tokens', 'frame', 'parts', 'forms', 'pages', 'narrow']

/** A script or a style as browsers get it: without comments, which are for those who read the source. */
export const withoutComments = (text: string): string => text.replace(/^ *(?:\/\/.*|\/\*[\s\S]*?\*\/)\n/gm, '')

const read = (name: string) => withoutComments(readFileSync(new URL(name, folder), 'utf8'))

interface Asset {
  readonly type: string
  readonly text: string
}

/** What browsers load beside the pages: one style, and scripts that import each other. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  ['console.css', { type: 'text/css; charset=utf-8', text: order.map((name) => read(`${name}.css`)).join('') }],
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, { type: 'text/javascript; charset=utf-8', text: read(name) }] as const),
])

export const assetDigest = createHash('sha256')
  .update([...assets].map(([name, { text }]) => `${name}\0${text}`).join('\0'))
  .digest('hex')
  .slice(0, 16)

/** The address changes with the assets, so that a browser may keep them for ever. */
export const assetBase = `/console/assets/${assetDigest}`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types quittance',
].join('; ')

const safe = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-robots-tag': 'noindex' }

/** A page of the console: nothing is loaded but what we serve, and nothing runs but our own scripts. */
export const pageAnswer = (status: number, markup: string, cookie?: string): Answer =>
  new Answer(status, markup, {
    ...safe,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    // Not `no-referrer`: a browser would then hide the origin of our own forms from us.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  })

/** A part of a page, for a script of ours to put into one. */
export const partAnswer = (markup: string): Answer =>
  new Answer(200, markup, {
    ...safe,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  })

/** A message of server-sent events; one without anything keeps the connection alive. */
export interface LiveMessage {
  readonly id?: number
  readonly event?: string
  readonly data?: string
  /** How soon the browser comes back after the stream has ended. */
  readonly retry?: number
}

const lineOf = ({ id, event, data, retry }: LiveMessage): string => {
  const lines = [
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)),
  ]
  return `${lines.length === 0 ? ':' : lines.join('\n')}\n\n`
}

/** Server-sent events, for as long as there are some to come. `onEnd` is called as soon as nobody reads any more. */
export function eventsAnswer(messages: AsyncIterable<readonly LiveMessage[]>, onEnd: () => void): Answer {
  let isWanted = () => {}
  const stream = new Readable({ read: () => isWanted() }).once('close', () => {
    onEnd()
    isWanted()
  })
  const tell = async () => {
    for await (const some of messages) {
      if (stream.destroyed) return
      const wanted = new Promise<void>((resolve) => {
        isWanted = resolve
      })
      // When somebody reads slowly, this waits for them.
      if (!stream.push(some.map(lineOf).join(''))) await wanted
    }
    stream.push(null)
  }
  void tell().catch((error) => stream.destroy(error as Error))
  return new Answer(200, stream, {
    ...safe,
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies would hold back what they take for a page.
    'x-accel-buffering': 'no',
  })
}

/** Leads to another page after a form. */
export const seeOther = (location: string, cookie?: string): Answer =>
  new Answer(303, undefined, { location, 'cache-control': 'no-store', ...(cookie && { 'set-cookie': cookie }) })

/**
 * A style or a script. While processes of two versions run side by side, a page of one version may ask the other for it, under
 * the address that its own version has. What the page gets is then not what it asked for, and nobody may keep it as that.
 */
export const assetAnswer = ({ type, text }: Asset, isOfThisVersion: boolean): Answer =>
  new Answer(200, text, {
    'content-type': type,
    'cache-control': isOfThisVersion ? 'public, max-age=31536000, immutable' : 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })

/** Something a stranger wrote, shown in a frame of ours: nothing in it runs, and nothing is loaded. */
export const strangeAnswer = (markup: string): Answer =>
  new Answer(200, markup, {
    ...safe,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'",
    'referrer-policy': 'no-referrer',
  })

/** A document of a dispute or an invoice, as it was sent. */
export const fileAnswer = (bytes: Buffer, headers: Readonly<Record<string, string>>): Answer =>
  new Answer(200, bytes, {
    ...safe,
    'content-type': headers['content-type'] ?? 'application/octet-stream',
    ...(headers['content-disposition'] && { 'content-disposition': headers['content-disposition'] }),
    // A browser that shows a picture by itself puts it on a page with styles of the browser's own.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  })

/** Each tone has a cookie of its own, so that a version before, which does not know one of them, does not misread it. */
const noticeNames = { bad: 'console-refusal', good: 'console-notice' } as const

/** What the next page says first: what was done, or why it was not. */
export interface Notice {
  readonly tone: keyof typeof noticeNames
  readonly text: string
}

/** Browsers drop a cookie of more than 4096 bytes whole. A letter may take nine of them here. */
const NOTICE_BYTES_MAX = 3_500

/** As much of a sentence as a cookie holds, without a letter that would be cut in two. */
function carried(text: string): string {
  const encoded = encodeURIComponent(text)
  if (encoded.length <= NOTICE_BYTES_MAX) return encoded
  return carried(`${beginning(text, Math.floor((text.length * NOTICE_BYTES_MAX) / encoded.length) - 1)}…`)
}

/** The notice stands in a cookie, so that going back or reloading does not say it again. */
export const noticeCookie = ({ tone, text }: Notice): string =>
  `${noticeNames[tone]}=${carried(text)}; Path=/console; Max-Age=60; HttpOnly; SameSite=Lax`

export const noticeGone = ({ tone }: Notice): string =>
  `${noticeNames[tone]}=; Path=/console; Max-Age=0; HttpOnly; SameSite=Lax`

export function noticeIn(cookies: string | undefined): Notice | undefined {
  for (const tone of ['bad', 'good'] as const) {
    const text = cookieOf(cookies, noticeNames[tone])
    if (text) return { tone, text }
  }
  return undefined
}
