import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Status, statuses } from '../../../src/invoices/schema/enums.ts'
import { over, type Refusal, type Seen, shopOf } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

const operations = ['PUT', 'DELETE', 'send', 'remind', 'cancel', 'pay', 'unpay', 'refund', 'unrefund', 'qr'] as const
type Operation = (typeof operations)[number]

/** `200 STATUS` is success and the status after it; `gone` is success without an invoice; a code is a refusal. */
// biome-ignore format: a table reads best as a table
const matrix: Record<Status, readonly string[]> = {
  //                    PUT                      DELETE                       send                   remind                   cancel                             record payment             delete payment                    record refund             delete refund             QR
  DRAFT:              ['200 DRAFT',             '204 gone',                  '200 SENT',            'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_DRAFT_INVOICE',     '200 MARKED_AS_PAID',      '404',                            'CANNOT_PROCESS_REFUNDS', '404',                    'CANNOT_GENERATE_QR_CODE'],
  SCHEDULED:          ['200 SCHEDULED',         '204 gone',                  '202 SCHEDULED',       'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_SCHEDULED_INVOICE', '200 MARKED_AS_PAID',      '404',                            'CANNOT_PROCESS_REFUNDS', '404',                    'CANNOT_GENERATE_QR_CODE'],
  SENT:               ['200 SENT',              'INVOICE_CANNOT_BE_DELETED', '200 SENT',            '204 SENT',              '204 CANCELLED',                   '200 MARKED_AS_PAID',      '404',                            'CANNOT_PROCESS_REFUNDS', '404',                    '200 SENT'],
  PARTIALLY_PAID:     ['200 PARTIALLY_PAID',    'INVOICE_CANNOT_BE_DELETED', '200 PARTIALLY_PAID',  '204 PARTIALLY_PAID',    'CANNOT_CANCEL_PAID_INVOICE',      '200 MARKED_AS_PAID',      '204 SENT',                       '200 MARKED_AS_REFUNDED', '404',                    '200 PARTIALLY_PAID'],
  PAYMENT_PENDING:    ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_PAID_INVOICE',      'CANNOT_PROCESS_PAYMENTS', 'CANNOT_DELETE_EXTERNAL_PAYMENT', 'CANNOT_PROCESS_REFUNDS', '404',                    '200 PAYMENT_PENDING'],
  PAID:               ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_PAID_INVOICE',      'CANNOT_PROCESS_PAYMENTS', 'CANNOT_DELETE_EXTERNAL_PAYMENT', 'CANNOT_PROCESS_REFUNDS', '404',                    '200 PAID'],
  MARKED_AS_PAID:     ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_PAID_INVOICE',      'CANNOT_PROCESS_PAYMENTS', '204 SENT',                       '200 MARKED_AS_REFUNDED', '404',                    '200 MARKED_AS_PAID'],
  PARTIALLY_REFUNDED: ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_REFUNDED_INVOICE',  'CANNOT_PROCESS_PAYMENTS', 'CANNOT_DELETE_EXTERNAL_PAYMENT', '200 MARKED_AS_REFUNDED', '204 MARKED_AS_PAID',     '200 PARTIALLY_REFUNDED'],
  REFUNDED:           ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_REFUNDED_INVOICE',  'CANNOT_PROCESS_PAYMENTS', 'CANNOT_DELETE_EXTERNAL_PAYMENT', 'CANNOT_PROCESS_REFUNDS', '404',                    '200 REFUNDED'],
  MARKED_AS_REFUNDED: ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'CANNOT_CANCEL_REFUNDED_INVOICE',  'CANNOT_PROCESS_PAYMENTS', 'CANNOT_DELETE_EXTERNAL_PAYMENT', 'CANNOT_PROCESS_REFUNDS', '204 MARKED_AS_PAID',     '200 MARKED_AS_REFUNDED'],
  CANCELLED:          ['CANNOT_UPDATE_INVOICE', 'INVOICE_CANNOT_BE_DELETED', 'CANNOT_SEND_INVOICE', 'CANNOT_REMIND_INVOICE', 'INVOICE_CANCELED_ALREADY',        'CANNOT_PROCESS_PAYMENTS', '404',                            'CANNOT_PROCESS_REFUNDS', '404',                    'CANNOT_GENERATE_QR_CODE'],
}

// biome-ignore format: a table reads best as a table
const links: Record<Status, readonly string[]> = {
  DRAFT:              ['self', 'send', 'replace', 'delete', 'record-payment'],
  SCHEDULED:          ['self', 'replace', 'delete', 'record-payment'],
  SENT:               ['self', 'replace', 'cancel', 'remind', 'record-payment', 'qr-code'],
  PARTIALLY_PAID:     ['self', 'replace', 'remind', 'record-payment', 'qr-code', 'record-refund'],
  PAYMENT_PENDING:    ['self', 'qr-code'],
  PAID:               ['self'],
  MARKED_AS_PAID:     ['self', 'record-refund'],
  PARTIALLY_REFUNDED: ['self', 'record-refund'],
  REFUNDED:           ['self'],
  MARKED_AS_REFUNDED: ['self'],
  CANCELLED:          ['self'],
}

describe('In each status', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  /** One of each status for all that is refused to it: nothing of that changes anything. */
  const untouched = new Map<Status, Seen>()
  async function oneThatStays(status: Status): Promise<Seen> {
    const one = untouched.get(status) ?? (await shop.has(status))
    untouched.set(status, one)
    return one
  }

  function attempt(operation: Operation, { id, payments, refunds }: Seen) {
    const { merchant } = world
    const payment = payments?.transactions[0]?.payment_id ?? 'EXTR-86F38350LX4353815'
    const refund = refunds?.transactions[0]?.refund_id ?? 'EXTR-2LG703375E477444T'
    const cash = { method: 'CASH' }
    const attempts: Record<Operation, () => Promise<{ status: number; body: unknown }>> = {
      PUT: () =>
        merchant.put(
          shop.path(id),
          over('100.00', { primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }] }),
        ),
      DELETE: () => merchant.delete(shop.path(id)),
      send: () => merchant.post(shop.path(id, '/send')),
      remind: () => merchant.post(shop.path(id, '/remind')),
      cancel: () => merchant.post(shop.path(id, '/cancel')),
      pay: () => merchant.post(shop.path(id, '/payments'), cash),
      unpay: () => merchant.delete(shop.path(id, `/payments/${payment}`)),
      refund: () => merchant.post(shop.path(id, '/refunds'), cash),
      unrefund: () => merchant.delete(shop.path(id, `/refunds/${refund}`)),
      qr: () => merchant.post(shop.path(id, '/generate-qr-code')),
    }
    return attempts[operation]()
  }

  for (const status of statuses) {
    it(`${status} shows the links of what can be done`, async () => {
      const { id, links: shown } = await oneThatStays(status)

      expect(shown.map(({ rel }) => rel)).toEqual(links[status])
      for (const { href } of shown) expect(href).toContain(`/v2/invoicing/invoices/${id}`)
    })

    for (const [i, operation] of operations.entries()) {
      const expected = matrix[status][i]!
      it(`${status}: ${operation} gives ${expected}`, async () => {
        const isRefused = !expected.includes(' ')
        const before = await (isRefused ? oneThatStays(status) : shop.has(status))
        const eventsBefore = (await shop.events(before.id)).length

        const { status: code, body } = await attempt(operation, before)

        const [answer, after] = expected.split(' ')
        if (isRefused) {
          if (expected === '404') expect(code).toBe(404)
          else expect({ code, issue: (body as Refusal).details?.[0]?.issue }).toEqual({ code: 422, issue: expected })
          expect(await shop.sees(before.id)).toEqual(before)
          expect((await shop.events(before.id)).length).toBe(eventsBefore)
        } else {
          expect(code).toBe(Number(answer))
          const now = await world.merchant.get<Seen>(shop.path(before.id))
          if (after === 'gone') expect(now.status).toBe(404)
          else expect(now.body.status).toBe(after)
        }
      })
    }
  }

  it('a scheduled invoice whose date was moved to today is sent by send', async () => {
    const { id } = await shop.has('SCHEDULED')
    await world.merchant.put(shop.path(id), over('100.00', {}, { invoice_date: '2026-03-01' }))

    const { status } = await world.merchant.post(shop.path(id, '/send'))

    expect(status).toBe(200)
    expect((await shop.sees(id)).status).toBe('SENT')
  })

  it('a paid invoice can be refunded offline where part of it was recorded', async () => {
    const { id } = await shop.has('PARTIALLY_PAID')
    await shop.isPaid(id, '60.00')
    expect((await shop.sees(id)).status).toBe('PAID')
    expect((await shop.sees(id)).links.map(({ rel }) => rel)).toEqual(['self', 'record-refund'])

    await shop.refunds(id)

    expect(await shop.sees(id)).toMatchObject({
      status: 'PARTIALLY_REFUNDED',
      refunds: { refund_amount: { value: '40.00' } },
    })
  })

  it('a recorded payment can be deleted while another is pending, and the invoice stays pending', async () => {
    const { id, payments } = await shop.has('PARTIALLY_PAID')
    await shop.isPaid(id, '60.00', { pending: true })

    const { status } = await world.merchant.delete(shop.path(id, `/payments/${payments!.transactions[0]!.payment_id}`))

    expect(status).toBe(204)
    expect((await shop.sees(id)).status).toBe('PAYMENT_PENDING')
  })
})
