/** The statuses an invoice can have here. */
export const statuses = [
  'DRAFT',
  'SCHEDULED',
  'SENT',
  'PAYMENT_PENDING',
  'PARTIALLY_PAID',
  'PAID',
  'MARKED_AS_PAID',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'MARKED_AS_REFUNDED',
  'CANCELLED',
] as const
export type Status = (typeof statuses)[number]

/** Statuses that exist elsewhere. A search may name them, but finds nothing. */
export const foreignStatuses = ['UNPAID', 'AUTO_CANCELLED', 'PAID_EXTERNAL', 'REFUNDED_EXTERNAL', 'SHARED'] as const

/** What the display settings of a template can hide: parts of the items, and lines of the sum. */
export const itemFields = ['ITEMS_QUANTITY', 'ITEMS_DESCRIPTION', 'ITEMS_DATE', 'ITEMS_DISCOUNT', 'ITEMS_TAX'] as const
export const subtotalFields = ['DISCOUNT', 'SHIPPING', 'CUSTOM'] as const
export type DisplayField = (typeof itemFields)[number] | (typeof subtotalFields)[number]

/** Where an invoice stands when no money is on it. */
export type BaseStatus = 'DRAFT' | 'SCHEDULED' | 'SENT'
