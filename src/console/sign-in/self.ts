import { findAccount } from '../../accounts/store.ts'
import { html } from '../../http/html.ts'
import { forbidden, notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { newRequestId } from '../forms/fields.ts'
import { onceOnly } from '../once.ts'
import { heading, nothing, sheet } from '../parts/parts.ts'
import { seeOther } from '../respond.ts'
import type { Pages, Visit } from '../visit.ts'
import type { SignedIn } from '../who.ts'
import {
  digestOf,
  endLogin,
  endLoginNamed,
  type ListedLogin,
  listLogins,
  loginCookie,
  loginOf,
  newStranger,
} from './logins.ts'
import { lookCookie, lookGone, placeCookie } from './onlooker.ts'
import { PASSKEY_FIELD, passkeyForm } from './passkey-form.ts'
import { deletePasskey, listPasskeys, makeOptions, type Passkey, registerPasskey } from './passkeys.ts'
import { holdPerson, signOutEverywhere } from './people.ts'
import type { SignIn } from './sign-in.ts'

const ways: Readonly<Record<ListedLogin['way'], string>> = {
  link: 'by a link',
  passkey: 'with a passkey',
  oidc: 'by single sign-on',
}

const personOf = ({ who }: Pick<Visit, 'who'>): SignedIn => who.person!
const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 1_400, pattern: '^[\\w-]+$' }) })

/** The name of a browser as people know it, from what it calls itself. */
const browserName = (text: string): string =>
  [/Firefox|Edg|OPR|Chrome|Safari/, /Android|iPhone|iPad|Windows|Mac OS|Linux/]
    .map((names) => names.exec(text)?.[0])
    .filter((name) => name !== undefined)
    .map((name) => ({ Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' })[name] ?? name)
    .join(' on ') || 'A browser'

/** What people do about themselves: their passkeys, where they are signed in, and the place at which they work. */
export function selfPages({ page, form }: Pages, { service, now }: SignIn) {
  const { consolePasskeys } = service.settings

  const passkeySheet = (held: readonly Passkey[], person: SignedIn, { times }: Visit) =>
    sheet(
      'Passkeys',
      html`${
        held.length === 0
          ? nothing('No passkey yet', 'Make one now: the next time you sign in with it, and need no link.')
          : html`<table class="rows"><tbody>${held.map(
              ({ id, name, create_time, used_time }) =>
                html`<tr><td class="fill second"><b>${name}</b><small>made ${times.at(create_time)}${used_time && html`, used ${times.at(used_time)}`}</small></td><td class="num right"><form method="post" action="/console/passkeys/${id}/delete"><input type="hidden" name="request-id" value="${newRequestId()}"><button class="button quiet small">Delete<span class="seen-not"> ${name}</span></button></form></td></tr>`,
            )}</tbody></table>`
      }${
        mayMake(person)
          ? passkeyForm({
              kind: 'create',
              action: '/console/passkeys',
              options: makeOptions(service, person, held, now()),
              button: held.length === 0 ? 'Make a passkey' : 'Make another passkey',
            })
          : html`<form class="stack" method="post" action="/console/confirm"><button class="button quiet">Make another passkey</button></form>`
      }`,
    )

  const loginSheet = (logins: readonly ListedLogin[], { session }: SignedIn, { times }: Visit) =>
    sheet(
      'Signed in',
      html`<table class="rows"><tbody>${logins.map(
        ({ digest, way, address, browser, create_time, seen_time }) =>
          html`<tr><td class="fill second"><b>${browserName(browser)}</b>${digest.equals(digestOf(session)) && html` <span class="soft">this one</span>`}<small>${ways[way]} ${times.at(create_time)} from ${address}, last seen ${times.at(seen_time)}</small></td><td class="num right"><form method="post" action="/console/logins/${digest.toString('base64url')}/end"><input type="hidden" name="request-id" value="${newRequestId()}"><button class="button quiet small">End<span class="seen-not"> the sign-in of ${times.at(create_time)}</span></button></form></td></tr>`,
      )}</tbody></table>`,
      {
        aside: html`<form method="post" action="/console/sign-out-everywhere"><button class="button quiet small">Sign out everywhere</button></form>`,
      },
    )

  /** Somebody who took over a browser may not make themselves a passkey, but somebody who has just come by a link may. */
  const mayMake = ({ isFresh, isJustIn, isManaged }: SignedIn) => consolePasskeys && !isManaged && (isFresh || isJustIn)

  return [
    page({
      url: '/console/passkeys',
      operation: 'consolePasskeys',
      summary: 'Show one’s own passkeys and sign-ins',
      may: 'self',
      liveOnly: true,
      async draw(visit) {
        const person = personOf(visit)
        const [held, logins] = await Promise.all([
          listPasskeys(visit.db, person.id),
          listLogins(visit.db, person.id, now()),
        ])
        return {
          title: 'Passkeys',
          content: html`${heading(consolePasskeys ? 'Passkeys and sign-ins' : 'Sign-ins', { sub: html`You are ${person.name}, ${person.email}.` })}${consolePasskeys && !person.isManaged && passkeySheet(held, person, visit)}${loginSheet(logins, person, visit)}`,
        }
      },
    }),
    form({
      url: '/console/passkeys',
      operation: 'consoleMakePasskey',
      summary: 'Make a passkey',
      may: 'self',
      liveOnly: true,
      async take(sent) {
        const person = personOf(sent)
        if (!mayMake(person)) throw forbidden('Show first that it is you; the page of your passkeys leads there.')
        const answered = { session: person.session, text: sent.typed[PASSKEY_FIELD] ?? '', now: now() }
        const keep = await registerPasskey(service, person, answered, browserName(String(sent.headers['user-agent'])))
        await sent.change(
          async (tx) => {
            await holdPerson(tx, person.id)
            // Somebody who is made more at this very moment is signed out, and leaves behind what was made before.
            if (!(await loginOf(tx, person.session, now()))) throw forbidden('You were signed out. Sign in again.')
            await keep(tx)
          },
          { locks: true },
        )
        return sent.lead('/console', 'The passkey was made. Sign in with it from now on.')
      },
    }),
    form({
      url: '/console/passkeys/:id/delete',
      operation: 'consoleDeletePasskey',
      summary: 'Delete a passkey',
      twice: 'The passkey was deleted.',
      params: Id,
      may: 'self',
      liveOnly: true,
      isGrave: true,
      async take(sent) {
        const { id } = personOf(sent)
        await sent.change(async (tx) => {
          await onceOnly(tx, sent.who.caller.accountId, sent.typed)
          if (!(await listPasskeys(tx, id)).some((one) => one.id === sent.params.id)) throw notFound('The passkey')
          tx.about(null, id)
          deletePasskey(tx, id, sent.params.id)
        })
        return sent.lead('/console/passkeys', 'The passkey was deleted.')
      },
    }),
    form({
      url: '/console/confirm',
      operation: 'consoleConfirm',
      summary: 'Show again that it is you',
      may: 'self',
      liveOnly: true,
      isGrave: true,
      take: async (sent) => sent.lead('/console/passkeys'),
    }),
    form({
      url: '/console/logins/:id/end',
      operation: 'consoleEndLogin',
      summary: 'End one sign-in',
      twice: 'The sign-in was ended.',
      twiceAt: '/console/passkeys',
      params: Id,
      may: 'self',
      liveOnly: true,
      async take(sent) {
        const { id } = personOf(sent)
        await sent.change(async (tx) => {
          await onceOnly(tx, sent.who.caller.accountId, sent.typed)
          const named = Buffer.from(sent.params.id, 'base64url')
          if (!(await listLogins(tx, id, now())).some(({ digest }) => digest.equals(named)))
            throw notFound('The sign-in')
          tx.about(null, id)
          endLoginNamed(tx, id, sent.params.id)
        })
        return sent.lead('/console/passkeys', 'The sign-in was ended.')
      },
    }),
    form({
      url: '/console/sign-out',
      operation: 'consoleSignOut',
      summary: 'Sign out',
      may: 'self',
      liveOnly: true,
      async take(sent) {
        const { id, session } = personOf(sent)
        await sent.change(async (tx) => {
          tx.about(null, id)
          endLogin(tx, session)
        })
        return seeOther('/console/sign-in', loginCookie(newStranger()))
      },
    }),
    form({
      url: '/console/sign-out-everywhere',
      operation: 'consoleSignOutEverywhere',
      summary: 'Sign out in every browser',
      may: 'self',
      liveOnly: true,
      async take(sent) {
        const { id } = personOf(sent)
        await sent.change(async (tx) => signOutEverywhere(tx, id))
        return seeOther('/console/sign-in', loginCookie(newStranger()))
      },
    }),
    form({
      url: '/console/place',
      operation: 'consolePlace',
      summary: 'Work at another place',
      may: 'self',
      liveOnly: true,
      take: async ({ typed }) => seeOther('/console', placeCookie((typed['place'] ?? '').slice(0, 60))),
    }),
    form({
      url: '/console/look-as',
      operation: 'consoleLookAs',
      summary: 'See an account as its people do',
      may: 'operate',
      liveOnly: true,
      async take({ typed, change, who }) {
        const account = (typed['account'] ?? '').slice(0, 60)
        await change(async (tx) => {
          if (!(await findAccount(tx, account))) throw notFound('The account')
          tx.about(account, account)
        })
        return seeOther('/console', lookCookie(service.settings.secrets!, account, { ...who.person!, now: now() }))
      },
    }),
    form({
      url: '/console/look-as/stop',
      operation: 'consoleStopLooking',
      summary: 'Stop looking',
      may: 'self',
      liveOnly: true,
      take: async () => seeOther('/console', lookGone),
    }),
  ]
}
