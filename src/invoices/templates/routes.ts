import type { Tx } from '../../database/transaction.ts'
import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { isRecord, readerOf } from '../../http/validation/reader.ts'
import { forbidden, invalid, refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { contextOf } from '../action.ts'
import { TEMPLATES_MAX } from '../limits.ts'
import { invoiceAliases, withoutAliases } from '../reading/requests.ts'
import { pageLinks, pageQuery } from '../routes/paging.ts'
import { prefersRepresentation, readScopes, SelfLink, writeScopes } from '../routes/parts.ts'
import { refuseWrong } from '../sums/check.ts'
import { checkTemplate, composeTemplate } from './compose.ts'
import { defaultTemplateId, presentTemplate, templateLink, templatesUrl } from './present.ts'
import { TemplateInput, TemplateList, TemplateView } from './schema.ts'
import {
  findTemplate,
  findTemplates,
  holdMerchant,
  insertTemplate,
  makeDefault,
  nameKey,
  type OwnTemplates,
  removeTemplate,
  saveTemplate,
  unmakeDefault,
} from './store.ts'
import { systemTemplates } from './system.ts'

const tag = 'Invoice templates'
const TemplateId = Type.Object({ template_id: Type.String({ maxLength: 255 }) })

const nameTaken = () =>
  invalid('/name', 'Another template of this merchant has this name.', 'TEMPLATE_NAME_ALREADY_EXISTS')

export const templateConstraints = { invoice_templates_name: nameTaken }

const read = readerOf(TemplateInput, { clean: true })

/** Older clients write `items.quantity` for ITEMS_QUANTITY and `discount` for DISCOUNT. */
function prepareTemplate(body: unknown): unknown {
  if (!isRecord(body)) return body
  const { name, settings, template_info } = body
  const renamed = (list: unknown) =>
    Array.isArray(list)
      ? list.map((entry: unknown) =>
          isRecord(entry) && typeof entry['field_name'] === 'string'
            ? { ...entry, field_name: entry['field_name'].toUpperCase().replace('.', '_') }
            : entry,
        )
      : list
  const template = read({
    ...body,
    ...(isRecord(settings) && {
      settings: Object.fromEntries(Object.entries(settings).map(([name, list]) => [name, renamed(list)])),
    }),
    ...(isRecord(template_info) && { template_info: withoutAliases(template_info) }),
  })
  // Elsewhere empty text counts as absent. But whoever sends the name of a template means a name.
  return name === '' ? { ...(template as object), name } : template
}

/** Everything the merchant can choose from: own templates, newest first, then the system's. */
const allTemplates = ({ account, templates }: OwnTemplates) => [...templates, ...systemTemplates(account)]

export function templateRoutes(service: Service): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v2/invoicing/templates',
      operation: 'listTemplates',
      summary: "List templates with the merchant's business information",
      tag,
      scopes: readScopes,
      query: Type.Object({ ...pageQuery, fields: Type.Optional(Type.String({ maxLength: 200, 'x-list': true })) }),
      success: { 200: TemplateList },
      reads: true,
      fromReplica: true,
      async handle({ db, caller, query }) {
        const own = await findTemplates(db, caller.accountId)
        const { page = 1, page_size = 20, fields } = query
        const all = allTemplates(own)
        const shown = all.slice((page - 1) * page_size, page * page_size)
        const brief = fields?.trim().toLowerCase() === 'none'
        return {
          addresses: own.account.addresses ?? [],
          emails: own.account.email,
          phones: own.account.phones ?? [],
          templates: shown.map((template) => presentTemplate(service, own, template, brief)),
          links: pageLinks({
            url: templatesUrl(service),
            method: 'GET',
            query,
            hasNext: all.length > page * page_size,
          }),
        }
      },
    }),
    route({
      method: 'POST',
      url: '/v2/invoicing/templates',
      operation: 'createTemplate',
      summary: `Create a template; a merchant has at most ${TEMPLATES_MAX}`,
      tag,
      scopes: writeScopes,
      body: TemplateInput,
      prepare: prepareTemplate,
      alsoWrong: checkTemplate,
      alsoKnown: invoiceAliases,
      success: { 201: Type.Union([SelfLink, TemplateView]) },
      // The limit counts all templates of the merchant, so two creations must not count at the same time.
      locks: true,
      async handle({ tx, caller, body, headers }) {
        const { template, owner } = await createTemplate(tx, caller.accountId, body)
        const link = templateLink(service, template.id)
        const answer = prefersRepresentation(headers) ? presentTemplate(service, owner, template) : link
        return new Answer(201, answer, { location: link.href })
      },
    }),
    route({
      method: 'GET',
      url: '/v2/invoicing/templates/:template_id',
      operation: 'showTemplate',
      summary: 'Show a template',
      tag,
      scopes: readScopes,
      params: TemplateId,
      success: { 200: TemplateView },
      reads: true,
      async handle({ db, caller, params }) {
        const found = await findTemplate(db, caller.accountId, params.template_id)
        return presentTemplate(service, found, found.template)
      },
    }),
    route({
      method: 'PUT',
      url: '/v2/invoicing/templates/:template_id',
      operation: 'updateTemplate',
      summary: 'Replace a template; what is left out is cleared',
      tag,
      scopes: writeScopes,
      params: TemplateId,
      body: TemplateInput,
      prepare: prepareTemplate,
      alsoWrong: checkTemplate,
      alsoKnown: invoiceAliases,
      success: { 200: Type.Union([SelfLink, TemplateView]) },
      precheck: async (db, caller, { template_id }) => void (await findTemplate(db, caller.accountId, template_id)),
      async handle({ tx, caller, params, body, headers }) {
        const { template, owner } = await updateTemplate(tx, caller.accountId, params.template_id, body)
        return prefersRepresentation(headers)
          ? presentTemplate(service, owner, template)
          : templateLink(service, template.id)
      },
    }),
    route({
      method: 'DELETE',
      url: '/v2/invoicing/templates/:template_id',
      operation: 'deleteTemplate',
      summary: 'Delete a template; invoices made from it stay as they are',
      tag,
      scopes: writeScopes,
      params: TemplateId,
      success: { 204: null },
      async handle({ tx, caller, params }) {
        const { version, template } = await findTemplate(tx, caller.accountId, params.template_id)
        if (version === undefined)
          throw forbidden('The templates of the system cannot be deleted.', 'CANNOT_DELETE_GLOBAL_TEMPLATE')
        removeTemplate(tx, caller.accountId, version, template.id)
        unmakeDefault(tx, caller.accountId, template.id)
      },
    }),
  ]
}

/** Makes a template within the limit. It locks the merchant, so it needs a real transaction. */
export async function createTemplate(tx: Tx, accountId: string, body: TemplateInput) {
  refuseWrong(checkTemplate(body))
  await holdMerchant(tx, accountId)
  const own = await findTemplates(tx, accountId)
  if (own.templates.length >= TEMPLATES_MAX)
    throw refused('TEMPLATE_LIMIT_EXCEEDED', `A merchant has at most ${TEMPLATES_MAX} templates; delete one first.`)
  const taken = new Set(allTemplates(own).map(({ name }) => nameKey(name)))
  if (body.name !== undefined && taken.has(nameKey(body.name))) throw nameTaken()
  const name = body.name ?? freeName(own.templates.length + 1, taken)
  const template = composeTemplate({ ...body, name }, tx.newId('template'), contextOf(tx, own.account))
  insertTemplate(tx, accountId, template)
  if (body.default_template) makeDefault(tx, accountId, template.id)
  return { template, owner: { ...own, ...(body.default_template && { default_template_id: template.id }) } }
}

function freeName(from: number, taken: ReadonlySet<string>): string {
  for (let n = from; ; n++) if (!taken.has(nameKey(`Template ${n}`))) return `Template ${n}`
}

async function updateTemplate(tx: Tx, accountId: string, id: string, body: TemplateInput) {
  const found = await findTemplate(tx, accountId, id)
  refuseWrong(checkTemplate(body))
  const isDefault = body.default_template === true
  if (found.version === undefined && Object.keys(body).some((key) => key !== 'default_template'))
    throw forbidden('Of a system template only `default_template` can be set.')
  if (
    body.name !== undefined &&
    systemTemplates(found.account).some(({ name }) => nameKey(name) === nameKey(body.name!))
  )
    throw nameTaken()
  if (isDefault) makeDefault(tx, accountId, id)
  else if (defaultTemplateId(found) === id) unmakeDefault(tx, accountId, id)
  const owner = { account: found.account, default_template_id: isDefault ? id : found.default_template_id }
  if (!isDefault && owner.default_template_id === id) owner.default_template_id = null
  if (found.version === undefined) return { template: found.template, owner }

  const name = body.name ?? found.template.name
  const template = composeTemplate({ ...body, name }, id, contextOf(tx, found.account), found.template)
  saveTemplate(tx, accountId, found.version, template)
  return { template, owner }
}
