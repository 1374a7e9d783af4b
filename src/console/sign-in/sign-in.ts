import type { Tx } from '../../database/transaction.ts'
import { type Content, html } from '../../http/html.ts'
import { networkOf, RateLimit } from '../../http/limits/rate-limit.ts'
import type { Answer, AnyRoute, FreeParts } from '../../http/route.ts'
import { nobody } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { forbidden } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import type { Typed } from '../forms/fields.ts'
import { alone } from '../frame.ts'
import { isOwnOrigin } from '../own-origin.ts'
import { linkButton, mono } from '../parts/parts.ts'
import { pageAnswer, seeOther } from '../respond.ts'
import { themeIn } from '../theme.ts'
import { tag } from '../visit.ts'
import { isTokenOf, TOKEN_FIELD, tokenFor, withTokens } from './form-tokens.ts'
import { beginLogin, endLogin, loginCookie, newStranger, sessionIn, type Way } from './logins.ts'

export interface SignInParts {
  readonly service: Service
  readonly realTime: Clock
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What every route of signing in shares. Its address may hold a key, so the address is logged without that. */
export const open = {
  tag,
  scopes: 'public',
  reads: 'free',
  environment: 'live',
  watches: true,
  limitedBy: 'address',
  produces: ['text/html', '*/*'],
  success: { 200: Type.String() },
} as const

/** Pages for those who are not signed in yet, and the ways in. */
export function makeSignIn({ service, realTime }: SignInParts) {
  const { settings } = service
  const tries = new RateLimit(settings.consoleTriesPerMinute, settings.consoleTriesPerMinute)
  const now = () => realTime.now()

  /** Slows down whoever guesses, counted by the address they come from. */
  const countTry = (address: string): void => void tries.take(networkOf(address))

  /** A page without the frame, for a browser that is known by a cookie which opens nothing. */
  function page(status: number, title: string, path: string, headers: Headers, content: Draw): Answer {
    const known = sessionIn(headers['cookie'] as string | undefined)
    const session = known ?? newStranger()
    const drawn = alone(title, outside(settings.consoleName, content(session)), {
      name: settings.consoleName,
      theme: themeIn(headers),
    })
    const markup = withTokens(drawn, path, (action) => tokenFor(settings.secrets!, session, action, now()))
    return pageAnswer(status, markup, known === undefined ? loginCookie(session) : undefined)
  }

  /** What the browser's cookie holds, once it is sure that a form comes from a page of ours that this browser was shown. */
  function requireOwnForm(headers: Headers, path: string, typed: Typed): string {
    if (!isOwnOrigin(headers, service)) throw forbidden('This form was sent from another page than ours.')
    const session = sessionIn(headers['cookie'] as string | undefined)
    if (session === undefined || !isTokenOf(settings.secrets!, session, path, typed[TOKEN_FIELD] ?? '', now()))
      throw forbidden('This page was open for too long, or cookies are off. Load it again.')
    return session
  }

  /** Signs somebody in, with a new secret each time. What let them in is used up in the same unit of work. */
  async function enter({ transactAs, take, back, headers, ...rest }: Entry): Promise<Answer> {
    const browser = String(headers['user-agent'] ?? '')
    const before = sessionIn(headers['cookie'] as string | undefined)
    const session = await transactAs({ ...nobody, personId: rest.personId })(async (tx) => {
      await take(tx)
      tx.about(null, rest.personId)
      if (before !== undefined) endLogin(tx, before)
      return beginLogin(tx, { ...rest, browser }, now())
    })
    return seeOther(back, loginCookie(session))
  }

  return { service, now, countTry, page, requireOwnForm, enter }
}
export type SignIn = ReturnType<typeof makeSignIn>

interface Entry extends Pick<FreeParts, 'transactAs'> {
  readonly personId: string
  readonly way: Way
  /** Whether they showed just now who they are. A link shows only that they were sent one. */
  readonly isFresh: boolean
  readonly headers: Headers
  readonly address: string
  readonly back: string
  /** Uses up what let them in. */
  take(tx: Tx): Promise<void>
}

type Draw = (session: string) => Content

const outside = (name: string, content: Content): Content =>
  html`<p class="brandline"><b>${name}</b><span class="env">Live</span></p><div class="sheet stack">${content}</div>`

/** Refusals outside of any page. They say what happened, and lead back to the beginning. */
export const refusalOutside =
  (name: string): NonNullable<AnyRoute['refusal']> =>
  ({ status, details, message }, headers, debugId) =>
    pageAnswer(
      status,
      alone(
        'Not signed in',
        outside(
          name,
          html`<div><h1>${status === 429 ? 'Too many tries' : 'Not signed in'}</h1></div><p>${
            status === 429
              ? 'Wait a minute, and try again.'
              : details.map(({ description }) => description).join(' ') || message
          }</p>${linkButton('To the beginning', '/console/sign-in', { kind: '' })}<p class="hint">Debug id ${mono(debugId)}</p>`,
        ),
        { name, theme: themeIn(headers) },
      ),
    )
