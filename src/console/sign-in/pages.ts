import { type Content, html } from '../../http/html.ts'
import { networkOf, RateLimit } from '../../http/rate-limit.ts'
import { type Answer, type AnyRoute, type FreeParts, route } from '../../http/route.ts'
import { nobody } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { forbidden, type Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { isOwnOrigin } from '../../payer/page/form-token.ts'
import type { Service } from '../../room.ts'
import type { Typed } from '../forms/fields.ts'
import { alone } from '../frame.ts'
import { linkButton } from '../parts/parts.ts'
import { pageAnswer, seeOther } from '../respond.ts'
import { backIn, tag } from '../visit.ts'
import { isTokenOf, TOKEN_FIELD, tokenFor, withTokens } from './form-tokens.ts'
import { LINK_SECONDS, type LinkState, readLink, takeLink } from './links.ts'
import { beginLogin, loginCookie, newStranger, sessionIn, type Way } from './logins.ts'
import { PASSKEY_FIELD, passkeyForm } from './passkey-form.ts'
import { askOptions, verifyPasskey } from './passkeys.ts'

export interface SignInParts {
  readonly service: Service
  readonly realTime: Clock
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w-]+$' }) })
const FormBody = Type.Unsafe<Typed>({ type: 'object' })
const Back = Type.Object({ back: Type.Optional(Type.String({ maxLength: 500 })) })

/** What every route of signing in shares. Its address may hold a key, so it is logged without. */
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

  /** Whoever guesses is slowed down, by where they come from. */
  const countTry = (address: string): void => void tries.take(networkOf(address))

  /** A page of its own, for a browser that is known by a cookie which opens nothing. */
  function page(status: number, title: string, path: string, headers: Headers, content: Draw): Answer {
    const known = sessionIn(headers['cookie'] as string | undefined)
    const session = known ?? newStranger()
    const drawn = alone(title, outside(settings.consoleName, content(session)), settings.consoleName)
    const markup = withTokens(drawn, path, (action) => tokenFor(settings.secrets!, session, action, now()))
    return pageAnswer(status, markup, known === undefined ? loginCookie(session) : undefined)
  }

  /** The browser's own value, once a form is known to come from a page of ours that it was shown. */
  function requireOwnForm(headers: Headers, path: string, typed: Typed): string {
    if (!isOwnOrigin(headers, service)) throw forbidden('This form was sent from another page than ours.')
    const session = sessionIn(headers['cookie'] as string | undefined)
    if (session === undefined || !isTokenOf(settings.secrets!, session, path, typed[TOKEN_FIELD] ?? '', now()))
      throw forbidden('This page was open for too long, or cookies are off. Load it again.')
    return session
  }

  interface Entry extends Pick<FreeParts, 'transactAs'> {
    readonly personId: string
    readonly way: Way
    readonly headers: Headers
    readonly address: string
    readonly back: string
    take(tx: Parameters<Parameters<ReturnType<FreeParts['transactAs']>>[0]>[0]): Promise<void>
  }

  /** Signs somebody in, with a new secret each time, together with using up what let them in. */
  async function enter({ transactAs, personId, way, headers, address, back, take }: Entry): Promise<Answer> {
    const browser = String(headers['user-agent'] ?? '')
    const session = await transactAs({ ...nobody, personId })(async (tx) => {
      await take(tx)
      tx.about(null, personId)
      return beginLogin(tx, { personId, way, address, browser }, now())
    })
    return seeOther(back, loginCookie(session))
  }

  return { service, now, countTry, page, requireOwnForm, enter }
}
export type SignIn = ReturnType<typeof makeSignIn>
type Draw = (session: string) => Content

const outside = (name: string, content: Content): Content =>
  html`<p class="brandline"><b>${name}</b><span class="env">Live</span></p><div class="sheet stack">${content}</div>`

/** Refusals outside of any page: what happened, and the way back to the beginning. */
export const refusalOutside =
  (name: string) =>
  ({ status, details, message }: Problem): Answer =>
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
          }</p>${linkButton('To the beginning', '/console/sign-in', { kind: '' })}`,
        ),
        name,
      ),
    )

const MINUTES = LINK_SECONDS / 60

const linkPages: Readonly<Record<Exclude<LinkState['kind'], 'good'>, readonly [title: string, content: Content]>> = {
  used: [
    'This link was used already',
    html`<p>If it was you, sign in with the passkey you made. If it was not, tell the people who run this service now: they can sign you out everywhere with</p><pre class="code" tabindex="0" role="region" aria-label="Command"><code>quittance console sign-out &lt;your address&gt;</code></pre>`,
  ],
  late: ['This link came too late', html`<p>Ask whoever sent it for another.</p>`],
  none: ['This link does not work', html`<p>See that you have all of it, or ask whoever sent it for another.</p>`],
}

export function signInRoutes(signIn: SignIn): AnyRoute[] {
  const { service, now, countTry, page, requireOwnForm, enter } = signIn
  const { settings } = service
  const refusal = refusalOutside(settings.consoleName)
  const linkPath = (code: string) => `/console/sign-in/link/${code}`

  const links: AnyRoute[] = [
    route({
      ...open,
      method: 'GET',
      url: '/console/sign-in/link/:code',
      operation: 'consoleShowLink',
      summary: 'Show what a link to sign in is for',
      params: Code,
      refusal,
      async handle({ db, params, headers, address }) {
        countTry(address)
        const path = linkPath(params.code)
        const link = await readLink(db, params.code, now())
        if (link.kind !== 'good') {
          const [title, content] = linkPages[link.kind]
          return page(
            link.kind === 'none' ? 404 : 410,
            title,
            path,
            headers,
            () =>
              html`<div><h1>${title}</h1><p class="soft">A link to sign in works once, and for ${MINUTES} minutes.</p></div>${content}${linkButton('Sign in', '/console/sign-in', { kind: '' })}`,
          )
        }
        return page(
          200,
          'Welcome',
          path,
          headers,
          () =>
            html`<div><h1>Welcome, ${link.name}</h1><p class="soft">This link signs you in to ${new URL(service.publicUrl).host}, once.</p></div><form class="stack" method="post" action="${path}"><button class="button">Sign in</button></form><p class="hint">You are ${link.email} here. If you are somebody else, close this page.</p>`,
        )
      },
    }),
    route({
      ...open,
      method: 'POST',
      url: '/console/sign-in/link/:code',
      operation: 'consoleSignInByLink',
      summary: 'Sign in by a link',
      params: Code,
      accepts: ['application/x-www-form-urlencoded'],
      body: FormBody,
      prepare: (body) => body,
      refusal,
      async handle({ db, params: { code }, body, headers, address, transactAs }) {
        countTry(address)
        requireOwnForm(headers, linkPath(code), body)
        const link = await readLink(db, code, now())
        if (link.kind !== 'good') return seeOther(linkPath(code))
        return enter({
          ...{ transactAs, headers, address, personId: link.personId, way: 'link', back: '/console/passkeys' },
          async take(tx) {
            // Whoever lost the race for it starts over and finds it used.
            if ((await readLink(tx, code, now())).kind !== 'good') throw forbidden('This link was used already.')
            takeLink(tx, code, now())
          },
        })
      },
    }),
  ]

  const passkeys: AnyRoute[] = [
    route({
      ...open,
      method: 'POST',
      url: '/console/sign-in/passkey',
      operation: 'consoleSignInByPasskey',
      summary: 'Sign in with a passkey',
      accepts: ['application/x-www-form-urlencoded'],
      body: FormBody,
      prepare: (body) => body,
      refusal,
      async handle({ db, body, headers, address, transactAs }) {
        countTry(address)
        const session = requireOwnForm(headers, '/console/sign-in/passkey', body)
        const answered = { session, text: body[PASSKEY_FIELD] ?? '', now: now() }
        const { personId, take } = await verifyPasskey(service, db, answered, 'sign-in')
        return enter({ transactAs, headers, address, personId, way: 'passkey', back: backIn(body), take })
      },
    }),
  ]

  return [
    route({
      ...open,
      method: 'GET',
      url: '/console/sign-in',
      operation: 'consoleSignIn',
      summary: 'Sign in: the ways to',
      query: Back,
      refusal,
      async handle({ query, headers }) {
        const back = backIn({ ...(query.back !== undefined && { back: query.back }) })
        return page(
          200,
          'Sign in',
          '/console/sign-in',
          headers,
          (session) =>
            html`<div><h1>Sign in</h1><p class="soft">to ${new URL(service.publicUrl).host}</p></div>
${passkeyForm({
  kind: 'get',
  action: '/console/sign-in/passkey',
  options: askOptions(service, session, 'sign-in', now()),
  button: 'Use a passkey',
  fields: html`<input type="hidden" name="back" value="${back}">`,
})}
<p class="hint">There are no passwords here. A passkey is kept by your phone, your computer or a security key; nothing that could be stolen is typed.</p>
<p class="hint">New here? Somebody who runs this service can send you a link.</p>`,
        )
      },
    }),
    ...links,
    ...passkeys,
  ]
}
