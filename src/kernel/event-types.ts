/** What a subscriber must know of an event type. One line adds one: subscriptions, docs and checks read this table. */
export interface EventTypeDefinition {
  readonly description: string
  readonly resourceType: string
  /** Absent if the contract sends no resource version. */
  readonly resourceVersion?: '1.0' | '2.0'
  readonly status?: 'ENABLED' | 'DEPRECATED'
}

const order = { resourceType: 'checkout-order', resourceVersion: '2.0' } as const
const approval = { resourceType: 'payment-approval', resourceVersion: '2.0' } as const
const capture = { resourceType: 'capture', resourceVersion: '2.0' } as const
const refund = { resourceType: 'refund', resourceVersion: '2.0' } as const
const dispute = { resourceType: 'dispute' } as const
const invoice = { resourceType: 'invoices' } as const

// biome-ignore format: a table reads best as a table
export const eventTypes = {
  'CHECKOUT.ORDER.APPROVED':            { ...order,    description: 'A payer approved an order.' },
  'CHECKOUT.ORDER.COMPLETED':           { ...order,    description: 'An order was processed to its end.' },
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED': { ...approval, description: 'An approved payment failed before it was captured.' },
  'PAYMENT.CAPTURE.PENDING':            { ...capture,  description: 'A payment was made and has not cleared yet.' },
  'PAYMENT.CAPTURE.COMPLETED':          { ...capture,  description: 'A payment arrived, or is the merchant’s again.' },
  'PAYMENT.CAPTURE.DENIED':             { ...capture,  description: 'A pending payment was refused.' },
  'PAYMENT.CAPTURE.DECLINED':           { ...capture,  description: 'A payment was declined.' },
  'PAYMENT.CAPTURE.REFUNDED':           { ...refund,   description: 'A payment was given back, in full or in part, by the merchant.' },
  'PAYMENT.CAPTURE.REVERSED':           { ...refund,   description: 'A payment was taken back by the service.' },
  'CUSTOMER.DISPUTE.CREATED':           { ...dispute,  description: 'A dispute was opened.' },
  'CUSTOMER.DISPUTE.UPDATED':           { ...dispute,  description: 'A dispute changed and is not resolved.' },
  'CUSTOMER.DISPUTE.RESOLVED':          { ...dispute,  description: 'A dispute was resolved.' },
  'RISK.DISPUTE.CREATED':               { ...dispute,  description: 'Former name of a dispute being opened; not sent any more.', status: 'DEPRECATED' },
  'INVOICING.INVOICE.CREATED':          { ...invoice,  description: 'A draft invoice was created.' },
  'INVOICING.INVOICE.SENT':             { ...invoice,  description: 'An invoice became payable.' },
  'INVOICING.INVOICE.SCHEDULED':        { ...invoice,  description: 'An invoice will be sent on its issue date.' },
  'INVOICING.INVOICE.UPDATED':          { ...invoice,  description: 'An invoice changed.' },
  'INVOICING.INVOICE.PAID':             { ...invoice,  description: 'An invoice was paid, in full, in part or pending.' },
  'INVOICING.INVOICE.REFUNDED':         { ...invoice,  description: 'An invoice was refunded, in full or in part.' },
  'INVOICING.INVOICE.CANCELLED':        { ...invoice,  description: 'An invoice was cancelled.' },
} as const satisfies Record<string, EventTypeDefinition>

export type EventType = keyof typeof eventTypes
