import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { phone } from '../support/browser.ts'

type Call = <Body>(who: string, path: string, body: object) => Promise<Body>

interface Studio {
  readonly base: string
  readonly folder: string
  /** Calls the API as an app of the sandbox. */
  readonly call: Call
  /** Does all that is due. */
  drain(): Promise<void>
  context(options: BrowserContextOptions): Promise<BrowserContext>
}

const usd = (value: string) => ({ currency_code: 'USD', value })
const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, locale: 'en-US' }

/** A little trade: invoices in several states, and a claim that waits for the merchant. */
async function trade({ base, call, drain }: Pick<Studio, 'base' | 'call' | 'drain'>) {
  const at = (id: string) => `/v2/invoicing/invoices/${id}`
  const invoice = async (business_name: string, price: string) => {
    const { id } = await call<{ id: string }>('sandbox-merchant', '/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', payment_term: { term_type: 'NET_30' } },
      primary_recipients: [{ billing_info: { business_name, email_address: 'buyer@example.com' } }],
      items: [{ name: 'Stoneware mugs', quantity: '12', unit_amount: usd(price) }],
    })
    return id
  }
  for (const url of ['http://127.0.0.1:4000/hooks', `${base}/sandbox/inbox/sandbox-merchant`])
    await call('sandbox-merchant', '/v1/notifications/webhooks', {
      url,
      event_types: [{ name: '*' }],
    })
  await invoice('Example Atelier', '18.00')
  for (const [business_name, price] of [
    ['Example Books', '9.00'],
    ['Linden & Söhne Verlagsgesellschaft', '526.50'],
    ['Café Miró', '12.00'],
  ] as const) {
    const id = await invoice(business_name, price)
    await call('sandbox-merchant', `${at(id)}/send`, {})
    if (price !== '12.00')
      await call('sandbox-merchant', `${at(id)}/payments`, { method: 'BANK_TRANSFER', amount: usd('108.00') })
  }
  const sent = await invoice('Example Press', '20.00')
  await call('sandbox-merchant', `${at(sent)}/send`, {})
  await call('sandbox-merchant', `${at(sent)}/payments`, { method: 'CASH', amount: usd('9999.00') })
  const opened = await call<{ links: { href: string }[] }>('sandbox-buyer', '/v1/customer/disputes', {
    disputed_transactions: [{ buyer_transaction_id: 'BUYERPAYMENT01' }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    dispute_amount: usd('248.00'),
    messages: [
      { content: 'The parcel shows as delivered, but nothing arrived. Could you find out where it was left?' },
    ],
  })
  await drain()
  const id = opened.links[0]!.href.split('/').at(-1)!
  const does = (who: string, action: string, body: object) => call(who, `/v1/customer/disputes/${id}/${action}`, body)
  for (const [n, reason] of ['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'DUPLICATE_TRANSACTION'].entries())
    await call('sandbox-buyer', '/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: `BUYERPAYMENT1${n}` }],
      reason,
      dispute_amount: usd(n === 0 ? '89.00' : '335.40'),
    })
  await does('sandbox-merchant', 'send-message', {
    message: 'We are sorry to hear that, and asked the carrier to look into it.',
  })
  await does('sandbox-merchant', 'make-offer', {
    note: 'As a gesture.',
    offer_type: 'REFUND',
    offer_amount: usd('40.00'),
  })
  await does('sandbox-buyer', 'deny-offer', { note: 'I would like my money or my mugs.' })
  await does('sandbox-buyer', 'escalate', { note: 'Nobody found the parcel.' })
  const unauthorised = await call<{ links: { href: string }[] }>('sandbox-buyer', '/v1/customer/disputes', {
    disputed_transactions: [{ buyer_transaction_id: 'BUYERPAYMENT20' }],
    reason: 'UNAUTHORISED',
    dispute_amount: usd('612.00'),
  })
  const evidence = { evidences: [{ evidence_type: 'OTHER', notes: 'The order was picked up with a code.' }] }
  await call('sandbox-merchant', `${new URL(unauthorised.links[0]!.href).pathname}/provide-evidence`, evidence)
  await drain()
  return { dispute: `/console/disputes/${id}` }
}

/** The pictures of docs/console.md and docs/reference.md. */
export async function takeConsolePictures({ base, folder, call, drain, context }: Studio): Promise<void> {
  const { dispute } = await trade({ base, call, drain })
  const picture = async (name: string, path: string, options: BrowserContextOptions, fullPage = false) => {
    const own = await context(options)
    const page = await own.newPage()
    await page.goto(base + path)
    if (path === '/console' && options === wide) {
      const refused = page.locator('.status', { hasText: '422' })
      await page.locator('[data-inspect]', { has: refused }).first().click()
      await page.locator('.inspector .because').waitFor()
      await page.mouse.move(0, 0)
      await page.evaluate('scrollTo(0, 0)')
    }
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage })
    await own.close()
  }
  await picture('console-timeline', '/console', wide)
  await picture('console-dispute', dispute, wide, true)
  await picture('console-dispute-dark', dispute, { ...wide, colorScheme: 'dark' }, true)
  await picture('console-invoices', '/console/invoices', wide)
  await picture('console-desk', '/console/disputes', wide)
  await picture('console-webhooks', '/console/webhooks', wide)
  await picture('console-money', '/console/money', wide)
  await picture('console-mail', '/console/mail', wide)
  await picture('console-scenarios', '/console/scenarios', wide)
  await picture('console-phone', dispute, phone)
  await picture('console-invoices-phone', '/console/invoices', phone)
  await picture('reference', '/docs/recordPayment', wide)
  await picture('reference-phone', '/docs/recordPayment', phone)
}
