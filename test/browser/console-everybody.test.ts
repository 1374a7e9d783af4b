import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { Receiver } from '../support/receiver.ts'
import { newWorld, usd, type World } from '../support/world.ts'
import { disputeOf, invoiceOf } from './support.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let base: string
let invoice: string
let dispute: string
let refused: string
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
  browser = await openBrowser()
  for (let i = 0; i < 30; i++) invoice = await invoiceOf(world, `Customer ${i}`)
  await world.merchant.post(`/v2/invoicing/invoices/${invoice}/send`, {})
  dispute = await disputeOf(world, 'EVERYBODY1', '248.00')
  await world.buyer.post(`/v1/customer/disputes/${dispute}/escalate`, { note: 'Enough.' })
  const answer = await world.merchant.post<{ debug_id: string }>('/v2/invoicing/invoices', {
    detail: { currency_code: 'USD', note: 'x'.repeat(4_001) },
    items: Array.from({ length: 40 }, (_, i) => ({ name: `Item ${i}`, quantity: '1', unit_amount: usd('1.00') })),
  })
  refused = answer.body.debug_id
  await world.settle()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

async function opened(path: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.context(options)
  const page = await context.newPage()
  await page.goto(base + path)
  return page
}

/** What has the focus, as its reader knows it; and whether any of it can be seen. */
const focused = `(() => {
  const one = document.activeElement
  if (one === document.body) return null
  const { left, top, width, height } = one.getBoundingClientRect()
  const isSeen = [[0.5, 0.5], [0.02, 0.1], [0.98, 0.1], [0.02, 0.9], [0.98, 0.9]].some(([x, y]) => {
    const found = document.elementFromPoint(left + width * x, top + height * y)
    return found && (found.contains(one) ? !found.matches('.top, .act-bar') : one.contains(found) || found.closest('label')?.contains(one))
  })
  const name = one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent
  return { name: name.trim(), isSeen }
})()`
const focus = (page: Page) => page.evaluate(focused) as Promise<{ name: string; isSeen: boolean } | null>

/** Goes on by the key until something of that name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 300; i++) {
    await page.keyboard.press('Tab')
    if (name.test((await focus(page))?.name ?? '')) return
  }
  throw new Error(`nothing called ${name} can be reached`)
}

async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
}

async function type(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

describe('By keys alone', () => {
  it.each([1280, 768, 390])('what has the focus is seen, forwards and backwards, at %i pixels', async (width) => {
    for (const path of ['/console/invoices', `/console/disputes/${dispute}`]) {
      const page = await opened(path, { viewport: { width, height: 600 } })
      for (const key of ['Tab', 'Shift+Tab']) {
        const hidden: string[] = []
        for (let i = 0; i < 150; i++) {
          await page.keyboard.press(key)
          const one = await focus(page)
          if (!one) break
          if (!one.isSeen) hidden.push(one.name)
        }
        expect([path, key, hidden]).toEqual([path, key, []])
      }
      await page.context().close()
    }
  })

  it.each([
    [390, true],
    [1280, false],
  ])(
    'what can be done with an invoice is one press away where it stands below the paper, at %i pixels',
    async (width, isBelow) => {
      const page = await opened(`/console/invoices/${invoice}`, { viewport: { width, height: 700 } })
      const way = page.getByRole('link', { name: 'What you can do' })
      expect(await way.isVisible()).toBe(isBelow)
      if (isBelow) {
        await tabTo(page, /^What you can do$/)
        await page.keyboard.press('Enter')
        await expect
          .poll(() => page.evaluate('document.querySelector("#do").getBoundingClientRect().top'))
          .toBeLessThan(300)
      }
      await page.context().close()
    },
  )

  it('a webhook is added, changed and signed anew, and its events are sent again', async () => {
    const receiver = await Receiver.open()
    const page = await opened('/console/webhooks', { viewport: { width: 1280, height: 800 } })
    const complaints = complaintsOf(page)

    await type(page, /^Address$/, 'ftp://nowhere')
    await press(page, /^Listen there$/)
    expect((await focus(page))!.name).toContain('Nothing was changed.')
    await type(page, /^Address$/, receiver.url())
    await press(page, /^Listen there$/)
    await page.getByText('Whatever happens from now on is sent there.').waitFor()

    await tabTo(page, /^Address and events$/)
    await page.keyboard.press('Enter')
    await type(page, /^Address$/, 'ftp://nowhere')
    await press(page, /^Save$/)
    // What was refused is unfolded, and says so first of all.
    expect((await focus(page))!.name).toContain('Nothing was changed.')
    expect(await page.locator('#edit-url-problem').isVisible()).toBe(true)
    await type(page, /^Address$/, receiver.url('/changed'))
    await press(page, /^Save$/)
    await page.getByText('The webhook was changed.').waitFor()

    const secret = () => page.locator('[data-value]', { hasText: 'whsec_' }).textContent()
    const before = await secret()
    await press(page, /^Replace it$/)
    await page.getByText('There is a new secret').waitFor()
    expect(await secret()).not.toBe(before)

    await press(page, /^Send a sample$/)
    await world.settle()
    await page.reload()
    await press(page, /^INVOICING\.INVOICE\.PAID$/)
    await press(page, /^Send it anew$/)
    await page.getByText('It was sent anew.').waitFor()
    await world.settle()
    expect(receiver.received).toHaveLength(2)
    // A refusal is an answer of its own, which the browser tells of.
    expect(complaints.filter((text) => !/status of 422/.test(text))).toEqual([])
    await page.context().close()
    await receiver.close()
  })

  it('the timeline waits while the focus is in it', async () => {
    const page = await opened('/console', { viewport: { width: 1280, height: 800 } })
    await page.getByText('Following').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const before = (await focus(page))!.name

    const told = await invoiceOf(world, 'Told meanwhile')
    await world.merchant.post(`/v2/invoicing/invoices/${told}/send`, {})

    await page.getByText(/new, held while you read/).waitFor()
    await page.keyboard.press('j')
    expect(await page.locator('.thread', { hasText: `${told.slice(-4)}/send` }).count()).toBe(0)
    await page.keyboard.press('k')
    expect((await focus(page))!.name).toBe(before)
    await page.keyboard.press('Escape')
    await page.locator('.thread', { hasText: `${told.slice(-4)}/send` }).waitFor()
    await page.context().close()
  })

  it('keys that somebody turned off do nothing, until they are turned on again', async () => {
    const page = await opened('/console/invoices', { viewport: { width: 1280, height: 800 } })
    const isFrozen = async () => (await world.call<{ frozen: boolean }>('GET', '/sandbox/clock')).body.frozen
    const before = await isFrozen()
    await page.keyboard.press('?')
    await page.getByRole('button', { name: 'Turn them off' }).click()
    await page.reload()
    for (const key of ['f', '/', 'j', 'g', 'm', '?']) await page.keyboard.press(key)
    expect([await focus(page), page.url(), await isFrozen()]).toEqual([null, `${base}/console/invoices`, before])

    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByRole('button', { name: 'Turn them on' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.waitForURL(`${base}/console/mail`)
    await page.context().close()
  })

  it('a kept state is made, gone back to and deleted, each button with the name of what it is about', async () => {
    const page = await opened('/console/scenarios', { viewport: { width: 1280, height: 800 } })
    const names = await page.locator('.card button').evaluateAll((all) => all.map(({ textContent }) => textContent))
    expect(new Set(names).size).toBe(names.length)

    await type(page, /^Keep the present state as$/, 'not so')
    await press(page, /^Keep it$/)
    expect((await focus(page))!.name).toContain('Nothing was changed.')
    await type(page, /^Keep the present state as$/, 'before')
    await press(page, /^Keep it$/)
    await page.getByText('The present state was kept.').waitFor()
    const later = await invoiceOf(world, 'Written later')
    await press(page, /^Go back to it: before$/)
    await press(page, /^Leave it$/)
    expect((await world.merchant.get(`/v2/invoicing/invoices/${later}`)).status).toBe(200)
    await press(page, /^Go back to it: before$/)
    await press(page, /^Go back to it$/)
    await page.getByText('The sandbox is as it was kept: before.').waitFor()
    expect((await world.merchant.get(`/v2/invoicing/invoices/${later}`)).status).toBe(404)
    await press(page, /^Delete: before$/)
    await press(page, /^Leave it$/)
    await press(page, /^Delete: before$/)
    await press(page, /^Delete the kept state$/)
    await page.getByText('The kept state was deleted.').waitFor()

    await press(page, /^Make a fork$/)
    await page.getByText('The fork answers at').waitFor()
    await press(page, /^End it: /)
    await press(page, /^End the fork$/)
    await page.getByText('The fork has ended.').waitFor()
    await page.context().close()
  })

  it('calls are made to go wrong, and no more', async () => {
    const page = await opened('/console/faults', { viewport: { width: 390, height: 700 } })
    const calls = () => world.merchant.get('/v2/invoicing/templates')

    await tabTo(page, /^To calls of$/)
    await page.keyboard.type('listTemplates')
    await type(page, /^How often$/, 'often')
    await press(page, /^Let calls go wrong$/)
    expect((await focus(page))!.name).toContain('Nothing was changed.')
    await type(page, /^How often$/, '2')
    await press(page, /^Let calls go wrong$/)
    await page.getByText('Calls go wrong from now on.').waitFor()
    expect((await calls()).status).toBe(503)
    await page.reload()
    await page.getByText('1 of 2').waitFor()
    await press(page, /^Remove: Answered 503/)
    await page.getByText('The fault was removed.').waitFor()
    expect((await calls()).status).toBe(200)
    await page.context().close()
  })
})

describe('Who hears the pages and does not see them', () => {
  it('tells the lines of an invoice and the buttons of templates and apps apart', async () => {
    for (const name of ['Chairs', 'Tables'])
      await world.merchant.post('/v2/invoicing/templates', {
        name,
        template_info: { detail: { currency_code: 'USD' } },
      })
    const page = await opened('/console/templates', { viewport: { width: 1280, height: 800 } })
    const heard = await page.locator('main .rows :is(button, .button)').allTextContents()
    expect(heard.filter((name) => /usual one|New invoice/.test(name)).length).toBeGreaterThan(3)
    expect(new Set(heard).size).toBe(heard.length)
    await page.goto(`${base}/console/apps`)
    await page.getByLabel('Name').fill('A second one')
    await page.getByRole('button', { name: 'Make the app' }).click()
    await page.getByRole('heading', { name: 'A second one' }).waitFor()
    const ofApps = await page.locator('main .buttons form button').allTextContents()
    expect(ofApps.length).toBeGreaterThan(3)
    expect(new Set(ofApps).size).toBe(ofApps.length)
    for (const path of ['/console/invoices/new', '/console/templates/new']) {
      await page.goto(base + path)
      for (const item of ['Line 1', 'Line 2'])
        await page.getByRole('group', { name: item }).getByLabel('Quantity').waitFor()
    }
    await page.context().close()
  })

  it('leaves no empty space below a page for those who do', async () => {
    // Far down in a body that scrolls, a problem is told in words that are not seen.
    const { body } = await world.merchant.post<{ debug_id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: Array.from({ length: 80 }, (_, i) => ({
        name: 'Item',
        quantity: i < 79 ? '1' : 'x',
        unit_amount: usd('1.00'),
      })),
    })
    const page = await opened(`/console/requests/${body.debug_id}`, { viewport: { width: 1280, height: 800 } })
    const below =
      'document.documentElement.scrollHeight - document.querySelector("main").getBoundingClientRect().bottom'
    expect(await page.evaluate(below)).toBeLessThan(2)
    await page.context().close()
  })
})

describe('Who reads from right to left', () => {
  it('sees the full stop of a name at its end, in the column of the others', async () => {
    const name = 'חברה לדוגמה.'
    await invoiceOf(world, name)
    const page = await opened('/console/invoices', { viewport: { width: 1280, height: 800 } })
    const [stop, first, cell] = (await page.evaluate(`(() => {
      const one = [...document.querySelectorAll('.cut')].find((cut) => cut.textContent === '${name}')
      const leftOf = (at) => {
        const range = document.createRange()
        range.setStart(one.firstChild, at)
        range.setEnd(one.firstChild, at + 1)
        return range.getBoundingClientRect().left
      }
      return [leftOf(${name.length - 1}), leftOf(0), one.getBoundingClientRect().left]
    })()`)) as [number, number, number]
    expect([stop < first, Math.abs(stop - cell) < 2]).toEqual([true, true])
    await page.context().close()
  })
})

describe('Without scripts', () => {
  it('no keys are told of, for there are none', async () => {
    const page = await opened('/console/invoices', { javaScriptEnabled: false })
    expect(await page.getByRole('link', { name: 'API reference' }).isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Keys' }).count()).toBe(0)
    await page.context().close()
  })

  it('deliveries are made to go wrong, and a fork is made and ended', async () => {
    const page = await opened('/console/faults', { javaScriptEnabled: false })
    const deliveries = page.locator('form#deliveries')
    await deliveries.getByText('It comes late').click()
    await deliveries.getByLabel('Address begins with').fill('http://127.0.0.1:1/')
    await deliveries.getByRole('button').click()
    await page.getByText('Deliveries go wrong from now on.').waitFor()
    await page.getByRole('button', { name: /^Remove ?: Delivered 60 s late/ }).click()
    await page.getByText('Nothing goes wrong', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Scenarios' }).click()
    await page.getByRole('button', { name: 'Make a fork' }).click()
    const fork = page.getByRole('link', { name: /^http:\/\/127\.0\.0\.1:\d+/ })
    expect((await fetch(`${await fork.getAttribute('href')}/console`)).status).toBe(200)
    await page.getByRole('link', { name: /^End it/ }).click()
    await page.getByRole('button', { name: 'End the fork' }).click()
    await page.getByText('The fork has ended.').waitFor()
    await page.context().close()
  })
})

describe('Where a browser keeps nothing for a page', () => {
  it.each([
    ['forbids it', 'get() { throw new DOMException("Access is denied for this document.", "SecurityError") }'],
    ['has none', 'value: null'],
    [
      'is full',
      'value: { getItem: () => null, setItem() { throw new DOMException("", "QuotaExceededError") }, removeItem() {} }',
    ],
  ])('as one that %s, keys and the paper of an invoice go on', async (_, storage) => {
    const context = await browser.context({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { ${storage} })`)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/console/invoices`)
    await page.keyboard.press('?')
    await page.getByRole('button', { name: 'Turn them off' }).click()
    await page.getByRole('button', { name: 'Turn them on' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    expect((await focus(page))!.name).toBe('Search, or paste any id')

    await page.goto(`${base}/console/invoices/new`)
    await page.getByLabel('Item 1').fill('A table')
    await page.getByLabel('Price').first().fill('120.50')
    await page.locator('[data-preview]', { hasText: '$120.50' }).waitFor()
    await page.getByRole('button', { name: 'Save as a draft' }).click()
    await page.waitForURL(/\/console\/invoices\/INV2/)
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('On paper', () => {
  it('a page is dark on light, whatever theme was chosen, with all of its code and without its forms', async () => {
    const context = await browser.context({ viewport: { width: 1280, height: 800 } })
    await context.addCookies([{ name: 'console-theme', value: 'dark', url: `${base}/console` }])
    const page = await context.newPage()
    await page.goto(`${base}/console/requests/${refused}`)
    const code = page.locator('.code').first()
    const cut = () =>
      code.evaluate((one: { scrollHeight: number; clientHeight: number }) => one.scrollHeight > one.clientHeight)
    const colour = () => page.evaluate('getComputedStyle(document.body).color')
    expect([await colour(), await cut()]).toEqual(['rgb(236, 239, 242)', true])

    await page.emulateMedia({ media: 'print' })

    expect([await colour(), await cut()]).toEqual(['rgb(22, 25, 29)', false])
    await page.goto(`${base}/console/invoices/${invoice}`)
    expect([await page.locator('.paper').isVisible(), await page.locator('.doings').isVisible()]).toEqual([true, false])
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'http://127.0.0.1:4999/printed',
      event_types: [{ name: '*' }],
    })
    for (const path of [`/console/disputes/${dispute}`, `/console/webhooks/${body.id}`, '/console/templates/new']) {
      await page.goto(base + path)
      const controls = page
        .locator('main')
        .locator('button, .button, input:not([type=hidden]), select, textarea, label')
      expect([path, await controls.filter({ visible: true }).allTextContents()]).toEqual([path, []])
      expect(await page.locator('h1').isVisible()).toBe(true)
    }
    await page.goto(`${base}/console/disputes/${dispute}`)
    expect(await page.getByText('Nobody has taken it.').isVisible()).toBe(true)
    await context.close()
  })
})

describe('In colours that the reader chose', () => {
  it('what is chosen is told apart, and a list to choose from looks like one', async () => {
    const page = await opened(`/console/invoices/${invoice}`, {
      ...{ viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
    })
    const look = (selector: string) =>
      page.evaluate(
        `(({ outlineStyle, borderStyle, appearance }) => [outlineStyle, borderStyle, appearance].join())(getComputedStyle(document.querySelector('${selector}')))`,
      )
    expect(await look('.chip:has(:checked)')).not.toBe(await look('.chip:not(:has(:checked))'))
    expect(await look('.side nav [aria-current]')).not.toBe(await look('.side nav a:not([aria-current])'))
    await page.goto(`${base}/console/disputes/${dispute}`)
    expect(await look('select.boxed')).toContain('auto')
    await page.context().close()
  })
})

describe('With the spacing that a reader may need', () => {
  it.each([1280, 768, 390])('the list of invoices is no wider than a window of %i pixels', async (width) => {
    const large = { items: [{ name: 'A ship', quantity: '9', unit_amount: usd('987654.32') }] }
    const detail = { currency_code: 'USD', reference: 'Of the order that was placed in spring' }
    const late = { ...detail, invoice_date: '2024-01-01', payment_term: { term_type: 'DUE_ON_RECEIPT' } }
    const name = 'Linden & Söhne Verlagsgesellschaft mbH & Co.'
    const id = await invoiceOf(world, name, { ...large, detail: { ...late, invoice_number: `INV-2026-${width}` } })
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    const refunded = await invoiceOf(world, name, { ...large, detail })
    const paid = { method: 'CASH', amount: usd('8888888.88') }
    await world.merchant.post(`/v2/invoicing/invoices/${refunded}/payments`, paid)
    await world.merchant.post(`/v2/invoicing/invoices/${refunded}/refunds`, paid)
    const page = await opened('/console/invoices', { viewport: { width, height: 900 }, bypassCSP: true })

    await page.addStyleTag({
      content: '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }',
    })

    expect(await page.getByText('Marked as refunded').count()).not.toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.context().close()
  })
})

describe('In a window of 320 pixels', () => {
  it('the largest of amounts fits, at the console and on the page of the payer', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({
      ...{ name: `Item ${i}`, quantity: '9999.5', unit_amount: usd('999999.99'), tax: { name: 'VAT', percent: '19' } },
    }))
    const id = await invoiceOf(world, 'Somebody', { items })
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    for (const path of [
      `/console/invoices/${id}`,
      `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}?lang=de`,
    ]) {
      const page = await opened(path, { viewport: { width: 320, height: 700 } })
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
      await page.context().close()
    }
  })
})
