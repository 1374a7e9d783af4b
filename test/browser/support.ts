import { usd, type World } from '../support/world.ts'

/** Writes an invoice of two chairs as the merchant; answers its id. */
export async function invoiceOf({ merchant }: World, business_name: string, more: object = {}): Promise<string> {
  const { body } = await merchant.post<{ id: string }>('/v2/invoicing/invoices', {
    detail: { currency_code: 'USD' },
    primary_recipients: [{ billing_info: { business_name, email_address: 'buyer@example.com' } }],
    items: [{ name: 'A chair', quantity: '2', unit_amount: usd('49.50') }],
    ...more,
  })
  return body.id
}

/** Opens a dispute about a payment as the buyer; answers its id. */
export async function disputeOf(
  { buyer }: World,
  payment: string,
  value: string,
  content = 'Nothing came. '.repeat(20),
): Promise<string> {
  const { body } = await buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
    disputed_transactions: [{ buyer_transaction_id: payment }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    dispute_amount: usd(value),
    messages: [{ content }],
  })
  return body.links[0]!.href.split('/').at(-1)!
}
