import { type AnyRoute, type FreeParts, route } from '../../http/route.ts'
import { forbidden } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { BACK_LENGTH_MAX, backIn } from '../back.ts'
import { seeOther } from '../respond.ts'
import { requireUnanswered } from './answered.ts'
import { sessionIn } from './logins.ts'
import { openOidc, type Vouched } from './oidc.ts'
import { addPerson, findBySubject, renameTo, replaceRoles } from './people.ts'
import { open, refusalOutside, type SignIn } from './sign-in.ts'

const ANSWERED_SECONDS = 600

const told = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/**
 * The way to the issuer, and the way back. The way back signs somebody in although it is a GET, because that is how they come.
 */
export function oidcRoutes({ service, now, countTry, enter }: SignIn): AnyRoute[] {
  const oidc = openOidc(service)
  const refusal = refusalOutside(service.settings.consoleName)
  const sessionOf = (headers: { cookie?: unknown }) => sessionIn(headers.cookie as string | undefined)

  /**
   * Stores the person as they are from now on, even where they are signed in: what their groups make of them, and nothing else.
   */
  async function personOf(transact: FreeParts['transact'], one: Vouched): Promise<string> {
    const personId = await transact(async (tx) => {
      const found = await findBySubject(tx, one.issuer, one.subject)
      if (found ? found.removed_time !== null : one.grants.length === 0) return undefined
      const id = found?.id ?? addPerson(tx, one)
      if (found && (found.name !== one.name || found.email !== one.email)) renameTo(tx, id, one)
      const places = await replaceRoles(tx, id, one.grants)
      // Somebody new whose groups give no role is not stored.
      if (places === 0 && !found) throw noPlace()
      return places > 0 ? id : undefined
    })
    if (personId === undefined) throw noPlace()
    return personId
  }

  return [
    route({
      ...open,
      method: 'GET',
      url: '/console/sign-in/oidc',
      operation: 'consoleToIssuer',
      summary: 'Go to the issuer to sign in there',
      query: Type.Object({ back: told(BACK_LENGTH_MAX), again: Type.Optional(Type.Enum(['yes'])) }),
      refusal,
      async handle({ query, headers, address }) {
        countTry(address)
        const session = sessionOf(headers)
        // A browser without a cookie is first sent to the page of the ways in, which gives it one.
        if (session === undefined) return seeOther('/console/sign-in')
        const back = backIn({ ...(query.back !== undefined && { back: query.back }) })
        return seeOther(await oidc.begin(session, { back, again: query.again !== undefined }, now()))
      },
    }),
    route({
      ...open,
      method: 'GET',
      url: '/console/sign-in/oidc/callback',
      operation: 'consoleSignInByIssuer',
      summary: 'Sign in with what the issuer says',
      query: Type.Object({
        code: told(4_000),
        state: told(4_000),
        iss: told(1_000),
        error: told(200),
        error_description: told(2_000),
      }),
      refusal,
      async handle({ query, headers, address, transact, transactAs }) {
        countTry(address)
        const session = sessionOf(headers)
        if (session === undefined) return seeOther('/console/sign-in')
        const vouched = await oidc.finish(session, query as Record<string, string>, now())
        const personId = await personOf(transact, vouched)
        return enter({
          transactAs,
          headers,
          address,
          personId,
          way: 'oidc',
          isFresh: vouched.isFresh,
          back: vouched.back,
          take: (tx) => requireUnanswered(tx, query.state!, now(), ANSWERED_SECONDS),
        })
      },
    }),
  ]
}

const noPlace = () => forbidden('You may not sign in here; ask the operator of this service for a group that may.')
