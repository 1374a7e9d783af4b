import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Eyes } from '../../src/console/who.ts'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { flawsOf } from '../support/looks.ts'
import { payloads } from '../support/payloads.ts'
import { newWorld, usd, type World } from '../support/world.ts'
import { disputeOf, invoiceOf } from './support.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let base: string
let invoice: string
let dispute: string
let refused: string
let webhook: string
let event: string
let template: string
const kept = 'a-state-with-a-very-long-name'.slice(0, 28)
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
  browser = await openBrowser()
  invoice = await invoiceOf(
    world,
    'Linden & Söhne Verlagsgesellschaft mbH & Co. Kommanditgesellschaft '.repeat(4).slice(0, 300),
    { items: [{ name: 'W'.repeat(200), quantity: '2', unit_amount: usd('49.50') }] },
  )
  await world.merchant.post(`/v2/invoicing/invoices/${invoice}/send`, {})
  dispute = await disputeOf(world, 'CONSOLE1', '248.00')
  const hook = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
    url: `http://127.0.0.1:4999/${'long/'.repeat(60)}`,
    event_types: [{ name: '*' }],
  })
  webhook = hook.body.id
  const made = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
    name: 'A template with quite a long name for what it is',
    template_info: {
      detail: { currency_code: 'USD' },
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    },
  })
  template = made.body.id
  const answer = await world.merchant.post<{ debug_id: string }>(`/v2/invoicing/invoices/${invoice}/payments`, {
    method: 'CASH',
    amount: usd('9999.00'),
  })
  refused = answer.body.debug_id
  await world.call('POST', '/sandbox/inbox/sandbox-merchant', { id: 'WH-1', event_type: 'NOTHING.OF.OURS' })
  const merchant = consoleOf(world)
  await merchant.send(`/console/disputes/${dispute}/notes`, {
    content: 'Between us: the driver remembers it. '.repeat(10),
  })
  await merchant.send(`/console/disputes/${dispute}/take`)
  expect((await merchant.send('/console/snapshots', { '/name': kept })).status).toBe(303)
  await merchant.send('/console/faults', { '/fault': '503', '/path': `/${'nowhere/'.repeat(30)}`, '/times': '2' })
  await merchant.send('/console/faults', { '/fault': 'delay', '/url': `http://127.0.0.1:1/${'nowhere/'.repeat(60)}` })
  await world.settle()
  const sent = await world.merchant.send<{ id: string }>(
    'POST',
    `/v2/invoicing/invoices/${await invoiceOf(world, 'Told')}/send`,
    {},
  )
  expect(sent.status).toBe(200)
  await world.settle()
  const events = await world.merchant.get<{ events: { id: string }[] }>('/v1/notifications/webhooks-events')
  event = events.body.events[0]!.id
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const pages = (): [path: string, as?: Eyes][] => [
  ['/console'],
  ['/console?kind=move'],
  ['/console/invoices'],
  ['/console/invoices?view=overdue'],
  [`/console/invoices/${invoice}`],
  [`/console/invoices/${invoice}/edit`],
  ['/console/invoices/new'],
  ['/console/disputes'],
  ['/console/disputes', 'agent'],
  ['/console/disputes/new', 'buyer'],
  [`/console/disputes/${dispute}`],
  [`/console/disputes/${dispute}`, 'buyer'],
  ['/console/invoices/all?view=outstanding'],
  [`/console/invoices/new?template=${template}`],
  ['/console/templates'],
  ['/console/templates/new'],
  [`/console/templates/${template}/edit`],
  [`/console/disputes/${dispute}`, 'agent'],
  ['/console/webhooks'],
  [`/console/webhooks/${webhook}`],
  [`/console/webhooks/${webhook}/replay?include=ALL`],
  ['/console/inbox/sandbox-merchant'],
  [`/console/events/${event}`],
  ['/console/apps'],
  ['/console/mail'],
  ['/console/mail?as=text'],
  ['/console/mail?as=headers'],
  ['/console/mail?as=links'],
  ['/console/mail?as=source'],
  ['/console/requests'],
  [`/console/requests/${refused}`],
  ['/console/money'],
  ['/console/clock'],
  ['/console/scenarios'],
  [`/console/snapshots/${kept}/delete`],
  ['/console/faults'],
  ['/console/reset'],
  ['/console/search?q=nothing'],
]

async function contextAs(as: Eyes, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.context(options)
  await context.addCookies([{ name: 'console-eyes', value: as, url: `${base}/console` }])
  return context
}

describe('The console in a browser', () => {
  it.each(['merchant', 'buyer', 'agent'] as const)(
    'is readable as %s, fits every window, complains of nothing and loads nothing foreign',
    async (as) => {
      const context = await contextAs(as)
      const page = await context.newPage()
      const foreign: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:')) foreign.push(request.url())
      })
      const complaints = complaintsOf(page)
      const own = pages().filter(([, who = 'merchant']) => who === as)
      expect(own).not.toHaveLength(0)
      for (const [path] of own) {
        const response = await page.goto(base + path)
        expect(response!.status(), path).toBe(200)
        expect(gzipSync(await response!.body()).length, path).toBeLessThan(60 * 1024)
        expect(await page.locator('h1').count(), path).toBe(1)
        expect([path, await flawsOf(page), complaints, foreign]).toEqual([path, [], [], []])
      }
      await context.close()
    },
    600_000,
  )

  it('fits 320 pixels, which is what a large zoom leaves', async () => {
    const context = await contextAs('merchant', { viewport: { width: 320, height: 700 } })
    const page = await context.newPage()
    for (const path of ['/console', `/console/disputes/${dispute}`, '/console/money', '/console/webhooks']) {
      await page.goto(base + path)
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
    }
    await context.close()
  })

  it('breaks no amount of a dispute that was decided', async () => {
    const id = await disputeOf(world, 'CONSOLE2', '12345.00')
    await world.merchant.post(`/v1/customer/disputes/${id}/accept-claim`, { note: 'All of it.' })
    const context = await contextAs('merchant', { viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.goto(`${base}/console/disputes/${id}`)
    const amounts = page.locator('.lines dd > :is(.good, .warn)')
    expect(await amounts.allTextContents()).toContain('−$12,345.00')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      const rows = await amounts.evaluateAll((all) =>
        all.map((one) => (one as unknown as { getClientRects(): object[] }).getClientRects().length),
      )
      expect([width, ...new Set(rows)]).toEqual([width, 1])
    }
    await context.close()
  })

  it('keeps to the weight of its scripts and styles', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    const loaded: { url: string; bytes: number }[] = []
    page.on('response', async (response) => {
      if (/\.(js|css)$/.test(response.url()))
        loaded.push({ url: response.url(), bytes: gzipSync(await response.body()).length })
    })
    await page.goto(`${base}/console/invoices`, { waitUntil: 'networkidle' })
    const sum = (ending: string) =>
      loaded.filter(({ url }) => url.endsWith(ending)).reduce((all, { bytes }) => all + bytes, 0)
    expect(sum('.js')).toBeLessThan(6 * 1024)
    expect(sum('.css')).toBeLessThan(12 * 1024)
    await context.close()
  })

  it('can be worked without scripts: eyes, clock, a payment, an answer with a file', async () => {
    const context = await contextAs('merchant', { javaScriptEnabled: false })
    const page = await context.newPage()
    const id = await invoiceOf(world, 'Without scripts')
    await page.goto(`${base}/console/invoices/${id}`)
    await page.getByRole('button', { name: 'Send the invoice' }).click()
    await page.getByText('The invoice was sent.').waitFor()
    await page.getByRole('button', { name: 'Record the payment' }).click()
    await page.getByText('The payment was recorded.').waitFor()
    expect((await world.merchant.get(`/v2/invoicing/invoices/${id}`)).body).toMatchObject({ status: 'MARKED_AS_PAID' })

    await page.getByRole('button', { name: '+1 day' }).first().click()
    await page.getByText('The clock moved 1 d').waitFor()

    await page.getByRole('button', { name: 'Buyer' }).click()
    await page.goto(`${base}/console/disputes/${dispute}`)
    await page.getByText('Escalate to a claim').click()
    await page.locator('#escalate').getByLabel('Note').fill('Enough.')
    await page.getByRole('button', { name: 'Escalate', exact: true }).click()
    await page.getByText('The inquiry is a claim now.').waitFor()

    await page.getByRole('button', { name: /^Merchant/ }).click()
    await page.locator('#provide-evidence input[type=file]').setInputFiles({
      name: 'proof.png',
      mimeType: 'image/png',
      buffer: Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
        'base64',
      ),
    })
    await page.locator('#provide-evidence').getByLabel('Carrier').fill('FEDEX')
    await page.locator('#provide-evidence').getByLabel('Tracking number').fill('122533485')
    await page.getByRole('button', { name: 'Send the evidence' }).click()
    await page.getByText('The evidence was sent.').waitFor()
    expect(await page.getByText('proof.png').count()).toBe(1)
    await page.goto(`${base}/console/mail`)
    await page.locator('.letters a.new').first().click()
    await page.getByRole('radio', { name: 'Phone' }).check({ force: true })
    expect((await page.locator('.letter iframe').boundingBox())!.width).toBe(390)
    const unread = await page.locator('.letters a.new').count()
    await page.getByRole('button', { name: 'Mark as read' }).click()
    expect(await page.locator('.letters a.new').count()).toBe(unread - 1)
    await page.getByRole('link', { name: 'Source' }).click()
    expect(await page.locator('.letter pre').textContent()).toContain('MIME-Version: 1.0')
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await context.close()
  })

  it('goes on by itself, waits while somebody reads, and opens what is chosen beside the list', async () => {
    const context = await contextAs('merchant', { viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/console`)
    await page.getByText('Following').waitFor()

    const first = await invoiceOf(world, 'Followed')
    await world.merchant.post(`/v2/invoicing/invoices/${first}/send`, {})
    await page.locator('.thread', { hasText: `${first.slice(-4)}/send` }).waitFor()

    await page.locator('.threads .thread').first().hover()
    const second = await invoiceOf(world, 'Held')
    await world.merchant.post(`/v2/invoicing/invoices/${second}/send`, {})
    await page.getByText(/new, held while you read/).waitFor()
    expect(await page.locator('.thread', { hasText: `${second.slice(-4)}/send` }).count()).toBe(0)
    await page.mouse.move(0, 0)
    await page.locator('.thread', { hasText: `${second.slice(-4)}/send` }).waitFor()

    await page.locator('[data-inspect]', { hasText: `${second.slice(-4)}/send` }).click()
    await page.locator('.inspector h2', { hasText: 'Send an invoice' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console')
    expect(complaints).toEqual([])

    // Where it does not come, what is chosen is opened: another beside the list would be taken for it.
    await page.route('**/part', (route) => route.abort())
    await page.locator('[data-inspect]', { hasText: `${second.slice(-4)}/send` }).click()
    await page.waitForURL(/\/console\/requests\/\w+$/)
    await context.close()
  })

  it('shows the paper while one writes, and keeps what was typed and not sent', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.goto(`${base}/console/invoices/new`)

    await page.getByLabel('Item 1').fill('A table')
    await page.getByLabel('Price').first().fill('120.50')
    await page.locator('[data-preview]', { hasText: '$120.50' }).waitFor()
    await page.goto(`${base}/console/invoices`)
    await page.goto(`${base}/console/invoices/new`)
    await page.getByRole('button', { name: 'Put it back' }).click()
    expect(await page.getByLabel('Item 1').inputValue()).toBe('A table')
    await page.getByRole('button', { name: 'Save as a draft' }).click()
    await page.waitForURL(/\/console\/invoices\/INV2/)
    await page.goto(`${base}/console/invoices/new`)
    expect(await page.getByRole('button', { name: 'Put it back' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('says how far reminders are in a tab that was hidden meanwhile', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    await page.addInitScript(`Object.defineProperty(document, 'hidden', { get: () => window.isHidden, configurable: true })
window.isHidden = true`)
    const { location } = await consoleOf(world).send('/console/invoices/remind-all', { view: 'outstanding' })
    await page.clock.install()
    await page.goto(base + location)
    await page.getByRole('heading', { name: 'Reminders are going out' }).waitFor()
    await page.clock.runFor(5_000)
    await world.settle()

    await page.evaluate(`window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))`)

    await page.getByRole('heading', { name: 'All were gone through' }).waitFor()
    await context.close()
  })

  it('draws no page again under the hands of somebody who goes through it by keys', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    const id = await invoiceOf(world, 'Goes by keys')
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    const { location } = await consoleOf(world).send('/console/invoices/remind-all', { q: 'Goes by keys' })
    await page.clock.install()
    await page.goto(base + location)
    await page.getByRole('heading', { name: 'Reminders are going out' }).waitFor()
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    const held = await page.evaluate('(window.isSame = true, document.activeElement.outerHTML)')

    await page.clock.runFor(5_000)

    expect(await page.evaluate('window.isSame && document.activeElement.outerHTML')).toBe(held)
    await world.settle()
    await page.keyboard.press('Escape')
    await page.clock.runFor(1_100)
    await page.getByRole('heading', { name: 'All were gone through' }).waitFor()
    await context.close()
  })

  it('shows a QR code by itself without a complaint', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    const complaints = complaintsOf(page)

    const answer = await page.goto(`${base}/console/invoices/${invoice}/qr-code`)

    expect([answer!.status(), await page.locator('img').count()]).toEqual([200, 1])
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps a form whose files are too large together, before anything is sent', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    const id = await disputeOf(world, 'CONSOLE3', '20.00')
    await page.goto(`${base}/console/disputes/${id}`)
    const form = page.locator('form[action$="/send-message"]')
    await page.locator('summary', { hasText: 'Write to the other side' }).click()
    await form.locator('textarea').fill('See the pictures.')
    const folder = mkdtempSync(join(tmpdir(), 'large-'))
    const files = ['a.png', 'b.png'].map((name) => join(folder, name))
    for (const file of files) writeFileSync(file, Buffer.alloc(26 * 1024 * 1024))

    await form.locator('[type=file]').setInputFiles(files)
    await form.locator('button', { hasText: 'Send the message' }).click()

    expect(
      await form.locator('[type=file]').evaluate((field: { validationMessage: string }) => field.validationMessage),
    ).toBe('All files together may have at most 50 MiB.')
    expect(await form.locator('textarea').inputValue()).toBe('See the pictures.')
    expect(page.url()).toBe(`${base}/console/disputes/${id}`)
    rmSync(folder, { recursive: true })
    await context.close()
  })

  it('gives the focus back when what lies on top is closed', async () => {
    const context = await contextAs('merchant', { viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${base}/console/invoices`)

    await page.locator('.burger').press('Enter')
    await page.locator('#nav:popover-open').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')

    await page.locator('.burger:focus').waitFor()
    expect(await page.locator('#nav:popover-open').count()).toBe(0)

    // The list of keys has it while it is open, whoever called for it and from where.
    await page.keyboard.press('?')
    await page.locator('#keys:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.locator('#keys [data-keys]:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.burger:focus').waitFor()
    await context.close()
  })

  it('can be worked by keys alone', async () => {
    const context = await contextAs('merchant')
    const page = await context.newPage()
    await page.goto(`${base}/console/invoices`)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/invoices\/INV2/)
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.waitForURL(/\/console\/disputes/)
    await page.keyboard.press('e')
    await page.keyboard.press('3')
    await page.locator('.eyes [aria-current]', { hasText: 'Buyer' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(invoice)
    await page.keyboard.press('e')
    await page.keyboard.press('Escape')
    await page.keyboard.press('e')
    await page.keyboard.press('1')
    await page.locator('.eyes [aria-current]', { hasText: 'Merchant' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(invoice)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/console/invoices/${invoice}`))
    await page.keyboard.press('?')
    await page.locator('#keys:popover-open', { hasText: 'go to what is due next' }).waitFor()
    await page.keyboard.press('Escape')
    const isFrozen = page.locator('.timepiece [data-frozen]')
    for (const count of (await isFrozen.count()) === 0 ? [1, 0] : [0, 1]) {
      // The next key is heard by the page that comes, once its scripts have run.
      const loaded = page.waitForEvent('load')
      await page.keyboard.press('f')
      await loaded
      expect(await isFrozen.count()).toBe(count)
    }
    await page.goto(`${base}/console`)
    await page.keyboard.press('p')
    await page.locator('.following', { hasText: 'Paused' }).waitFor()
    await page.keyboard.press('p')
    await page.locator('.following', { hasText: 'Following' }).waitFor()
    await context.close()
  })

  it('lets no text run, whatever it is and wherever it stands', async () => {
    const context = await contextAs('merchant')
    await context.addInitScript('window.fired = 0; window.alert = () => { window.fired++ }')
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    // Every thirteenth: sixteen different elements, behind each of the five ways out of a place.
    for (const text of payloads.filter((_, i) => i % 13 === 0)) {
      const id = await invoiceOf(world, text.slice(0, 300), {
        detail: { currency_code: 'USD', reference: text.slice(0, 120), note: text, memo: text.slice(0, 500) },
      })
      const at = await disputeOf(world, `HOSTILE${payloads.indexOf(text)}`, '1.00', text)
      const { body } = await world.merchant.post<{ debug_id: string }>(`/v2/invoicing/invoices/${id}/payments`, {
        method: text,
        note: text,
      })
      const merchant = consoleOf(world)
      await merchant.send('/console/apps', { name: text.slice(0, 100), 'feature-invoicing': 'true' })
      await merchant.send(`/console/disputes/${at}/notes`, { content: text.slice(0, 4_000) })
      await merchant.send(`/console/disputes/${at}/make-offer`, { '/note': text, instead: 'draft' })
      await world.call('POST', '/sandbox/inbox/hostile', { id: text.slice(0, 60), event_type: text.slice(0, 200) })
      await merchant.send('/console/templates/new', {
        '/name': `${payloads.indexOf(text)}${text}`.slice(0, 60),
        '/template_info/detail/currency_code': 'USD',
        '/template_info/items/0/name': text.slice(0, 200),
        '/template_info/items/0/unit_amount/value': '1.00',
      })
      for (const path of [
        `/console/invoices/${id}`,
        `/console/invoices/${id}/edit`,
        `/console/disputes/${at}`,
        `/console/requests/${body.debug_id}`,
        `/console/search?q=${encodeURIComponent(text.slice(0, 300))}`,
      ]) {
        await page.goto(base + path)
        expect(await page.evaluate(ran), text).toEqual([0])
      }
    }
    const lists = ['invoices', 'disputes', 'requests', 'mail', 'apps', 'templates', 'inbox/hostile', 'invoices/all']
    for (const path of lists) {
      await page.goto(`${base}/console/${path}`)
      expect(await page.evaluate(ran), path).toEqual([0])
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** How often something ran on a page, and everything on it that could start by itself, our own scripts and frames aside. */
const ran = `[window.fired].concat([...document.querySelectorAll('script:not([src^="/console/assets/"]),object,embed,base,form form,marquee,video,audio,animate,[srcdoc]')].map((e) => e.outerHTML))
  .concat([...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => a.value !== 'data:,').filter((a) => /^on/i.test(a.name) || (a.name !== 'value' && /^\\s*(javascript|data|vbscript):/i.test(a.value))).map((a) => a.name + '=' + a.value))`
