import { recordServicePayment, recordServiceRefund } from '../../src/invoices/act.ts'
import type { Status } from '../../src/invoices/schema/enums.ts'
import { findStored } from '../../src/invoices/store.ts'
import type { MailPayload } from '../../src/kernel/mail.ts'
import { type Money, toMinor, toMoney } from '../../src/kernel/money.ts'
import { makeLedger } from '../../src/ledger/ledger.ts'
import type { RequestOptions } from './call.ts'
import { usd, type World } from './world.ts'

/** An invoice as a client sees it; the tests name the parts they look at. */
export interface Seen {
  id: string
  status: Status
  detail: {
    invoice_number: string
    invoice_date: string
    currency_code: string
    reference?: string
    memo?: string
    note?: string
    term?: string
    terms_and_conditions?: string
    viewed_by_recipient: boolean
    payment_term: { term_type: string; due_date?: string }
    metadata: Record<string, string | undefined>
    attachments?: object[]
  }
  invoicer: { email_address?: string }
  primary_recipients: { billing_info: { email_address?: string; name?: Record<string, string> } }[]
  additional_recipients: string[]
  items: {
    id: string
    name: string
    quantity: string
    unit_amount: Money
    tax?: { id: string; percent: string; amount: Money }
    discount?: { percent?: string; amount: Money }
  }[]
  configuration: { template_id: string; [name: string]: unknown }
  amount: Money & { breakdown: Record<string, never> }
  due_amount: Money
  gratuity?: Money
  payments?: { paid_amount: Money; transactions: { payment_id: string; type: string; method: string; amount: Money }[] }
  refunds?: { refund_amount: Money; transactions: { refund_id: string; type: string; amount: Money }[] }
  links: { rel: string; href: string; method: string }[]
}

export interface Refusal {
  name: string
  debug_id: string
  details?: { issue: string; field?: string; value?: string; location?: string; description: string }[]
}

export interface Listed {
  items: Seen[]
  total_items?: number
  total_pages?: number
  links: { rel: string; href: string; method: string }[]
}

export const INVOICES = '/v2/invoicing/invoices'
export const TODAY = '2026-03-02'

export const recipient = (email_address: string, more: object = {}) => ({ billing_info: { email_address, ...more } })

/** An invoice over 74.21, with the figures of the documented sample. */
export const sample = (more: Record<string, unknown> = {}, detail: Record<string, unknown> = {}) => ({
  detail: { currency_code: 'USD', ...detail },
  primary_recipients: [recipient('payer@example.com', { name: { given_name: 'Stephanie', surname: 'Meyers' } })],
  items: [
    {
      name: 'Cover illustration',
      description: 'Front and spine',
      quantity: '1',
      unit_amount: usd('50.00'),
      tax: { name: 'Sales Tax', percent: '7.25' },
      discount: { percent: '5' },
    },
    {
      name: 'Proofs',
      quantity: '1',
      unit_amount: usd('10.00'),
      tax: { name: 'Sales Tax', percent: '7.25' },
      discount: { amount: usd('5.00') },
    },
  ],
  amount: {
    breakdown: {
      custom: { label: 'Packing charges', amount: usd('10.00') },
      shipping: { amount: usd('10.00'), tax: { name: 'Sales Tax', percent: '7.25' } },
      discount: { invoice_discount: { percent: '5' } },
    },
  },
  ...more,
})

/** One line over this amount. */
export const over = (value: string, more: Record<string, unknown> = {}, detail: Record<string, unknown> = {}) => ({
  detail: { currency_code: 'USD', ...detail },
  primary_recipients: [recipient('payer@example.com')],
  items: [{ name: 'Work', quantity: '1', unit_amount: usd(value) }],
  ...more,
})

/** What a merchant does with invoices, through HTTP. */
export function shopOf(world: World, person = world.merchant) {
  const whole: RequestOptions = { headers: { prefer: 'return=representation' } }
  const path = (id: string, rest = '') => `${INVOICES}/${id}${rest}`

  async function drafts(body: object = over('100.00')): Promise<Seen> {
    const { status, body: invoice, text } = await person.post<Seen>(INVOICES, body, whole)
    if (status !== 201) throw new Error(`not created: ${text}`)
    return invoice
  }
  const expecting = async (call: Promise<{ status: number; text: string }>) => {
    const answer = await call
    if (answer.status >= 300) throw new Error(`refused: ${answer.text}`)
    return answer
  }
  const sees = async (id: string): Promise<Seen> => (await person.get<Seen>(path(id))).body

  async function sends(body?: object): Promise<Seen> {
    const { id } = await drafts(body)
    await expecting(person.post(path(id, '/send'), {}))
    return sees(id)
  }
  async function records(id: string, value?: string): Promise<string> {
    const body = { method: 'CASH', ...(value !== undefined && { amount: usd(value) }) }
    const { text } = await expecting(person.post(path(id, '/payments'), body))
    return (JSON.parse(text) as { payment_id: string }).payment_id
  }
  async function refunds(id: string, value?: string): Promise<string> {
    const body = { method: 'CASH', ...(value !== undefined && { amount: usd(value) }) }
    const { text } = await expecting(person.post(path(id, '/refunds'), body))
    return (JSON.parse(text) as { refund_id: string }).refund_id
  }

  const accountId = world.people.merchant.id
  /** A buyer pays through the service, as the hosted page does. */
  async function isPaid(id: string, value: string, { pending = false, tip }: { pending?: boolean; tip?: string } = {}) {
    const gross = toMoney(toMinor(usd(value)) + toMinor(usd(tip ?? '0')), 'USD')
    return world.app.transact(async (tx) => {
      const { id: transaction_id } = makeLedger(world.app.service).capture(tx, {
        status: pending ? 'PENDING' : 'COMPLETED',
        seller: { account_id: accountId },
        buyer: {},
        gross,
        invoice_id: id,
        silent: true,
      })
      const payment = { transaction_id, amount: usd(value), pending, ...(tip !== undefined && { tip: usd(tip) }) }
      await recordServicePayment(world.app.service, tx, await findStored(tx, accountId, id), payment)
      return transaction_id
    })
  }
  async function isRefunded(id: string, value: string) {
    return world.app.transact(async (tx) => {
      const refund_id = tx.newId('transaction')
      await recordServiceRefund(world.app.service, tx, { accountId, id }, { refund_id, amount: usd(value) })
      return refund_id
    })
  }

  const reach: Record<Status, () => Promise<Seen>> = {
    DRAFT: () => drafts(),
    SCHEDULED: () => sends(over('100.00', {}, { invoice_date: '2026-04-01' })),
    SENT: () => sends(),
    async PARTIALLY_PAID() {
      const { id } = await sends()
      await records(id, '40.00')
      return sees(id)
    },
    async PAYMENT_PENDING() {
      const { id } = await sends()
      await isPaid(id, '100.00', { pending: true })
      return sees(id)
    },
    async PAID() {
      const { id } = await sends()
      await isPaid(id, '100.00')
      return sees(id)
    },
    async MARKED_AS_PAID() {
      const { id } = await sends()
      await records(id)
      return sees(id)
    },
    async PARTIALLY_REFUNDED() {
      const { id } = await reach.MARKED_AS_PAID()
      await refunds(id, '30.00')
      return sees(id)
    },
    async REFUNDED() {
      const { id } = await reach.PAID()
      await isRefunded(id, '100.00')
      return sees(id)
    },
    async MARKED_AS_REFUNDED() {
      const { id } = await reach.MARKED_AS_PAID()
      await refunds(id)
      return sees(id)
    },
    async CANCELLED() {
      const { id } = await sends()
      await expecting(person.post(path(id, '/cancel')))
      return sees(id)
    },
  }

  return {
    drafts,
    sends,
    sees,
    records,
    refunds,
    isPaid,
    isRefunded,
    /** An invoice of 100.00 that got into a status the way invoices do. */
    has: (status: Status): Promise<Seen> => reach[status](),
    path,
    /** Lets time pass. */
    pass: world.pass,
    /** Remembers every mail that is enqueued from now on, also when it was sent. */
    watchMails: () =>
      world.app.database.query(`
        create table enqueued_mails (
          seq bigint generated always as identity, unit xid8 not null default pg_current_xact_id(), payload jsonb not null);
        create function remember_mail() returns trigger language plpgsql as $$
        begin insert into enqueued_mails (payload) values (new.payload); return new; end $$;
        create trigger remember_mail after insert on jobs for each row when (new.name = 'send-mail')
        execute function remember_mail()`),
    /** The mails enqueued about an invoice, oldest first; of those enqueued together the recipient's comes first. */
    async mails(id: string): Promise<MailPayload[]> {
      const { rows } = await world.app.database.query<{ payload: MailPayload }>(
        `select payload from enqueued_mails where payload->>'invoice_id' = $1
         order by min(seq) over (partition by unit), payload->>'to' desc`,
        [id],
      )
      return rows.map(({ payload }) => payload)
    },
    events: async (id: string) => (await world.events(id)).map(({ type }) => type.replace('INVOICING.INVOICE.', '')),
  }
}

export const issuesOf = (body: Refusal): string[] => (body.details ?? []).map(({ issue }) => issue)
export const findingsOf = (body: Refusal): string[] =>
  (body.details ?? []).map(({ issue, field }) => `${issue} ${field}`)
