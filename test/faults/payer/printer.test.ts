import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findByRecipientCode } from '../../../src/invoices/store.ts'
import { invoicePdf } from '../../../src/payer/print/pdf.ts'
import { openPrinter, type VersionedOrder } from '../../../src/payer/print/printer.ts'
import { sheetOf } from '../../../src/payer/sheet/sheet.ts'
import { chooseLocale } from '../../../src/payer/words/languages.ts'
import { costOf } from '../../support/cpu.ts'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type World } from '../../support/world.ts'

const ITEMS = 100
const locale = chooseLocale('en-US')

let world: World
let order: VersionedOrder
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
  const items = Array.from({ length: ITEMS }, (_, i) => ({
    name: `Item ${i}`,
    description: `Words about what was done on day ${i}, `.repeat(20),
    quantity: '1',
    unit_amount: { currency_code: 'USD', value: '1.00' },
  }))
  const { code, path } = await sentInvoice(world, { items, amount: undefined })
  const stored = (await findByRecipientCode(world.app.database, code))!
  const { account, version } = stored
  order = { source: { ...stored, now: world.now() }, accountId: account.id, version, locale, address: path }
}, 60_000)
afterAll(() => world.close())

const pdfOf = (path: string) => world.app.server.inject({ url: `${path}/pdf` })

describe('Printing', () => {
  it(`takes little of a processor for ${ITEMS} items`, async () => {
    const { source, address } = order

    const spent = await costOf(() => invoicePdf(sheetOf(source, locale), { address, now: source.now }))

    expect(spent).toBeLessThan(300)
  }, 60_000)

  it('happens once for everybody who asks for the same document', async () => {
    const { path } = await sentInvoice(world)

    const answers = await Promise.all(Array.from({ length: 50 }, () => pdfOf(path)))
    await world.pass('PT1H')
    const later = await pdfOf(path)

    // The time of printing stands in the document.
    expect(
      new Set([...answers, later].map(({ statusCode, rawPayload }) => `${statusCode} ${rawPayload.length}`)).size,
    ).toBe(1)
    expect(later.rawPayload.equals(answers[0]!.rawPayload)).toBe(true)
  }, 60_000)

  it('happens again when the invoice changed', async () => {
    const { id, path } = await sentInvoice(world)
    const before = await pdfOf(path)
    await world.call('POST', `/sandbox/invoices/${id}/pay`, {})

    expect((await pdfOf(path)).rawPayload.equals(before.rawPayload)).toBe(false)
  }, 60_000)

  it('gives every account its turn, and refuses one that asks for too much', async () => {
    const printer = openPrinter({ timeLimitMs: 100_000 })
    const finished: string[] = []
    const print = (accountId: string, version: number) =>
      printer.print({ ...order, accountId, version }).then(
        () => finished.push(accountId),
        () => finished.push('refused'),
      )

    const flood = Array.from({ length: 12 }, (_, i) => print('flooder', i))
    const quiet = print('quiet', 100)
    await Promise.all([...flood, quiet])
    await printer.close()

    expect(finished.filter((name) => name === 'refused')).toHaveLength(3)
    expect(finished.filter((name) => name !== 'refused').indexOf('quiet')).toBeLessThanOrEqual(2)
  }, 60_000)

  it('ends after its time, and goes on with the next', async () => {
    const hasty = openPrinter({ timeLimitMs: 1, startLimitMs: 0 })
    await expect(hasty.print(order)).rejects.toThrow('Printing took longer than 1 ms.')
    await expect(hasty.print({ ...order, version: 1_000 })).rejects.toThrow('Printing took longer than 1 ms.')
    await hasty.close()
  }, 60_000)

  it('has more time while everything it needs is loaded, or a busy machine would never print', async () => {
    const printer = openPrinter({ timeLimitMs: 1, startLimitMs: 100_000 })
    expect((await printer.print(order)).length).toBeGreaterThan(1_000)
    await expect(printer.print({ ...order, version: 1_001 })).rejects.toThrow('Printing took longer than 1 ms.')
    await printer.close()
  }, 60_000)
})
