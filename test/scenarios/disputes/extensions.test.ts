import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import { address, DISPUTES, does, NOT_AS_DESCRIBED, open, type Problem, refusal, sees } from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const BILLING = 'billing_dispute_properties'
const GOODS = 'merchandize_dispute_properties'
const MEANS = `${BILLING}/payment_by_other_means`
const CREDIT = `${BILLING}/credit_not_processed`
const ORIGINAL = `${BILLING}/duplicate_transaction/original_transaction`
const CORRECT = `${BILLING}/incorrect_transaction_amount`
const PRODUCT = `${GOODS}/product_details`
const SERVICE = `${GOODS}/service_details`
const CANCELLED = `${GOODS}/cancellation_details`

/** The object in which a value stands where the pointer says. */
const at = (pointer: string, value: unknown): object =>
  pointer.split('/').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object

const long = (length: number) => 'x'.repeat(length)
const time = '2026-03-01T09:00:00Z'

const LENGTH = 'INVALID_STRING_LENGTH'
const SYNTAX = 'INVALID_PARAMETER_SYNTAX'
const VALUE = 'INVALID_PARAMETER_VALUE'
const MISSING = 'MISSING_REQUIRED_PARAMETER'

type Case = readonly [pointer: string, value: unknown, issue: string, below?: string]

// biome-ignore format: a table reads best as a table
const refusals: readonly Case[] = [
  ['merchant_contacted', 'yes', SYNTAX],
  ['merchant_contacted_outcome', 'GONE', VALUE],
  ['merchant_contacted_time', 'yesterday, or the day before', SYNTAX],
  ['merchant_contacted_time', '2026-02-30T09:00:00Z', SYNTAX],
  ['merchant_contacted_time', '2026-03-01', LENGTH],
  ['merchant_contacted_mode', 'PIGEON', VALUE],
  ['buyer_contacted_time', 1772355600, SYNTAX],
  ['buyer_contacted_channel', '', LENGTH],
  ['buyer_contacted_channel', long(256), LENGTH],
  ['reported_source', 'FAX', VALUE],
  [BILLING, [{}], SYNTAX],
  [GOODS, 'goods', SYNTAX],

  [`${BILLING}/duplicate_transaction`, 'twice', SYNTAX],
  [`${BILLING}/duplicate_transaction/received_duplicate`, 'YES', SYNTAX],
  [`${ORIGINAL}/buyer_transaction_id`, 'A B', SYNTAX],
  [`${ORIGINAL}/buyer_transaction_id`, long(256), LENGTH],
  [`${ORIGINAL}/seller_transaction_id`, 'A_B', SYNTAX],
  [`${ORIGINAL}/reference_id`, '', LENGTH],
  [`${ORIGINAL}/create_time`, 'some time in the winter', SYNTAX],
  [`${ORIGINAL}/transaction_status`, 'LOST', VALUE],
  [`${ORIGINAL}/gross_amount`, { value: '1.00' }, MISSING, 'currency_code'],
  [`${ORIGINAL}/gross_asset`, { asset_symbol: 'BTC' }, MISSING, 'quantity'],
  [`${ORIGINAL}/gross_asset`, { asset_symbol: 'DOGE', quantity: '1' }, VALUE, 'asset_symbol'],
  [`${ORIGINAL}/invoice_number`, long(128), LENGTH],
  [`${ORIGINAL}/invoice_number`, 'INV 1', SYNTAX],
  [`${ORIGINAL}/custom`, long(2001), LENGTH],
  [`${ORIGINAL}/buyer/name`, long(2001), LENGTH],
  [`${ORIGINAL}/seller/merchant_id`, 'A-B', SYNTAX],
  [`${ORIGINAL}/seller/email`, 'nobody', SYNTAX],

  [`${CORRECT}/correct_transaction_amount`, { currency_code: 'USD', value: 'ten' }, SYNTAX, 'value'],
  [`${CORRECT}/correct_transaction_amount`, { currency_code: 'US', value: '1' }, LENGTH, 'currency_code'],
  [`${CORRECT}/correct_transaction_amount`, { currency_code: 'ABC', value: '1' }, VALUE, 'currency_code'],
  [`${CORRECT}/correct_transaction_amount`, { currency_code: 'JPY', value: '1.5' }, SYNTAX, 'value'],
  [`${CORRECT}/correct_transaction_asset`, { asset_symbol: 'BTC', quantity: '1e3' }, SYNTAX, 'quantity'],
  [`${CORRECT}/correct_transaction_asset`, { asset_symbol: 'BTC', quantity: long(41) }, LENGTH, 'quantity'],
  [`${CORRECT}/correct_transaction_time`, '2026-03-01 09:00:00 UTC', SYNTAX],

  [`${MEANS}/charge_different_from_original`, 0, SYNTAX],
  [`${MEANS}/received_duplicate`, 'no', SYNTAX],
  [`${MEANS}/payment_method`, 'BARTER', VALUE],
  [`${MEANS}/payment_instrument_suffix`, '1', LENGTH],
  [`${MEANS}/payment_instrument_suffix`, '12345', LENGTH],
  ...['CREDIT_CARD', 'DEBIT_CARD', 'GIFT_CARD', 'BANK_TRANSFER'].map((payment_method): Case =>
    [MEANS, { payment_method, payment_instrument_suffix: '123' }, LENGTH, 'payment_instrument_suffix']),
  [MEANS, { payment_method: 'CHECK', payment_instrument_suffix: '1' }, LENGTH, 'payment_instrument_suffix'],

  [`${CREDIT}/issue_type`, 'BOTH', VALUE],
  [`${CREDIT}/expected_refund`, { currency_code: 'USD' }, MISSING, 'value'],
  [`${CREDIT}/expected_refund`, { currency_code: 'USD', value: '1.005' }, SYNTAX, 'value'],
  [`${CREDIT}/cancellation_details/cancellation_number`, 'C-1', SYNTAX],
  [`${CREDIT}/product_details/product_received`, 'MAYBE', VALUE],
  [`${CREDIT}/service_details/service_started`, 'MAYBE', VALUE],
  [`${CREDIT}/agreed_refund_details/merchant_agreed_refund`, 'true', SYNTAX],
  [`${CREDIT}/agreed_refund_details/merchant_agreed_refund_time`, 'soon after that, he said', SYNTAX],
  [`${BILLING}/canceled_recurring_billing/expected_refund`, '5.00', SYNTAX],
  [`${BILLING}/canceled_recurring_billing/cancellation_details/cancelled`, 1, SYNTAX],

  [`${GOODS}/issue_type`, 'THING', VALUE],
  [`${PRODUCT}/description`, '', LENGTH],
  [`${PRODUCT}/description`, long(2001), LENGTH],
  [`${PRODUCT}/product_received`, true, VALUE],
  [`${PRODUCT}/product_received_time`, '2026-03-01T09:00Z', LENGTH],
  [`${PRODUCT}/expected_delivery_date`, '2026-03-01T25:00:00Z', SYNTAX],
  [`${PRODUCT}/sub_reasons`, [], 'INVALID_ARRAY_MIN_ITEMS'],
  [`${PRODUCT}/sub_reasons`, Array(11).fill('OTHER'), 'INVALID_ARRAY_MAX_ITEMS'],
  [`${PRODUCT}/sub_reasons`, ['INCOMPLETE'], VALUE, '0'],
  [`${PRODUCT}/purchase_url`, 'shop', SYNTAX],
  [`${PRODUCT}/purchase_url`, `https://example.com/${long(4000)}`, 'INVALID_STRING_MAX_LENGTH'],
  [`${PRODUCT}/return_details/return_time`, 'the day it was returned', SYNTAX],
  [`${PRODUCT}/return_details/mode`, 'DRONE', VALUE],
  [`${PRODUCT}/return_details/receipt`, 'lost', SYNTAX],
  [`${PRODUCT}/return_details/return_confirmation_number`, 'R_1', SYNTAX],
  [`${PRODUCT}/return_details/return_confirmation_number`, long(256), LENGTH],
  [`${PRODUCT}/return_details/returned`, 'true', SYNTAX],
  [`${SERVICE}/description`, long(2001), LENGTH],
  [`${SERVICE}/service_started`, 'RETURNED', VALUE],
  [`${SERVICE}/note`, '', LENGTH],
  [`${SERVICE}/sub_reasons`, ['MISSING_PARTS'], VALUE, '0'],
  [`${SERVICE}/purchase_url`, 'not a link', SYNTAX],
  [`${CANCELLED}/cancellation_date`, '2026-13-01T09:00:00Z', SYNTAX],
  [`${CANCELLED}/cancellation_number`, long(128), LENGTH],
  [`${CANCELLED}/cancelled`, 'yes', SYNTAX],
  [`${CANCELLED}/cancellation_mode`, 'SHOUTING', VALUE],
  [`${GOODS}/return_shipping_address`, { address_line_1: '1 Main Street' }, MISSING, 'country_code'],
  [`${GOODS}/return_shipping_address/country_code`, 'USA', 'INVALID_STRING_MAX_LENGTH'],
  [`${GOODS}/return_shipping_address`, { ...address, address_line_3: long(101) }, 'INVALID_STRING_MAX_LENGTH', 'address_line_3'],
]

describe('What a buyer tells beside the reason', () => {
  for (const [pointer, value, issue, below] of refusals) {
    const field = `/extensions/${pointer}${below === undefined ? '' : `/${below}`}`
    it(`is refused with ${issue}: ${field} ${JSON.stringify(value).slice(0, 60)}`, async () => {
      const answer = await world.buyer.post<Problem>(DISPUTES, {
        disputed_transactions: [{ buyer_transaction_id: 'NEVERMADE' }],
        reason: 'OTHER',
        dispute_amount: usd('20.00'),
        extensions: at(pointer, value),
      })

      expect(refusal(answer)).toBe(`400 INVALID_REQUEST ${issue}`)
      expect(answer.body.details[0]!.field).toBe(field)
    })
  }

  const whole = {
    merchant_contacted: true,
    merchant_contacted_outcome: 'RESPONDED',
    merchant_contacted_time: time,
    merchant_contacted_mode: 'WRITTEN',
    buyer_contacted_time: time,
    buyer_contacted_channel: 'Telephone',
    reported_source: 'MOBILE_APP',
    billing_dispute_properties: {
      duplicate_transaction: {
        received_duplicate: false,
        original_transaction: {
          buyer_transaction_id: 'B-1',
          seller_transaction_id: 'S-1',
          reference_id: 'R-1',
          create_time: time,
          transaction_status: 'COMPLETED',
          gross_amount: usd('20.00'),
          gross_asset: { asset_symbol: 'PYUSD', quantity: '20.000000' },
          invoice_number: 'INV-1:2|3',
          custom: 'Anything.',
          buyer: { name: 'Sandbox Buyer' },
          seller: { merchant_id: 'MERCHANT1', name: 'A shop', email: 'shop@example.com' },
        },
      },
      incorrect_transaction_amount: {
        correct_transaction_amount: usd('2.00'),
        correct_transaction_asset: { asset_symbol: 'BTC', quantity: '.5' },
        correct_transaction_time: time,
      },
      payment_by_other_means: {
        charge_different_from_original: true,
        received_duplicate: true,
        payment_method: 'GIFT_CARD',
        payment_instrument_suffix: '1234',
      },
      credit_not_processed: {
        issue_type: 'SERVICE',
        expected_refund: usd('3.00'),
        cancellation_details: { cancelled: true, cancellation_mode: 'CANCELLED_SERVICE_BILLING_AGREEMENT' },
        product_details: { product_received: 'RETURNED', return_details: { returned: true, receipt: true } },
        service_details: { service_started: 'CANCELLED' },
        agreed_refund_details: { merchant_agreed_refund: true, merchant_agreed_refund_time: time },
      },
      canceled_recurring_billing: { expected_refund: usd('4.00'), cancellation_details: { cancelled: true } },
    },
    merchandize_dispute_properties: {
      issue_type: 'PRODUCT',
      product_details: {
        description: long(2000),
        product_received: 'YES',
        product_received_time: time,
        expected_delivery_date: time,
        sub_reasons: ['DAMAGED', 'DIFFERENT', 'MISSING_PARTS', 'OTHER'],
        purchase_url: 'https://example.com/thing?size=1',
        return_details: { return_time: time, mode: 'SHIPPED', return_confirmation_number: 'R:1-2' },
      },
      service_details: {
        description: 'x',
        note: 'y',
        sub_reasons: ['INCOMPLETE'],
        purchase_url: 'https://example.com/',
      },
      cancellation_details: { cancellation_date: time, cancellation_number: 'C1', cancellation_mode: 'EMAIL' },
      return_shipping_address: { ...address, address_details: { street_name: 'Return Road' } },
    },
  }

  it('is kept and shown as it was told, with times and amounts in their usual form', async () => {
    const id = await open(world.buyer, { reason: 'OTHER', extensions: whole })

    const spelt = JSON.parse(JSON.stringify(whole).replaceAll(time, '2026-03-01T09:00:00.000Z')) as object
    for (const who of [world.buyer, world.merchant]) expect((await sees(who, id)).extensions).toEqual(spelt)

    const short = await open(world.buyer, {
      reason: 'OTHER',
      extensions: {
        merchant_contacted_time: '2026-03-01t10:30:00.5+01:30',
        ...at(`${CREDIT}/expected_refund`, usd('3')),
      },
    })
    expect((await sees(world.buyer, short)).extensions).toEqual({
      merchant_contacted_time: '2026-03-01T09:00:00.500Z',
      ...at(`${CREDIT}/expected_refund`, usd('3.00')),
    })
  })

  it('holds nothing that the contract does not know, such as an address of the customer', async () => {
    const id = await open(world.buyer, {
      reason: 'OTHER',
      extensions: {
        mood: 'angry',
        ...at(`${ORIGINAL}/buyer`, { name: 'Sandbox Buyer', email: 'secret@example.com' }),
      },
    })

    const shown = await world.merchant.get(`${DISPUTES}/${id}`)
    expect(shown.text).toContain('original_transaction')
    for (const word of ['mood', 'secret@example.com']) expect(shown.text).not.toContain(word)
  })

  it('takes the last two to four signs of a check, and of what has no fixed number', async () => {
    for (const payment_method of ['CHECK', 'CASH', 'SERVICE', 'PAYPAL', undefined])
      for (const payment_instrument_suffix of ['12', '123', '1234']) {
        const means = { ...(payment_method && { payment_method }), payment_instrument_suffix }
        const id = await open(world.buyer, { reason: 'OTHER', extensions: at(MEANS, means) })

        const shown = { ...means, ...(payment_method === 'PAYPAL' && { payment_method: 'SERVICE' }) }
        expect((await sees(world.merchant, id)).extensions).toEqual(at(MEANS, shown))
      }
  })

  it('is checked and read the same way when the reason changes', async () => {
    const id = await open(world.buyer, { extensions: { merchant_contacted: true } })
    const changing = (extensions: object) =>
      does(world.buyer, id, 'change-reason', { reason: NOT_AS_DESCRIBED, extensions })

    const wrong = await changing(at(`${PRODUCT}/product_received`, 'MAYBE'))
    expect(refusal(wrong)).toBe(`400 INVALID_REQUEST ${VALUE}`)
    const unknown = await changing(at(`${CREDIT}/expected_refund`, { currency_code: 'ABC', value: '1' }))
    expect(refusal(unknown)).toBe(`400 INVALID_REQUEST ${VALUE}`)
    expect((await changing(at(`${MEANS}/payment_method`, 'PAYPAL'))).status).toBe(200)

    expect((await sees(world.merchant, id)).extensions).toEqual({
      merchant_contacted: true,
      ...at(`${MEANS}/payment_method`, 'SERVICE'),
    })
  })

  it('speaks the words of the other dialect wherever they stand', async () => {
    const other = await newWorld({ settings: { QUITTANCE_DIALECT: 'paypal' } })
    const mode = { cancellation_mode: 'CANCELLED_SERVICE_BILLING_AGREEMENT' }
    const branded = { cancellation_mode: 'CANCELLED_PAYPAL_BILLING_AGREEMENT' }
    const told = (cancellation_details: object, payment_method: string) => ({
      [BILLING]: {
        payment_by_other_means: { payment_method },
        credit_not_processed: { cancellation_details },
        canceled_recurring_billing: { cancellation_details },
      },
      [GOODS]: { cancellation_details },
    })
    const id = await open(other.buyer, { reason: 'OTHER', extensions: told(mode, 'SERVICE') })

    expect((await sees(other.merchant, id)).extensions).toEqual(told(branded, 'PAYPAL'))
    await other.close()
  })
})
