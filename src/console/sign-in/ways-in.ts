import { type Content, html } from '../../http/html.ts'
import { type AnyRoute, route } from '../../http/route.ts'
import { forbidden } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { BACK_LENGTH_MAX, backIn } from '../back.ts'
import type { Typed } from '../forms/fields.ts'
import { linkButton } from '../parts/parts.ts'
import { seeOther } from '../respond.ts'
import { consoleUrl, LINK_SECONDS, type LinkState, readLink, takeLink } from './links.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { PASSKEY_FIELD, passkeyForm } from './passkey-form.ts'
import { askOptions, verifyPasskey } from './passkeys.ts'
import { open, refusalOutside, type SignIn } from './sign-in.ts'

const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w-]+$' }) })
const FormBody = Type.Unsafe<Typed>({ type: 'object' })
const Back = Type.Object({ back: Type.Optional(Type.String({ maxLength: BACK_LENGTH_MAX })) })

const MINUTES = LINK_SECONDS / 60

const linkPages: Readonly<Record<Exclude<LinkState['kind'], 'good'>, readonly [title: string, content: Content]>> = {
  used: [
    'This link was used already',
    html`<p>If it was you, sign in with the passkey you made. If it was not, tell the people who run this service now: they can sign you out everywhere with</p><pre class="code" tabindex="0" role="region" aria-label="Command"><code>quittance console sign-out &lt;your address&gt;</code></pre>`,
  ],
  late: ['This link came too late', html`<p>Ask the sender for another.</p>`],
  replaced: ['There is a newer link', html`<p>Use the last one that you were given, or ask for another.</p>`],
  none: ['This link does not work', html`<p>Check that you have the whole link, or ask the sender for another.</p>`],
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
            html`<div><h1>Welcome, ${link.name}</h1><p class="soft">This link signs you in to ${new URL(consoleUrl(service)).host}, once.</p></div><form class="stack" method="post" action="${path}"><button class="button">Sign in</button></form><p class="hint">You are ${link.email} here. If you are somebody else, close this page.</p>`,
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
          ...{
            transactAs,
            headers,
            address,
            personId: link.personId,
            way: 'link',
            isFresh: false,
            back: '/console/passkeys',
          },
          async take(tx) {
            // Whoever lost the race for the link starts over here, and finds it used.
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
        return enter({
          transactAs,
          headers,
          address,
          personId,
          way: 'passkey',
          isFresh: true,
          back: backIn(body),
          take,
        })
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
        const { consolePasskeys, consoleOidcIssuer } = settings
        const back = backIn({ ...(query.back !== undefined && { back: query.back }) })
        return page(
          200,
          'Sign in',
          '/console/sign-in',
          headers,
          (session) =>
            html`<div><h1>Sign in</h1><p class="soft">to ${new URL(consoleUrl(service)).host}</p></div>
${
  consolePasskeys &&
  passkeyForm({
    kind: 'get',
    action: '/console/sign-in/passkey',
    options: askOptions(service, session, 'sign-in', now()),
    button: 'Use a passkey',
    fields: html`<input type="hidden" name="back" value="${back}">`,
  })
}
${consolePasskeys && consoleOidcIssuer !== undefined && html`<p class="rule">or</p>`}
${consoleOidcIssuer !== undefined && linkButton(`Continue with ${new URL(consoleOidcIssuer).host}`, `/console/sign-in/oidc?${new URLSearchParams({ back })}`, { kind: consolePasskeys ? 'quiet' : '' })}
<p class="hint">There are no passwords here.${consolePasskeys && ' A passkey is kept by your phone, your computer or a security key; nothing that could be stolen is typed.'}</p>
<p class="hint">New here? Somebody who runs this service can ${consolePasskeys ? 'send you a link' : 'let you in'}.</p>`,
        )
      },
    }),
    ...(settings.consolePasskeys ? [...links, ...passkeys] : []),
    ...(settings.consoleOidcIssuer === undefined ? [] : oidcRoutes(signIn)),
  ]
}
