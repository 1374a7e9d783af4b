import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessOf, mayOf } from '../../../src/console/access.ts'
import { capabilitiesOf, isOfAccount, type Role, roles } from '../../../src/console/roles.ts'
import { addPerson, grantRole } from '../../../src/console/sign-in/people.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { FOREIGN, newLogin, newSubjects, type Params } from '../../support/console-subjects.ts'
import { type Browser, browserOf, force, newConsoleWorld } from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

let world: World
let subjects: Awaited<ReturnType<typeof newSubjects>>
let people: Record<Role, string>
let before: string
beforeAll(async () => {
  world = await newConsoleWorld()
  subjects = await newSubjects(world)
  people = await world.app.transact(async (tx) => {
    const invited = roles.map((role) => {
      const id = addPerson(tx, { name: `A ${role}`, email: `${role}@example.test` })
      grantRole(tx, id, { role, account_id: isOfAccount(role) ? world.people.merchant.id : null })
      return [role, id] as const
    })
    return Object.fromEntries(invited) as Record<Role, string>
  })
  // All that is foreign is there before anybody tries anything.
  for (const kind of subjects.kinds) await subjects.of(kind, 'foreign', people.viewer)
  before = await subjects.foreign()
})
afterAll(async () => {
  await subjects.tidy()
  await world.close()
})

/** Every page and form of a live console that said who may. */
const table = (): AnyRoute[] => describedRoutes(world.app.service).filter((one) => accessOf(one) !== undefined)

/** What a page or an action is about, by its address: the part before the id. Undefined where it is about nothing in particular. */
const kindOf = ({ url }: AnyRoute): string | undefined => /^\/console\/(.+?)\/:/.exec(url)?.[1]

/** Those who decide have what is under review, and a desk of their own, which another kind of fixture makes. */
const kindFor = (kind: string, role: Role) => (kind === 'disputes' && !isOfAccount(role) ? `${kind} of an agent` : kind)

/** What operators see of every account: nothing of it is foreign to them. */
const everywhere: readonly string[] = [
  'disputes',
  'documents',
  'people',
  'operator/accounts',
  'operator/webhooks',
  'operator/jobs',
  'operator/keys',
]
const isForeignTo = (role: Role, kind: string) => role !== 'operator' || !everywhere.includes(kind)

/** Ids of the right form and of nothing. */
const absent: Readonly<Record<string, Params>> = {
  invoices: {
    id: 'INV2-2222-2222-2222-2222',
    kind: 'payments',
    record: 'EXTR-00000000000000000',
    payment: '00000000000000000',
  },
  disputes: { id: 'PP-R-AAA-00000000', action: 'provide-evidence', n: '1' },
  bulks: { id: '00000000-0000-4000-8000-000000000000' },
  webhooks: { id: '00000000000000000' },
  deliveries: { id: '00000000-0000-4000-8000-000000000000' },
  documents: { document: '00000000000000000000000000', n: '1' },
  'operator/jobs': { id: '0' },
  'operator/webhooks': { id: '00000000000000000', delivery: '00000000-0000-4000-8000-000000000000' },
}
const absentOf = (kind: string | undefined): Params => absent[kind ?? ''] ?? { id: 'NONE', client: 'NONE' }

const pathOf = ({ url }: AnyRoute, params: Params) =>
  url.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'NONE')

/** What a form needs to be more than refused as a whole. */
const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/console/people/:id/role': { role: 'support' },
}

async function browserFor(role: Role): Promise<Browser> {
  const browser = browserOf(world)
  browser.cookies.set('__Host-quittance', await newLogin(world, people[role]))
  return browser
}

/** Opens a page, or sends a form as its page would have it. */
async function ask(role: Role, browser: Browser, one: AnyRoute, params: Params) {
  const path = pathOf(one, params)
  const { status, text } =
    one.method === 'GET' ? await browser.get(path) : await force(world, browser, path, typed[one.url])
  return { status, text, what: `${role}: ${one.method} ${path}: ${status} ${text.slice(0, 400)}` }
}

const mayOpen = (role: Role, one: AnyRoute) =>
  mayOf(accessOf(one)!).some((wanted) => capabilitiesOf(role).includes(wanted))

describe('Every page and form of a live console', () => {
  it('is there, says who may, and what it is about', () => {
    const all = describedRoutes(world.app.service).filter(({ url }) => url.startsWith('/console'))
    const silent = all.filter((one) => accessOf(one) === undefined).map(({ url }) => url)

    expect(table().length).toBeGreaterThan(100)
    expect(
      silent.every((url) => /^\/console\/(sign-in|assets)/.test(url)),
      String(silent),
    ).toBe(true)
    for (const one of table()) expect(mayOf(accessOf(one)!), one.url).not.toEqual([])
    // What has an id in its address has a row in `test/support/console-subjects.ts`.
    for (const one of table().filter(({ url }) => url.includes(':')))
      expect(subjects.kinds, one.url).toContain(kindOf(one))
  })

  it('sends whoever is not signed in to sign in', async () => {
    const tried = table().map(async (one) => {
      const path = pathOf(one, absentOf(kindOf(one)))
      const browser = browserOf(world)
      const { status, location, text } =
        one.method === 'GET' ? await browser.get(path) : await force(world, browser, path)
      const isHeld = one.method === 'POST' && !mayOf(accessOf(one)!).includes('self')
      expect([status, location.split('?')[0]], `${one.method} ${one.url}`).toEqual(
        isHeld ? [403, ''] : [303, '/console/sign-in'],
      )
      if (isHeld) expect(text, one.url).toContain('href="/console/sign-in"')
    })
    await Promise.all(tried)
  })

  it.each(roles)('is closed to %s where the table of roles says so, also for what is their own', async (role) => {
    const browser = await browserFor(role)
    const closed = table().filter((each) => !mayOpen(role, each))
    for (const kind of new Set(closed.map(kindOf))) if (kind) await subjects.of(kind, 'own', people[role])
    const tried = closed.map(async (one) => {
      const kind = kindOf(one)
      const params = kind === undefined ? {} : await subjects.of(kind, 'own', people[role])
      const { status, text, what } = await ask(role, browser, one, params)
      expect([status, text.includes('Your role may not')], what).toEqual([403, true])
    })
    await Promise.all(tried)
  })

  it.each(roles)(
    'is open to %s for what is their own, and tells the foreign from the absent by nothing',
    async (role) => {
      const open = table().filter((each) => mayOpen(role, each))
      let browser = await browserFor(role)
      for (const one of open) {
        const kind = kindOf(one)
        const named = kind && kindFor(kind, role)
        const params = named === undefined ? {} : await subjects.of(named, 'own', people[role])
        const own = await ask(role, browser, one, params)
        expect(own.status, own.what).toBeLessThan(500)
        if (isOfAccount(role)) expect(own.text, own.what).not.toContain(FOREIGN)
        // What only the other side of a dispute can do is refused by the operation, not by the role.
        expect(own.text, own.what).not.toContain('Your role may not')
        if (named !== undefined) expect(own.status, own.what).not.toBe(404)
        if (one.method === 'GET' || own.status !== 303) continue
        subjects.spend(one.url)
        // Whoever signs out on the way has signed out of that alone.
        browser = await browserFor(role)
      }

      const tried = open.map(async (one) => {
        const kind = kindOf(one)
        if (kind === undefined) return
        const none = await ask(role, browser, one, absentOf(kind))
        expect(none.status, none.what).toBe(404)
        if (!isForeignTo(role, kind)) return
        const foreign = await ask(role, browser, one, await subjects.of(kindFor(kind, role), 'foreign', people[role]))
        expect(foreign.status, foreign.what).toBe(404)
        expect(foreign.text, foreign.what).not.toContain(FOREIGN)
      })
      await Promise.all(tried)
    },
  )

  it('has changed nothing of what is foreign', async () => {
    expect(await subjects.foreign()).toBe(before)
  })
})
