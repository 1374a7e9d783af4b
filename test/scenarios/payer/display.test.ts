import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { textOf } from '../../support/pdf.ts'
import { newWorld, type World } from '../../support/world.ts'

interface Mail {
  subject: string
  text: string
  html: string
  attachments: { href: string }[]
}

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const TEMPLATES = '/v2/invoicing/templates'
const hide = (field_name: string) => ({ field_name, display_preference: { hidden: true } })
const settings = {
  template_item_settings: ['ITEMS_QUANTITY', 'ITEMS_DESCRIPTION', 'ITEMS_DISCOUNT', 'ITEMS_TAX'].map(hide),
  template_subtotal_settings: ['SHIPPING', 'CUSTOM'].map(hide),
}

describe('The display settings of a template', () => {
  it('decide what the page of an invoice shows, as they were when it was made', async () => {
    const template = { name: 'Short', template_info: { detail: { currency_code: 'USD' } }, settings }
    const { body } = await world.merchant.post<{ id: string }>(TEMPLATES, template)
    const [plain, made] = [
      await sentInvoice(world),
      await sentInvoice(world, { configuration: { template_id: body.id } }),
    ]
    await world.merchant.put(`${TEMPLATES}/${body.id}`, { ...template, settings: {} })

    const pages = [await world.call('GET', plain.path), await world.call('GET', made.path)]
    const [all, short] = pages.map(({ text }) => text.slice(text.indexOf('<table')))

    for (const part of ['Front and spine', 'Discount 5% −2.50', '>Qty<', '<dt>Shipping</dt>', 'Packing charges']) {
      expect(all).toContain(part)
      expect(short).not.toContain(part)
    }
    expect(short).toContain('Cover illustration')
    expect(short).toContain('$74.21')

    const print = async ({ path }: { path: string }) =>
      textOf((await world.app.server.inject({ url: `${path}/pdf` })).rawPayload)
    const [allPrinted, shortPrinted] = [await print(plain), await print(made)]
    const printed = ['Front and spine', 'Discount 5% −2.50', 'Qty', 'Shipping', 'Packing charges']
    for (const part of printed) {
      expect(allPrinted).toContain(part)
      expect(shortPrinted).not.toContain(part)
    }
    for (const part of ['Cover illustration', '$74.21']) expect(shortPrinted).toContain(part)

    await world.settle()
    const { body: sent } = await world.call<{ mails: Mail[] }>('GET', '/sandbox/mail')
    const mailOf = ({ path }: { path: string }) =>
      sent.mails.find(({ attachments }) => attachments[0]?.href === `${PUBLIC_URL}${path}/pdf`)!
    const [allMailed, shortMailed] = [mailOf(plain), mailOf(made)]
    // It says what is due and brings the print; what the items are stands on that alone.
    const alike = ({ subject, text, html }: Mail, { code }: { code: string }) =>
      [subject, text, html]
        .join('\n')
        .replaceAll(code, '(code)')
        .replaceAll(/\b000\d\b/g, '(number)')
    expect(alike(shortMailed, made)).toBe(alike(allMailed, plain))
    expect(shortMailed.text).toContain('$74.21')
    for (const part of [...printed, 'Cover illustration']) expect(shortMailed.html).not.toContain(part)
  })
})
