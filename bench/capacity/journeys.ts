import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { makeLedger } from '../../src/ledger/ledger.ts'
import { type Member, PUBLIC_URL, type Scene } from './scene.ts'

const INVOICES = '/v2/invoicing/invoices'
const DISPUTES = '/v1/customer/disputes'
const WAIT_MS = 20

const usd = (value: string) => ({ currency_code: 'USD', value })

/** Two lines with tax, a customer with an address: what a shop writes. */
const draft = (n: number) => ({
  detail: { currency_code: 'USD', reference: `PO ${n}`, note: 'Thank you for your order.' },
  primary_recipients: [
    {
      billing_info: {
        email_address: `customer${n}@example.com`,
        name: { given_name: 'Sample', surname: `Customer ${n}` },
        address: { address_line_1: '8 Harbour St', admin_area_2: 'Anytown', postal_code: '98765', country_code: 'US' },
      },
    },
  ],
  items: [
    { name: 'A chair', quantity: '2', unit_amount: usd('49.50'), tax: { name: 'Sales Tax', percent: '7.25' } },
    { name: 'Delivery', quantity: '1', unit_amount: usd('12.00') },
  ],
})

/** One thing that is measured: how to do it once. */
export type Journey = (n: number) => Promise<void>

const withId = () => ({ 'service-request-id': randomUUID() })

/** A merchant writes an invoice and sends it; the customer opens the page and pays through the gateway. */
export const paidInvoice =
  (scene: Scene, merchants: readonly Member[]): Journey =>
  async (n) => {
    const { token } = merchants[n % merchants.length]!
    const { body } = await scene.call<{ id: string }>('POST', INVOICES, { token, headers: withId(), json: draft(n) })
    await scene.call('POST', `${INVOICES}/${body.id}/send`, { token, headers: withId(), json: {} })
    const path = `/invoice/p/${body.id.replace('INV2-', '').replaceAll('-', '')}/pay`
    const sheet = await scene.call('GET', path)
    const cookie = String(sheet.headers['set-cookie']).split(';')[0]!
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(sheet.text)?.[1] ?? ''
    const sent = await scene.call('POST', path, {
      headers: { cookie, origin: PUBLIC_URL },
      form: { token: field('token'), amount: field('amount'), tip: field('tip') },
    })
    // The page that waits looks again until it is told where to go.
    const waiting = String(sent.headers['location'])
    while ((await scene.call('GET', waiting, { headers: { cookie } })).headers['location'] === undefined)
      await pause(WAIT_MS)
  }

/** A buyer with an account complains about a payment, the two write to each other, and an offer settles it. */
export const settledDispute =
  (scene: Scene, merchants: readonly Member[], buyer: Member, payments: readonly string[]): Journey =>
  async (n) => {
    const seller = merchants[n % merchants.length]!
    const complaint = {
      disputed_transactions: [{ buyer_transaction_id: payments[n]! }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    }
    const opened = await scene.call<{ links: { href: string }[] }>('POST', DISPUTES, {
      token: buyer.token,
      headers: withId(),
      json: complaint,
    })
    const path = `${DISPUTES}/${opened.body.links[0]!.href.split('/').at(-1)}`
    const say = (who: Member, action: string, json: object) =>
      scene.call('POST', `${path}/${action}`, { token: who.token, headers: withId(), json })
    await say(seller, 'send-message', { message: 'It was sent on Monday; we ask the carrier.' })
    await say(buyer, 'send-message', { message: 'Nothing has come until today.' })
    await say(seller, 'make-offer', { note: 'Half of it back?', offer_type: 'REFUND', offer_amount: usd('50.00') })
    await say(buyer, 'accept-offer', { note: 'Agreed.' })
  }

/** Payments of a buyer to the merchants in turn; the ids that the buyer knows them by. */
export async function payments(
  { app }: Scene,
  merchants: readonly Member[],
  buyer: Member,
  count: number,
): Promise<string[]> {
  const { capture } = makeLedger(app.service)
  const made: string[] = []
  for (let n = 0; n < count; n++)
    made.push(
      await app.transact(async (tx) => {
        const { account } = merchants[n % merchants.length]!
        const payment = capture(tx, {
          status: 'COMPLETED',
          seller: { account_id: account.id },
          buyer: { account_id: buyer.account.id, email: buyer.account.email },
          gross: usd('100.00'),
          silent: true,
        })
        return payment.buyer_transaction_id
      }),
    )
  return made
}

/** An event of an account, of the size of an invoice's: whoever is subscribed gets it. */
export const event =
  ({ app }: Scene, merchants: readonly Member[]): Journey =>
  async (n) => {
    const { account, appId } = merchants[n % merchants.length]!
    const id = `INV2-${String(n).padStart(16, '0')}`
    await app.transact(async (tx) =>
      tx.emit({
        accountId: account.id,
        appId,
        type: 'INVOICING.INVOICE.UPDATED',
        resourceId: id,
        resource: { id, status: 'SENT', note: 'x'.repeat(1_200) },
        summary: 'An invoice was updated.',
      }),
    )
  }
