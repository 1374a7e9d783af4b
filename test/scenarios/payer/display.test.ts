import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type World } from '../../support/world.ts'

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
    expect((await world.app.server.inject({ url: `${made.path}/pdf` })).statusCode).toBe(200)
  })
})
