import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf, isOfAccount, type Role, roles } from '../../../src/console/roles.ts'
import { accessOf, mayOf } from '../../../src/console/visit.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { type Browser, browserOf, force, freshen, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

let world: World
let people: Record<Role, Browser>
beforeAll(async () => {
  world = await newConsoleWorld()
  const entries: [Role, Browser][] = []
  for (const role of roles)
    entries.push([role, await signedIn(world, role, isOfAccount(role) ? world.people.merchant.id : undefined)])
  people = Object.fromEntries(entries) as Record<Role, Browser>
  await freshen(world)
})
afterAll(() => world.close())

/** Every page and form of a live console that said who may. */
const table = (): AnyRoute[] => describedRoutes(world.app.service).filter((one) => accessOf(one) !== undefined)

/** Ids of the right form and of nothing. */
const absent: Readonly<Record<string, string>> = {
  invoices: 'INV2-2222-2222-2222-2222',
  disputes: 'PP-R-AAA-00000000',
  webhooks: '00000000000000000',
  deliveries: '00000000-0000-4000-8000-000000000000',
  document: '00000000000000000000000000',
  kind: 'payments',
  record: 'EXTR-00000000000000000',
  n: '1',
  action: 'provide-evidence',
  jobs: '0',
}
const absentPath = (url: string) =>
  url
    .replace(
      /([\w-]+)\/:(\w+)/g,
      (_, place: string, name: string) => `${place}/${absent[name] ?? absent[place] ?? 'NONE'}`,
    )
    .replace(/:(\w+)/g, (_, name: string) => absent[name] ?? 'NONE')

/** Opens a page, or sends a form as its page would have it. */
function ask(browser: Browser, { method }: AnyRoute, path: string) {
  if (method === 'GET') return browser.get(path)
  return force(world, browser, path)
}

/** About people themselves, and asked twice or without a word about what is not there. */
const own = /passkeys|logins/
/** These end what the test goes on with. */
const ending = /sign-out/

describe('Every page and form of a live console', () => {
  it('is there, and says who may', () => {
    const all = describedRoutes(world.app.service).filter(({ url }) => url.startsWith('/console'))
    const silent = all.filter((one) => accessOf(one) === undefined).map(({ url }) => url)

    expect(table().length).toBeGreaterThan(40)
    expect(
      silent.every((url) => /^\/console\/(sign-in|assets)/.test(url)),
      String(silent),
    ).toBe(true)
    for (const one of table()) expect(mayOf(accessOf(one)!), one.url).not.toEqual([])
  })

  it('sends whoever is not signed in to sign in', async () => {
    for (const one of table()) {
      const { status, location } = await ask(browserOf(world), one, absentPath(one.url))
      expect([status, location.split('?')[0]], `${one.method} ${one.url}`).toEqual([303, '/console/sign-in'])
    }
  })

  it.each(roles)('opens to %s what the table of roles says, and nothing else', async (role) => {
    for (const one of table().filter(({ url }) => !ending.test(url))) {
      const { status, text } = await ask(people[role], one, absentPath(one.url))
      const may = mayOf(accessOf(one)!).some((wanted) => capabilitiesOf(role).includes(wanted))
      const what = `${one.method} ${one.url}: ${text.slice(0, 400)}`
      expect([text.includes('Your role may not'), status === 403], what).toEqual(
        may ? [false, expect.anything()] : [true, true],
      )
      expect(status, what).toBeLessThan(500)
      if (may && /:(id|document)\b/.test(one.url) && !own.test(one.url)) expect(status, what).toBe(404)
    }
  })
})
