import { type Html, html } from '../../http/html.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { SecretRing } from '../../kernel/secrets.ts'
import { issueFormToken, readFormToken } from '../../payer/page/form-token.ts'
import type { SignedIn } from '../who.ts'

/** The field in which every form of a live console carries its token. */
export const TOKEN_FIELD = 'form-token'
/** The field that says where the sender worked when the form was drawn. */
export const PLACE_FIELD = 'form-place'
export const placeOf = ({ account }: Pick<SignedIn, 'account'>): string => account?.id ?? ''

/** People leave pages open while they work, and a login that nobody uses ends no later than this. */
const SECONDS = 12 * 3_600

const purposeOf = (path: string) => `console ${decoded(path.split('?', 1)[0]!)}`

/** A token for one form, valid for a few hours. It is bound to a login, or to a browser before anybody has signed in. */
export const tokenFor = (ring: SecretRing, session: string, path: string, now: Instant): string =>
  issueFormToken(ring, { session, purpose: purposeOf(path) }, now, SECONDS).text

export const isTokenOf = (ring: SecretRing, session: string, path: string, token: string, now: Instant): boolean =>
  readFormToken(ring, { session, purpose: purposeOf(path) }, token, now) !== undefined

/**
 * Puts a token into every form of a page that changes something, so that none can go without one. A form that gets no token is
 * left out. Whatever people wrote is escaped, so only our own markup begins with a form.
 */
export const withTokens = (
  markup: string,
  path: string,
  tokenOf: (action: string) => string | undefined,
  place = '',
): string =>
  markup.replace(/(<form\b[^>]*\bmethod="post"[^>]*>)([\s\S]*?<\/form>)/g, (_, opening: string, rest: string) => {
    const action = /\baction="([^"]*)"/.exec(opening)?.[1]?.replaceAll('&amp;', '&') ?? path
    const token = tokenOf(action)
    return token === undefined ? '' : `${opening}${tokenFields(token, place).text}${rest}`
  })

/** What a form carries besides what is typed into it. */
export const tokenFields = (token: string, place: string): Html =>
  html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}"><input type="hidden" name="${PLACE_FIELD}" value="${place}">`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
