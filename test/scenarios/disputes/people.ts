import { expect } from 'vitest'
import type { Money } from '../../../src/kernel/money.ts'
import { type Person, type Response, usd, type World } from '../../support/world.ts'

export const DISPUTES = '/v1/customer/disputes'
export const NOT_RECEIVED = 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'
export const NOT_AS_DESCRIBED = 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'

interface Link {
  readonly href: string
  readonly rel: string
  readonly method: string
}

export interface Problem {
  readonly name: string
  readonly details: readonly { readonly issue: string; readonly field?: string; readonly description: string }[]
}

/** What the tests read of a dispute. */
export interface Shown {
  readonly dispute_id: string
  readonly create_time: string
  readonly update_time: string
  readonly status: string
  readonly reason: string
  readonly dispute_state: string
  readonly dispute_life_cycle_stage: string
  readonly dispute_channel: string
  readonly dispute_amount: Money
  readonly disputed_transactions: readonly Record<string, never>[]
  readonly dispute_outcome?: { outcome_code: string; outcome_reason?: string; amount_refunded?: Money }
  readonly adjudications?: readonly { type: string; reason?: string }[]
  readonly fund_movements?: readonly { party: string; type: string; amount: Money; reason: string }[]
  readonly money_movements?: readonly { affected_party: string }[]
  readonly messages?: readonly { posted_by: string; content: string; documents?: { name: string; url: string }[] }[]
  readonly evidences?: readonly {
    evidence_type: string
    source: string
    notes?: string
    documents?: { name: string; url: string }[]
    evidence_info?: object
    action_info?: { action: string; response_option?: string }
  }[]
  readonly seller_response_due_date?: string
  readonly buyer_response_due_date?: string
  readonly offer?: {
    history?: readonly { event_type: string; notes?: string; offer_amount?: Money }[]
    seller_offered_amount?: Money
  }
  readonly refund_details?: { allowed_refund_amount?: Money; transactions?: readonly { gross_amount: Money }[] }
  readonly allowed_response_options?: Record<string, Record<string, string[]>>
  readonly extensions?: {
    merchandize_dispute_properties?: { return_shipping_address?: object }
    billing_dispute_properties?: Record<string, object>
  }
  readonly supporting_info?: readonly { notes: string; source: string }[]
  readonly communication_details?: { email?: string; note?: string; time_posted: string }
  readonly partner_actions?: readonly { id: string; status: string; amount?: Money }[]
  readonly links: readonly Link[]
}

export const address = {
  address_line_1: '14 Return Road',
  admin_area_2: 'San Jose',
  admin_area_1: 'CA',
  postal_code: '95131',
  country_code: 'US',
}
export const tracking = { carrier_name: 'FEDEX', tracking_number: '122533485' }

let payments = 0

/** The buyer opens a dispute; the id is read from the answer's link. */
export async function open(
  who: Person,
  { reason = NOT_RECEIVED, amount = usd('20.00'), transaction, ...rest }: OpenOptions = {},
): Promise<string> {
  const response = await who.post<{ links: Link[] }>(DISPUTES, {
    disputed_transactions: [{ buyer_transaction_id: transaction ?? `BUYERPAYMENT${++payments}` }],
    reason,
    ...(amount && { dispute_amount: amount }),
    ...rest,
  })
  expect(response.status, response.text).toBe(201)
  return response.body.links[0]!.href.split('/').at(-1)!
}

export interface OpenOptions {
  readonly reason?: string
  readonly amount?: Money
  readonly transaction?: string
  readonly evidences?: readonly object[]
  readonly messages?: readonly object[]
  readonly extensions?: object
}

export const does = (who: Person, id: string, action: string, body?: unknown, headers: Record<string, string> = {}) =>
  who.post<Problem & { links: Link[] }>(`${DISPUTES}/${id}/${action}`, body, { headers })

export async function sees(who: Person, id: string): Promise<Shown> {
  const response = await who.get<Shown>(`${DISPUTES}/${id}`)
  expect(response.status, response.text).toBe(200)
  return response.body
}

/** The relations of the links, without `self`. */
export const canDo = async (who: Person, id: string) => (await sees(who, id)).links.slice(1).map(({ rel }) => rel)

export const position = ({ dispute_life_cycle_stage: stage, status, dispute_state: state }: Shown) =>
  `${stage}/${status} ${state}`

/** The status and the first issue of a refusal. */
export const refusal = ({ status, body }: Response<Problem>) => `${status} ${body.name} ${body.details?.[0]?.issue}`

export const eventsOf = async (world: World, id: string) =>
  (await world.events(id)).map(({ type }) => type.replace('CUSTOMER.DISPUTE.', ''))

/** A multipart body: a JSON part named `input` and files. */
export function multipart(
  input: unknown,
  files: readonly { name: string; part?: string; bytes: Buffer; type?: string }[],
  kind = 'form-data',
): { payload: Buffer; headers: Record<string, string> } {
  const boundary = 'quittance-boundary'
  const chunks: Buffer[] = []
  if (input !== undefined)
    chunks.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="input"\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(input)}\r\n`,
      ),
    )
  for (const { name, part = 'file1', bytes, type = 'application/octet-stream' } of files)
    chunks.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${part}"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    )
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { payload: Buffer.concat(chunks), headers: { 'content-type': `multipart/${kind}; boundary=${boundary}` } }
}

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const pdf = Buffer.from(
  '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 1\ntrailer\n<< /Root 1 0 R >>\nstartxref\n44\n%%EOF\n',
)
export const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A payment of the buyer to the merchant, by the ids under which either knows it. */
export interface Payment {
  readonly capture: string
  readonly buyersId: string
}

export async function makePayment({ merchant, people }: World, value: string): Promise<Payment> {
  const made = await merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
    '/sandbox/transactions',
    { amount: usd(value), buyer_email: people.buyer.email },
  )
  return { capture: made.body.seller_transaction_id, buyersId: made.body.buyer_transaction_id }
}

export const proof = { evidences: [{ evidence_type: 'OTHER', notes: 'See here.' }] }
