import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectCostBelow } from '../../support/cpu.ts'
import { PUBLIC_URL, sentInvoice, shown } from '../../support/payer.ts'
import { INVOICES } from '../../support/shop.ts'
import { statementsOf } from '../../support/statements.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const page = (path: string, headers: Record<string, string> = {}) =>
  world.call('GET', path, undefined, { headers: { accept: 'text/html,*/*;q=0.8', ...headers } })

describe('The page of an invoice', () => {
  it('shows everything the recipient should know, and never the memo', async () => {
    const { path } = await sentInvoice(world)

    const { status, text, headers } = await page(path)

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    for (const part of [
      'Example Studio',
      'Sample Customer',
      'Example Warehouse',
      'Cover illustration',
      'Front and spine',
      'Sales Tax 7.25%',
      'Packing charges',
      'PO 4711',
      'Thank you for your business.',
      'No refunds after 30 days.',
      '$74.21',
      'Pay $74.21',
      'TAX-99',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('never see')
  })

  it('names the percentage of a discount only where the discount is that much', async () => {
    const discounted = async (discount: object) => {
      const items = [{ name: 'Work', quantity: '1', unit_amount: usd('100.00'), discount }]
      const { path } = await sentInvoice(world, {
        items,
        amount: { breakdown: { discount: { invoice_discount: discount } } },
      })
      return (await world.call('GET', path)).text
    }
    const byPercent = await discounted({ percent: '10' })
    const byAmount = await discounted({ percent: '10', amount: usd('5.00') })

    expect(byPercent).toContain('Discount 10% −10.00')
    expect(byPercent).toMatch(/Discount 10%<\/dt><dd[^>]*>−9\.00/)
    expect(byAmount).toContain('Discount −5.00')
    expect(byAmount).toMatch(/Discount<\/dt><dd[^>]*>−5\.00/)
  })

  it('marks the invoice as viewed the first time it is opened', async () => {
    const { id, path } = await sentInvoice(world)
    expect((await shown(world, id)).detail.viewed_by_recipient).not.toBe(true)

    await page(path)

    expect((await shown(world, id)).detail.viewed_by_recipient).toBe(true)
  })

  it('is also reached by the address behind the `#`, and by typing its code', async () => {
    const { id, code, path } = await sentInvoice(world)
    const url = new URL((await shown(world, id)).detail.metadata.recipient_view_url)

    const opener = await page(url.pathname)
    const script = /src="([^"]+\.js)"/.exec(opener.text)![1]!
    const typed = await page(`/invoice/p?code=${code.toLowerCase()}`)

    expect(url.hash).toBe(`#${code}`)
    expect((await page(script)).text).toContain("location.replace('/invoice/p/'+")
    expect([typed.status, typed.headers['location']]).toEqual([303, path])
  })

  it('speaks the language of the recipient, with their formats, unless the reader chooses another', async () => {
    const { path } = await sentInvoice(world, {
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com', language: 'de-DE' } }],
    })

    const german = await page(path)
    const japanese = await page(`${path}?lang=ja`)

    expect(german.text).toContain('<html lang="de">')
    expect(german.text).toContain('74,21\u00a0$ bezahlen')
    expect(german.text).toContain('Fällig am 1. April 2026')
    expect(japanese.text).toContain('<html lang="ja">')
    expect(japanese.text).toContain('2026年4月1日')
  })

  it('follows the browser when the merchant names no language', async () => {
    const { path } = await sentInvoice(world)

    const french = await page(path, { 'accept-language': 'it;q=0.9, fr-CA;q=0.8, en;q=0.5' })

    expect(french.text).toContain('<html lang="fr">')
    expect(french.text).toContain('À payer avant le 1 avril 2026')
    expect((await page(path, { 'accept-language': 'it, de ; q=0.9, en; q=0.5' })).text).toContain('<html lang="de">')
    expect((await page(path, { 'accept-language': 'it, de;q=0, *' })).text).toContain('<html lang="en">')
  })

  it('says when it is overdue', async () => {
    const { path } = await sentInvoice(world, {}, { payment_term: { term_type: 'DUE_ON_RECEIPT' } })
    await world.pass('P2D')

    const { text } = await page(path)

    expect(text).toContain('Overdue since March 2, 2026')
    expect(text).toContain('class="till overdue"')
  })

  it('of a cancelled invoice says so and takes no money', async () => {
    const { id, path } = await sentInvoice(world)
    await world.merchant.post(`/v2/invoicing/invoices/${id}/cancel`, {})

    const { text } = await page(path)

    expect(text).toContain('Cancelled')
    expect(text).not.toContain('Pay $74.21')
  })

  it('does not exist for a draft, a deleted invoice or a code nobody has', async () => {
    const draft = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
    })
    const code = draft.body.id.replace('INV2-', '').replaceAll('-', '')

    for (const path of [`/invoice/p/${code}`, '/invoice/p/AAAABBBBCCCCDDDD', '/invoice/p/%3Cscript%3E'])
      expect((await page(path)).status).toBe(404)
  })

  it('comes with a policy under which nothing foreign is loaded and nothing inline runs', async () => {
    const { path } = await sentInvoice(world, {
      invoicer: { business_name: 'A', logo_url: 'https://cdn.example/logo.png' },
    })

    const { headers, text } = await page(path)
    const policy = String(headers['content-security-policy'])

    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'none'")
    expect(policy).toContain("img-src 'self' data:;")
    expect(text).not.toContain('cdn.example')
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script(?! src=)|<style| style=| on\w+=/)
    expect(headers['strict-transport-security']).toBeDefined()
    expect(headers['x-robots-tag']).toBe('noindex')
  })

  it('costs at most three statements, and one when it was seen before', async () => {
    const { path } = await sentInvoice(world)
    const count = async () => (await statementsOf(world, () => page(path))).length

    expect(await count()).toBeLessThanOrEqual(3)
    expect(await count()).toBe(1)
  })

  it('costs little processor time', async () => {
    const { path } = await sentInvoice(world)
    for (let i = 0; i < 20; i++) await page(path)

    await expectCostBelow(20 * 15, async () => {
      for (let i = 0; i < 20; i++) await page(path)
    })
  })
})

describe('The seller’s address of an invoice', () => {
  it('shows what the customer sees and which calls the API takes, and nothing that is only the seller’s', async () => {
    const { id, path } = await sentInvoice(world)
    const { pathname } = new URL((await shown(world, id)).detail.metadata.invoicer_view_url)

    const { status, text, headers } = await page(pathname)

    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'none'")
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-robots-tag']).toBe('noindex')
    for (const part of ['Seller’s view', 'Status SENT', 'Cover illustration', '$74.21', `${path}/pdf`])
      expect(text).toContain(part)
    const { body } = await world.merchant.get<{ links: { method: string; href: string }[] }>(`${INVOICES}/${id}`)
    for (const { method, href } of body.links)
      expect(text).toContain(`<code>${method} ${href.replace(PUBLIC_URL, '')}</code>`)
    for (const part of ['never see', '<form', '<button', 'Report a problem']) expect(text).not.toContain(part)
  })

  it('does not count as a visit of the customer', async () => {
    const { id } = await sentInvoice(world)

    await page(`/invoice/details/${id}`)

    expect((await shown(world, id)).detail.viewed_by_recipient).not.toBe(true)
  })

  it('follows the reader’s language and not the customer’s, and what is done meanwhile', async () => {
    const { id } = await sentInvoice(world, {
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com', language: 'de-DE' } }],
    })
    await world.merchant.post(`${INVOICES}/${id}/cancel`, {})

    const { text } = await page(`/invoice/details/${id.toLowerCase()}`, { 'accept-language': 'fr' })

    expect(text).toContain('<html lang="fr">')
    expect(text).toContain('Statut CANCELLED')
    expect(text).not.toContain('/remind')
    expect((await page(`/invoice/details/${id}?lang=ja`)).text).toContain('販売者向けの表示')
  })

  it('keeps a draft, a scheduled and a deleted invoice to itself: they look like one that never was', async () => {
    const made = async (detail: object) =>
      (await world.merchant.post<{ id: string }>(INVOICES, { detail: { currency_code: 'USD', ...detail } })).body.id
    const [draft, scheduled, deleted] = [await made({}), await made({ invoice_date: '2026-12-24' }), await made({})]
    await world.merchant.post(`${INVOICES}/${scheduled}/send`, {})
    await world.merchant.delete(`${INVOICES}/${deleted}`)
    const { code } = await sentInvoice(world)

    const never = await page('/invoice/details/INV2-AAAA-BBBB-CCCC-DDDD')
    expect(never.status).toBe(404)
    for (const id of [draft, scheduled, deleted, code, '%3Cscript%3E', 'INV2-%00'])
      expect([(await page(`/invoice/details/${id}`)).status, (await page(`/invoice/details/${id}`)).text]).toEqual([
        404,
        never.text,
      ])
  })
})

describe('Pages that are asked for too often', () => {
  let busy: World
  let sheet: string
  beforeAll(async () => {
    busy = await newWorld({ settings: { PUBLIC_URL, PAGE_RATE_LIMIT_PER_MINUTE: '5', TRUST_PROXY: '127.0.0.1' } })
    sheet = (await sentInvoice(busy)).path
  })
  // A try is earned back within seconds, which on a busy machine pass between two of these.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())
  afterAll(() => busy.close())

  const from = (address: string, path = sheet, method: 'GET' | 'POST' = 'GET', headers: Record<string, string> = {}) =>
    busy.call(method, path, method === 'POST' ? '' : undefined, {
      headers: {
        accept: 'text/html,*/*;q=0.8',
        'x-forwarded-for': address,
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    })
  const statuses = async (...calls: readonly Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status)

  it('answer with a page that says so, in the language of the reader, and when to come back', async () => {
    for (let n = 0; n < 5; n++) expect((await from('203.0.113.1')).status).toBe(200)

    const { status, headers, text } = await from('203.0.113.1', sheet, 'GET', { 'accept-language': 'de' })

    expect([status, headers['content-type']]).toEqual([429, 'text/html; charset=utf-8'])
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(headers['ratelimit-limit']).toBe('5')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).toContain('Zu viele Anfragen')
  })

  it('are counted together, whatever is asked for, also when there is nothing there', async () => {
    const address = '203.0.113.2'
    const asked = await statuses(
      from(address, `${sheet}/pay`),
      from(address, `${sheet}/pdf`),
      from(address, '/invoice/p/AAAABBBBCCCCDDDD'),
      from(address, '/invoice/details/INV2-AAAA-BBBB-CCCC-DDDD'),
      from(address, `${sheet}/problem`, 'POST'),
    )
    expect(asked).not.toContain(429)

    for (const path of [sheet, `${sheet}/pay`, `${sheet}/pdf`, `${sheet}/problem`, '/invoice/p'])
      expect((await from(address, path)).status, path).toBe(429)
    for (const path of [`${sheet}/pay`, `${sheet}/problem`])
      expect((await from(address, path, 'POST')).status, path).toBe(429)
  })

  it('leave other addresses alone, and one network of version 6 is one address', async () => {
    const spend = (network: string) => statuses(...[1, 2, 3, 4, 5].map((n) => from(`${network}::${n}`, '/invoice/p')))
    expect(await spend('2001:db8:1:2')).toEqual([200, 200, 200, 200, 200])

    expect(
      await statuses(
        from('2001:0DB8:1:2:ffff::9', '/invoice/p'),
        from('2001:db8:1:3::1', '/invoice/p'),
        from('203.0.113.3', '/invoice/p'),
        from('::ffff:203.0.113.1', '/invoice/p'),
      ),
    ).toEqual([429, 200, 200, 429])
  })

  it('do not count their style, and the API does not count pages', async () => {
    const style = /href="([^"]+\.css)"/.exec((await from('203.0.113.4')).text)![1]!
    for (let n = 0; n < 10; n++) expect((await from('203.0.113.4', style)).status).toBe(200)

    expect((await from('203.0.113.4')).status).toBe(200)
    expect((await busy.merchant.get('/v2/invoicing/invoices')).status).toBe(200)
  })
})
