import { describe, expect, it } from 'vitest'
import { tokenOver } from '../../support/process.ts'
import { newWorld, usd } from '../../support/world.ts'

/** What a story answers, byte for byte, and what became of it. */
async function told(seed: string, looksAround: boolean): Promise<string[]> {
  const world = await newWorld({ settings: { SEED: seed, PUBLIC_URL: 'http://quittance.test' } })
  const texts: string[] = []
  const keep = <Body>(answer: { text: string; body: Body }) => {
    texts.push(answer.text)
    return answer.body
  }
  await world.merchant.post('/v1/notifications/webhooks', {
    url: 'http://127.0.0.1:4000/',
    event_types: [{ name: '*' }],
  })
  const made = keep(
    await world.merchant.post<{ href: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'payer@customer.test' } }],
      items: [{ name: 'Hat', quantity: '1', unit_amount: usd('5.00') }],
    }),
  )
  const invoice = new URL(made.href).pathname
  if (looksAround) for (let i = 0; i < 3; i++) await world.call('GET', '/sandbox/clock')
  keep(await world.merchant.post(`${invoice}/send`, {}))
  keep(await world.call('POST', `/sandbox${invoice.replace('/v2/invoicing', '')}/pay`))
  keep(await world.merchant.get(invoice))
  const paid = keep(
    await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', { amount: usd('9.00') }),
  )
  const opened = keep(
    await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: paid.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('9.00'),
      messages: [{ content: 'Nothing came.' }],
    }),
  )
  keep(await world.merchant.get(new URL(opened.links[0]!.href).pathname))
  keep(await world.merchant.get('/v1/notifications/webhooks-events'))
  const due = keep(await world.call<{ due: { key?: string }[] }>('GET', '/sandbox/due'))
  expect(due.due.length).toBeGreaterThan(2)
  await world.close()
  return texts
}

describe('A seed', () => {
  it('makes ids, codes, numbers and times repeat, whoever looks on, and another seed makes others', async () => {
    const [first, again, other] = [await told('7', false), await told('7', true), await told('2147483647', false)]

    expect(again).toEqual(first)
    expect(first.filter((text, i) => text === other[i] && text !== '')).toEqual([])
  })

  it('lets a fork go on with ids that nothing has which was copied, the same each time', async () => {
    const anInvoice = { detail: { currency_code: 'USD' } }
    const ids = async () => {
      const world = await newWorld({ settings: { SEED: '7' } })
      const made = await world.merchant.post<{ href: string }>('/v2/invoicing/invoices', anInvoice)
      const { body: fork } = await world.call<{ name: string; url: string }>('POST', '/sandbox/forks')
      const answer = await fetch(`${fork.url}/v2/invoicing/invoices`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await tokenOver(fork.url)}`, 'content-type': 'application/json' },
        body: JSON.stringify(anInvoice),
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(201)
      await world.close()
      return [made.body.href, (JSON.parse(text) as { href: string }).href].map((href) => href.split('/').at(-1))
    }
    const first = await ids()

    expect(new Set(first).size).toBe(2)
    expect(await ids()).toEqual(first)
  })
})
