import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { hardToPress } from '../support/looks.ts'
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

it('the page that is open is seen among the pages and among the views, however narrow the window is', async () => {
  await page.setViewportSize({ width: 768, height: 800 })
  await page.goto(`${base}/console/faults`)
  const outside = await page.locator('#nav li a').evaluateAll((all) =>
    all.flatMap((one: { textContent: string; getBoundingClientRect(): { left: number; right: number } }) => {
      const { left, right } = one.getBoundingClientRect()
      return left < 0 || right > 768 ? [one.textContent] : []
    }),
  )
  expect(outside).toEqual([])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${base}/console/invoices`)
  await page.locator('.tabs a').last().click()
  const { x, width } = (await page.locator('.tabs [aria-current]').boundingBox())!
  expect([x > 0, x + width < 360]).toEqual([true, true])
})

it('a value that was copied is marked by more than a colour', async () => {
  await page.goto(`${base}/console/apps`)
  // As the script marks it, for a moment.
  const mark = await page.evaluate(`(() => {
    const button = document.querySelector('[data-copy]')
    button.classList.add('done')
    return getComputedStyle(button, '::before').content
  })()`)
  expect(mark).toContain('Copied')
})

it.each([true, false])(
  'who hears the page is told that a value was copied; with a clipboard: %s',
  async (hasClipboard) => {
    const context = await browser.context({ viewport: { width: 1280, height: 800 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const other = await context.newPage()
    // As where the page is read without TLS.
    if (!hasClipboard) await other.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })')
    const complaints = complaintsOf(other)
    for (const path of ['/console/apps', '/docs/createInvoice']) {
      await other.goto(base + path)
      const value = await other.locator(':has(> [data-copy]) [data-value]').first().textContent()
      await other.locator('[data-copy]').first().click()
      await other
        .getByRole('status')
        .filter({ hasText: /^Copied$/ })
        .waitFor({ state: 'attached' })
      expect(await other.evaluate('document.activeElement.matches("[data-copy]")')).toBe(true)
      const clipboard = await context.newPage()
      await clipboard.goto(`${base}/console/apps`)
      await clipboard.locator('.find input').focus()
      await clipboard.keyboard.press('ControlOrMeta+V')
      expect(value).toBe(await clipboard.locator('.find input').inputValue())
      await clipboard.close()
    }
    expect(complaints).toEqual([])
    await context.close()
  },
)

it.each([720, 768, 900, 1024, 1440])(
  'themes, keys and the reference can be reached in a window of %i pixels',
  async (width) => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${base}/console/invoices`)
    await page.getByRole('link', { name: 'API reference' }).waitFor()
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Dark' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    await page.getByRole('button', { name: 'System' }).click()
    await page.locator('html:not([data-theme])').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  },
)

it('whatever is pressed is as high as a finger is broad on a screen that is touched, and lower beside a pointer', async () => {
  const held = await browser.context({ viewport: { width: 1100, height: 800 }, hasTouch: true, isMobile: true })
  const tablet = await held.newPage()
  const heightOf = (where: Page) => where.evaluate('document.querySelector("main .sheet").offsetHeight')
  await page.setViewportSize({ width: 1100, height: 800 })
  for (const path of ['/console', '/console/invoices', '/console/scenarios', '/console/apps', '/docs/createInvoice']) {
    await tablet.goto(base + path)
    expect([path, await hardToPress(tablet)]).toEqual([path, []])
  }
  await page.goto(`${base}/console/apps`)
  await tablet.goto(`${base}/console/apps`)
  expect(await heightOf(page)).toBeLessThan(Number(await heightOf(tablet)))
  await held.close()
})

it('figures stand whole in a window of 360 pixels, at the head, in sums and beside labels', async () => {
  const most = { currency_code: 'USD', value: '999999999999999.99' }
  const { body } = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
    disputed_transactions: [{ buyer_transaction_id: 'TIGHT2' }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    dispute_amount: most,
    messages: [{ content: 'Nothing came.' }],
  })
  const id = body.links[0]!.href.split('/').at(-1)!
  await world.buyer.post(`/v1/customer/disputes/${id}/escalate`, { note: 'Enough.' })
  await page.setViewportSize({ width: 360, height: 800 })
  for (const [path, least] of [
    [`/console/disputes/${id}`, 4],
    ['/console/disputes', 2],
    ['/console/money', 2],
  ] as const) {
    await page.goto(base + path)
    // Of each figure, how many lines it is set in.
    const lines = (await page.evaluate(`(() => {
      const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
      const found = []
      while (texts.nextNode()) for (const { index, 0: figure } of texts.currentNode.data.matchAll(/[$][\\d,.]{14,}/g)) {
        const range = document.createRange()
        range.setStart(texts.currentNode, index)
        range.setEnd(texts.currentNode, index + figure.length)
        if (texts.currentNode.parentElement.checkVisibility()) found.push(range.getClientRects().length)
      }
      return found
    })()`)) as number[]
    expect([path, lines.length >= least, lines.filter((n) => n > 1)]).toEqual([path, true, []])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  }
})
