import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../src/accounts/schema.ts'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { openBrowser } from '../support/browser.ts'
import { newSubjects } from '../support/console-subjects.ts'
import { CONSOLE_URL, freshen, newConsoleWorld, signedIn } from '../support/live-console.ts'
import { flawsOf } from '../support/looks.ts'
import { payloads } from '../support/payloads.ts'
import type { World } from '../support/world.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
const drawn = new Map<string, string>()
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Söhne mbH'
const hostile = payloads.filter((_, i) => i % 50 === 0)

/** Pages of a live console as the service answers them: its cookie needs TLS, which a browser is not given here. */
beforeAll(async () => {
  world = await newConsoleWorld()
  browser = await openBrowser()
  const operator = await signedIn(world, 'operator')
  await freshen(world)
  const at = '/console/operator'
  for (const [i, text] of hostile.entries()) {
    const made = await operator.send(`${at}/accounts`, `${at}/accounts`, {
      '/kind': 'BUSINESS',
      '/name': text.slice(0, 300),
      '/email': `hostile${i}@example.test`,
    })
    await operator.send(made.location, `${made.location}/apps`, { '/name': text.slice(0, 100), '/invoicing': 'true' })
    await world.app.database.query(
      `insert into jobs (name, payload, run_at, parked_time, attempts, last_error, create_time)
       values ('mail', $1, $2, $2, 3, $3, $2)`,
      [JSON.stringify({ text }), world.now(), text.replaceAll('\u0000', '')],
    )
    drawn.set(`account ${i}`, (await operator.get(made.location)).text)
  }
  const named = await operator.send(`${at}/accounts`, `${at}/accounts`, {
    ...{ '/kind': 'BUSINESS', '/name': LONG, '/email': 'long@example.test' },
  })
  const ofLong = await signedIn(world, 'admin', named.location.split('/').at(-1))
  drawn.set('of a long name', (await ofLong.get('/console/invoices')).text)
  for (const path of ['', '/accounts', '/decisions', '/deliveries', '/jobs', '/keys', '/audit', '/accounts?q=nobody'])
    drawn.set(path, (await operator.get(at + path)).text)
  await world.app.database.query(`delete from jobs where name = 'mail'`)

  const subjects = await newSubjects(world)
  const admin = await signedIn(world, 'admin', world.people.merchant.id)
  const { id: webhook } = await subjects.of('webhooks', 'own', '')
  const { id: bulk } = await subjects.of('bulks', 'own', '')
  const listener = await world.personWithApp(world.people.merchant.id, defaultScopes('BUSINESS', features))
  const far = { url: `https://hooks.test/${'a-long-way/'.repeat(15)}`, event_types: [{ name: '*' }] }
  const { id: waiting } = (await listener.post<{ id: string }>('/v1/notifications/webhooks', far)).body
  const told = { webhook_id: waiting, event_type: 'INVOICING.INVOICE.PAID' }
  await listener.post('/v1/notifications/simulate-event', told)
  await world.settle()
  drawn.set('with a webhook that waits', (await operator.get(at)).text)
  for (const path of [`${at}/webhooks/${webhook}`, `${at}/webhooks/${webhook}/replay`, '/console/people'])
    drawn.set(path, (await operator.get(path)).text)
  for (const path of [
    '/console/webhooks',
    `/console/webhooks/${webhook}`,
    `/console/bulks/${bulk}`,
    '/console/disputes',
    '/console/money',
  ])
    drawn.set(`admin ${path}`, (await admin.get(path)).text)
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

describe('The pages of those who run the service', () => {
  it('are readable by everybody, fit every window and the weight, and let no text run', async () => {
    const context = await browser.context({ bypassCSP: true })
    await context.addInitScript('window.fired = 0; window.alert = () => { window.fired++ }')
    await context.route('**/*', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (!pathname.startsWith('/page/')) {
        const { status, headers, text } = await world.call('GET', pathname, undefined, {
          headers: { host: 'console.test' },
        })
        return route.fulfill({ status, headers: headers as Record<string, string>, body: text })
      }
      return route.fulfill({ contentType: 'text/html', body: drawn.get(decodeURIComponent(pathname.slice(6)))! })
    })
    const page = await context.newPage()
    for (const [name, text] of drawn) {
      expect(gzipSync(text).length, name).toBeLessThan(60 * 1024)
      await page.goto(`${CONSOLE_URL}/page/${encodeURIComponent(name)}`)
      expect(await page.locator('h1').count(), name).toBe(1)
      expect(await flawsOf(page), name).toEqual([])
      expect(await page.evaluate('window.fired'), name).toBe(0)
      if (name === '/console/people') {
        await page.setViewportSize({ width: 1280, height: 900 })
        expect((await page.locator('.people tbody td').first().boundingBox())!.width).toBeGreaterThan(200)
      }
      if (!['', '/jobs', '/keys'].includes(name)) continue
      // What comes first by the key stands first.
      await page.setViewportSize({ width: 900, height: 900 })
      const from = async (selector: string) => (await page.locator(selector).boundingBox())!.x
      expect(await from('.account')).toBeGreaterThan(await from('.find'))
      const led = await page.locator('main .sheet-head a').allTextContents()
      expect(new Set(led).size, name).toBe(led.length)
      // Who hears the buttons of a list and does not see their rows tells them apart.
      const heard = await page.locator('main .rows :is(button, .button)').allTextContents()
      expect(new Set(heard).size, name).toBe(heard.length)
    }
    await context.close()
  })
})
