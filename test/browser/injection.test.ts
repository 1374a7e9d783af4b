import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findByRecipientCode } from '../../src/invoices/store.ts'
import { renderMail } from '../../src/payer/mail/mail.ts'
import { invoicePdf } from '../../src/payer/print/pdf.ts'
import { sheetOf } from '../../src/payer/sheet/sheet.ts'
import { complaintsOf, desktop, openBrowser } from '../support/browser.ts'
import { sentInvoice } from '../support/payer.ts'
import { payloads } from '../support/payloads.ts'
import { newWorld, usd, type World } from '../support/world.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let context: BrowserContext
let base: string
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
  browser = await openBrowser()
  context = await browser.context(desktop)
  await context.addInitScript('window.fired = 0; window.alert = () => { window.fired++ }')
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

/** An invoice with the same text in every field that takes one. */
function poisoned(text: string) {
  const cut = (length: number) => text.slice(0, length)
  const name = {
    prefix: cut(140),
    given_name: cut(140),
    middle_name: cut(140),
    surname: cut(140),
    suffix: cut(140),
    full_name: cut(300),
  }
  const address = {
    address_line_1: cut(300),
    address_line_2: cut(300),
    address_line_3: cut(100),
    admin_area_1: cut(300),
    admin_area_2: cut(300),
    postal_code: cut(60),
    country_code: 'US',
  }
  const tax = { name: cut(100), percent: '5' }
  return {
    more: {
      invoicer: {
        business_name: cut(300),
        name,
        address,
        email_address: 'merchant@example.com',
        website: text.includes('javascript:') ? 'javascript:alert(1)' : cut(2048),
        tax_id: cut(100),
        additional_notes: cut(4000),
        logo_url: text.includes('javascript:') ? 'javascript:alert(1)' : cut(2000),
      },
      primary_recipients: [
        {
          billing_info: {
            business_name: cut(300),
            name,
            address,
            email_address: 'buyer@example.com',
            additional_info: cut(40),
          },
          shipping_info: { business_name: cut(300), name, address },
        },
      ],
      items: [{ name: cut(200), description: cut(1000), quantity: '1', unit_amount: usd('10.00'), tax }],
      amount: {
        breakdown: { custom: { label: cut(50), amount: usd('1.00') }, shipping: { amount: usd('1.00'), tax } },
      },
    },
    detail: {
      reference: cut(120),
      note: cut(4000),
      terms_and_conditions: cut(4000),
      memo: cut(500),
      attachments: [{ id: cut(255), reference_url: `https://files.example/${encodeURIComponent(text)}` }],
      invoice_number: `${payloads.indexOf(text)}-${cut(15)}`,
    },
  }
}

/** How often something ran on a page, and everything on it that could start by itself. */
const ran = `[window.fired].concat([...document.querySelectorAll('script,iframe,object,embed,base,form form,marquee,video,audio,animate,[srcdoc]')].map((e) => e.outerHTML))
  .concat([...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => a.value !== 'data:,').filter((a) => /^on/i.test(a.name) || /^\\s*(javascript|data|vbscript):/i.test(a.value)).map((a) => a.name + '=' + a.value))`

describe('No text of an invoice', () => {
  it(`runs on the page or in the mail, for ${payloads.length} payloads in every field`, async () => {
    expect(payloads).toHaveLength(200)
    const page: Page = await context.newPage()
    const mailPage: Page = await context.newPage()
    const complaints = complaintsOf(page)
    await page.route(/files\.example|x$/, (route) => route.abort())

    for (const text of payloads) {
      const { more, detail } = poisoned(text)
      const { path, code } = await sentInvoice(world, more, detail)
      const response = await page.goto(base + path, { waitUntil: 'load' })
      expect(response!.status()).toBe(200)
      expect(await page.evaluate(ran), text).toEqual([0])

      const stored = await findByRecipientCode(world.app.database, code)
      const payload = { kind: 'invoice', to: 'recipient', subject: text, note: text } as const
      const mail = renderMail(stored!, payload, { address: base + path, now: world.now() })
      await mailPage.setContent(mail.html)
      expect(await mailPage.evaluate(ran), text).toEqual([0])
      expect(mail.subject).not.toMatch(/[\r\n]/)
    }
    expect(complaints.filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([])
  })

  it('becomes anything but text in the PDF', async () => {
    for (const text of payloads.slice(0, 20)) {
      const { more, detail } = poisoned(text)
      const { code, path } = await sentInvoice(world, more, {
        ...detail,
        invoice_number: `P${detail.invoice_number}`.slice(0, 25),
      })
      const stored = (await findByRecipientCode(world.app.database, code))!
      const sheet = sheetOf({ ...stored, now: world.now() }, { language: 'en', tag: 'en-US' })

      const pdf = (await invoicePdf(sheet, { address: base + path, now: world.now() })).toString('latin1')
      // What a reader acts on stands outside the streams. Inside, packed, any three bytes turn up sooner or later.
      const objects = pdf.replace(/\bstream\r?\n.*?\bendstream\b/gs, '')

      expect(objects).toContain('/Catalog')
      expect(objects).not.toMatch(/\/(JavaScript|JS|OpenAction|AA|Launch|EmbeddedFile|SubmitForm|RichMedia)\b/)
      const links = [...objects.matchAll(/\/URI \(([^)]*)\)/g)].map(([, address]) => address)
      expect(links).toEqual([base + path])
    }
  })
})
