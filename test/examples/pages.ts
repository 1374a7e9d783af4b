import { makeLedger } from '../../src/ledger/ledger.ts'
import { signText } from '../../src/payer/pay/gateway-signature.ts'
import { GATEWAY_SECRET } from '../support/gateway.ts'
import { sent, shopWithGateway } from '../support/live-shop.ts'
import { blueLogo, startLogoServer } from '../support/logo.ts'
import { usd, type World } from '../support/world.ts'
import { returned } from './disputing.ts'
import { idIn } from './invoicing.ts'
import { multipart, type Recorder, type Show, upload } from './recorder.ts'

const PUBLIC_URL = 'http://127.0.0.1:8080'
const html = { accept: 'text/html' }

/** A page with a form: what a browser would send back with it. */
function formOf({ text, headers }: { text: string; headers: Record<string, unknown> }) {
  return {
    token: /name="token" value="([^"]*)"/.exec(text)?.[1] ?? '',
    headers: { cookie: String(headers['set-cookie'] ?? '').split(';')[0]!, origin: PUBLIC_URL },
  }
}

/** A customer reads an invoice, pays it, and is not content. */
export async function pages(world: World, show: Show, recorder: Recorder): Promise<void> {
  const { merchant } = world
  const logos = await startLogoServer()
  logos.answers('/logo.png', blueLogo)
  recorder.rename(logos.url(''), 'https://shop.example')
  const written = await merchant.post('/v2/invoicing/invoices', {
    detail: { currency_code: 'USD' },
    invoicer: { business_name: 'Example Studio', logo_url: logos.url('/logo.png') },
    primary_recipients: [{ billing_info: { email_address: 'guest@example.com' } }],
    items: [{ name: 'A chair', quantity: '2', unit_amount: usd('49.50') }],
  })
  const id = idIn(written.body)
  await merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
  await world.settle()
  await logos.close()
  const code = id.replace('INV2-', '').replaceAll('-', '')
  const params = { code }
  const page = { params, headers: html }
  await show('openInvoicePage', undefined, { query: { code }, headers: html })
  const read = await show('showInvoicePage', undefined, page)
  await show('showInvoiceDetailsPage', merchant, { params: { id }, headers: html })
  await show('showInvoicePdf', undefined, { params })
  await show('showInvoiceLogo', undefined, { params })
  const asset = /\/invoice\/assets\/([\w.-]+\.css)/.exec(read.text)![1]!
  await show('showPageAsset', undefined, { params: { name: asset } })
  const font = 'ibm-plex-sans-latin-400-normal.woff2'
  await show('showPageFont', undefined, { params: { name: font } })
  const sheet = formOf(await show('showPaymentSheet', undefined, page))
  await show('payInvoice', undefined, {
    params,
    form: { token: sheet.token, amount: '99.00', outcome: 'COMPLETED' },
    headers: sheet.headers,
  })
  await world.settle()
  const complaint = formOf(await show('showProblemForm', undefined, page))
  const shown = await merchant.get<{ payments: { transactions: { payment_id: string }[] } }>(
    `/v2/invoicing/invoices/${id}`,
  )
  await show('reportProblem', undefined, {
    params,
    form: {
      token: complaint.token,
      payment: shown.body.payments.transactions[0]!.payment_id,
      reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
      text: 'A leg is broken.',
    },
    headers: complaint.headers,
  })
  await world.settle()
  const { body } = await world.call<{ mails: { links: string[] }[] }>('GET', '/sandbox/mail?to=guest@example.com')
  const key = new URL(body.mails[0]!.links[0]!).pathname.split('/').at(-1)!
  const problem = formOf(await show('showProblem', undefined, { params: { key }, headers: html }))
  await show('actOnProblem', undefined, {
    params: { key, action: 'send-message' },
    form: { token: problem.token, text: 'Is there any news?' },
    headers: problem.headers,
  })
  await labelled(world, key)
  await show('showReturnLabel', undefined, { params: { key, n: '1' } })
}

/** The merchant takes the thing back, and sends a label along. */
async function labelled({ merchant }: World, key: string): Promise<void> {
  const dispute = `/v1/customer/disputes/${key.split('~')[0]}`
  await merchant.post(`${dispute}/escalate`, { note: 'Let somebody decide.' })
  const body = {
    note: 'Please send it back.',
    accept_claim_type: 'REFUND_WITH_RETURN_SHIPMENT_LABEL',
    return_shipping_address: { address_line_1: '14 Return Road', admin_area_2: 'San Jose', country_code: 'US' },
    return_shipment_info: [
      { shipment_label: { name: 'label.pdf' }, tracking_info: { carrier_name: 'UPS', tracking_number: '1Z999AA1' } },
    ],
  }
  const label = { part: 'file1', name: 'label.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF') }
  const accepted = await merchant.post(`${dispute}/accept-claim`, multipart(body, [label]), { headers: upload })
  if (accepted.status !== 200) throw new Error(accepted.text)
}

/** What only a live service has: a gateway that charges, and an operator who pays postage. */
export async function live(recorder: Recorder): Promise<void> {
  const shop = await shopWithGateway()
  try {
    const { world, gateway } = shop
    const show = recorder.in(world)
    gateway.state.answer = { status: 'PENDING' }
    const { path } = await sent(shop.merchant)
    const { attempt } = await shop.pay(path)
    await show('showPaymentUnderWay', undefined, { params: { code: path.split('/').at(-1)!, attempt }, headers: html })
    const told = { charge_id: attempt, status: 'COMPLETED', reference: `ref-${attempt}` }
    await show('gatewayCallback', undefined, {
      body: told,
      headers: { 'quittance-signature': signText(GATEWAY_SECRET, JSON.stringify(told), world.now()) },
    })
    const { merchant, buyer } = world.people
    const { buyer_transaction_id } = await world.app.transact(async (tx) =>
      makeLedger(world.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: merchant.id },
        buyer: { account_id: buyer.id },
        gross: usd('48.00'),
      }),
    )
    const customer = await world.personWithApp(buyer.id, ['disputes/create', 'disputes/update-buyer'])
    const operator = await world.personWithApp(merchant.id, ['operator'])
    const id = await returned({ buyer: customer, merchant: shop.merchant }, buyer_transaction_id)
    await customer.post(`/v1/customer/disputes/${id}/return-compensation`, { amount: usd('9.00') })
    await show('answerReturnCompensation', operator, { params: { id }, body: { decision: 'PAY' } })
  } finally {
    await shop.close()
  }
}
