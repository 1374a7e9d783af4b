import { sql } from '../../database/sql.ts'
import { html } from '../../http/html.ts'
import { Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Invoice } from '../forms/invoice-forms.ts'
import { heading, nothing } from '../parts/parts.ts'
import { seeOther } from '../respond.ts'
import { type Owned, throughOwner } from '../through-app.ts'
import type { Pages, Visit } from '../visit.ts'
import { sells } from './invoices/list.ts'

/** Ids by their form, the operation that knows them, and the page they open. */
const forms: readonly { form: RegExp; operation: string; param: string; page: string; of?: Owned; sandbox?: true }[] = [
  { form: /^INV2(-\w{4}){4}$/i, operation: 'showInvoice', param: 'invoice_id', page: '/console/invoices/' },
  {
    form: /^[A-Za-z0-9]{10,20}$/,
    operation: 'showSandboxRequest',
    param: 'debug_id',
    page: '/console/requests/',
    sandbox: true,
  },
  {
    form: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    operation: 'showTransmission',
    param: 'transmission_id',
    page: '/console/deliveries/',
    of: 'delivery',
  },
  { form: /^WH-[A-Z0-9-]+$/i, operation: 'showEvent', param: 'event_id', page: '/console/events/', of: 'event' },
  {
    form: /^[A-Z0-9]{17}$/,
    operation: 'showWebhook',
    param: 'webhook_id',
    page: '/console/webhooks/',
    of: 'webhook',
  },
  { form: /^PP-[A-Z]-[A-Z0-9]{3}-\d+$/i, operation: 'showDispute', param: 'id', page: '/console/disputes/' },
]

/** Where an id leads; undefined when the onlooker has no such thing. */
async function byId(visit: Visit, q: string): Promise<string | undefined> {
  const known = forms.filter(({ sandbox }) => !sandbox || visit.who.face === 'sandbox')
  for (const { form, operation, param, page, of } of known)
    for (const id of form.test(q) ? new Set([q, q.toUpperCase()]) : []) {
      const way = of === undefined ? visit : await throughOwner(visit, of, id)
      if (await exists(way, operation, { [param]: id })) return page + id
    }
  return undefined
}

async function exists(visit: Visit, operation: string, params: Record<string, string>): Promise<boolean> {
  try {
    await visit.look(operation, { params })
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

const ofPayment = sql`
  select (select invoice_id from payment_transactions where account_id = $1 and id = $2) as invoice,
    (select dispute_id from disputed_transactions where account_id = $1 and transaction_id = $2 and not taken_out
      limit 1) as dispute,
    (select transaction_id from payment_refunds where account_id = $1 and id = $2) as payment`

/** What a payment or a refund of the account was for: its dispute, or else its invoice. */
async function byPayment(visit: Visit, id: string): Promise<string | undefined> {
  if (!/^[A-Z0-9-]{5,64}$/.test(id)) return undefined
  const { db, who } = visit
  type Found = { invoice: string | null; dispute: string | null; payment: string | null }
  const { invoice, dispute, payment } = (await db.row<Found>(ofPayment, [who.caller.accountId, id]))!
  if (dispute !== null) return `/console/disputes/${dispute}`
  if (invoice !== null) return `/console/invoices/${invoice}`
  return payment === null ? undefined : byPayment(visit, payment)
}

/**
 * Where an e-mail address leads: to accounts for those who run the service, and to invoices for those who write them. For those
 * who run the service, the id of a key leads to the keys.
 */
function byAddress(visit: Visit, q: string): string | undefined {
  if (visit.who.may('operate') && visit.who.face === 'live') {
    if (/^CERT-[\da-f-]+$/i.test(q)) return '/console/operator/keys'
    if (isAddress(q)) return `/console/operator/accounts?${new URLSearchParams({ q })}`
  }
  return isAddress(q) && sells(visit) ? `/console/invoices?${new URLSearchParams({ q })}` : undefined
}

const isAddress = (q: string) => /^[^\s@]+@[^\s@]+$/.test(q)

async function byNumber(visit: Visit, q: string): Promise<string | undefined> {
  if (!sells(visit)) return undefined
  const { items } = await visit.look<{ items: Invoice[] }>('searchInvoices', {
    query: { page_size: 2 },
    body: { invoice_number: q.slice(0, 25) },
  })
  const [only, another] = items
  if (another) return `/console/invoices?q=${encodeURIComponent(q)}`
  return only ? `/console/invoices/${only.id}` : undefined
}

export const searchPages = ({ page }: Pages) => [
  page({
    url: '/console/search',
    operation: 'consoleSearch',
    summary: 'Find anything by its id, number or address',
    may: ['see', 'review'],
    query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 300 })) }),
    async draw(visit) {
      const q = visit.query.q?.trim() ?? ''
      const found =
        q === ''
          ? undefined
          : (byAddress(visit, q) ??
            (await byId(visit, q)) ??
            (await byPayment(visit, q.toUpperCase())) ??
            (await byNumber(visit, q)))
      if (found !== undefined) return seeOther(found)
      return {
        title: 'Search',
        content: html`${heading('Search')}<section class="sheet flush">${nothing('Nothing by that name', html`There is no id, invoice number, payment or debug id “${q}” for whoever looks.`)}</section>`,
      }
    },
  }),
]
