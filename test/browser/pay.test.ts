import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, desktop, openBrowser, phone, pixelsOf, qrTextOf } from '../support/browser.ts'
import { pngOf, startLogoServer } from '../support/logo.ts'
import { barriersOn } from '../support/looks.ts'
import { sentInvoice, shown } from '../support/payer.ts'
import { newWorld, usd, type World } from '../support/world.ts'

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

const partial = {
  configuration: {
    allow_tip: true,
    partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('20.00') },
  },
}

/** Figures that are broken into lines, reach over the edge of what they stand on, or do not fit their field; runs in the browser. */
const notWhole = `[...document.querySelectorAll('.sum, td:not(:first-child), .sums dd, .lines dd, input[inputmode], .paper')].filter((one) => {
  const range = document.createRange()
  range.selectNodeContents(one)
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
  const edge = one.closest('.sums dl, table, .lines, .till, main').getBoundingClientRect().right
  if (one.matches('.paper')) return one.getBoundingClientRect().right > innerWidth
  if (one.matches('input')) return one.scrollWidth > one.clientWidth + 1
  return lines.size > 1 || range.getBoundingClientRect().right > edge + 1
}).map((one) => one.className + ' ' + (one.value ?? one.textContent).slice(0, 60))`

async function opened(path: string, options: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.context(options)
  const page = await context.newPage()
  await page.goto(base + path)
  return { page, context }
}

describe.each([
  ['a desktop', desktop],
  ['a phone', phone],
])('On %s', (_, options) => {
  it('the amount due and the button are there without scrolling', async () => {
    const { path } = await sentInvoice(world)
    const { page, context } = await opened(path, options)
    const complaints = complaintsOf(page)

    const sum = await page.locator('.till .sum').boundingBox()
    const button = await page.getByRole('button', { name: 'Pay $74.21' }).boundingBox()
    const width = await page.evaluate('document.documentElement.scrollWidth')

    expect(sum!.y + sum!.height).toBeLessThan(options.viewport!.height)
    expect(button!.y + button!.height).toBeLessThan(options.viewport!.height)
    expect(width).toBeLessThanOrEqual(options.viewport!.width)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('an invoice can be paid in full', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened(path, options)

    await page.getByRole('button', { name: 'Pay $74.21' }).click()
    await page.getByRole('button', { name: 'Pay $74.21' }).click()

    await page.getByText('Thank you. Your payment of $74.21 arrived.').waitFor()
    expect(await page.getByText('Paid in full').count()).toBe(1)
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
    await context.close()
  })

  it('an invoice can be paid in part, with a tip', async () => {
    const { id, path } = await sentInvoice(world, partial)
    const { page, context } = await opened(path, options)

    // The currency before the amount stands in one line.
    expect((await page.locator('.field span').first().boundingBox())!.height).toBeLessThan(30)
    await page.getByLabel('Amount to pay').fill('30')
    await page.getByLabel('Tip').fill('2.50')
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByRole('button', { name: 'Pay $32.50' }).click()

    await page.getByText('Thank you. Your payment of $32.50 arrived.').waitFor()
    expect(await shown(world, id)).toMatchObject({
      status: 'PARTIALLY_PAID',
      due_amount: usd('44.21'),
      gratuity: usd('2.50'),
    })
    await context.close()
  })

  it('who hears the page and does not see it is told what is wrong with an amount, and at which field', async () => {
    const { path } = await sentInvoice(world, partial)
    const { page, context } = await opened(path, options)
    const heard = () => page.evaluate('[document.activeElement.role, document.activeElement.textContent]')

    await page.getByLabel('Amount to pay').fill('3')
    await page.getByLabel('Amount to pay').press('Enter')
    await page.getByText('Enter an amount between').waitFor()

    expect(await heard()).toEqual(['alert', expect.stringContaining('$20.00')])
    const wrong = page.locator('[aria-invalid=true]')
    expect([await wrong.count(), await wrong.inputValue()]).toEqual([1, '3'])
    expect(await wrong.getAttribute('aria-describedby')).toBe('notice amount-hint')
    expect(await barriersOn(page)).toEqual([])

    await page.getByLabel('Amount to pay').fill('30')
    await page.getByLabel('Tip').fill('-2')
    await page.getByLabel('Tip').press('Enter')
    await page.locator('#tip[aria-invalid=true]').waitFor()
    expect(await page.locator('#amount[aria-invalid]').count()).toBe(0)
    await context.close()
  })

  it('what is written from right to left is read so, to its full stop', async () => {
    const hebrew = 'תודה על הזמנתך, המשלוח בדרך.'
    const { path } = await sentInvoice(world, {
      detail: { currency_code: 'USD', note: `Thank you.\n${hebrew}` },
      items: [{ name: hebrew, quantity: '1', unit_amount: usd('10.00') }],
    })
    const { page, context } = await opened(path, options)

    // Where each begins and ends, by its first and its last letter.
    const ends = (await page.evaluate(`(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found = []
      const left = (node, at) => {
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + 1)
        return range.getBoundingClientRect().left
      }
      while (texts.nextNode()) {
        const { currentNode: node } = texts
        if (node.data.endsWith('.')) found.push([node.data, left(node, 0) < left(node, node.length - 1)])
      }
      return found
    })()`)) as [string, boolean][]

    expect(ends.filter(([text]) => text === hebrew)).toEqual([
      [hebrew, false],
      [hebrew, false],
    ])
    expect(ends.find(([text]) => text === 'Thank you.')).toEqual(['Thank you.', true])
    await context.close()
  })

  it('a payment that is denied says so and charges nothing', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened(path, options)

    await page.getByRole('button', { name: 'Pay $74.21' }).click()
    await page.getByRole('button', { name: 'Let it be denied' }).click()

    await page.getByText('The payment was denied. Nothing was charged.').waitFor()
    expect(await page.getByRole('button', { name: 'Pay $74.21' }).count()).toBe(1)
    expect(await shown(world, id)).toMatchObject({ status: 'SENT' })
    await context.close()
  })

  it('a payment that is pending says so, and clears', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened(path, options)

    await page.getByRole('button', { name: 'Pay $74.21' }).click()
    await page.getByRole('button', { name: 'Leave it pending' }).click()
    await page.getByText('waiting to clear').waitFor()
    const [payment] = (await shown(world, id)).payments!.transactions
    await world.call('POST', `/sandbox/captures/${payment!.payment_id}/settle`, {})
    await page.goto(base + path)

    await page.getByText('Paid in full').waitFor()
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
    await context.close()
  })

  it('everything works without scripts', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened(path, { ...options, javaScriptEnabled: false })

    await page.getByRole('button', { name: 'Pay $74.21' }).click()
    await page.getByRole('button', { name: 'Pay $74.21' }).click()

    await page.getByText('Thank you.').waitFor()
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
    await context.close()
  })

  it('words without a place to break them fit the window', async () => {
    const item = { name: 'I'.repeat(200), description: 'D'.repeat(500), quantity: '1', unit_amount: usd('999999.00') }
    const { path } = await sentInvoice(
      world,
      {
        invoicer: { business_name: 'B'.repeat(200), website: `https://example.com/${'w'.repeat(200)}` },
        items: [{ ...item, tax: { name: 'T'.repeat(100), percent: '7.5' } }],
      },
      { invoice_number: String(options.viewport!.width).padStart(25, 'N'), reference: 'R'.repeat(120) },
    )
    const { page, context } = await opened(path, options)

    for (const address of [path, `${path}/pay`]) {
      const response = await page.goto(base + address)
      expect(response!.status(), address).toBe(200)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width, address).toBeLessThanOrEqual(options.viewport!.width)
    }
    await context.close()
  })

  it.each(['USD', 'CLF'])('the largest amounts of %s stand whole, each in one line', async (currency_code) => {
    const money = (value: string) => ({ currency_code, value })
    const item = { name: 'Cover illustration', quantity: '1000000', unit_amount: money('1000000') }
    const discount = { percent: '1' }
    const { path } = await sentInvoice(
      world,
      {
        items: Array.from({ length: 100 }, () => ({ ...item, discount, tax: { name: 'Sales Tax', percent: '100' } })),
        amount: { breakdown: { shipping: { amount: money('1000000') } } },
        configuration: { allow_tip: true, partial_payment: { allow_partial_payment: true } },
      },
      { currency_code },
    )
    const { page, context } = await opened(path, options)

    const widths = [options.viewport!.width, ...(options === phone ? [320] : [660, 800])]
    for (const address of [path, `${path}?lang=fr`, `${path}/pay`])
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(base + address)
        expect(await page.evaluate(notWhole), `${address} at ${width}`).toEqual([])
      }
    await context.close()
  })

  it('everybody can read every page, in light and in dark', async () => {
    const { path } = await sentInvoice(world, partial)
    const paid = await sentInvoice(world)
    await world.call('POST', `/sandbox/invoices/${paid.id}/pay`, {})
    const { page, context } = await opened(path, options)

    for (const address of [path, `${path}/pay?amount=30`, paid.path, '/invoice/p/', '/invoice/p/AAAABBBBCCCCDDDD']) {
      await page.goto(base + address)
      expect(await barriersOn(page), address).toEqual([])
    }
    await context.close()
  })
})

describe('The page', () => {
  it('shows the logo of the merchant, from our own address, and nothing is pushed off it', async () => {
    const shop = await startLogoServer()
    shop.answers('/wide.png', pngOf({ width: 900, height: 200, kind: 0, depth: 1, samples: (x) => [x % 2] }))
    const invoicer = { business_name: 'Example Studio', logo_url: shop.url('/wide.png') }
    const { path } = await sentInvoice(world, { invoicer })
    await world.settle()

    for (const options of [desktop, phone]) {
      const { page, context } = await opened(path, options)
      const complaints = complaintsOf(page)
      await page.reload({ waitUntil: 'networkidle' })

      const logo = page.getByRole('img', { name: 'Example Studio' })
      expect(await page.evaluate('document.querySelector(".head img").naturalWidth')).toBe(900)
      const { width, height } = (await logo.boundingBox())!
      expect(width / height).toBeCloseTo(4.5, 1)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(options.viewport!.width)
      const title = (await page.getByRole('heading', { level: 1 }).boundingBox())!
      const paper = (await page.locator('.facts').boundingBox())!
      expect(title.x + title.width).toBeLessThanOrEqual(paper.x + paper.width + 1)
      expect(complaints).toEqual([])
      await context.close()
    }
    expect(shop.asked).toHaveLength(1)
    await shop.close()
  })

  it('opens from the address behind the `#`', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened('/healthz', desktop)

    await page.goto((await shown(world, id)).detail.metadata.recipient_view_url)

    await page.waitForURL(base + path)
    await context.close()
  })

  it('has a QR code that says its own address, also in the dark', async () => {
    const { path } = await sentInvoice(world)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context } = await opened(path, { ...desktop, deviceScaleFactor: 2, colorScheme })

      const picture = await page.locator('.qr').screenshot()
      const text = qrTextOf(await pixelsOf(context, picture))

      expect(text).toBe(base + path)
      await context.close()
    }
  })

  it('can be used with the keyboard alone', async () => {
    const { id, path } = await sentInvoice(world)
    const { page, context } = await opened(path, desktop)
    const press = async (until: string) => {
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press('Tab')
        const text = await page.evaluate('document.activeElement.textContent')
        if (String(text).startsWith(until)) return page.keyboard.press('Enter')
      }
      throw new Error(`nothing called ${until} can be reached`)
    }

    await press('Pay $74.21')
    await page.getByText('Test payment').waitFor()
    await press('Pay $74.21')

    await page.getByText('Thank you.').waitFor()
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
    await context.close()
  })

  it('is printed without its buttons', async () => {
    const { path } = await sentInvoice(world)
    const { page, context } = await opened(path, desktop)

    await page.emulateMedia({ media: 'print' })

    expect(await page.locator('.till').isVisible()).toBe(false)
    expect(await page.locator('footer').isVisible()).toBe(false)
    expect(await page.locator('.paper').isVisible()).toBe(true)
    await context.close()
  })
})
