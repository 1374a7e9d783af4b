import { code, table } from '../kernel/markdown.ts'
import { toMoney } from '../kernel/money.ts'
import { ISSUE_HOUR } from './actions/send.ts'
import { type InvoiceAction, invoiceLifecycle, refusalOf } from './lifecycle.ts'
import { RECIPIENT_CHANGES_HOURS, RECIPIENT_CHANGES_MAX, REMINDERS_A_DAY, TEMPLATES_MAX } from './limits.ts'
import { PAGE_MAX, PAGE_SIZE_MAX } from './routes/paging.ts'
import { triggerValues } from './routes/triggers.ts'
import { type Status, statuses } from './schema/enums.ts'
import { ATTACHMENTS_MAX, INVOICE_NUMBER_MAX, TRANSACTIONS_MAX } from './schema/given.ts'
import { ITEMS_MAX } from './schema/lines.ts'
import { PARTIES_MAX } from './schema/parties.ts'
import { type TotalsInput, totalsOf } from './sums/totals.ts'

type TableRow = (typeof invoiceLifecycle.rows)[number]

// biome-ignore format: a table reads best as a table
const meanings: Readonly<Record<Status, string>> = {
  DRAFT:              'created, seen by nobody but the merchant',
  SCHEDULED:          'goes out on its issue date',
  SENT:               'payable',
  PAYMENT_PENDING:    'paid through the service, not cleared',
  PARTIALLY_PAID:     'something is paid and something is due',
  PAID:               'paid in full, the last payment through the service',
  MARKED_AS_PAID:     'paid in full, the last payment recorded by the merchant',
  PARTIALLY_REFUNDED: 'some of what was paid is given back',
  REFUNDED:           'all of it is given back, the last part through the service',
  MARKED_AS_REFUNDED: 'all of it is given back, the last part recorded by the merchant',
  CANCELLED:          'withdrawn; still readable, keeps its number',
}

/** The columns of the matrix: what callers can ask for, by the action that decides it. */
const operations: readonly (readonly [heading: string, action: InvoiceAction])[] = [
  ['update', 'update'],
  ['delete', 'delete'],
  ['send', 'send'],
  ['remind', 'remind'],
  ['cancel', 'cancel'],
  ['record payment', 'record-payment'],
  ['delete payment', 'delete-payment'],
  ['record refund', 'record-refund'],
  ['delete refund', 'delete-refund'],
  ['QR code', 'qr-code'],
]

const startsIn = ({ from }: TableRow, status: Status) => (from.status as readonly Status[]).includes(status)
const leadsTo = ({ to }: TableRow, status: Status): Status => ('status' in to ? to.status : status)

/** Where an action leads from a status, or why it does not. */
function cell(status: Status, action: InvoiceAction): string {
  const refusal = refusalOf(status, action)
  if (refusal !== undefined) return refusal === 'NOT_FOUND' ? '404' : code(refusal)
  const ends = invoiceLifecycle.rows
    .filter((row) => row.action === action && startsIn(row, status))
    .map((row) => (row.outcome === 'gone' ? 'gone' : leadsTo(row, status)))
  const distinct = [...new Set(ends)]
  if (distinct.length === 1 && distinct[0] === status) return 'stays'
  return distinct.map((end) => (end === status ? 'stays' : end === 'gone' ? 'gone' : code(end))).join(', ')
}

/** Taking a record back leads to where the invoice was before. Such arrows would fill the picture. */
const backwards: readonly InvoiceAction[] = ['delete-payment', 'delete-refund', 'deny-payment', 'restore-payment']

/** Moves forward from status to status. The picture also leaves out that a refund can come while a payment is pending. */
function diagram(): string {
  const edges = statuses.flatMap((status) =>
    invoiceLifecycle.rows
      .filter((row) => startsIn(row, status) && leadsTo(row, status) !== status && !backwards.includes(row.action))
      .filter((row) => row.action !== 'clear-payment' || status === 'PAYMENT_PENDING')
      .map((row) => ({ pair: `${status} --> ${leadsTo(row, status)}`, label: row.action })),
  )
  const pairs = [...new Set(edges.map(({ pair }) => pair))]
  const lines = pairs.map((pair) => {
    const labels = new Set(edges.filter((edge) => edge.pair === pair).map(({ label }) => label))
    return `  ${pair}: ${[...labels].join(', ')}`
  })
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> DRAFT: create', ...lines, '```'].join('\n')
}

function machine(): string {
  const rows = invoiceLifecycle.rows.map((row) => [
    row.action,
    row.by.join(', '),
    [...row.from.status].map(code).join(' ') +
      ('base_status' in row.from ? ` that was ${[row.from.base_status].flat().map(code).join(' or ')}` : ''),
    row.outcome,
    'status' in row.to ? code(row.to.status) : 'unchanged',
    row.emits === 'nothing' ? 'nothing' : code(row.emits),
  ])
  return table(['Action', 'By', 'From', 'Outcome', 'To', 'Event'], rows)
}

const limits = table(
  ['Limit', 'Value'],
  [
    ['reminders of an invoice', `${REMINDERS_A_DAY} in a calendar day of the merchant's zone`],
    [
      'changes of the primary recipients of an invoice',
      `${RECIPIENT_CHANGES_MAX} in any ${RECIPIENT_CHANGES_HOURS} hours`,
    ],
    ['own templates of a merchant', String(TEMPLATES_MAX)],
    ['length of an invoice number', String(INVOICE_NUMBER_MAX)],
    ['items', String(ITEMS_MAX)],
    ['primary recipients, and addresses in copy', `${PARTIES_MAX} each`],
    ['attachments', String(ATTACHMENTS_MAX)],
    ['payments, and refunds', `${TRANSACTIONS_MAX} each; of more refunds of service payments the last ones are shown`],
    ['pages, and size of a page', `${PAGE_MAX}, ${PAGE_SIZE_MAX}`],
  ],
)

const usd = (value: string) => ({ currency_code: 'USD', value })
const salesTax = { name: 'Sales Tax', percent: '7.25' }
const example: TotalsInput = {
  currency: 'USD',
  taxAfterDiscount: true,
  taxInclusive: false,
  items: [
    { quantity: '1', unit_amount: usd('50.00'), tax: salesTax, discount: { percent: '5' } },
    { quantity: '1', unit_amount: usd('10.00'), tax: salesTax, discount: { amount: usd('5.00') } },
  ],
  breakdown: {
    discount: { invoice_discount: { percent: '5' } },
    shipping: { amount: usd('10.00'), tax: salesTax },
    custom: { label: 'Packing', amount: usd('10.00') },
  },
}

function workedExample(): string {
  const totals = totalsOf(example)
  const shown = (minor: bigint) => toMoney(minor, 'USD').value
  const [first, second] = totals.lines
  return table(
    ['Step', 'Amount'],
    [
      ['first line, 1 x 50.00', shown(first!.gross)],
      ['its discount of 5 %', shown(-first!.discount)],
      ['second line, 1 x 10.00', shown(second!.gross)],
      ['its discount of 5.00', shown(-second!.discount)],
      ['invoice discount, 5 % of what is left', shown(-totals.invoiceDiscount)],
      ['tax of the first line: 7.25 % of 47.50 less its 5 %', shown(first!.tax)],
      ['tax of the second line: 7.25 % of 5.00 less its 5 %', shown(second!.tax)],
      ['shipping', shown(totals.shipping)],
      ['tax of shipping', shown(totals.shippingTax)],
      ['custom amount', shown(totals.custom)],
      ['**total**', `**${shown(totals.total)}**`],
    ],
  )
}

/** `docs/invoices.md`. */
export const invoicesPage = (): string => `# Invoices

A merchant writes an invoice, sends it now or lets it go out on its issue date, and is paid on the hosted page or
outside the service. This page is printed from the tables in \`src/invoices\` by \`npm run docs\`: what it says is what the
service does.

## Statuses

${table(
  ['Status', 'Meaning'],
  statuses.map((status) => [code(status), meanings[status]]),
)}

${diagram()}

The status is never written. It follows from where the invoice stands without money (draft, scheduled or sent), whether
it was cancelled, and the payments and refunds on it; so deleting a record, or a pending payment that is refused, gives
back what was before. \`UNPAID\` and some
names of other versions are accepted as search filters and match nothing. Overdue is only shown, it is no status.

A scheduled invoice goes out at ${ISSUE_HOUR}:00 of its issue date in the merchant's time zone. "Today" is the merchant's too:
an invoice dated today in UTC can still be dated tomorrow for a merchant further west, and is then scheduled.
While the merchant is suspended it stays scheduled; it goes out at ${ISSUE_HOUR}:00 of the first day after that is lifted, or at once
when it is sent.

## What can be done when

A code is the issue of a 422; "404" means that there is nothing to act on.

${table(
  ['Status', ...operations.map(([heading]) => heading)],
  statuses.map((status) => [code(status), ...operations.map(([, action]) => cell(status, action))]),
)}

Sending goes by what the invoice is without money: one on which a payment was recorded while it was a draft or scheduled is
sent like any other, now or on its date, and keeps its status. Until then there is no reminder, no QR code and no page; after
that \`send\` has no effect, or is refused when nothing is due.

Recording a refund also needs a payment that the merchant recorded, and a payment through the service cannot be deleted.

## Refunding

A payment through the service is refunded with \`POST /v2/payments/captures/{payment_id}/refund\`: an \`amount\` gives back a part, none
gives back all that is left. The \`payment_id\` stands among the \`payments.transactions\` of the invoice. The payment says so in the
answer. The invoice follows in a job, in a running service a moment later: until then it still says \`PAID\`, then
\`PARTIALLY_REFUNDED\` or \`REFUNDED\`, with the refund among its \`refunds.transactions\`, and \`INVOICING.INVOICE.REFUNDED\` is
sent. Wait for that event; a test may call [\`settle()\`](testing.md#what-follows-from-a-call).

Money that came outside the service and was recorded is given back outside it too, and recorded with
\`POST /v2/invoicing/invoices/{invoice_id}/refunds\`, in full or in part and at most what was recorded as paid. The invoice says so in the same
moment: \`PARTIALLY_REFUNDED\` or \`MARKED_AS_REFUNDED\`.

## Every move

\`buyer\` is the person at the hosted page, \`clock\` is the passing of time and what the ledger learns.

${machine()}

## Limits

${limits}

## Whom to tell

Sending, reminding and cancelling take three separate choices: \`send_to_recipient\` (the customer; true unless said otherwise),
\`additional_recipients\` (those in copy; all of them unless some are chosen, none for \`[]\`) and \`send_to_invoicer\` (the merchant;
false). A full update of an invoice that was sent tells those in copy whenever it tells the customer, and the merchant unless
\`send_to_invoicer\` is false. An address is taken in any form that the interface knows; one that a mail cannot go to, such as several
of them in one field or a name around it, counts as none.

## Changing what was read

A full update may be what was read with something in it changed; what is read-only is not looked at. Where a value is shown in two
places (the number, the terms), or one was made from another (a full name from its parts, the amount of a discount from its
percentage), the one that is no longer as it was shown counts. The amount of a discount that was given wins over a percentage. The
same update sent again, as when its answer was lost, means the same.

## Addresses

\`detail.metadata\` names two. \`recipient_view_url\` is the page on which the recipient reads and pays the invoice; the first
visit marks it as viewed. \`invoicer_view_url\` shows the seller the same document and which calls it takes now, marks nothing
and has nothing to send. Neither asks who is reading, so both show only what the recipient may know, and nothing before the
invoice was sent.

## Display settings

The \`settings\` of a template say what invoices made from it do not show on the hosted page and in the PDF: parts of the items,
and lines of the sum. An invoice keeps those of the moment it was made.

## Numbers

The next number counts up the last run of digits in the number of the newest invoice and keeps what stands before and
after it: \`INV-0099\` is followed by \`INV-0100\`. Numbers that are taken are skipped; upper and lower case make no
difference. A deleted invoice frees its number at once, a cancelled one keeps it. Asking for the next number reserves
nothing; an invoice created without one gets it in the same transaction.

## Totals

All arithmetic is exact. Only these are rounded, each once, to the decimals of the currency and half away from zero: a
line (quantity times price), a discount by percentage, and the tax of a line or of shipping. Taxes are rounded line by
line and then added.

1. Item discounts come off their lines, then the invoice discount off the sum of the lines.
2. With \`tax_calculated_after_discount\` (the default) a line is taxed on what both discounts leave of it; the invoice
   discount is shared in proportion to the lines and the share is not rounded. Without it a line is taxed on its full price.
3. With \`tax_inclusive\` prices contain their tax: it is shown and not added.
4. Shipping has its own tax and no discount. The custom amount has neither. A tip is kept beside the total, in \`gratuity\`.

Two items with a tax of 7.25 %, an invoice discount of 5 %, taxed shipping and a packing charge:

${workedExample()}

## Search

Everything given must match. Addresses, numbers, statuses and currencies must be equal, other texts contain what is
sought; case does not matter. Ranges include both ends. \`payment_date_range\` goes by the day of a payment, which is all
that is known of a recorded one; of an instant counts the day it is written with. Results are ordered by time of
creation, newest first.

## Trigger values of the sandbox

They answer without touching any data, in the sandbox only. Case matters.

${table(['Operation', 'Values', 'Answers'], triggerValues())}
`
