import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findByRecipientCode } from '../../../src/invoices/store.ts'
import { invoicePdf } from '../../../src/payer/print/pdf.ts'
import { type AccountOrder, openPrinter } from '../../../src/payer/print/printer.ts'
import { sheetOf } from '../../../src/payer/sheet/sheet.ts'
import { chooseLocale } from '../../../src/payer/words/languages.ts'
import { expectCostBelow } from '../../support/cpu.ts'
import { blueLogo } from '../../support/logo.ts'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type World } from '../../support/world.ts'

const ITEMS = 100
const locale = chooseLocale('en-US')

let world: World
let order: AccountOrder
let largeOrder: AccountOrder
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
  order = await orderOf({})
  const items = Array.from({ length: ITEMS }, (_, i) => ({
    name: `Item ${i}`,
    description: `Words about what was done on day ${i}, `.repeat(20),
    quantity: '1',
    unit_amount: { currency_code: 'USD', value: '1.00' },
  }))
  largeOrder = await orderOf({ items, amount: undefined })
})
afterAll(() => world.close())

async function orderOf(invoice: Record<string, unknown>): Promise<AccountOrder> {
  const { code, path } = await sentInvoice(world, invoice)
  const stored = (await findByRecipientCode(world.app.database, code))!
  return { source: { ...stored, now: world.now() }, accountId: stored.account.id, locale, address: path }
}

// An order is an invoice or a logo. Where any will do it is a logo, for which no fonts are loaded.

/** The processes of ours that print now. */
const printing = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [, parent] = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('print-process')
      } catch {
        // No process, or gone in between.
        return false
      }
    })

const pdfOf = (path: string) => world.app.server.inject({ url: `${path}/pdf` })

describe('Printing', () => {
  it(`takes little of a processor for ${ITEMS} items`, async () => {
    const { source, address } = largeOrder

    await expectCostBelow(300, () => invoicePdf(sheetOf(source, locale), { address, now: source.now }))
  })

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
  })

  it('happens again when the invoice changed', async () => {
    const { id, path } = await sentInvoice(world)
    const before = await pdfOf(path)
    await world.call('POST', `/sandbox/invoices/${id}/pay`, {})

    expect((await pdfOf(path)).rawPayload.equals(before.rawPayload)).toBe(false)
  })

  it('gives every account its turn, and refuses one that asks for too much', async () => {
    const printer = openPrinter({ timeLimitMs: 100_000 })
    const finished: string[] = []
    const ask = (accountId: string) =>
      printer.readLogo(accountId, blueLogo).then(
        () => finished.push(accountId),
        () => finished.push('refused'),
      )

    const flood = Array.from({ length: 12 }, () => ask('flooder'))
    const quiet = ask('quiet')
    await Promise.all([...flood, quiet])
    await printer.close()

    expect(finished.filter((name) => name === 'refused')).toHaveLength(3)
    expect(finished.filter((name) => name !== 'refused').indexOf('quiet')).toBeLessThanOrEqual(2)
  })

  it('goes on elsewhere for whoever has had more than their share, so that nobody waits behind them', async () => {
    const before = new Set(printing())
    const printer = openPrinter({ msPerMinute: 1 })
    // The first costs nobody anything, the second whoever has it printed.
    await printer.readLogo(order.accountId, blueLogo)
    await printer.print(order)
    const usual = printing().filter((pid) => !before.has(pid))
    await printer.readLogo(order.accountId, blueLogo)
    const both = printing().filter((pid) => !before.has(pid))
    await printer.readLogo('quiet', blueLogo)

    expect(usual).toHaveLength(1)
    expect(both).toHaveLength(2)
    const [last] = both.filter((pid) => !usual.includes(pid))
    expect(getPriority(usual[0]!)).toBe(getPriority())
    // With all of its threads.
    for (const thread of readdirSync(`/proc/${last}/task`)) expect(getPriority(Number(thread))).toBe(15)
    await printer.close()
    expect(printing().filter((pid) => !before.has(pid))).toEqual([])
  })

  it('goes on when its process dies, and its process ends when nothing is printed any more', async () => {
    const before = new Set(printing())
    const own = () => printing().filter((pid) => !before.has(pid))
    const printer = openPrinter({ idleMs: 200 })
    const doomed = printer.print(largeOrder)
    await expect.poll(own).toHaveLength(1)
    process.kill(own()[0]!, 'SIGKILL')

    await expect(doomed).rejects.toThrow('The process that prints stopped.')
    expect(await printer.readLogo('anybody', blueLogo)).toMatchObject({ width: 60 })
    await expect.poll(own).toEqual([])
    expect(await printer.readLogo('anybody', blueLogo)).toMatchObject({ width: 60 })
    await printer.close()
  })

  it('ends with the service, however that ends', async () => {
    const module = new URL('../../../dist/jobs/process.js', import.meta.url).href
    const from = new URL('../../../dist/payer/print/print-queue.js', import.meta.url).href
    const script = `import { startProcess } from ${JSON.stringify(module)}
      process.stdout.write(String(startProcess('print-process', ${JSON.stringify(from)}, ['0']).pid))`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script])
    const pid = Number(String((await once(service.stdout, 'data'))[0]))
    const lives = () => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    expect(lives()).toBe(true)
    service.kill('SIGKILL')
    await once(service, 'exit')

    await expect.poll(lives).toBe(false)
  })

  it('ends after its time, and goes on with the next', async () => {
    const hasty = openPrinter({ timeLimitMs: 1, startLimitMs: 0 })
    await expect(hasty.print(order)).rejects.toThrow('Printing took longer than 1 ms.')
    await expect(hasty.print({ ...order, address: 'https://elsewhere.test/' })).rejects.toThrow(
      'Printing took longer than 1 ms.',
    )
    await hasty.close()
  })

  it('has more time while everything it needs is loaded, or a busy machine would never print', async () => {
    const printer = openPrinter({ timeLimitMs: 1, startLimitMs: 100_000 })
    expect(await printer.readLogo('anybody', blueLogo)).toMatchObject({ width: 60 })
    await expect(printer.print(order)).rejects.toThrow('Printing took longer than 1 ms.')
    await printer.close()
  })
})
