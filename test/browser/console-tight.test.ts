import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { newWorld, type World } from '../support/world.ts'
import { disputeOf } from './support.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let page: Page
let base: string
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
  browser = await openBrowser()
  page = await (await browser.context({ viewport: { width: 1280, height: 800 } })).newPage()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!.width

it('a double click makes one app, and its secret is seen', async () => {
  await page.goto(`${base}/console/apps`)
  await page.getByLabel('Name').fill('Clicked twice')
  await page.getByRole('button', { name: 'Make the app' }).dblclick()
  await page.getByRole('heading', { name: 'The new secret' }).waitFor()
  await page.goto(`${base}/console/apps`)
  expect(await page.getByRole('heading', { name: 'Clicked twice' }).count()).toBe(1)
})

it('a row of deliveries has room to say how it went, however long its address is', async () => {
  await world.merchant.post('/v1/notifications/webhooks', {
    url: `http://127.0.0.1:4997/${'a-long-way/'.repeat(15)}`,
    event_types: [{ name: '*' }],
  })
  await disputeOf(world, 'TIGHT1', '20.00', `${'x'.repeat(300)} and so on.`)
  await world.settle()
  await page.goto(`${base}/console/webhooks`)
  expect(await widthOf('td.whole:has(.warn)')).toBeGreaterThan(120)
  await page.goto(`${base}/console/disputes`)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
})

it('the buttons of a kept state stand beside each other', async () => {
  await page.goto(`${base}/console/scenarios`)
  await page.getByLabel('Keep the present state as').fill('a-state-with-quite-a-long-name')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByText('The present state was kept.').waitFor()
  const tops = await page
    .locator('.buttons > .button[href^="/console/snapshots/"]')
    .evaluateAll((all) =>
      all.map((one: { getBoundingClientRect(): { top: number } }) => Math.round(one.getBoundingClientRect().top)),
    )
  expect([tops.length, new Set(tops).size]).toEqual([2, 1])
})
