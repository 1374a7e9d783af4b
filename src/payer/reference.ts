import type { RoomReference } from '../kernel/reference.ts'

export const payerReference: RoomReference = {
  operations: {
    openInvoicePage:
      'Where the link of a mail leads: the code stands behind the # and so in no log. The page finds the invoice with it.',
    showInvoicePage:
      'What the customer reads: the invoice, what is due, and the way to pay it. It needs no sign-in: anybody with the link can open it.',
    showInvoiceDetailsPage: 'The same for the merchant, with the calls that are possible now.',
    showInvoicePdf: 'The invoice to print or keep; the same as in the mail.',
    showInvoiceLogo:
      'Pages show no picture of another host: the service fetches the logo of a merchant once and serves its own copy.',
    showPageAsset: 'What the pages are drawn with. It changes its address when it changes, and may be kept for ever.',
    showPageFont: 'The fonts of the pages, served by us.',
    showPaymentSheet: 'The step before paying: the amount, a tip where the merchant allows one, and the button.',
    payInvoice:
      'The form of the page. In a sandbox it pays at once, with the outcome that is chosen; in live it starts a charge at the payment gateway and leads to where the payer waits.',
    showPaymentUnderWay: 'Where the payer waits for the gateway; it looks again by itself and leads on.',
    showProblemForm: 'For a payer without an account: says what went wrong with a payment, and opens a dispute.',
    reportProblem: 'The form of that page. The payer gets a private link, by which the dispute can be followed.',
    showProblem: 'The dispute as the payer sees it, with what can be done now.',
    showReturnLabel: 'What the seller sent along for a return, for the payer to stick on the parcel.',
    actOnProblem:
      'The forms of that page: a message, an answer to an offer, evidence with files, the parcel of a return, an appeal, withdrawing it.',
    gatewayCallback:
      'The payment gateway tells what became of a charge, signed with the secret that both know. Told twice, it counts once.',
  },
  fields: {
    code: 'The code of the invoice, as its link has it.',
    id: 'The id of the invoice.',
    lang: 'The language of the page, such as de; that of the browser when absent.',
    attempt: 'The id of the attempt to pay.',
    v: 'Which version of the logo, so that it may be kept.',
    name: 'The name of the file.',
    amount: 'How much; all that is due when absent.',
    tip: 'What is given on top.',
    token: 'The token of the form, as the page has it; it works once.',
    outcome: 'What becomes of the payment; only in a sandbox.',
    charge_id: 'The charge, as the request to the gateway named it.',
    status: 'What became of it.',
    reference: 'What the gateway calls it.',
    redirect_url: 'Where the payer has to go to approve it.',
    payment: 'Which payment it is about.',
    reason: 'What went wrong.',
    text: 'In the words of the payer.',
    again: 'Says that the private link is to be mailed once more.',
    carrier: 'Who carries an item that goes back.',
    tracking: 'The number the carrier gave it; the evidence is then the proof of the return.',
    key: 'The key of the private link.',
    action: 'What to do.',
    n: 'Which of the labels, from 1.',
  },
  issues: [
    {
      issue: 'PERMISSION_DENIED',
      status: 403,
      by: ['gatewayCallback'],
      when: 'The callback is not signed by the gateway, or was signed too long ago.',
      mend: 'Sign it with the secret that the service knows, as it is sent.',
    },
    {
      issue: 'INVALID_RESOURCE_ID',
      status: 404,
      by: ['gatewayCallback'],
      when: 'The service asked for no such charge.',
      mend: 'Name the charge by the id that the service gave it.',
    },
  ],
}
