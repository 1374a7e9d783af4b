// Takes the pictures in docs/pictures: npm run pictures. Needs Chromium, and pdftoppm (poppler-utils) for the PDF.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { BrowserContextOptions } from 'playwright-core'
import { openApp } from '../../src/app.ts'
import { startEmbedded } from '../../src/database/embedded/server.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../../src/settings.ts'
import { desktop, openBrowser, phone } from '../support/browser.ts'
import { takeConsolePictures } from './console-pictures.ts'
import { goLive, takeOperatorPicture } from './operator-picture.ts'

const folder = fileURLToPath(new URL('../../docs/pictures', import.meta.url))
mkdirSync(folder, { recursive: true })

const eur = (value: string) => ({ currency_code: 'EUR', value })
const vat = { name: 'VAT', percent: '19' }

const invoice = (language: string, more: object = {}) => ({
  detail: {
    currency_code: 'EUR',
    reference: 'PO 4711',
    note: 'Thank you for your order. It was a pleasure to work with you.',
    terms_and_conditions: 'Payable within 30 days. Goods remain our property until they are paid for in full.',
    payment_term: { term_type: 'NET_30' },
  },
  invoicer: {
    business_name: 'Example Studio',
    name: { given_name: 'Sample', surname: 'Merchant' },
    address: { address_line_1: 'Example Street 12', postal_code: '10435', admin_area_2: 'Berlin', country_code: 'DE' },
    email_address: 'billing@studio.example',
    tax_id: 'DE 123 456 789',
  },
  primary_recipients: [
    {
      billing_info: {
        business_name: 'Example Press',
        name: { given_name: 'Sample', surname: 'Customer' },
        address: {
          address_line_1: 'Sample Street 8',
          postal_code: '20457',
          admin_area_2: 'Hamburg',
          country_code: 'DE',
        },
        email_address: 'customer@press.example',
        language,
      },
    },
  ],
  items: [
    {
      name: 'Cover illustration',
      description: 'Spring catalogue, front and spine, print-ready',
      quantity: '1',
      unit_amount: eur('1800.00'),
      tax: vat,
      discount: { percent: '5' },
    },
    { name: 'Layout and typesetting', quantity: '12.5', unit_amount: eur('85.00'), tax: vat },
    {
      name: 'Printed proofs',
      description: 'A3, uncoated',
      quantity: '3',
      unit_amount: eur('24.90'),
      tax: { name: 'VAT', percent: '7' },
    },
  ],
  amount: { breakdown: { shipping: { amount: eur('9.50'), tax: vat } } },
  ...more,
})

/** Asked before anything else: without it the pictures would end halfway. */
function requirePdfPrinter(): void {
  try {
    execFileSync('pdftoppm', ['-v'], { stdio: 'ignore' })
  } catch {
    console.error('The picture of the PDF needs pdftoppm: install poppler-utils (apt-get install poppler-utils).')
    process.exit(1)
  }
}

const SECRET = 'a secret of the pictures, as long as one of a live service'

async function takePictures(): Promise<void> {
  requirePdfPrinter()
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-pictures-'))
  chmodSync(dataDir, 0o711)
  const server = await startEmbedded({ dataDir, durable: false, connectionsMax: 20 })
  await migrate(server.url)
  const settings = readSettings({ PORT: '0', LOG_LEVEL: 'error', QUITTANCE_SECRET: SECRET })
  const app = await openApp({ settings, databaseUrl: server.url, log: pino({ level: 'error' }) })
  const base = await app.listen()
  const browser = await openBrowser()

  const send = async (method: 'GET' | 'POST', path: string, body?: object, token?: string) => {
    const response = await app.server.inject({
      method,
      url: path,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { payload: body }),
    })
    return response
  }
  const tokenOf = async (who: string) => {
    const granted = await app.server.inject({
      method: 'POST',
      url: '/v1/oauth2/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${who}:${who}-secret`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'grant_type=client_credentials',
    })
    return granted.json<{ access_token: string }>().access_token
  }
  const token = await tokenOf('sandbox-merchant')
  const sent = async (language: string, more?: object) => {
    const { id } = (await send('POST', '/v2/invoicing/invoices', invoice(language, more), token)).json<{ id: string }>()
    await send('POST', `/v2/invoicing/invoices/${id}/send`, {}, token)
    return { id, path: `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}` }
  }
  const picture = async (name: string, address: string, options: BrowserContextOptions, fullPage = true) => {
    const context = await browser.context(options)
    const page = await context.newPage()
    await page.goto(address, { waitUntil: 'networkidle' })
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
    await context.close()
  }

  const english = await sent('en')
  const japanese = await sent('ja')
  const partial = await sent('de', {
    configuration: {
      allow_tip: true,
      partial_payment: { allow_partial_payment: true, minimum_amount_due: eur('500.00') },
    },
  })
  const small = { ...desktop, viewport: { width: 1000, height: 800 } }
  await picture('page', base + english.path, small)
  await picture('page-dark', base + partial.path, { ...small, colorScheme: 'dark' })
  await picture('page-phone', base + partial.path, phone, false)
  await picture('page-japanese', base + japanese.path, phone, false)
  await picture(
    'payment-sheet',
    `${base}${english.path}/pay`,
    { ...small, viewport: { width: 700, height: 560 } },
    false,
  )

  const pdf = await app.server.inject({ url: `${english.path}/pdf?lang=en` })
  const pdfPath = join(dataDir, 'invoice.pdf')
  writeFileSync(pdfPath, pdf.rawPayload)
  execFileSync('pdftoppm', ['-r', '90', '-png', '-singlefile', pdfPath, join(folder, 'pdf')])

  await app.drain()
  const { mails } = (await send('GET', '/sandbox/mail')).json<{ mails: { html: string; subject: string }[] }>()
  const mail = mails.find(({ subject }) => subject.startsWith('Invoice'))!
  const context = await browser.context({ ...small, viewport: { width: 680, height: 600 } })
  const page = await context.newPage()
  await page.setContent(mail.html)
  await page.screenshot({ path: join(folder, 'mail.png'), fullPage: true })

  await send('POST', `/sandbox/invoices/${english.id}/pay`, {})
  await picture('page-paid', base + english.path, small, false)

  const tokens: Readonly<Record<string, Promise<string>>> = {
    'sandbox-merchant': tokenOf('sandbox-merchant'),
    'sandbox-buyer': tokenOf('sandbox-buyer'),
  }
  await send('POST', '/sandbox/reset', {})
  await takeConsolePictures({
    base,
    folder,
    call: async (who, path, body) => (await send('POST', path, body, await tokens[who])).json(),
    drain: () => app.drain(),
    context: (options) => browser.context(options),
  })

  await goLive((text) => app.database.query(text, []))
  await app.close()
  const newContext = (options: BrowserContextOptions) => browser.context(options)
  await takeOperatorPicture({ databaseUrl: server.url, secret: SECRET, folder, context: newContext })

  await browser.close()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

await takePictures()
process.exit(0)
