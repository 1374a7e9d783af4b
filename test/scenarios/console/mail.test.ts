import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf } from '../../support/console.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

interface Listed {
  mails: { id: string; subject: string; cause?: string; read_time?: string; links: string[] }[]
  unread: number
}

let world: World
let invoice: string
beforeAll(async () => {
  world = await newWorld()
  const made = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
    detail: { currency_code: 'USD' },
    primary_recipients: [
      { billing_info: { email_address: 'buyer@example.com' } },
      { billing_info: { email_address: 'books@example.test' } },
    ],
    items: [{ name: 'A chair', quantity: '1', unit_amount: usd('49.50') }],
  })
  invoice = made.body.id
  await world.merchant.post(`/v2/invoicing/invoices/${invoice}/send`)
  await world.merchant.post(`/v2/invoicing/invoices/${invoice}/cancel`, { subject: 'Never <b>mind</b>' })
  await world.settle()
})
afterAll(() => world.close())

const listed = async (query: Record<string, string> = {}) =>
  (await world.call<Listed>('GET', '/sandbox/mail', undefined, { query })).body
const mailCalled = async (text: string) => (await listed({ text })).mails[0]!
const page = (path: string) => consoleOf(world).page(path)

describe('Mail at the console', () => {
  it('says which request of whom led to it', async () => {
    const { id, cause } = await mailCalled('never <b>')

    const shown = await page(`/console/mail?open=${id}`)
    expect(shown).toMatch(new RegExp(`caused by <a href="/console/requests/${cause}">cancel</a> of .*Merchant`))
    expect(shown).toContain('Never &lt;b&gt;mind')
    await page(`/console/requests/${cause}`)
  })

  it('says so where time led to it', async () => {
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'BUYERPAYMENT01' }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('24.00'),
    })
    const dispute = opened.body.links[0]!.href.split('/').at(-1)!
    await world.pass('P40D')
    await world.settle()

    const { id, cause } = await mailCalled(`${dispute} was resolved`)
    const first = await mailCalled(`${dispute} was opened`)
    expect(await page(`/console/mail?open=${first.id}`)).toContain('>POST /v1/customer/disputes</a> of ')
    const shown = await page(`/console/mail?open=${id}`)
    expect(shown).toMatch(
      new RegExp(
        `caused by <a href="/console\\?subject=${id}">[^<]+</a>, which goes back to <a href="/console/requests/${cause}">`,
      ),
    )
    expect(await page(`/console/mail?open=${id}&as=links`)).toMatch(
      new RegExp(`status fine">200</span> Dispute <a href="/console/disputes/${dispute}">`),
    )
  })

  it('is shown as text, as source and by its headers, of which each recipient has their own', async () => {
    const { id } = await mailCalled('never <b>')

    expect(await page(`/console/mail?open=${id}&as=text`)).toContain('cancelled invoice 0001')
    const source = await page(`/console/mail?open=${id}&as=source`)
    expect(source).toMatch(/To: buyer@example\.com\n.*Subject: Never &lt;b&gt;mind&lt;\/b&gt;\n/s)
    expect(source).toMatch(/Content-Type: text\/plain; charset=utf-8.*Content-Type: text\/html; charset=utf-8/s)
    expect(source).toContain('The copy of buyer@example.com')
    const headers = await page(`/console/mail?open=${id}&as=headers`)
    expect(headers).toMatch(/<dt>From<\/dt><dd>Sandbox Merchant &lt;invoices@localhost&gt;</)
    expect(headers).toContain('<dt>Auto-Submitted</dt><dd>auto-generated</dd>')

    const at = `/sandbox/mail/${id}/source`
    const copy = await world.call('GET', at, undefined, { query: { to: 'books@example.test' } })
    const again = await world.call('GET', at, undefined, { query: { to: 'books@example.test' } })
    expect([copy.headers['content-type'], again.text]).toEqual(['message/rfc822', copy.text])
    expect(copy.text).toMatch(/^To: books@example\.test\r$/m)
    expect((await world.call('GET', at, undefined, { query: { to: 'nobody@example.test' } })).status).toBe(404)
    expect((await world.call('GET', '/sandbox/mail/none/source')).status).toBe(404)
  })

  it('has its links checked without opening them', async () => {
    const { id, links } = await mailCalled('never <b>')

    const { body } = await world.call<{ links: object[] }>('GET', `/sandbox/mail/${id}/links`)
    expect(body.links).toEqual([{ href: links[0], leads_to: 'INVOICE', status: 200, subject: invoice }])
    expect(await page(`/console/mail?open=${id}&as=links`)).toMatch(
      new RegExp(`200</span> The page of invoice <a href="/console/invoices/${invoice}">`),
    )
    const shown = await world.merchant.get<{ detail: object }>(`/v2/invoicing/invoices/${invoice}`)
    expect(shown.body.detail).not.toHaveProperty('viewed_by_recipient', true)
    expect((await world.call('GET', '/sandbox/mail/none/links')).status).toBe(404)
  })

  it('is unread until it is marked, one by one or all at once', async () => {
    const { mails, unread } = await listed()
    const [first, second] = mails as [Listed['mails'][number], Listed['mails'][number]]
    expect([unread, first.read_time]).toEqual([mails.length, undefined])
    expect(await page('/console/invoices')).toMatch(new RegExp(`Mail<span class="count">.*>${unread}<span`))

    const shown = await page(`/console/mail?open=${second.id}`)
    expect(shown.match(/class="new"/g)).toHaveLength(mails.length)
    const marked = await consoleOf(world).send('/console/mail/read', {
      id: second.id,
      back: `/console/mail?open=${second.id}`,
    })
    expect([marked.status, marked.location]).toEqual([303, `/console/mail?open=${second.id}`])
    expect(await page(marked.location)).not.toContain('>Mark as read<')
    expect((await listed({ unread: 'true' })).mails.map(({ id }) => id)).not.toContain(second.id)

    await consoleOf(world).send('/console/mail/read', {})
    expect((await listed()).unread).toBe(0)
    expect(await page('/console/mail')).not.toMatch(/class="new"|Mark all as read/)
    expect(await page('/console/mail?unread=true')).toContain('Nothing unread')
  })

  it('is found by a whole address, or by a piece of an address or a subject', async () => {
    expect(await page('/console/mail?q=Books@example.test')).toContain('Never &lt;b&gt;')
    expect(await page('/console/mail?q=NEVER')).toContain('Never &lt;b&gt;')
    expect(await page('/console/mail?q=nobody@example.com')).toMatch(/value="nobody@.*No mail to that address/s)
    expect(await page('/console/mail?q=%25_nothing')).toContain('No mail like that')
    const both = await world.call('GET', '/sandbox/mail', undefined, { query: { to: 'a@b.test', text: 'x' } })
    expect(both.status).toBe(400)
    // What is linked to is shown also where it stands on another page of the list.
    const { id } = await mailCalled('never <b>')
    expect(await page(`/console/mail?q=Dispute&open=${id}`)).toContain('Never &lt;b&gt;')
    await consoleOf(world).page('/console/mail?open=none', 404)
  })
})
