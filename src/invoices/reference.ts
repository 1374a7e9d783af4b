import type { RoomReference } from '../kernel/reference.ts'
import { invoiceIssues } from './issues.ts'
import { invoiceFields } from './schema/fields.ts'

const nextNumber =
  'For showing a number before the invoice exists. Nothing is set aside: two who ask get the same, and the number counts when the invoice is created with it or without any.'

export const invoicesReference: RoomReference = {
  operations: {
    createInvoice:
      'Writes a draft. Nobody but the merchant sees it until it is sent, and everything in it can still be changed. The service works out the sums, gives it the next free number where you name none, and fills in what a template says. With `Prefer: return=representation` the whole invoice is answered instead of a link to it.',
    listInvoices:
      'All invoices of the merchant, newest first, a page at a time. The usual entry is short; name the parts you need with `fields`.',
    showInvoice:
      'The whole invoice as it is now: sums, payments, refunds, and in `links` only actions that are possible in this status.',
    updateInvoice:
      'Puts a new document in the place of the old one. It is not a patch: what the body leaves out is cleared, but for number and date, which stay. Possible until the invoice is paid in full; once it was sent, the customers and the merchant are mailed unless you say otherwise.',
    deleteInvoice:
      'Removes a draft or a scheduled invoice for good, with its number. What was sent once is cancelled instead.',
    sendInvoice:
      'Makes the invoice payable and mails it, or schedules it where its date lies ahead: then the answer is 202 and it goes out on the morning of that day. The answer has the link to the page of the customer. Sending again changes nothing.',
    remindInvoice: 'Mails the customers once more that something is due. A few times a day at most.',
    cancelInvoice:
      'Withdraws an invoice that was sent and not paid. The customer can still read it and no longer pay; it keeps its number.',
    recordPayment:
      'Notes money that reached you outside the service, such as cash or a transfer: no money moves here. Without an amount all that is due counts as paid. The answer has the id of the record.',
    recordRefund:
      'Notes money that you gave back outside the service: no money moves here. At most what was recorded as paid. A payment through the service is refunded with refundCapture.',
    deletePayment:
      'Takes back a record of a payment; the invoice is again as it was without it. What was paid through the service cannot be deleted.',
    deleteRefund: 'Takes back a record of a refund; the invoice is again as it was without it.',
    generateQrCode:
      'A picture that leads to the invoice, for a counter or a letter. Ask for `image/png` to get the picture itself, for JSON to get it in a field, or for a form part with base64.',
    searchInvoices:
      'Finds invoices by anything that stands on them. All criteria must match; texts match in part and without regard to case. Newest first.',
    generateNextInvoiceNumber: nextNumber,
    generateNextInvoiceNumberByOldPath: `${nextNumber} An older address of generateNextInvoiceNumber.`,
    listTemplates:
      'What a new invoice can start from: templates of the merchant, then the three of the service. With the addresses and telephone numbers of the business, as an editor needs them.',
    createTemplate:
      'Keeps what invoices have in common: texts, lines, customers, settings. Make it the default, and new invoices start from it unless they name another.',
    showTemplate: 'One template with everything an invoice made from it starts with.',
    updateTemplate:
      'Puts a new template in the place of the old one: what the body leaves out is cleared. Invoices that were made from it stay as they are.',
    deleteTemplate: 'Removes a template of the merchant. Those of the service cannot be removed.',
  },
  fields: invoiceFields,
  issues: invoiceIssues,
}
