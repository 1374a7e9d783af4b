import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { settlePayment } from '../../../src/payer/pay/settle.ts'
import { findingsOf, issuesOf, over, type Refusal, sample, shopOf, TODAY } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

describe('Money on an invoice', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
  })
  afterAll(() => world.close())

  const paying = (id: string, body: unknown) =>
    world.merchant.post<Refusal & { payment_id: string }>(shop.path(id, '/payments'), body)
  const refunding = (id: string, body: unknown) =>
    world.merchant.post<Refusal & { refund_id: string }>(shop.path(id, '/refunds'), body)
  const shown = async (id: string) => {
    const { status, due_amount, payments, refunds } = await shop.sees(id)
    return [status, due_amount.value, payments?.paid_amount.value, refunds?.refund_amount.value]
  }

  it('tells the story of the contract: paid in parts, refunded in parts, records taken back', async () => {
    const { id } = await shop.sends(sample())

    const ten = await shop.records(id, '10.00')
    expect(await shown(id)).toEqual(['PARTIALLY_PAID', '64.21', '10.00', undefined])
    const rest = await shop.records(id)
    expect(await shown(id)).toEqual(['MARKED_AS_PAID', '0.00', '74.21', undefined])
    await shop.refunds(id, '5.00')
    expect(await shown(id)).toEqual(['PARTIALLY_REFUNDED', '0.00', '74.21', '5.00'])
    const remainder = await shop.refunds(id)
    expect(await shown(id)).toEqual(['MARKED_AS_REFUNDED', '0.00', '74.21', '74.21'])

    expect((await world.merchant.delete(shop.path(id, `/refunds/${remainder}`))).status).toBe(204)
    expect(await shown(id)).toEqual(['PARTIALLY_REFUNDED', '0.00', '74.21', '5.00'])
    expect((await world.merchant.delete(shop.path(id, `/payments/${rest}`))).status).toBe(204)
    expect(await shown(id)).toEqual(['PARTIALLY_REFUNDED', '64.21', '10.00', '5.00'])
    const { status, body } = await world.merchant.delete<Refusal>(shop.path(id, `/payments/${ten}`))
    expect([status, issuesOf(body)]).toEqual([422, ['CANNOT_DELETE_EXTERNAL_PAYMENT']])

    expect(await shop.events(id)).toEqual([
      'CREATED',
      'SENT',
      'PAID',
      'PAID',
      'REFUNDED',
      'REFUNDED',
      'UPDATED',
      'UPDATED',
    ])
  })

  it('a recorded payment keeps what was said about it', async () => {
    const { id } = await shop.sends()

    const { status, body } = await paying(id, {
      method: 'BANK_TRANSFER',
      payment_date: '2026-02-27',
      amount: usd('25'),
      note: 'Wired',
      payment_id: '',
      shipping_info: { name: { given_name: 'Ann' } },
    })

    expect(status).toBe(200)
    expect(body.payment_id).toMatch(/^EXTR-[0-9A-Z]{17}$/)
    expect((await shop.sees(id)).payments).toEqual({
      paid_amount: usd('25.00'),
      transactions: [
        {
          type: 'EXTERNAL',
          payment_id: body.payment_id,
          payment_date: '2026-02-27',
          method: 'BANK_TRANSFER',
          note: 'Wired',
          amount: usd('25.00'),
          shipping_info: { name: { given_name: 'Ann' } },
          transaction_status: 'SUCCESS',
        },
      ],
    })
  })

  it('is recorded for today and for all that is due when nothing else is said', async () => {
    const { id } = await shop.drafts()

    await paying(id, { method: 'CASH' })

    expect((await shop.sees(id)).payments!.transactions[0]).toMatchObject({
      payment_date: TODAY,
      amount: usd('100.00'),
    })
  })

  it('goes back to what the invoice was when the only payment is deleted', async () => {
    for (const status of ['DRAFT', 'SCHEDULED', 'SENT'] as const) {
      const { id } = await shop.has(status)
      const payment = await shop.records(id)
      expect((await shop.sees(id)).status).toBe('MARKED_AS_PAID')

      await world.merchant.delete(shop.path(id, `/payments/${payment}`))

      expect(await shown(id)).toEqual([status, '100.00', undefined, undefined])
    }
  })

  it('is recorded in any amount that is due, which items can make larger than a price may be', async () => {
    const items = [{ name: 'Ships', quantity: '40', unit_amount: usd('1000000.00') }]
    const { id } = await shop.sends(sample({ items, amount: undefined }))

    const { due_amount } = await shop.sees(id)
    expect(due_amount.value).toBe('40000000.00')
    expect((await paying(id, { method: 'CASH', amount: usd('40000000.01') })).status).toBe(422)
    expect((await paying(id, { method: 'CASH', amount: usd('39999999.99') })).status).toBe(200)
    expect(await shown(id)).toEqual(['PARTIALLY_PAID', '0.01', '39999999.99', undefined])
  })

  // biome-ignore format: a table reads best as a table
  const refusals: readonly (readonly [status: number, finding: string, body: unknown])[] = [
    [400, 'MISSING_REQUIRED_PARAMETER /method', {}],
    [400, 'INVALID_PAYMENT_METHOD /method', { method: 'SEASHELLS' }],
    [400, 'VALUE_CANNOT_BE_ZERO /amount/value', { method: 'CASH', amount: usd('0.00') }],
    [400, 'INVALID_DECIMAL_VALUE /amount/value', { method: 'CASH', amount: usd('-1.00') }],
    [400, 'INVALID_DECIMAL_VALUE /amount/value', { method: 'CASH', amount: usd('1.005') }],
    [400, 'NOT_SUPPORTED /amount/currency_code', { method: 'CASH', amount: { currency_code: 'EUR', value: '1.00' } }],
    [400, 'NOT_SUPPORTED /amount/currency_code', { method: 'CASH', amount: { currency_code: 'ZZZ', value: '1.00' } }],
    [400, 'MISSING_REQUIRED_PARAMETER /amount/value', { method: 'CASH', amount: { currency_code: 'USD' } }],
    [400, 'INVALID_STRING_MAX_LENGTH /note', { method: 'CASH', note: 'x'.repeat(2001) }],
    [400, 'INVALID_PARAMETER_SYNTAX /payment_date', { method: 'CASH', payment_date: '2026-02-30' }],
    [422, 'PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE /amount/value', { method: 'CASH', amount: usd('100.01') }],
  ]
  for (const [status, finding, body] of refusals)
    it(`a payment is refused: ${finding}`, async () => {
      const { id } = await shop.sends()
      const answer = await paying(id, body)

      expect([answer.status, findingsOf(answer.body)]).toEqual([status, [finding]])
      expect((await shop.sees(id)).status).toBe('SENT')
    })

  it('has no decimals where its currency has none', async () => {
    const yen = (value: string) => ({ currency_code: 'JPY', value })
    const items = [{ name: 'A chair', quantity: '1', unit_amount: yen('100') }]
    const { id } = await shop.sends(over('1', { items }, { currency_code: 'JPY' }))
    const refused = ['INVALID_INTEGER_VALUE /amount/value']

    expect(findingsOf((await paying(id, { method: 'CASH', amount: yen('10.5') })).body)).toEqual(refused)
    expect((await paying(id, { method: 'CASH', amount: yen('100') })).status).toBe(200)
    expect(findingsOf((await refunding(id, { method: 'CASH', amount: yen('10.5') })).body)).toEqual(refused)
    expect((await shop.sees(id)).status).toBe('MARKED_AS_PAID')
  })

  it('a refund is refused: another method, nothing, too much, another currency', async () => {
    const { id } = await shop.has('MARKED_AS_PAID')

    expect(findingsOf((await refunding(id, {})).body)).toEqual(['MISSING_REQUIRED_PARAMETER /method'])
    expect(findingsOf((await refunding(id, { method: 'X' })).body)).toEqual(['INVALID_REFUND_METHOD /method'])
    expect(findingsOf((await refunding(id, { method: 'CASH', amount: usd('0') })).body)).toEqual([
      'VALUE_CANNOT_BE_ZERO /amount/value',
    ])
    expect(findingsOf((await refunding(id, { method: 'CASH', amount: usd('100.01') })).body)).toEqual([
      'INVALID_REFUND_AMOUNT /amount/value',
    ])
    expect(
      findingsOf((await refunding(id, { method: 'CASH', amount: { currency_code: 'EUR', value: '1.00' } })).body),
    ).toEqual(['NOT_SUPPORTED /amount/currency_code'])
    expect(await shown(id)).toEqual(['MARKED_AS_PAID', '0.00', '100.00', undefined])
  })

  it('holds at most a hundred payments', async () => {
    const { id } = await shop.sends(over('200.00'))
    for (let i = 0; i < 100; i++) await shop.records(id, '1.00')

    const { status, body } = await paying(id, { method: 'CASH', amount: usd('1.00') })

    expect([status, issuesOf(body)]).toEqual([422, ['CANNOT_PROCESS_PAYMENTS']])
  })

  it('unknown records cannot be deleted', async () => {
    const { id } = await shop.has('PARTIALLY_REFUNDED')

    expect((await world.merchant.delete(shop.path(id, '/payments/EXTR-86F38350LX4353815'))).status).toBe(404)
    expect((await world.merchant.delete(shop.path(id, '/refunds/EXTR-86F38350LX4353815'))).status).toBe(404)
  })

  describe('through the service', () => {
    it('pays in full, with a tip that is no part of the debt', async () => {
      const { id } = await shop.sends(over('100.00', { configuration: { allow_tip: true } }))

      const transaction = await shop.isPaid(id, '100.00', { tip: '7.00' })

      expect(await shop.sees(id)).toMatchObject({
        status: 'PAID',
        due_amount: usd('0.00'),
        gratuity: usd('7.00'),
        payments: {
          paid_amount: usd('100.00'),
          transactions: [
            {
              type: 'SERVICE',
              payment_id: transaction,
              transaction_type: 'SALE',
              method: 'SERVICE',
              payment_date: TODAY,
              payment_date_time: '2026-03-02T09:00:00Z',
            },
          ],
        },
      })
      expect((await shop.sees(id)).payments!.transactions[0]).not.toHaveProperty('tip')
      expect(await shop.events(id)).toEqual(['CREATED', 'SENT', 'PAID'])
    })

    it('shows the last hundred refunds of more, and counts them all', async () => {
      const { id } = await shop.sends(over('2.00'))
      const capture = await shop.isPaid(id, '2.00')
      const refund = async (amount?: string) => {
        const body = amount === undefined ? {} : { amount: usd(amount) }
        const { status, text } = await world.merchant.post(`/v2/payments/captures/${capture}/refund`, body)
        expect(status, text).toBe(201)
      }
      for (let part = 1; part <= 100; part++) await refund('0.01')
      await refund()
      await world.app.drain()

      const { refunds } = await shop.sees(id)

      expect([refunds!.refund_amount, refunds!.transactions.length]).toEqual([usd('2.00'), 100])
      expect(refunds!.transactions.at(-1)).toMatchObject({ amount: usd('1.00') })
    })

    it('takes the whole amount unless the invoice allows parts, and then no less than the minimum', async () => {
      const { id: strict } = await shop.sends()
      await expect(shop.isPaid(strict, '50.00')).rejects.toMatchObject({
        details: [{ issue: 'PAYMENT_AMOUNT_LESS_THAN_MINIMUM' }],
      })
      await expect(shop.isPaid(strict, '100.01')).rejects.toMatchObject({
        details: [{ issue: 'PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE' }],
      })
      await expect(shop.isPaid(strict, '100.00', { tip: '1.00' })).rejects.toMatchObject({
        details: [{ issue: 'TIP_NOT_ALLOWED' }],
      })

      const partial_payment = { allow_partial_payment: true, minimum_amount_due: usd('30.00') }
      const { id } = await shop.sends(over('100.00', { configuration: { partial_payment } }))
      await expect(shop.isPaid(id, '29.99')).rejects.toMatchObject({
        details: [{ issue: 'PAYMENT_AMOUNT_LESS_THAN_MINIMUM' }],
      })
      await shop.isPaid(id, '80.00')
      expect(await shown(id)).toEqual(['PARTIALLY_PAID', '20.00', '80.00', undefined])
      await shop.isPaid(id, '20.00')
      expect((await shop.sees(id)).status).toBe('PAID')
    })

    it('counts for nothing while it is pending, then clears or never was', async () => {
      const { service } = world.app
      const parts = { service, ledger: makeLedger(service) }
      const accountId = world.people.merchant.id
      const settle = (captureId: string, outcome: 'COMPLETED' | 'DENIED') =>
        world.app.transact((tx) => settlePayment(parts, tx, { accountId, captureId, outcome }))
      const { id: cleared } = await shop.sends()
      const { id: denied } = await shop.sends()
      const first = await shop.isPaid(cleared, '100.00', { pending: true })
      const second = await shop.isPaid(denied, '100.00', { pending: true })
      expect(await shown(cleared)).toEqual(['PAYMENT_PENDING', '100.00', '0.00', undefined])

      await settle(first, 'COMPLETED')
      await settle(second, 'DENIED')

      expect(await shown(cleared)).toEqual(['PAID', '0.00', '100.00', undefined])
      expect(await shown(denied)).toEqual(['SENT', '100.00', undefined, undefined])
      expect(await shop.events(cleared)).toEqual(['CREATED', 'SENT', 'PAID', 'PAID'])
      expect(await shop.events(denied)).toEqual(['CREATED', 'SENT', 'PAID', 'UPDATED'])
    })

    it('is refunded by the job the ledger enqueues, once, and never beyond the debt', async () => {
      const { id } = await shop.sends(over('100.00', { configuration: { allow_tip: true } }))
      const capture = await shop.isPaid(id, '100.00', { tip: '5.00' })
      const enqueueRefund = (refund_id: string, value: string) =>
        world.app.transact(async (tx) =>
          tx.enqueue({
            name: 'invoice-service-refund',
            payload: {
              account_id: world.people.merchant.id,
              invoice_id: id,
              capture_id: capture,
              refund_id,
              amount: usd(value),
              refund_time: tx.now,
            },
          }),
        )
      await enqueueRefund('REFUND00000000001', '30.00')
      await enqueueRefund('REFUND00000000001', '30.00')
      await world.settle()
      expect(await shown(id)).toEqual(['PARTIALLY_REFUNDED', '0.00', '100.00', '30.00'])

      await enqueueRefund('REFUND00000000002', '75.00')
      await enqueueRefund('REFUND00000000003', '1.00')
      await world.settle()

      expect(await shown(id)).toEqual(['REFUNDED', '0.00', '100.00', '100.00'])
      expect((await shop.sees(id)).refunds!.transactions).toMatchObject([
        {
          type: 'SERVICE',
          refund_id: 'REFUND00000000001',
          recipient_transaction_id: 'REFUND00000000001',
          amount: usd('30.00'),
        },
        { refund_id: 'REFUND00000000002', amount: usd('70.00') },
      ])
      expect(await shop.events(id)).toEqual(['CREATED', 'SENT', 'PAID', 'REFUNDED', 'REFUNDED'])
    })

    it('is refunded by the ledger alone, and whoever tries otherwise is told how', async () => {
      const { id } = await shop.sends()
      const capture = await shop.isPaid(id, '100.00')
      const recorded = await refunding(id, { method: 'CASH' })
      const deleted = await world.merchant.delete<Refusal>(shop.path(id, `/payments/${capture}`))

      for (const [{ status, body }, payment] of [
        [recorded, '{payment_id}'],
        [deleted, capture],
      ] as const)
        expect([status, body.details?.[0]?.description]).toEqual([
          422,
          expect.stringContaining(`POST /v2/payments/captures/${payment}/refund`),
        ])
    })

    it('takes a tip in its own currency alone', async () => {
      const { id } = await shop.sends(over('100.00', { configuration: { allow_tip: true } }))
      const tip = { currency_code: 'EUR', value: '1.00' }
      const { status, body } = await world.call<Refusal>('POST', `/sandbox/invoices/${id}/pay`, { tip })

      expect([status, body.details?.[0]]).toMatchObject([400, { issue: 'NOT_SUPPORTED', field: '/tip/currency_code' }])
    })

    it('gives back its own tip, and nothing of what another paid', async () => {
      const both = { allow_tip: true, partial_payment: { allow_partial_payment: true } }
      const { id } = await shop.sends(over('100.00', { configuration: both }))
      const first = await shop.isPaid(id, '50.00', { tip: '50.00' })
      const second = await shop.isPaid(id, '50.00')
      const refund = async (capture: string) => {
        expect((await world.merchant.post(`/v2/payments/captures/${capture}/refund`, {})).status).toBe(201)
        await world.settle()
      }
      await refund(first)
      expect(await shown(id)).toEqual(['PARTIALLY_REFUNDED', '0.00', '100.00', '50.00'])
      await refund(second)
      expect(await shown(id)).toEqual(['REFUNDED', '0.00', '100.00', '100.00'])
      expect(await shop.events(id)).toEqual(['CREATED', 'SENT', 'PAID', 'PAID', 'REFUNDED', 'REFUNDED'])
      expect((await shop.sees(id)).refunds!.transactions[0]).not.toHaveProperty('payment_id')
    })
  })
})
