import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { flawsOf } from '../support/looks.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let base: string
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

/** Of some, what is folded is unfolded and looked at too. */
const pages = [
  ['/docs'],
  ['/docs/recordPayment', 'unfolded'],
  ['/docs/disputeSendMessage?dialect=paypal', 'unfolded'],
  ['/docs/createAccessToken'],
  ['/docs/showInvoicePdf'],
  ['/docs/errors'],
  ['/docs/search?q=refund'],
  ['/docs/search?q=quuxfrobnicate'],
] as const

const unfold = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('main details:not([name])')) one.open = true")

describe('With scripts, under the policy', () => {
  it('every page is readable by everybody, fits every window, complains of nothing and loads nothing foreign', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) foreign.push(request.url())
    })
    const complaints = complaintsOf(page)
    for (const [path, unfolded] of pages) {
      await page.goto(base + path)
      if (unfolded) await unfold(page)
      expect([path, await flawsOf(page), complaints, foreign]).toEqual([path, [], [], []])
    }
    await context.close()
  })

  it('is searched and read with the keyboard alone', async () => {
    const context = await browser.context({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/docs`)

    await page.keyboard.press('/')
    await page.keyboard.type('minimum_amount_due')
    // What was found for the first letters may show before.
    const first = page.locator('#found a').first()
    await expect.poll(() => first.getAttribute('href'), { timeout: 10_000 }).toMatch(/#.*minimum_amount_due$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#.*minimum_amount_due$/)
    const field = page.locator(':target')
    await expect.poll(() => field.isVisible()).toBe(true)

    await page.keyboard.press('/')
    await page.keyboard.type('refund')
    await page.locator('#found a').first().waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('#found').isVisible()).toBe(false)

    // Who hears the page and does not see it learns that something drops down.
    await page.locator('.find input').fill('refund')
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ found; the arrow down leads there$/ })
      .waitFor({ state: 'attached' })
    await page.keyboard.press('Shift+Tab')
    expect(await page.locator('#found').isVisible()).toBe(false)
    // What is answered late to whoever gave up shows no more.
    let answer = () => {}
    const isLate = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/docs/search/part?**', (route) => isLate.then(() => route.continue()))
    const asked = page.waitForRequest('**/docs/search/part?**')
    await page.locator('.find input').fill('refund a')
    const answered = (await asked).response()
    await page.keyboard.press('Escape')
    answer()
    await (await answered)!.finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await page.locator('#found').isVisible()).toBe(false)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('tries an operation in its place, with the keyboard alone', async () => {
    const context = await browser.context({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/docs/createInvoice`)

    await page.locator('#try-body').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const outcome = page.locator('.outcome')
    await outcome.locator('.status').waitFor()

    expect(await outcome.locator('.status').textContent()).toBe('201')
    expect(page.url()).toBe(`${base}/docs/createInvoice`)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('prints hostile texts, and runs nothing of them', async () => {
    const made = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', note: evil },
      items: [{ name: evil, quantity: '1', unit_amount: usd('9.00') }],
    })
    const context = await browser.context()
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/docs/showInvoice`)
    expect(await page.locator('#try-invoice_id').inputValue()).toBe(made.body.id)

    await page.locator('[data-try] button').click()
    await page.locator('.outcome .status').waitFor()
    expect(await page.locator('.outcome').textContent()).toContain('<img src=x')
    await page.locator('.find input').fill(evil)
    await page.locator('#found').waitFor({ state: 'hidden' })
    await page.goto(`${base}/docs/search?q=${encodeURIComponent(evil)}`)

    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('Beside a pointer', () => {
  it('what is told of an operation stands in one column, and no name in the list is cut', async () => {
    const context = await browser.context({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(`${base}/docs/recordPayment`)
    const look = (script: string) => page.evaluate(script) as Promise<unknown[]>
    const columns = await look(
      `[...new Set([...document.querySelectorAll('.told dd')].map((one) => Math.round(one.getBoundingClientRect().left)))]`,
    )
    const cut = await look(
      `[...document.querySelectorAll('.side a')].filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth).map((one) => one.textContent)`,
    )
    expect([columns.length, cut]).toEqual([1, []])
    await context.close()
  })
})

describe('Without scripts', () => {
  it('finds, unfolds, changes whose token it is, and shows what was answered', async () => {
    const context = await browser.context({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${base}/docs`)

    await page.locator('.find input').fill('listDisputes')
    await page.locator('.find input').press('Enter')
    await page.locator('main a.row').first().click()
    expect(new URL(page.url()).pathname).toBe('/docs/listDisputes')
    await page.locator('.persons a', { hasText: 'Buyer' }).click()
    await page.locator('.try button').click()

    expect(await page.locator('main .answer-of-try .status').textContent()).toBe('200')
    expect(await page.locator('main').textContent()).toContain('"items"')
    await context.close()
  })
})
