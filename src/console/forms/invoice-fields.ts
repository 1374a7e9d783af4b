import type { Field, Typed } from './fields.ts'
import { BILLING, type Line } from './invoice-body.ts'
import type { Invoice } from './invoice-forms.ts'

/** How many empty lines stand below those that are there; saving gives more. */
const LINES_FREE = 3
const LINES_MAX = 100

const terms = ['DUE_ON_RECEIPT', 'NET_10', 'NET_15', 'NET_30', 'NET_45', 'NET_60', 'NET_90', 'NO_DUE_DATE']
const termName = (term: string) =>
  term.startsWith('NET_') ? `In ${term.slice(4)} days` : term === 'NO_DUE_DATE' ? 'No due date' : 'On receipt'

/** The terms to choose from. A day that somebody named is among them when it is what the invoice has. */
const termChoices = (term: { term_type?: string; due_date?: string } | undefined) => [
  ...terms.map((value) => ({ value, label: termName(value) })),
  ...(term?.term_type === undefined || terms.includes(term.term_type)
    ? []
    : [{ value: term.term_type, label: term.due_date === undefined ? 'On a day' : `On ${term.due_date}` }]),
]

function itemFields(items: readonly Line[]): Field[] {
  const count = Math.min(LINES_MAX, items.length + LINES_FREE)
  return Array.from({ length: count }, (_, i): Field => {
    const item = items[i]
    const at = `/items/${i}`
    return {
      kind: 'pair',
      label: `Line ${i + 1}`,
      fields: [
        { kind: 'text', at: `${at}/name`, label: `Item ${i + 1}`, value: item?.name },
        { kind: 'text', at: `${at}/quantity`, label: 'Quantity', value: item?.quantity },
        { kind: 'text', at: `${at}/unit_amount/value`, label: 'Price', value: item?.unit_amount?.value },
        { kind: 'text', at: `${at}/tax/percent`, label: 'Tax, %', value: item?.tax?.percent },
      ],
    }
  })
}

/** The fields of an invoice, or of what a template says of one. */
export function fieldsOf(
  invoice: Partial<Invoice>,
  lines: readonly Line[],
  { within = '', isThere = invoice.id !== undefined }: { within?: string; isThere?: boolean } = {},
): Field[] {
  const fields = fieldsAt(invoice, lines, isThere ? 'NO_DUE_DATE' : 'NET_30')
  return within === '' ? fields : fields.map((field) => movedTo(within, field))
}

function movedTo(within: string, field: Field): Field {
  if (field.kind === 'pair') return { ...field, fields: field.fields.map((one) => movedTo(within, one)) }
  return field.kind === 'files' ? field : { ...field, at: within + field.at }
}

/** `unsaid` is the term to show when the invoice names none. An edit must not give a due date to an invoice that has none. */
function fieldsAt(invoice: Partial<Invoice>, lines: readonly Line[], unsaid: string): Field[] {
  const { detail, primary_recipients: [recipient] = [] } = invoice
  const billing = recipient?.billing_info
  return [
    {
      kind: 'pair',
      fields: [
        { kind: 'text', at: `${BILLING}/business_name`, label: 'Customer', value: billing?.business_name },
        { kind: 'email', at: `${BILLING}/email_address`, label: 'E-mail address', value: billing?.email_address },
      ],
    },
    {
      kind: 'pair',
      fields: [
        {
          kind: 'text',
          at: '/detail/currency_code',
          label: 'Currency',
          value: detail?.currency_code,
          hint: 'Three letters.',
        },
        {
          kind: 'date',
          at: '/detail/invoice_date',
          label: 'Issue date',
          value: detail?.invoice_date,
          ...(detail?.invoice_date === undefined && { hint: 'Today when empty.' }),
        },
        {
          kind: 'select',
          at: '/detail/payment_term/term_type',
          label: 'Due',
          choices: termChoices(detail?.payment_term),
          value: detail?.payment_term?.term_type ?? unsaid,
        },
      ],
    },
    {
      kind: 'pair',
      fields: [
        { kind: 'text', at: '/detail/reference', label: 'Reference', value: detail?.reference },
        ...(detail?.invoice_number === undefined
          ? [{ kind: 'text', at: '/detail/invoice_number', label: 'Number', hint: 'The next one when empty.' } as const]
          : []),
      ],
    },
    ...itemFields(lines),
    { kind: 'long', at: '/detail/note', label: 'Note to the customer', value: detail?.note },
    { kind: 'long', at: '/detail/memo', label: 'Memo, for you only', value: detail?.memo },
  ]
}

/** An invoice, or what a template says of one, in a currency. */
export const priced = (info: Partial<Invoice>, own: string): Partial<Invoice> => ({
  ...info,
  detail: { ...info.detail, currency_code: info.detail?.currency_code ?? own },
})

/** The lines of the invoice, and enough empty ones that every row somebody typed into is drawn again. */
export function linesFor(typed: Typed, lines: readonly Line[] = []): Line[] {
  const rows = Object.keys(typed).map((name) => Number(/\/items\/(\d{1,3})\//.exec(name)?.[1] ?? -1))
  const count = Math.max(lines.length, Math.max(-1, ...rows) + 1 - LINES_FREE)
  return Array.from({ length: Math.min(LINES_MAX, count) }, (_, i) => lines[i] ?? {})
}
