import { html } from '../../../http/html.ts'
import { Type } from '../../../kernel/type.ts'
import { askTwice } from '../../forms/ask-twice.ts'
import { type Field, form, isSaid, refusalBox, type Typed } from '../../forms/fields.ts'
import { bodyOf, type Line, refusalAtRows } from '../../forms/invoice-body.ts'
import { fieldsOf, linesFor, priced } from '../../forms/invoice-fields.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import { askOnce } from '../../once.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../../operate.ts'
import { outdated, saveEdit, seenAs } from '../../outdated.ts'
import { heading, linkButton, nothing } from '../../parts/parts.ts'
import type { Pages, Visit } from '../../visit.ts'
import { money } from '../../words.ts'
import { cannotSell, sells } from './list.ts'
import { currencyOf } from './writing.ts'

interface Template {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly default_template: boolean
  readonly standard_template?: boolean
  readonly template_info?: Partial<Invoice>
}

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })
const WITHIN = '/template_info'

interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

const row = (one: Template, canWrite: boolean) => {
  const at = `/console/templates/${one.id}`
  const { items = [], amount } = one.template_info ?? {}
  return html`<tr><td class="second fill">${
    one.standard_template || !canWrite
      ? html`<b>${one.name}</b>`
      : html`<a class="plainly" href="${at}/edit">${one.name}</a>`
  }<small>${[one.description, items.length > 0 && `${items.length} ${items.length === 1 ? 'item' : 'items'}`, one.standard_template && 'comes along'].filter(Boolean).join(' · ')}</small></td><td class="num gone">${amount?.value !== undefined && Number(amount.value) > 0 && money(amount as never)}</td><td class="whole">${
    one.default_template
      ? html`<span class="soft">the usual one</span>`
      : canWrite &&
        html`<form method="post" action="${at}/default"><button class="button small quiet">Make it the usual one<span class="seen-not">: ${one.name}</span></button></form>`
  }</td><td class="num right">${canWrite && html`<div class="buttons">${linkButton(html`New invoice<span class="seen-not">: ${one.name}</span>`, `/console/invoices/new?template=${one.id}`)}${!one.standard_template && linkButton(html`Delete<span class="seen-not">: ${one.name}</span>`, `${at}/delete`, { kind: 'danger' })}</div>`}</td></tr>`
}

/** A template in the form in which it is sent back. It must be whole, because replacing a template clears what is left out. */
function wholeOf(one: Template): Record<string, unknown> {
  const {
    id: _1,
    template_id: _2,
    links: _3,
    standard_template: _4,
    ...whole
  } = one as Template & Record<string, unknown>
  return whole
}

/** The body of a template: its own name, and what it says of an invoice. What the form does not ask for stays as it is. */
function templateBody(typed: Typed, own: string, before?: Template): Record<string, unknown> {
  const inner = Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) =>
      name.startsWith(`${WITHIN}/`) ? [[name.slice(WITHIN.length), value]] : [],
    ),
  )
  const name = typed['/name']?.trim()
  return {
    ...(before && { ...wholeOf(before), name: undefined, description: undefined }),
    ...(name && { name }),
    ...(typed['/description']?.trim() && { description: typed['/description'] }),
    default_template: typed['/default_template'] === 'true',
    template_info: bodyOf(inner, own, before?.template_info as Invoice | undefined),
  }
}

/** A template says nothing about days, so the fields for them are left out. */
const undated = (field: Field): Field =>
  field.kind === 'pair' ? { ...field, fields: field.fields.filter(({ kind }) => kind !== 'date') } : field

function fieldsFor({ own, one }: Drawing, typed: Typed = {}): Field[] {
  const info = priced(one?.template_info ?? {}, own)
  const lines = linesFor(typed, info.items as Line[] | undefined)
  return [
    {
      kind: 'pair',
      fields: [
        { kind: 'text', at: '/name', label: 'Name of the template', value: one?.name },
        { kind: 'text', at: '/description', label: 'What it is for', value: one?.description },
      ],
    },
    {
      kind: 'tick',
      at: '/default_template',
      label: 'The usual one, for invoices that name none',
      value: String(one?.default_template ?? false),
    },
    ...fieldsOf({ ...info, detail: { ...info.detail, invoice_number: '' } as never }, lines, {
      within: WITHIN,
      isThere: one !== undefined,
    }).map(undated),
  ]
}

/** A digest of what an edit replaces, which includes whether the template is the usual one. */
const seenOf = (one: Template): string => seenAs(wholeOf(one))

function draw(operations: Operations, drawing: Drawing, left?: Left) {
  const { one } = drawing
  const title = one ? `Edit the template ${one.name}` : 'New template'
  return {
    title,
    ...(left && { status: 422 }),
    content: html`${heading(title, { back: ['Templates', '/console/templates'] })}<section class="sheet">${form({
      name: 'template',
      action: one ? `/console/templates/${one.id}/edit` : '/console/templates/new',
      route: operations.route(one ? 'updateTemplate' : 'createTemplate'),
      fields: fieldsFor(drawing, left?.typed),
      button: 'Save the template',
      ...(one && { seen: seenOf(one) }),
      isOutdated: left?.refusal === outdated,
      ...(left && { typed: left.typed, refusal: refusalAtRows(left.refusal, left.typed, WITHIN) }),
    })}</section>`,
  }
}

/** What is drawn: a template or a new one, with the currency of the account. */
interface Drawing {
  readonly own: string
  readonly one?: Template
}

const notThere: Refusal = { name: 'RESOURCE_NOT_FOUND', message: 'The template is not there any more.', debug_id: '–' }

/** For an edit of a template that is not there any more. The form that is drawn with this refusal makes a new template. */
const deleted: Refusal = {
  ...notThere,
  message: 'The template was deleted since this page was drawn. Save what you typed, and it is a new template.',
}

const show = (visit: Pick<Visit<typeof Id>, 'look' | 'params'>) =>
  visit.look<Template>('showTemplate', { params: { template_id: visit.params.id } })

async function drawList(visit: Visit, refusal?: Refusal, status = 422) {
  const title = 'Templates'
  if (!sells(visit)) return { title, content: html`${heading(title)}${cannotSell(visit)}` }
  const { templates } = await visit.look<{ templates: Template[] }>('listTemplates', { query: { page_size: 100 } })
  return {
    title,
    ...(refusal && { status }),
    content: html`${heading(title, { back: ['Invoices', '/console/invoices'], actions: visit.who.may('work') && linkButton('New template', '/console/templates/new', { kind: '', glyph: 'plus' }) })}${refusal && refusalBox(refusal)}<section class="sheet flush">${
      templates.length === 0
        ? nothing('No template yet', 'Write one, and invoices begin with it.')
        : html`<table class="rows"><thead><tr><th>Name</th><th class="num gone">Total</th><th>Usual</th><th class="num">Use</th></tr></thead><tbody>${templates.map((one) => row(one, visit.who.may('work')))}</tbody></table>`
    }</section>`,
  }
}

export const templatePages = ({ page, form: formRoute }: Pages, operations: Operations) => [
  page({
    url: '/console/templates',
    operation: 'consoleTemplates',
    summary: 'List templates',
    may: 'see',
    draw: (visit) => drawList(visit as Visit),
  }),
  page({
    url: '/console/templates/new',
    operation: 'consoleNewTemplate',
    summary: 'Write a template: the form',
    may: 'work',
    draw: async (visit) =>
      sells(visit)
        ? draw(operations, { own: await currencyOf(visit) })
        : { title: 'New template', content: html`${heading('New template')}${cannotSell(visit)}` },
  }),
  formRoute({
    url: '/console/templates/new',
    operation: 'consoleWriteTemplate',
    summary: 'Write a template',
    may: 'work',
    async take(sent) {
      const { typed } = sent
      const own = await currencyOf(sent)
      const outcome = await sent.operate('createTemplate', {
        body: templateBody(typed, own),
        requestId: typed['request-id'],
      })
      const refusal = mendable(outcome)
      if (refusal) return sent.again(draw(operations, { own }, { typed, refusal }))
      return sent.lead('/console/templates', 'The template was saved.')
    },
  }),
  page({
    url: '/console/templates/:id/edit',
    operation: 'consoleEditTemplate',
    summary: 'Edit a template: the form',
    may: 'work',
    params: Id,
    draw: async (visit) => draw(operations, { own: await currencyOf(visit), one: await show(visit) }),
  }),
  formRoute({
    url: '/console/templates/:id/edit',
    operation: 'consoleUpdateTemplate',
    summary: 'Edit a template',
    may: 'work',
    params: Id,
    async take(sent) {
      const { typed, params } = sent
      const own = await currencyOf(sent)
      const shown = { operation: 'showTemplate', params: { template_id: params.id } }
      const edited = await saveEdit<Template>(typed, {
        show: () => show(sent),
        shown,
        seenOf,
        isSaid: (one) => isSaid(fieldsFor({ own, one }, typed), typed),
        save: (before, provided) =>
          sent.operate('updateTemplate', {
            params: shown.params,
            body: templateBody(typed, own, before),
            provided,
          }),
      })
      if (edited.kind === 'gone')
        return sent.again({ ...draw(operations, { own }, { typed, refusal: deleted }), status: 404 })
      if (edited.kind === 'refused')
        return sent.again(draw(operations, { own, one: edited.one }, { typed, refusal: edited.refusal }))
      return sent.lead('/console/templates', 'The template was saved.')
    },
  }),
  formRoute({
    url: '/console/templates/:id/default',
    operation: 'consoleDefaultTemplate',
    summary: 'Make a template the usual one',
    may: 'work',
    params: Id,
    async take(sent) {
      const shown = { operation: 'showTemplate', params: { template_id: sent.params.id } }
      let name = ''
      const edited = await saveEdit<Template>(sent.typed, {
        async show() {
          const one = await show(sent)
          name = one.name
          return one
        },
        shown,
        seenOf,
        isSaid: (one) => one.default_template,
        save: (one) =>
          sent.operate('updateTemplate', {
            params: shown.params,
            // A template of the system takes nothing but this flag.
            body: { ...(!one.standard_template && wholeOf(one)), default_template: true },
            // The whole template is sent, which would undo what somebody saves between our reading and the commit.
            provided: { ...shown, isSame: (now) => seenOf(now as Template) === seenOf(one) },
          }),
      })
      if (edited.kind === 'gone') return sent.again(await drawList(sent as Visit, notThere, 404))
      if (edited.kind === 'refused') return sent.again(await drawList(sent as Visit, edited.refusal))
      return sent.lead('/console/templates', `${name} is the usual one now.`)
    },
  }),
  page({
    url: '/console/templates/:id/delete',
    operation: 'consoleAskDeleteTemplate',
    summary: 'Ask before a template is deleted',
    may: 'work',
    params: Id,
    async draw(visit) {
      const { id, name } = await show(visit)
      return askTwice({
        title: `Delete ${name}?`,
        back: ['Templates', '/console/templates'],
        text: 'This cannot be undone. Invoices that were made from it stay as they are.',
        action: `/console/templates/${id}/delete`,
        button: 'Delete the template',
      })
    },
  }),
  formRoute({
    url: '/console/templates/:id/delete',
    operation: 'consoleDeleteTemplate',
    summary: 'Delete a template',
    may: 'work',
    params: Id,
    async take(sent) {
      const outcome = await askOnce(sent, () =>
        sent.operate('deleteTemplate', { params: { template_id: sent.params.id } }),
      )
      if (outcome?.status === 404) return sent.again(await drawList(sent as Visit, notThere, 404))
      if (outcome) requireDone(outcome)
      return sent.lead('/console/templates', 'The template was deleted.')
    },
  }),
]
