import type { Reader } from '../../database/transaction.ts'
import { Answer, type AnyRoute, RawJson, route } from '../../http/route.ts'
import { readerOf } from '../../http/validation/reader.ts'
import { Links } from '../../kernel/links.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { act } from '../act.ts'
import { createInvoice } from '../create.ts'
import { findNextNumber } from '../numbers.ts'
import {
  type Fields,
  invoicesUrl,
  invoiceUrl,
  isBare,
  parseFields,
  presentInvoice,
  presentListed,
  presentSummary,
  selfLink,
} from '../present.ts'
import { invoiceAliases, prepareInvoice, prepareSearch } from '../reading/requests.ts'
import { InvoiceInput, InvoiceUpdate } from '../schema/given.ts'
import { InvoiceView } from '../schema/shown.ts'
import { CommonPieces } from '../search/common.ts'
import type { Criteria } from '../search/conditions.ts'
import { checkSearch, criteriaOf, SearchInput } from '../search/criteria.ts'
import { countInvoices, findInvoices, findSummaries } from '../search/find.ts'
import { findInvoice, recallInvoice } from '../store.ts'
import { checkInvoice } from '../sums/check.ts'
import { type PageRequest, pageLinks, pageQuery } from './paging.ts'
import { type Headers, InvoiceId, prefersRepresentation, readScopes, SelfLink, tag, writeScopes } from './parts.ts'
import { pull } from './triggers.ts'

const InvoiceList = Type.Object({
  total_items: Type.Optional(Type.Integer()),
  total_pages: Type.Optional(Type.Integer()),
  items: Type.Array(Type.Partial(InvoiceView), { maxItems: 100 }),
  links: Links,
})

const listQuery = { ...pageQuery, total_required: Type.Optional(Type.Boolean({ default: false })) }

export function documentRoutes(service: Service): AnyRoute[] {
  return [
    route({
      method: 'POST',
      url: '/v2/invoicing/invoices',
      operation: 'createInvoice',
      summary: 'Create a draft invoice',
      tag,
      scopes: writeScopes,
      body: InvoiceInput,
      prepare: prepareInvoice,
      alsoWrong: checkInvoice,
      alsoKnown: invoiceAliases,
      success: { 201: Type.Union([SelfLink, InvoiceView]) },
      trigger: ({ body }) => pullReference(body()),
      async handle({ tx, caller, body, headers }) {
        const invoice = await createInvoice(service, tx, caller.accountId, body)
        return new Answer(201, writtenAnswer(service, invoice, headers), {
          location: invoiceUrl(service, invoice.id),
        })
      },
    }),
    route({
      method: 'GET',
      url: '/v2/invoicing/invoices/:invoice_id',
      operation: 'showInvoice',
      summary: 'Show an invoice',
      tag,
      scopes: readScopes,
      params: InvoiceId,
      success: { 200: InvoiceView },
      reads: true,
      trigger: ({ params }) => void pull('show', 'invoice', params['invoice_id']),
      async handle({ db, caller, params }) {
        const one = { accountId: caller.accountId, id: params.invoice_id }
        return new RawJson(
          await recallInvoice(service, db, one, (invoice) => JSON.stringify(presentInvoice(service, invoice))),
        )
      },
    }),
    route({
      method: 'PUT',
      url: '/v2/invoicing/invoices/:invoice_id',
      operation: 'updateInvoice',
      summary: 'Replace an invoice; what is left out is cleared',
      tag,
      scopes: writeScopes,
      params: InvoiceId,
      query: Type.Object({
        send_to_recipient: Type.Optional(Type.Boolean({ default: true })),
        send_to_invoicer: Type.Optional(Type.Boolean({ default: true })),
      }),
      body: InvoiceUpdate,
      prepare: prepareInvoice,
      alsoWrong: checkInvoice,
      alsoKnown: invoiceAliases,
      success: { 200: Type.Union([SelfLink, InvoiceView]) },
      trigger: ({ params }) => void pull('update', 'invoice', params['invoice_id']),
      precheck: async (db, caller, { invoice_id }) => void (await findInvoice(db, caller.accountId, invoice_id)),
      async handle({ tx, caller, params, query, body, headers }) {
        const target = { accountId: caller.accountId, id: params.invoice_id }
        const update = {
          ...body,
          send_to_recipient: query.send_to_recipient ?? body.send_to_recipient ?? true,
          send_to_invoicer: query.send_to_invoicer ?? body.send_to_invoicer ?? true,
        }
        return writtenAnswer(service, await act(service, tx, 'seller', target, 'update', update), headers)
      },
    }),
  ]
}

const writtenAnswer = (service: Service, invoice: Parameters<typeof presentInvoice>[1], headers: Headers) =>
  prefersRepresentation(headers) ? presentInvoice(service, invoice) : selfLink(service, invoice.id)

function pullReference(body: unknown): void {
  const reference = (body as { detail?: { reference?: unknown } } | undefined)?.detail?.reference
  pull('create', 'reference', reference)
}

export function listRoutes(service: Service): AnyRoute[] {
  const common = new CommonPieces()
  const nextNumber = (url: string, operation: string) =>
    route({
      method: 'POST',
      url,
      operation,
      summary: 'Say which invoice number comes next; it is not reserved',
      tag,
      scopes: writeScopes,
      body: Type.Object({ fetch_id: Type.Optional(Type.Boolean()) }),
      bodyOptional: true,
      prepare: readerOf(Type.Object({ fetch_id: Type.Boolean() }), { clean: true }),
      success: {
        200: Type.Object({
          invoice_number: Type.Optional(Type.String({ maxLength: 25 })),
          invoice_id: Type.Optional(Type.String({ maxLength: 30 })),
        }),
      },
      async handle({ tx, caller, body }) {
        if (body.fetch_id) return { invoice_id: tx.newId('invoice') }
        return { invoice_number: await findNextNumber(tx, caller.accountId) }
      },
    })
  return [
    route({
      method: 'GET',
      url: '/v2/invoicing/invoices',
      operation: 'listInvoices',
      summary: 'List invoices, newest first',
      tag,
      scopes: readScopes,
      query: Type.Object({ ...listQuery, fields: Type.Optional(Type.String({ maxLength: 200, 'x-list': true })) }),
      success: { 200: InvoiceList },
      reads: true,
      fromReplica: true,
      async handle({ db, caller, query }) {
        const fields = parseFields((query.fields ?? 'none').split(','))
        const place = { url: invoicesUrl(service), method: 'GET', query } as const
        return page({ service, db, common }, caller.accountId, {}, fields, place)
      },
    }),
    route({
      method: 'POST',
      url: '/v2/invoicing/search-invoices',
      operation: 'searchInvoices',
      summary: 'Find invoices; everything given must match',
      tag,
      scopes: readScopes,
      query: Type.Object(listQuery),
      body: SearchInput,
      bodyOptional: true,
      prepare: prepareSearch(readerOf(SearchInput, { clean: true })),
      alsoWrong: checkSearch,
      success: { 200: InvoiceList },
      reads: true,
      fromReplica: true,
      async handle({ db, caller, query, body }) {
        const fields = parseFields(body.fields ?? ['none'])
        const place = { url: `${service.publicUrl}/v2/invoicing/search-invoices`, method: 'POST', query } as const
        return page({ service, db, common }, caller.accountId, criteriaOf(body), fields, place)
      },
    }),
    nextNumber('/v2/invoicing/generate-next-invoice-number', 'generateNextInvoiceNumber'),
    nextNumber('/v2/invoicing/invoices/generate-next-invoice-number', 'generateNextInvoiceNumberByOldPath'),
  ]
}

/** One page of what matches. One more than is shown is read, so that a next page is linked only if there is one. */
async function page(
  { service, db, common }: { service: Service; db: Reader; common: CommonPieces },
  accountId: string,
  criteria: Criteria,
  fields: Fields,
  place: { url: string; method: 'GET' | 'POST'; query: PageRequest },
) {
  const { page = 1, page_size = 20, total_required = false } = place.query
  const wanted = { accountId, criteria, slice: { offset: (page - 1) * page_size, limit: page_size + 1 }, common }
  const read = async (): Promise<readonly string[]> =>
    isBare(fields)
      ? recalledSummaries(service, db, wanted)
      : (await findInvoices(db, accountId, criteria, wanted.slice, { common })).map((one) =>
          JSON.stringify(presentListed(service, one, fields)),
        )
  const [found, count] = await Promise.all([
    read(),
    total_required ? countInvoices(db, accountId, criteria, common) : undefined,
  ])
  const hasNext = found.length > page_size
  const pages = count === undefined ? undefined : Math.ceil(count / page_size)
  const totals = count === undefined ? '' : `"total_items":${count},"total_pages":${pages},`
  const query = { ...place.query, total_required }
  const links = JSON.stringify(pageLinks({ ...place, query, hasNext, ...(pages !== undefined && { pages }) }))
  return new RawJson(`{${totals}"items":[${found.slice(0, page_size).join(',')}],"links":${links}}`)
}

/** The summaries of a page as text. Of those that were on it the last time, only what changed since is read. */
async function recalledSummaries(
  service: Service,
  db: Reader,
  wanted: Parameters<typeof findSummaries>[3],
): Promise<readonly string[]> {
  const { accountId, criteria, slice } = wanted
  const key = `page ${service.publicUrl} ${accountId} ${JSON.stringify([criteria, slice], bigintAsText)}`
  const made = await findSummaries(
    db,
    (one) => JSON.stringify(presentSummary(service, one)),
    service.recall.texts(key),
    wanted,
  )
  service.recall.keepTexts(key, made)
  return [...made.values()]
}

const bigintAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
