import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desktop, openBrowser, phone } from '../support/browser.ts'
import { barriersOn } from '../support/looks.ts'
import { sentInvoice, shown } from '../support/payer.ts'
import { newWorld, usd, type World } from '../support/world.ts'

/** The smallest picture there is. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

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

/** The link in the newest mail to the buyer with such a subject. */
async function linkIn(subject: string): Promise<string> {
  await world.settle()
  const { body } = await world.call<{ mails: { subject: string; links: string[] }[] }>(
    'GET',
    '/sandbox/mail?to=buyer@example.com',
  )
  return body.mails.find((mail) => mail.subject.startsWith(subject))!.links[0]!
}

describe.each([
  ['a desktop', desktop],
  ['a phone', phone],
])('On %s', (_, options) => {
  it('a payer reports a problem, gets a private link, and accepts an offer', async () => {
    const { id, path } = await sentInvoice(world)
    await world.call('POST', `/sandbox/invoices/${id}/pay`, {})
    const context = await browser.context(options)
    const page = await context.newPage()

    await page.goto(base + path)
    await page.getByRole('link', { name: 'Report a problem with this payment' }).click()
    expect(await barriersOn(page)).toEqual([])
    await page.getByLabel('What is wrong?').selectOption({ label: 'It is not as described' })
    await page.getByLabel('What happened?').fill('The colours are wrong.')
    await page.getByLabel('Picture or PDF').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: png })
    await page.getByRole('button', { name: 'Report the problem' }).click()
    await page.getByText('We mailed a private link to b•••@example.com.').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.goto(await linkIn('You reported a problem'))
    await page.getByText('The colours are wrong.').waitFor()
    expect(await barriersOn(page)).toEqual([])

    await page.getByLabel('Your message').fill('Please have a look.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Please have a look.').waitFor()

    const disputeId = /problem\/([^~]+)~/.exec(page.url())![1]!
    await world.merchant.post(`/v1/customer/disputes/${disputeId}/make-offer`, {
      note: 'We are sorry.',
      offer_type: 'REFUND',
      offer_amount: usd('30.00'),
    })
    await page.goto(await linkIn('News about your problem'))
    // On paper stands what was said and offered, and nothing to fill in.
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('button, input, textarea, label').filter({ visible: true }).allTextContents()).toEqual([])
    expect(await page.getByText('Please have a look.').isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('button', { name: 'Accept $30.00' }).click()
    await page.getByText('$30.00 was refunded to you.').waitFor()

    await world.settle()
    expect(await shown(world, id)).toMatchObject({ status: 'PARTIALLY_REFUNDED' })
    await context.close()
  })
})
