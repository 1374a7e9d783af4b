import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandbox } from 'quittance/testing'
import { openShop } from './shop.js'

test('The shop ships what is paid', async (t) => {
  const sandbox = await startSandbox({ at: '2026-03-02T09:00:00Z', frozen: true })
  t.after(() => sandbox.stop())
  const shop = await openShop(sandbox.people.merchant)
  t.after(() => shop.close())

  const id = await shop.sell('A table', '120.00', 'buyer@example.com')
  const [mail] = await sandbox.mail('buyer@example.com')
  assert.match(mail.subject, /invoice/i)
  await sandbox.people.merchant.sandbox.payInvoice(id, {})

  assert.equal(shop.order(id).status, 'SHIPPED')
})
