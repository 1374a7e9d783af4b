import { type Html, html } from '../../http/html.ts'
import type { Answer } from '../../http/route.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { type Field, form, type Typed } from '../forms/fields.ts'
import { BILLING, bodyOf, type Line, refusalAtRows } from '../forms/invoice-body.ts'
import type { Invoice } from '../forms/invoice-forms.ts'
import { mendable, type Operations, type Refusal } from '../operate.ts'
import { heading } from '../parts/parts.ts'
import { partAnswer } from '../respond.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { faster, seenOf } from './invoice.ts'
import { cannotSell, sells } from './invoices.ts'
import { makePreview } from './preview.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' }) })

/** Empty lines below those that are there; saving gives more. */
const LINES_FREE = 3
const LINES_MAX = 100

const terms = ['DUE_ON_RECEIPT', 'NET_10', 'NET_15', 'NET_30', 'NET_45', 'NET_60', 'NET_90', 'NO_DUE_DATE']
const termName = (term: string) =>
  term.startsWith('NET_') ? `In ${term.slice(4)} days` : term === 'NO_DUE_DATE' ? 'No due date' : 'On receipt'

/** The terms to choose from; a day that somebody named is one of them where it is what the invoice has. */
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
export function fieldsOf(invoice: Partial<Invoice>, lines: readonly Line[], within = ''): Field[] {
  const fields = fieldsAt(invoice, lines)
  return within === '' ? fields : fields.map((field) => movedTo(within, field))
}

function movedTo(within: string, field: Field): Field {
  if (field.kind === 'pair') return { ...field, fields: field.fields.map((one) => movedTo(within, one)) }
  return field.kind === 'files' ? field : { ...field, at: within + field.at }
}

function fieldsAt(invoice: Partial<Invoice>, lines: readonly Line[]): Field[] {
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
          value: detail?.currency_code ?? 'USD',
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

interface Left {
  readonly typed: Typed
  readonly refusal?: Refusal
  readonly paper?: Html
}

/** What the page begins with: an invoice that is there, or what a template says of a new one. */
interface Begun {
  readonly invoice?: Invoice
  readonly template?: { readonly id: string; readonly name: string; readonly info: Partial<Invoice> }
}

/** As many lines as were typed. */
export const linesTyped = (typed: Typed): Line[] =>
  Array.from(
    { length: Math.max(0, Object.keys(typed).filter((name) => name.endsWith('/name')).length - LINES_FREE) },
    () => ({}),
  )

function draw(operations: Operations, { invoice, template }: Begun, left?: Left) {
  const title = invoice ? `Edit invoice ${invoice.detail?.invoice_number}` : 'New invoice'
  const shown = invoice ?? template?.info ?? {}
  const lines = (shown.items ?? linesTyped(left?.typed ?? {})) as Line[]
  const from: Field[] = template ? [{ kind: 'fixed', at: '/configuration/template_id', value: template.id }] : []
  const back = invoice
    ? (['The invoice', `/console/invoices/${invoice.id}`] as const)
    : (['Invoices', '/console/invoices'] as const)
  return {
    title,
    ...(left?.refusal && { status: 422 }),
    content: html`${heading(title, { back, ...(template && { sub: `From the template ${template.name}` }) })}<div class="two writing"><section class="sheet">${form(
      {
        name: 'write',
        action: invoice ? `/console/invoices/${invoice.id}/edit` : '/console/invoices/new',
        route: operations.route(invoice ? 'updateInvoice' : 'createInvoice'),
        fields: [...from, ...fieldsOf(shown, lines)],
        button: invoice ? 'Save' : 'Save as a draft',
        follows: invoice ? undefined : 'Nobody hears of it until you send it.',
        instead: [
          ...(invoice ? [] : [{ name: 'send', label: 'Save and send' }]),
          { name: 'preview', label: 'Preview', loose: true },
        ],
        ...(invoice && { seen: seenOf(invoice) }),
        ...(left && { typed: left.typed, refusal: left.refusal && refusalAtRows(left.refusal, left.typed) }),
      },
    )}</section><aside class="previewed" data-preview aria-live="polite">${left?.paper ?? html`<p class="soft">The paper stands here as you write.</p>`}</aside></div>`,
  }
}

/** Whether an invoice has all that was typed: then a form was sent twice, and nobody was faster. */
const isSaidBy = (invoice: Invoice, typed: Typed): boolean =>
  fieldsOf(invoice, (invoice.items ?? []) as Line[])
    .flatMap((field) => (field.kind === 'pair' ? field.fields : field))
    .every((field) => !('at' in field) || isSame(typed[field.at]?.trim(), field.value))

const isSame = (typed = '', value = '') => typed === value || (typed !== '' && Number(typed) === Number(value))

const show = (visit: Pick<Sent<typeof Id>, 'look' | 'params'>) =>
  visit.look<Invoice>('showInvoice', { params: { invoice_id: visit.params.id } })

async function templateIn(visit: Visit, id: string | undefined): Promise<Begun> {
  if (id === undefined) return {}
  const { name, template_info: info = {} } = await visit.look<{ name: string; template_info?: Partial<Invoice> }>(
    'showTemplate',
    { params: { template_id: id } },
  )
  return { template: { id, name, info } }
}

/** What is wrong, where the paper would be, for whoever still writes. */
const unfinished = ({ details = [], message }: Refusal): Html =>
  html`<div class="sheet"><p class="soft">${details.length === 0 ? message : details.map(({ description }) => description).join(' ')}</p></div>`

export function invoiceWritingPages({ page, form: formRoute }: Pages, operations: Operations, service: Service) {
  const preview = makePreview(service, () => operations.route('createInvoice'))

  /** The paper beside the form: a part of the page for a script, and the page again without one. */
  async function previewed(sent: Sent, begun: Begun): Promise<Answer> {
    const { typed } = sent
    const found = await preview(sent.change, sent.who.caller.accountId, bodyOf(typed, begun.invoice))
    const paper = found.refusal ? unfinished(found.refusal) : found.paper
    if (typed['part'] === 'true') return partAnswer(paper.text)
    return sent.again(draw(operations, begun, { typed, paper }))
  }

  return [
    page({
      url: '/console/invoices/new',
      operation: 'consoleNewInvoice',
      summary: 'Write an invoice: the form',
      may: 'work',
      query: Type.Object({ template: Type.Optional(Type.String({ maxLength: 255 })) }),
      draw: async (visit) =>
        sells(visit)
          ? draw(operations, await templateIn(visit as Visit, visit.query.template))
          : { title: 'New invoice', content: html`${heading('New invoice')}${cannotSell(visit)}` },
    }),
    formRoute({
      url: '/console/invoices/new',
      operation: 'consoleWriteInvoice',
      summary: 'Write an invoice',
      may: 'work',
      async take(sent) {
        const { typed } = sent
        const begun = await templateIn(sent, typed['/configuration/template_id'])
        if (typed['instead'] === 'preview') return previewed(sent, begun)
        const outcome = await sent.operate('createInvoice', { body: bodyOf(typed), requestId: typed['request-id'] })
        const refusal = mendable(outcome)
        if (refusal) return sent.again(draw(operations, begun, { typed, refusal }))
        const { id } = outcome.body as { id: string }
        if (typed['instead'] !== 'send') return sent.lead(`/console/invoices/${id}`, 'The draft was saved.')
        const out = await sent.operate('sendInvoice', { params: { invoice_id: id }, body: {} })
        const why = mendable(out)
          ?.details?.map(({ description }) => description)
          .join(' ')
        return sent.lead(
          `/console/invoices/${id}`,
          out.refusal ? `The draft was saved, but not sent: ${why}` : 'The invoice was saved and sent.',
        )
      },
    }),
    page({
      url: '/console/invoices/:id/edit',
      operation: 'consoleEditInvoice',
      summary: 'Edit an invoice: the form',
      may: 'work',
      params: Id,
      draw: async (visit) => draw(operations, { invoice: await show(visit) }),
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
        if (typed['instead'] === 'preview') return previewed(sent, { invoice: before })
        const lead = () => sent.lead(`/console/invoices/${params.id}`, 'The invoice was saved.')
        if (typed['seen'] !== undefined && typed['seen'] !== seenOf(before))
          return isSaidBy(before, typed)
            ? lead()
            : sent.again(draw(operations, { invoice: before }, { typed, refusal: faster }))
        const outcome = await sent.operate('updateInvoice', {
          params: { invoice_id: params.id },
          body: bodyOf(typed, before),
        })
        const refusal = mendable(outcome)
        if (refusal) return sent.again(draw(operations, { invoice: before }, { typed, refusal }))
        return lead()
      },
    }),
  ]
}
