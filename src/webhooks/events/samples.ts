import { after, type Instant, toSeconds } from '../../kernel/clock.ts'
import type { Dialect } from '../../kernel/dialect.ts'
import type { IdKind } from '../../kernel/ids.ts'

/** What a made-up resource is made of. */
export interface Sample {
  readonly now: Instant
  readonly publicUrl: string
  readonly dialect: Dialect
  /** The event it is made for. */
  readonly type: string
  newId(kind: IdKind): string
}

const usd = (value: string) => ({ currency_code: 'USD', value })
const payee = { email_address: 'merchant@example.com', merchant_id: 'MERCHANTAAAAA' }
const is = (sample: Sample, ...endings: string[]) => endings.some((ending) => sample.type.endsWith(ending))
const times = ({ now }: Sample) => ({ create_time: toSeconds(now), update_time: toSeconds(now) })

const invoiceLink = ({ publicUrl }: Sample, id: string, rel: string) => ({
  href: `${publicUrl}/v2/invoicing/invoices/${id}`,
  rel,
  method: 'GET',
})

function capture(sample: Sample, orderId = sample.newId('order'), invoiceId = sample.newId('invoice')) {
  const id = sample.newId('transaction')
  const href = `${sample.publicUrl}/v2/payments/captures/${id}`
  const isOpen = is(sample, '.PENDING')
  const isRefused = is(sample, '.DENIED', '.DECLINED')
  return {
    id,
    status: isOpen ? 'PENDING' : isRefused ? 'DECLINED' : 'COMPLETED',
    ...(isOpen && { status_details: { reason: 'PENDING_REVIEW' } }),
    ...(isRefused && { status_details: { reason: 'DECLINED_BY_PAYMENT_METHOD' } }),
    amount: usd('100.00'),
    final_capture: true,
    invoice_id: 'INV-0001',
    custom_id: invoiceId,
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    ...(!isRefused && {
      seller_receivable_breakdown: {
        gross_amount: usd('100.00'),
        [`${sample.dialect.keyPrefix}_fee`]: usd('3.98'),
        net_amount: usd('96.02'),
      },
    }),
    supplementary_data: { related_ids: { order_id: orderId } },
    payee,
    ...times(sample),
    links: [
      { href, rel: 'self', method: 'GET' },
      ...(isOpen || isRefused ? [] : [{ href: `${href}/refund`, rel: 'refund', method: 'POST' }]),
      invoiceLink(sample, invoiceId, 'up'),
    ],
  }
}

function refund(sample: Sample) {
  const id = sample.newId('transaction')
  return {
    id,
    status: 'COMPLETED',
    amount: usd('40.00'),
    seller_payable_breakdown: {
      gross_amount: usd('40.00'),
      [`${sample.dialect.keyPrefix}_fee`]: usd('0.00'),
      net_amount: usd('40.00'),
      total_refunded_amount: usd('40.00'),
    },
    note_to_payer: 'A sample refund.',
    invoice_id: 'INV-0001',
    custom_id: sample.newId('invoice'),
    ...times(sample),
    links: [
      { href: `${sample.publicUrl}/v2/payments/refunds/${id}`, rel: 'self', method: 'GET' },
      { href: `${sample.publicUrl}/v2/payments/captures/${sample.newId('transaction')}`, rel: 'up', method: 'GET' },
    ],
  }
}

const unit = (invoiceId: string) => ({
  reference_id: 'default',
  custom_id: invoiceId,
  invoice_id: 'INV-0001',
  amount: usd('100.00'),
  payee,
})

function order(sample: Sample) {
  const [id, invoiceId] = [sample.newId('order'), sample.newId('invoice')]
  const isDone = is(sample, '.COMPLETED')
  return {
    id,
    status: isDone ? 'COMPLETED' : 'APPROVED',
    intent: 'CAPTURE',
    payer: { email_address: 'buyer@example.com', name: { full_name: 'Sandbox Buyer' } },
    purchase_units: [
      { ...unit(invoiceId), ...(isDone && { payments: { captures: [capture(sample, id, invoiceId)] } }) },
    ],
    payment_source: { wallet: {} },
    ...times(sample),
    links: [invoiceLink(sample, invoiceId, 'invoice')],
  }
}

function approval(sample: Sample) {
  const id = sample.newId('order')
  return {
    id,
    order_id: id,
    payment_source: { wallet: {} },
    purchase_units: [unit(sample.newId('invoice'))],
    create_time: toSeconds(sample.now),
  }
}

const disputeStages = {
  '.CREATED': { status: 'OPEN', dispute_state: 'REQUIRED_ACTION' },
  '.UPDATED': { status: 'WAITING_FOR_SELLER_RESPONSE', dispute_state: 'REQUIRED_ACTION' },
  '.RESOLVED': { status: 'RESOLVED', dispute_state: 'RESOLVED' },
} as const

function dispute(sample: Sample) {
  const id = sample.newId('dispute')
  const href = `${sample.publicUrl}/v1/customer/disputes/${id}`
  const ending = is(sample, '.UPDATED') ? '.UPDATED' : is(sample, '.RESOLVED') ? '.RESOLVED' : '.CREATED'
  return {
    dispute_id: id,
    create_time: sample.now,
    update_time: sample.now,
    disputed_transactions: [
      {
        seller_transaction_id: sample.newId('transaction'),
        create_time: sample.now,
        transaction_status: 'COMPLETED',
        gross_amount: usd('100.00'),
        seller: { merchant_id: payee.merchant_id, name: 'Sandbox Merchant' },
        items: [
          { item_name: 'A sample item', item_quantity: '1', partner_transaction_id: sample.newId('transaction') },
        ],
        seller_protection_eligible: true,
      },
    ],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    ...disputeStages[ending],
    dispute_amount: usd('100.00'),
    dispute_life_cycle_stage: 'INQUIRY',
    dispute_channel: 'INTERNAL',
    messages: [{ posted_by: 'BUYER', time_posted: sample.now, content: 'It has not arrived.' }],
    ...(ending === '.RESOLVED'
      ? { dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR', amount_refunded: usd('100.00') } }
      : { seller_response_due_date: after(sample.now, 20 * 86_400) }),
    links: [
      { href, rel: 'self', method: 'GET' },
      ...(ending === '.RESOLVED' ? [] : [{ href: `${href}/send-message`, rel: 'send_message', method: 'POST' }]),
    ],
  }
}

const invoiceStatuses = {
  '.CREATED': 'DRAFT',
  '.SENT': 'SENT',
  '.SCHEDULED': 'SCHEDULED',
  '.UPDATED': 'SENT',
  '.PAID': 'PAID',
  '.REFUNDED': 'REFUNDED',
  '.CANCELLED': 'CANCELLED',
} as const

function invoice(sample: Sample) {
  const id = sample.newId('invoice')
  const ending = Object.keys(invoiceStatuses).find((name) => is(sample, name)) as keyof typeof invoiceStatuses
  const status = invoiceStatuses[ending]
  const isPaid = status === 'PAID' || status === 'REFUNDED'
  const day = sample.now.slice(0, 10)
  const named = { invoice_number: 'INV-0001', invoice_date: day, currency_code: 'USD' }
  const due_amount = usd(isPaid ? '0.00' : '100.00')
  const recorded = (what: 'payment' | 'refund') => [
    {
      type: 'EXTERNAL',
      [`${what}_id`]: sample.newId('transaction'),
      [`${what}_date`]: day,
      method: 'OTHER',
      amount: usd('100.00'),
    },
  ]
  const full = {
    id,
    status,
    detail: {
      ...named,
      note: 'A sample invoice.',
      metadata: { create_time: toSeconds(sample.now), created_by: payee.email_address },
    },
    invoicer: { business_name: 'Sandbox Merchant', email_address: payee.email_address },
    primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
    items: [
      {
        id: sample.newId('item'),
        name: 'A sample item',
        quantity: '1',
        unit_amount: usd('100.00'),
        unit_of_measure: 'QUANTITY',
      },
    ],
    amount: { ...usd('100.00'), breakdown: { item_total: usd('100.00') } },
    due_amount,
    ...(isPaid && { payments: { paid_amount: usd('100.00'), transactions: recorded('payment') } }),
    ...(status === 'REFUNDED' && { refunds: { refund_amount: usd('100.00'), transactions: recorded('refund') } }),
    links: [invoiceLink(sample, id, 'self')],
  }
  return { id, status, ...named, amount: usd('100.00'), due_amount, invoice: full }
}

/** For an event that can be subscribed to and is never sent here: what nearly all resources have in common. */
export const anything = (sample: Sample) => ({
  id: sample.newId('transaction'),
  status: sample.type.split('.').at(-1),
  amount: usd('100.00'),
  ...times(sample),
})

/** A made-up resource of each type, as it would be at that moment. */
export const samples: Readonly<Record<string, (sample: Sample) => object>> = {
  'checkout-order': order,
  'payment-approval': approval,
  capture,
  refund,
  dispute,
  invoices: invoice,
}
