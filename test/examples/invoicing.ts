import { usd, type World } from '../support/world.ts'
import type { Show } from './recorder.ts'

const chairs = {
  detail: {
    currency_code: 'USD',
    reference: 'PO 4711',
    note: 'Thank you for your order.',
    payment_term: { term_type: 'NET_30' },
  },
  primary_recipients: [
    {
      billing_info: {
        name: { given_name: 'Sample', surname: 'Customer' },
        email_address: 'buyer@example.com',
        address: { address_line_1: 'Hafenstr. 8', postal_code: '20457', admin_area_2: 'Hamburg', country_code: 'DE' },
      },
    },
  ],
  items: [
    {
      name: 'A chair',
      description: 'Oak, oiled',
      quantity: '2',
      unit_amount: usd('49.50'),
      tax: { name: 'Sales tax', percent: '7.25' },
    },
  ],
  configuration: {
    partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('20.00') },
    allow_tip: true,
  },
}

/** A merchant writes invoices, sends them, is paid, and gives money back. */
export async function invoicing(world: World, show: Show): Promise<void> {
  const { merchant } = world
  await show('generateNextInvoiceNumber', merchant)
  await show('generateNextInvoiceNumberByOldPath', merchant)
  await show('listTemplates', merchant, { query: { page_size: '2' } })
  const template = await show('createTemplate', merchant, {
    body: {
      name: 'Chairs',
      default_template: false,
      template_info: { detail: { currency_code: 'USD', note: 'Thank you for your order.' }, items: chairs.items },
      settings: {
        template_subtotal_settings: [{ field_name: 'SHIPPING', display_preference: { hidden: true } }],
      },
      unit_of_measure: 'QUANTITY',
    },
  })
  const template_id = idIn(template.body)
  await show('showTemplate', merchant, { params: { template_id } })
  await show('updateTemplate', merchant, {
    params: { template_id },
    body: {
      name: 'Chairs and tables',
      template_info: { detail: { currency_code: 'USD' } },
      unit_of_measure: 'QUANTITY',
    },
  })
  await show('deleteTemplate', merchant, { params: { template_id } })

  const invoice_id = idIn((await show('createInvoice', merchant, { body: chairs })).body)
  const params = { invoice_id }
  const update = { ...chairs, detail: { ...chairs.detail, memo: 'Asked for delivery before noon.' } }
  await show('updateInvoice', merchant, { params, query: { send_to_recipient: 'false' }, body: update })
  await show('sendInvoice', merchant, {
    params,
    body: { subject: 'Your chairs', note: 'They are on their way.', send_to_invoicer: true },
  })
  await world.settle()
  await show('remindInvoice', merchant, { params, body: { note: 'Did you see our invoice?' } })
  await show('generateQrCode', merchant, {
    params,
    headers: { accept: 'application/json' },
    body: { width: 300, height: 300 },
  })
  const paid = await show('recordPayment', merchant, {
    params,
    body: { method: 'BANK_TRANSFER', payment_date: '2026-03-01', amount: usd('40.00'), note: 'By transfer.' },
    headers: { 'service-request-id': 'b2c1f0a4-payment' },
  })
  const refunded = await show('recordRefund', merchant, {
    params,
    body: { method: 'BANK_TRANSFER', refund_date: '2026-03-01', amount: usd('10.00') },
  })
  await show('showInvoice', merchant, { params })
  await show('listInvoices', merchant, { query: { page: '1', page_size: '10', total_required: 'true' } })
  await show('searchInvoices', merchant, {
    query: { page_size: '10' },
    body: { recipient_email: 'buyer@example.com', status: ['SENT', 'PARTIALLY_PAID', 'PARTIALLY_REFUNDED'] },
  })
  await show('deleteRefund', merchant, { params: { ...params, transaction_id: String(refunded.body['refund_id']) } })
  await show('deletePayment', merchant, { params: { ...params, transaction_id: String(paid.body['payment_id']) } })
  await show('cancelInvoice', merchant, { params, body: { note: 'We agreed to forget it.', send_to_recipient: true } })

  const draft = await merchant.post('/v2/invoicing/invoices', chairs)
  await show('deleteInvoice', merchant, { params: { invoice_id: idIn(draft.body) } })
}

/** Payments of the sandbox, and what a merchant can do with them. */
export async function paying(world: World, show: Show): Promise<void> {
  const { merchant } = world
  const send = async () => {
    const { body } = await merchant.post('/v2/invoicing/invoices', chairs)
    await merchant.post(`/v2/invoicing/invoices/${idIn(body)}/send`, {})
    return idIn(body)
  }
  const payment = await show('paySandboxInvoice', undefined, {
    params: { id: await send() },
    body: { amount: usd('60.00'), tip: usd('5.00') },
  })
  const id = String(payment.body['payment_id'])
  await show('showCapture', merchant, { params: { id } })
  const refund = await show('refundCapture', merchant, {
    params: { id },
    body: { amount: usd('10.00'), note_to_payer: 'One of them had a scratch.' },
    headers: { 'service-request-id': 'b2c1f0a4-refund' },
  })
  await show('showRefund', merchant, { params: { id: String(refund.body['id']) } })
  const pending = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${await send()}/pay`, {
    outcome: 'PENDING',
  })
  await show('settleSandboxCapture', undefined, {
    params: { id: pending.body.payment_id },
    body: { outcome: 'COMPLETED' },
  })
  await show('listBalances', merchant, { query: { currency_code: 'USD' } })
  await show('listTransactions', merchant, { query: { page_size: '2' } })
}

/** The id that an answer has itself, or names in its address. */
export function idIn(body: Record<string, unknown>): string {
  const { id, href, links } = body as { id?: string; href?: string; links?: { href: string }[] }
  return id ?? (href ?? links![0]!.href).split('/').at(-1)!
}
