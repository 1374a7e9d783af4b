import type { ActionDefinition } from '../action.ts'
import type { InvoiceAction } from '../lifecycle.ts'
import { cancel } from './cancel.ts'
import { deleteInvoice } from './delete.ts'
import { deletePayment } from './delete-payment.ts'
import { deleteRefund } from './delete-refund.ts'
import { issue } from './issue.ts'
import { clearPayment, denyPayment, pay } from './pay.ts'
import { recordPayment } from './record-payment.ts'
import { recordRefund } from './record-refund.ts'
import { refundPayment } from './refund-payment.ts'
import { remind } from './remind.ts'
import { restorePayment } from './restore-payment.ts'
import { send } from './send.ts'
import { update } from './update.ts'
import { view } from './view.ts'

/** Every action that changes an invoice. A QR code only reads it. */
export const invoiceActions = {
  update,
  delete: deleteInvoice,
  send,
  issue,
  cancel,
  remind,
  view,
  'record-payment': recordPayment,
  'delete-payment': deletePayment,
  'record-refund': recordRefund,
  'delete-refund': deleteRefund,
  pay,
  'clear-payment': clearPayment,
  'deny-payment': denyPayment,
  'refund-payment': refundPayment,
  'restore-payment': restorePayment,
} satisfies { [A in Exclude<InvoiceAction, 'qr-code'>]: ActionDefinition<A, never> }

export type ActingAction = keyof typeof invoiceActions
export type InputOf<A extends ActingAction> = Parameters<(typeof invoiceActions)[A]['decide']>[1]
