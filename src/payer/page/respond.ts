import { Answer } from '../../http/route.ts'
import type { LogoImage } from '../logo/image.ts'

export interface PageHeaders {
  /** The page has a script of ours. */
  readonly script?: boolean
  readonly cookie?: string
  readonly isSecure?: boolean
}

const fixed = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, a browser would hide the origin of our own forms from us.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

/** A page with a policy under which nothing is loaded that we do not serve ourselves, and no script runs except our own. */
export function pageAnswer(status: number, markup: string, { script, cookie, isSecure }: PageHeaders = {}): Answer {
  const policy = [
    "default-src 'none'",
    `script-src ${script ? "'self'" : "'none'"}`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
  return new Answer(status, markup, {
    ...fixed,
    'content-security-policy': policy,
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  })
}

/** Sends the browser to another page of ours after a form. */
export const seeOther = (location: string): Answer =>
  new Answer(303, undefined, { location, 'cache-control': 'no-store' })

export const assetAnswer = (type: string, body: string | Buffer, { forEver = true } = {}): Answer =>
  new Answer(200, body, {
    'content-type': type,
    'cache-control': forEver ? 'public, max-age=31536000, immutable' : 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })

/** Our copy of a merchant's logo. Another picture has another address. Only the reader's own browser may cache it. */
export const logoAnswer = ({ type, bytes }: LogoImage): Answer =>
  new Answer(200, Buffer.from(bytes), {
    'content-type': type,
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })

/** A document to look at. Its name must not contain anything that could end a header. */
export const pdfAnswer = (document: Buffer, name: string): Answer =>
  new Answer(200, document, {
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  })
