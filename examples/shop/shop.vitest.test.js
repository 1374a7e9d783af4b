import { startSandbox } from 'quittance/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openShop } from './shop.js'

let sandbox
let shop
beforeAll(async () => {
  sandbox = await startSandbox()
  shop = await openShop(sandbox.people.merchant)
})
afterEach((context) => sandbox.explainFailure(context))
afterAll(async () => {
  await shop.close()
  await sandbox.stop()
})

describe('The shop', () => {
  it('ships what is paid', async () => {
    const id = await shop.sell('A chair', '49.50', 'buyer@example.com')
    expect(shop.order(id).status).toBe('INVOICED')

    await sandbox.people.merchant.sandbox.payInvoice(id, {})

    expect(shop.order(id).status).toBe('SHIPPED')
  })

  it('answers a complaint, and loses when it does not settle it within twenty days', async () => {
    const { merchant, buyer } = sandbox.people
    const inbox = await sandbox.inbox('CUSTOMER.DISPUTE.*')
    const { buyer_transaction_id } = await merchant.sandbox.createTransaction({
      amount: { currency_code: 'USD', value: '49.50' },
    })
    await buyer.disputes.create({
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: { currency_code: 'USD', value: '49.50' },
    })
    const { resource } = await inbox.next('CUSTOMER.DISPUTE.CREATED')

    // Twice the same world: in one the buyer waits, in the other time passes.
    const later = await sandbox.fork()
    await later.clock.advance('P25D')

    const here = await merchant.disputes.show(resource.dispute_id)
    const there = await later.people.merchant.disputes.show(resource.dispute_id)
    expect(here.messages.map(({ posted_by }) => posted_by)).toContain('SELLER')
    expect(here.status).not.toBe('RESOLVED')
    expect(there.status).toBe('RESOLVED')
  })
})
