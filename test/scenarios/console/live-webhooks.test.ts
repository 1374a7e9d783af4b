import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../../src/accounts/schema.ts'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { type Browser, force, freshen, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import type { Person, World } from '../../support/world.ts'

let world: World
let people: Record<'viewer' | 'admin' | 'operator', Browser>
let apps: Person[]
let hooks: string[]
beforeAll(async () => {
  world = await newConsoleWorld()
  const { id } = world.people.merchant
  people = {
    viewer: await signedIn(world, 'viewer', id),
    admin: await signedIn(world, 'admin', id),
    operator: await signedIn(world, 'operator'),
  }
  const scopes = defaultScopes('BUSINESS', features)
  apps = [await world.personWithApp(id, scopes), await world.personWithApp(id, scopes)]
  hooks = []
  for (const [i, app] of apps.entries()) {
    const wish = { url: `https://hooks.test/${i}`, event_types: [{ name: '*' }] }
    hooks.push((await app.post<{ id: string }>('/v1/notifications/webhooks', wish)).body.id)
  }
})
afterAll(() => world.close())

/** Something is on its way to a webhook, and the webhook is disabled and enabled meanwhile, so that it has failed. */
async function failed(nth: number) {
  const hook = `/v1/notifications/webhooks/${hooks[nth]}`
  const wish = { webhook_id: hooks[nth], event_type: 'INVOICING.INVOICE.PAID' }
  await apps[nth]!.post('/v1/notifications/simulate-event', wish)
  expect((await apps[nth]!.post(`${hook}/disable`, {})).status).toBe(200)
  expect((await apps[nth]!.post(`${hook}/enable`, {})).status).toBe(200)
}

const text = async (who: Browser, path: string, status = 200) => {
  const answer = await who.get(path)
  expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBe(status)
  return answer.text
}

describe('The webhooks of an account with several apps', () => {
  it('are those of the app that is chosen, and open whichever it is', async () => {
    const first = await text(people.viewer, '/console/webhooks')
    expect([first.includes('hooks.test/0'), first.includes('hooks.test/1')]).toEqual([true, false])
    const [, other] = new RegExp(`href="(/console/webhooks\\?app=${apps[1]!.clientId})"`).exec(first)!
    const second = await text(people.viewer, other!)
    expect([second.includes('hooks.test/0'), second.includes('hooks.test/1')]).toEqual([false, true])
    await text(people.viewer, '/console/webhooks?app=nobody', 404)

    for (const id of hooks) {
      expect(await text(people.viewer, `/console/webhooks/${id}`)).toContain('hooks.test')
      expect((await people.viewer.get(`/console/search?q=${id}`)).location).toBe(`/console/webhooks/${id}`)
    }
    const made = await people.admin.send(other!, '/console/webhooks', {
      '/url': 'https://hooks.test/2',
      '/event_types': '*',
    })
    expect(made.status).toBe(303)
    const { body } = await apps[1]!.get<{ webhooks: { url: string }[] }>('/v1/notifications/webhooks')
    expect(body.webhooks.map(({ url }) => url)).toContain('https://hooks.test/2')
  })

  it('have a delivery, an event and a replay each, also those of the second app', async () => {
    await failed(1)
    const list = await text(people.viewer, `/console/webhooks?app=${apps[1]!.clientId}`)
    expect(list).toMatch(
      /<svg class="bars"[^>]*aria-label="A day of deliveries: 1 in the last 24 hours, 1 given up">.*<rect class="bad"/s,
    )
    const page = await text(people.admin, `/console/webhooks/${hooks[1]}`)
    const [, delivery] = /href="(\/console\/deliveries\/[\w-]+)"/.exec(page)!
    const [, event] = /href="(\/console\/events\/[\w-]+)"/.exec(await text(people.viewer, delivery!))!
    expect(await text(people.viewer, event!)).toContain('hooks.test/1')

    expect((await people.admin.send(delivery!, `${delivery}/attempt`)).location).toBe(delivery)
    expect(await text(people.viewer, delivery!)).toMatch(/on its way|again/)
    expect((await people.admin.send(event!, `${event}/resend`)).location).toBe(event)
  })

  it('show their signing secret to an admin who has just shown who they are, and to nobody else', async () => {
    const at = `/console/webhooks/${hooks[0]}`
    const { body } = await apps[0]!.get<{ signing_secret: string }>(`/v1/notifications/webhooks/${hooks[0]}`)
    for (const who of Object.values(people)) expect((await who.get(at)).text).not.toContain(body.signing_secret)
    expect(await text(people.viewer, at)).not.toContain('Signing secret')

    expect((await people.admin.send(at, `${at}/secret`)).text).not.toContain(body.signing_secret)
    await freshen(world)
    expect((await people.admin.send(at, `${at}/secret`)).text).toContain(body.signing_secret)
  })
})

describe('The deliveries of a webhook', () => {
  it('are listed page by page to the last, for its people and for those who run the service', async () => {
    const [app] = apps as [Person]
    const wish = { url: 'https://hooks.test/many', event_types: [{ name: '*' }] }
    const { id } = (await app.post<{ id: string }>('/v1/notifications/webhooks', wish)).body
    const told = { webhook_id: id, event_type: 'INVOICING.INVOICE.PAID' }
    for (let i = 0; i < 105; i++) await app.post('/v1/notifications/simulate-event', told)

    for (const [who, at, one] of [
      [people.viewer, `/console/webhooks/${id}`, /href="\/console\/deliveries\/([^"]+)"/g],
      [people.viewer, `/console/webhooks/${id}?only=waiting`, /href="\/console\/deliveries\/([^"]+)"/g],
      [people.operator, `/console/operator/webhooks/${id}?standing=all`, /<small class="mono">(WH-[^<]+)</g],
    ] as const) {
      const pages: string[][] = []
      for (let next: string | undefined = at; next !== undefined; ) {
        const page = await text(who, next)
        pages.push([...page.matchAll(one)].map(([, found]) => found!))
        expect(/href="([^"]+)" rel="prev"/.exec(page)?.[1]).toBe(next === at ? undefined : at)
        next = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
      }
      expect(pages.map(({ length }) => length)).toEqual([50, 50, 5])
      expect(new Set(pages.flat()).size).toBe(105)
    }
    await text(people.viewer, `/console/webhooks/${id}?after=2026-03-01T00:00:00.000Z~none`, 400)
  })
})

describe('Whoever runs the service', () => {
  it('sees what failed at a webhook, and sends one or all of it again under their name', async () => {
    for (let i = 0; i < 3; i++) await failed(0)
    const account = `/console/operator/accounts/${world.people.merchant.id}`
    const at = `/console/operator/webhooks/${hooks[0]}`
    expect(await text(people.operator, account)).toContain(`href="${at}"`)
    const list = await text(people.operator, at)
    expect(list.match(/given up/g)).toHaveLength(3)

    const [, attempt] = /action="([^"]+\/attempt)"/.exec(list)!
    expect((await people.operator.send(at, attempt!)).status).toBe(303)
    expect((await text(people.operator, at)).match(/given up/g)).toHaveLength(2)
    expect(await text(people.operator, `${at}/replay`)).toContain('2 events would be sent again')
    const typed = await people.operator.get(`${at}/replay?from=yesterday`)
    expect([typed.status, /value="yesterday"[^>]* aria-invalid="true"/.test(typed.text)]).toEqual([422, true])
    const sent = await people.operator.send(`${at}/replay`, `${at}/replay`)
    expect([sent.status, decodeURIComponent(String(sent.headers['set-cookie']))]).toEqual([
      303,
      expect.stringContaining('2 events are sent again'),
    ])
    expect(await text(people.operator, `${at}/replay`)).toContain('Nothing to send again')
    const audit = await text(people.operator, '/console/operator/audit')
    expect(audit).toMatch(/A operator<\/b>.*?operator replay.*?A operator<\/b>.*?operator attempt/s)

    await failed(0)
    await apps[0]!.post(`/v1/notifications/webhooks/${hooks[0]}/disable`, {})
    const disabled = await text(people.operator, at)
    expect([disabled.includes('its people enable it first'), disabled.includes('given up')]).toEqual([true, true])
    expect(disabled).not.toContain('/attempt"')
    const isKept = async () => {
      const late = await force(world, people.operator, attempt!)
      return [late.location, (await text(people.operator, at)).includes('given up')]
    }
    expect(await isKept()).toEqual([at, true])

    await apps[0]!.post(`/v1/notifications/webhooks/${hooks[0]}/enable`, {})
    await people.operator.send(`${account}/suspend`, `${account}/suspend`)
    const suspended = await text(people.operator, at)
    expect([suspended.includes('the account is suspended'), suspended.includes('/attempt"')]).toEqual([true, false])
    expect(await isKept()).toEqual([at, true])
    const { location } = await force(world, people.operator, `${at}/replay`)
    expect(location).toBe(at)
  })
})
