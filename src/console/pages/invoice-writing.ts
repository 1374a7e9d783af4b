import { html } from '../../http/html.ts'
import { Type } from '../../kernel/type.ts'
import { bodyFrom, type Field, form, type Typed } from '../forms/fields.ts'
import type { Invoice } from '../forms/invoice-forms.ts'
import { mendable, type Operations, type Refusal } from '../operate.ts'
import { heading } from '../parts/parts.ts'
import type { Pages, Sent } from '../visit.ts'
import { cannotSell, sells } from './invoices.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' }) })

/** Empty lines below those that are there; saving gives more. */
const LINES_FREE = 3
const LINES_MAX = 100

const terms = ['DUE_ON_RECEIPT', 'NET_10', 'NET_15', 'NET_30', 'NET_45', 'NET_60', 'NET_90', 'NO_DUE_DATE']
const termName = (term: string) =>
  term.startsWith('NET_') ? `In ${term.slice(4)} days` : term === 'NO_DUE_DATE' ? 'No due date' : 'On receipt'

type Line = {
  name?: string
  quantity?: string
  unit_amount?: { currency_code?: string; value?: string }
  tax?: { name?: string; percent?: string }
}

function itemFields(items: readonly Line[]): Field[] {
  const count = Math.min(LINES_MAX, items.length + LINES_FREE)
  return Array.from({ length: count }, (_, i): Field => {
    const item = items[i]
    const at = `/items/${i}`
    return {
      kind: 'pair',
      fields: [
        { kind: 'text', at: `${at}/name`, label: `Item ${i + 1}`, value: item?.name },
        { kind: 'text', at: `${at}/quantity`, label: 'Quantity', value: item?.quantity },
        { kind: 'text', at: `${at}/unit_amount/value`, label: 'Price', value: item?.unit_amount?.value },
        { kind: 'text', at: `${at}/tax/percent`, label: 'Tax, %', value: item?.tax?.percent },
      ],
    }
  })
}

function fieldsOf(invoice: Partial<Invoice>, lines: readonly Line[]): Field[] {
  const { detail, primary_recipients: [recipient] = [] } = invoice
  const billing = recipient?.billing_info
  const to = '/primary_recipients/0/billing_info'
  return [
    {
      kind: 'pair',
      fields: [
        { kind: 'text', at: `${to}/business_name`, label: 'Customer', value: billing?.business_name },
        { kind: 'email', at: `${to}/email_address`, label: 'E-mail address', value: billing?.email_address },
      ],
    },
    {
      kind: 'pair',
      fields: [
        {
          kind: 'text',
          at: '/detail/currency_code',
          label: 'Currency',
          value: detail?.currency_code ?? 'USD',
          hint: 'Three letters.',
        },
        {
          kind: 'date',
          at: '/detail/invoice_date',
          label: 'Issue date',
          value: detail?.invoice_date,
          hint: 'Today when empty.',
        },
        {
          kind: 'select',
          at: '/detail/payment_term/term_type',
          label: 'Due',
          choices: terms.map((value) => ({ value, label: termName(value) })),
          value: detail?.payment_term?.term_type ?? 'NET_30',
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

/** The body of an invoice: prices are in its currency, and lines without a name are none. */
function bodyOf(typed: Typed, before?: Invoice): Record<string, unknown> {
  const body = bodyFrom(typed) as { detail?: { currency_code?: string }; items?: Line[] } & Record<string, unknown>
  const currency_code = body.detail?.currency_code ?? 'USD'
  const kept = (before?.items ?? []) as Line[]
  const items = Array.from(body.items ?? []).flatMap((item, i) => {
    if (!item?.name) return []
    const { tax, ...rest } = item
    return {
      ...kept[i],
      quantity: '1',
      ...rest,
      unit_amount: { currency_code, value: item.unit_amount?.value ?? '0' },
      tax: tax?.percent === undefined ? undefined : { name: kept[i]?.tax?.name ?? 'Tax', percent: tax.percent },
    }
  })
  if (!before) return { ...body, items }
  // What this form does not ask for stays as it is, although the operation replaces everything.
  const { links: _, ...rest } = before
  const [recipient, ...others] = before.primary_recipients ?? []
  const given = (body['primary_recipients'] as { billing_info?: object }[] | undefined)?.[0]?.billing_info
  return {
    ...rest,
    detail: { ...before.detail, note: undefined, memo: undefined, reference: undefined, ...body.detail },
    primary_recipients: given
      ? [{ ...recipient, billing_info: { ...recipient?.billing_info, ...given } }, ...others]
      : before.primary_recipients,
    items,
  }
}

interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

function draw(operations: Operations, invoice: Invoice | undefined, left?: Left) {
  const title = invoice ? `Edit invoice ${invoice.detail?.invoice_number}` : 'New invoice'
  const typedLines = Object.keys(left?.typed ?? {}).filter((name) => name.endsWith('/name')).length - LINES_FREE
  const lines = (invoice?.items ?? Array.from({ length: Math.max(0, typedLines) }, () => ({}))) as Line[]
  return {
    title,
    ...(left && { status: 422 }),
    content: html`${heading(title, { back: invoice ? ['The invoice', `/console/invoices/${invoice.id}`] : ['Invoices', '/console/invoices'] })}<section class="sheet">${form(
      {
        name: 'write',
        action: invoice ? `/console/invoices/${invoice.id}/edit` : '/console/invoices/new',
        route: operations.route(invoice ? 'updateInvoice' : 'createInvoice'),
        fields: fieldsOf(invoice ?? {}, lines),
        button: invoice ? 'Save' : 'Save as a draft',
        follows: invoice ? undefined : 'Nobody hears of it until you send it.',
        ...left,
      },
    )}</section>`,
  }
}

const show = (visit: Pick<Sent<typeof Id>, 'look' | 'params'>) =>
  visit.look<Invoice>('showInvoice', { params: { invoice_id: visit.params.id } })

export const invoiceWritingPages = ({ page, form: formRoute }: Pages, operations: Operations) => [
  page({
    url: '/console/invoices/new',
    operation: 'consoleNewInvoice',
    summary: 'Write an invoice: the form',
    may: 'work',
    draw: async (visit) =>
      sells(visit)
        ? draw(operations, undefined)
        : { title: 'New invoice', content: html`${heading('New invoice')}${cannotSell(visit)}` },
  }),
  formRoute({
    url: '/console/invoices/new',
    operation: 'consoleWriteInvoice',
    summary: 'Write an invoice',
    may: 'work',
    async take(sent) {
      const { typed } = sent
      const outcome = await sent.operate('createInvoice', { body: bodyOf(typed), requestId: typed['request-id'] })
      const refusal = mendable(outcome)
      if (refusal) return sent.again(draw(operations, undefined, { typed, refusal }))
      return sent.lead(`/console/invoices/${(outcome.body as { id: string }).id}`, 'The draft was saved.')
    },
  }),
  page({
    url: '/console/invoices/:id/edit',
    operation: 'consoleEditInvoice',
    summary: 'Edit an invoice: the form',
    may: 'work',
    params: Id,
    draw: async (visit) => draw(operations, await show(visit)),
  }),
  formRoute({
    url: '/console/invoices/:id/edit',
    operation: 'consoleUpdateInvoice',
    summary: 'Edit an invoice',
    may: 'work',
    params: Id,
    async take(sent) {
      const { typed, params } = sent
      const before = await show(sent)
      const outcome = await sent.operate('updateInvoice', {
        params: { invoice_id: params.id },
        body: bodyOf(typed, before),
      })
      const refusal = mendable(outcome)
      if (refusal) return sent.again(draw(operations, before, { typed, refusal }))
      return sent.lead(`/console/invoices/${params.id}`, 'The invoice was saved.')
    },
  }),
]
