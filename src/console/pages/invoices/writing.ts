import { findAccount } from '../../../accounts/store.ts'
import { type Html, html } from '../../../http/html.ts'
import type { Answer } from '../../../http/route.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Service } from '../../../room.ts'
import { type Field, form, isSaid, type Typed } from '../../forms/fields.ts'
import { bodyOf, type Line, refusalAtRows } from '../../forms/invoice-body.ts'
import { fieldsOf, linesFor, priced } from '../../forms/invoice-fields.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import { mendable, type Operations, type Refusal } from '../../operate.ts'
import { outdated, saveEdit } from '../../outdated.ts'
import { heading } from '../../parts/parts.ts'
import { partAnswer } from '../../respond.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { standing } from '../../words.ts'
import { seenOf } from './invoice.ts'
import { cannotSell, sells } from './list.ts'
import { makePreview } from './preview.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' }) })

interface Left {
  readonly typed: Typed
  readonly refusal?: Refusal
  readonly paper?: Html
}

/** The currency in which the account keeps its books. What is sold is priced in it, unless somebody says otherwise. */
export const currencyOf = async ({ db, who }: Pick<Visit, 'db' | 'who'>): Promise<string> =>
  (await findAccount(db, who.caller.accountId))?.currency_code ?? 'USD'

/** What the page begins with: an invoice that exists, or what a template says of a new one. */
interface Begun {
  readonly currency: string
  readonly invoice?: Invoice
  readonly template?: { readonly id: string; readonly name: string; readonly info: Partial<Invoice> }
}

function draw(operations: Operations, { currency, invoice, template }: Begun, left?: Left) {
  const title = invoice ? `Edit invoice ${invoice.detail?.invoice_number}` : 'New invoice'
  const shown = invoice ?? priced(template?.info ?? {}, currency)
  const lines = linesFor(left?.typed ?? {}, shown.items as Line[] | undefined)
  const from: Field[] = template ? [{ kind: 'fixed', at: TEMPLATE, value: template.id }] : []
  const back = invoice
    ? (['The invoice', `/console/invoices/${invoice.id}`] as const)
    : (['Invoices', '/console/invoices'] as const)
  const sub = template
    ? `From the template ${template.name}`
    : left?.refusal === outdated && standing(invoice?.status ?? 'DRAFT')
  return {
    title,
    ...(left?.refusal && { status: 422 }),
    content: html`${heading(title, { back, sub })}<div class="two writing"><section class="sheet">${form({
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
      isOutdated: left?.refusal === outdated,
      ...(left && { typed: left.typed, refusal: left.refusal && refusalAtRows(left.refusal, left.typed) }),
    })}</section><aside class="previewed" data-preview aria-live="polite">${left?.paper ?? html`<p class="soft">The paper stands here as you write.</p>`}</aside></div>`,
  }
}

/** Whether an invoice already has all that was typed. */
const isSaidBy = (invoice: Invoice, typed: Typed): boolean =>
  isSaid(fieldsOf(invoice, linesFor(typed, invoice.items as Line[] | undefined)), typed)

const begunAs = (invoice: Invoice) => ({ invoice, currency: invoice.detail?.currency_code ?? 'USD' })

const edited = async ({ look, params }: Pick<Visit<typeof Id>, 'look' | 'params'>) =>
  begunAs(await look<Invoice>('showInvoice', { params: { invoice_id: params.id } }))

async function begin(visit: Visit, id: string | undefined): Promise<Begun> {
  const currency = await currencyOf(visit)
  if (id === undefined) return { currency }
  const { name, template_info: info = {} } = await visit.look<{ name: string; template_info?: Partial<Invoice> }>(
    'showTemplate',
    { params: { template_id: id } },
  )
  return { currency, template: { id, name, info } }
}

const TEMPLATE = '/configuration/template_id'

const templateGone: Refusal = {
  name: 'RESOURCE_NOT_FOUND',
  message: 'The template is not there any more. Send the form once more, and the invoice is made without it.',
  debug_id: '–',
}

/** For an edit of a draft that is not there any more. The form that is drawn with this refusal writes a new invoice. */
const deleted: Refusal = {
  name: 'RESOURCE_NOT_FOUND',
  message: 'The invoice was deleted since this page was drawn. Save what you typed, and it is a new invoice.',
  debug_id: '–',
}

/** What the form that was sent began with. If its template was deleted meanwhile, what was typed is not lost with it. */
async function begunWith(sent: Sent): Promise<{ begun: Begun; typed: Typed; gone?: Refusal }> {
  const { [TEMPLATE]: id, ...typed } = sent.typed
  try {
    return { begun: await begin(sent, id), typed: sent.typed }
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    return { begun: await begin(sent, undefined), typed, gone: templateGone }
  }
}

/** What the field at a place is called on the page, with its line if it has one. */
function labelOf(fields: readonly Field[], at: string): string | undefined {
  for (const field of fields) {
    if (field.kind === 'pair') {
      const label = labelOf(field.fields, at)
      if (label !== undefined) return field.label === undefined ? label : `${field.label}, ${label}`
    } else if (field.kind !== 'files' && field.kind !== 'fixed' && at.startsWith(field.at)) return field.label
  }
  return undefined
}

/** Says what is wrong with which field, in the place of the paper, for whoever is still writing. */
const unfinished = ({ details = [], message }: Refusal, fields: readonly Field[]): Html =>
  html`<div class="sheet stack"><h2>Not complete yet</h2>${
    details.length === 0
      ? html`<p class="soft">${message}</p>`
      : details.map(({ field, description }) => {
          const label = field && labelOf(fields, field)
          return html`<p class="soft">${label && html`<b>${label}</b><br>`}${description}</p>`
        })
  }</div>`

export function invoiceWritingPages({ page, form: formRoute }: Pages, operations: Operations, service: Service) {
  const preview = makePreview(service, () => operations.route('createInvoice'))

  /** The paper beside the form: only that part of the page for a script, and the whole page without one. */
  async function previewed(sent: Sent, begun: Begun): Promise<Answer> {
    const { typed } = sent
    const found = await preview(sent.change, sent.who.caller.accountId, bodyOf(typed, begun.currency, begun.invoice))
    const fields = () => fieldsOf(begun.invoice ?? {}, linesFor(typed, begun.invoice?.items as Line[] | undefined))
    const paper = found.refusal ? unfinished(refusalAtRows(found.refusal, typed), fields()) : found.paper
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
          ? draw(operations, await begin(visit as Visit, visit.query.template))
          : { title: 'New invoice', content: html`${heading('New invoice')}${cannotSell(visit)}` },
    }),
    formRoute({
      url: '/console/invoices/new',
      operation: 'consoleWriteInvoice',
      summary: 'Write an invoice',
      may: 'work',
      async take(sent) {
        const { begun, typed, gone } = await begunWith(sent)
        if (typed['instead'] === 'preview') return previewed({ ...sent, typed }, begun)
        if (gone) return sent.again(draw(operations, begun, { typed, refusal: gone }))
        const outcome = await sent.operate('createInvoice', {
          body: bodyOf(typed, begun.currency),
          requestId: typed['request-id'],
        })
        const refusal = mendable(outcome)
        if (refusal) return sent.again(draw(operations, begun, { typed, refusal }))
        const { id } = outcome.body as { id: string }
        if (typed['instead'] !== 'send') return sent.lead(`/console/invoices/${id}`, 'The draft was saved.')
        const out = await sent.operate('sendInvoice', { params: { invoice_id: id }, body: {} })
        const why = mendable(out)
          ?.details?.map(({ description }) => description)
          .join(' ')
        return out.refusal
          ? sent.turnBack(`/console/invoices/${id}`, `The draft was saved, but not sent: ${why}`)
          : sent.lead(`/console/invoices/${id}`, 'The invoice was saved and sent.')
      },
    }),
    page({
      url: '/console/invoices/:id/edit',
      operation: 'consoleEditInvoice',
      summary: 'Edit an invoice: the form',
      may: 'work',
      params: Id,
      draw: async (visit) => draw(operations, await edited(visit)),
    }),
    formRoute({
      url: '/console/invoices/:id/edit',
      operation: 'consoleUpdateInvoice',
      summary: 'Edit an invoice',
      may: 'work',
      params: Id,
      async take(sent) {
        const { typed, params } = sent
        const shown = { operation: 'showInvoice', params: { invoice_id: params.id } }
        if (typed['instead'] === 'preview') return previewed(sent, await edited(sent))
        const saved = await saveEdit<Invoice>(typed, {
          show: () => sent.look<Invoice>('showInvoice', { params: shown.params }),
          shown,
          seenOf,
          isSaid: (one) => isSaidBy(one, typed),
          save: (before, provided) =>
            sent.operate('updateInvoice', {
              params: shown.params,
              body: bodyOf(typed, begunAs(before).currency, before),
              provided,
            }),
        })
        if (saved.kind === 'gone')
          return sent.again({
            ...draw(operations, await begin(sent as Sent, undefined), { typed, refusal: deleted }),
            status: 404,
          })
        if (saved.kind === 'refused')
          return sent.again(draw(operations, begunAs(saved.one), { typed, refusal: saved.refusal }))
        return sent.lead(`/console/invoices/${params.id}`, 'The invoice was saved.')
      },
    }),
  ]
}
