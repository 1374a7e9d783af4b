import { INVOICES, recipient, sample } from './shop.ts'
import type { World } from './world.ts'

export const PUBLIC_URL = 'https://pay.example'

interface Sent {
  readonly id: string
  readonly code: string
  readonly path: string
}

/** An invoice over 74.21, as a merchant would write it: with everything that its page can show. */
export const invoiceBody = (more: Record<string, unknown> = {}, detail: Record<string, unknown> = {}) =>
  sample(
    {
      invoicer: {
        business_name: 'Example Studio',
        address: {
          address_line_1: '1 Main St',
          admin_area_2: 'Anytown',
          admin_area_1: 'CA',
          postal_code: '98765',
          country_code: 'US',
        },
        email_address: 'merchant@example.com',
        tax_id: 'TAX-99',
      },
      primary_recipients: [
        {
          ...recipient('buyer@example.com', {
            name: { given_name: 'Sample', surname: 'Customer' },
            address: {
              address_line_1: 'Hafenstr. 8',
              postal_code: '20457',
              admin_area_2: 'Hamburg',
              country_code: 'DE',
            },
          }),
          shipping_info: { name: { full_name: 'Example Warehouse' } },
        },
      ],
      ...more,
    },
    {
      reference: 'PO 4711',
      note: 'Thank you for your business.',
      terms_and_conditions: 'No refunds after 30 days.',
      memo: 'a note the customer must never see',
      payment_term: { term_type: 'NET_30' },
      ...detail,
    },
  )

/** An invoice that its recipient can open. */
export async function sentInvoice(
  world: World,
  more: Record<string, unknown> = {},
  detail: Record<string, unknown> = {},
): Promise<Sent> {
  const made = await world.merchant.post<{ id: string }>(INVOICES, invoiceBody(more, detail))
  if (made.status !== 201) throw new Error(`no invoice: ${made.text}`)
  const { id } = made.body
  const sent = await world.merchant.post(`${INVOICES}/${id}/send`, {})
  if (sent.status !== 200) throw new Error(`not sent: ${sent.text}`)
  const code = id.replace('INV2-', '').replaceAll('-', '')
  return { id, code, path: `/invoice/p/${code}` }
}

export interface ShownInvoice {
  status: string
  due_amount: { value: string }
  gratuity?: { value: string }
  detail: { viewed_by_recipient?: boolean; metadata: { recipient_view_url: string; invoicer_view_url: string } }
  payments?: { paid_amount: { value: string }; transactions: { payment_id: string; transaction_status: string }[] }
  refunds?: { refund_amount: { value: string } }
}

export const shown = async (world: World, id: string) =>
  (await world.merchant.get<ShownInvoice>(`${INVOICES}/${id}`)).body

/** What a browser does with the sheet: opens it, keeps its cookie, and sends its form back. */
export async function openSheet(world: World, path: string, query: Record<string, string> = {}, known?: string) {
  const headers = known === undefined ? {} : { cookie: known }
  const sheet = await world.call('GET', `${path}/pay`, undefined, { query, headers })
  const cookie = known ?? String(sheet.headers['set-cookie'] ?? '').split(';')[0]!
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(sheet.text)?.[1] ?? ''
  const form = { token: field('token'), amount: field('amount'), tip: field('tip') }
  const send = (
    fields: Record<string, string> = {},
    { origin = PUBLIC_URL, headers = {} }: { origin?: string | undefined; headers?: Record<string, string> } = {},
  ) =>
    world.call('POST', `${path}/pay`, new URLSearchParams({ ...form, ...fields }).toString(), {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie,
        ...(origin !== '' && { origin }),
        ...headers,
      },
    })
  return { sheet, cookie, form, send }
}
