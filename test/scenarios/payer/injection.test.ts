import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSheet, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { payloads } from '../../support/payloads.ts'
import { newWorld, type Response, usd, type World } from '../../support/world.ts'

/** Those with a tag in them, of all kinds. In a browser every one of the 200 is tried (test/browser/injection.test.ts). */
const tried = payloads.filter((text) => /<\w/.test(text) && !/[\r\n]/.test(text)).filter((_, i) => i % 16 === 0)

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const form = async (path: string, fields: Record<string, string>) => {
  const page = await world.call('GET', path)
  const cookie = String(page.headers['set-cookie'] ?? '').split(';')[0]!
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''
  const parts = Object.entries({ token: field('token'), payment: field('payment'), ...fields })
    .map(([name, value]) => `--xxFORMxx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')
  return world.call('POST', path, `${parts}--xxFORMxx--\r\n`, {
    headers: { 'content-type': 'multipart/form-data; boundary=xxFORMxx', origin: PUBLIC_URL, cookie },
  })
}

/** Every page a payer or seller meets on the way of an invoice with this text wherever one may be written. */
async function pagesWith(text: string, n: number): Promise<Record<string, Response<unknown>>> {
  const email = `payer-${n}@example.com`
  const name = { given_name: text.slice(0, 140), surname: text.slice(0, 140) }
  const { id, path } = await sentInvoice(
    world,
    {
      invoicer: { business_name: text.slice(0, 300), name, email_address: 'merchant@example.com' },
      primary_recipients: [{ billing_info: { email_address: email, name, business_name: text.slice(0, 300) } }],
      items: [{ name: text.slice(0, 200), description: text, quantity: '1', unit_amount: usd('10.00') }],
      configuration: { allow_tip: true, partial_payment: { allow_partial_payment: true } },
    },
    { note: text, reference: text.slice(0, 120), terms_and_conditions: text },
  )
  const get = (address: string) => world.call('GET', address)
  const page = await get(path)
  const details = await get(`/invoice/details/${id}`)
  const sheet = await openSheet(world, path)
  const refused = await sheet.send({ amount: text })
  const paid = await (await openSheet(world, path)).send()
  const report = await get(`${path}/problem`)
  await form(`${path}/problem`, { reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED', text })
  const reported = await get(`${path}/problem`)
  await world.settle()
  const query = { to: email }
  const { mails } = (await world.call<{ mails: { links: string[] }[] }>('GET', '/sandbox/mail', undefined, { query }))
    .body
  return {
    page,
    details,
    'payment sheet': sheet.sheet,
    'refused amount': refused,
    'page after paying': await get(String(paid.headers['location'])),
    'report form': report,
    'reported page': reported,
    'case page': await get(new URL(mails[0]!.links[0]!).pathname),
    'page of no invoice': await get(
      `/invoice/p/${encodeURIComponent(text.slice(0, 40))}?lang=${encodeURIComponent(text.slice(0, 30))}`,
    ),
  }
}

describe('No text of a stranger is markup', () => {
  it.each(tried.map((text, n) => [n, text] as const))('on nine pages, payload %i', async (n, text) => {
    const pages = await pagesWith(text, n)

    expect(Object.keys(pages)).toHaveLength(9)
    for (const [name, { text: html, headers }] of Object.entries(pages)) {
      expect(html.startsWith('<!doctype html>'), `${name}: ${html.slice(0, 200)}`).toBe(true)
      expect(html.includes(text), name).toBe(false)
      expect(html, name).not.toMatch(
        /<script(?! src=)|<(iframe|object|embed|svg on|img src=x|body on|math|video|audio)|<\w[^>]*\son\w+=/i,
      )
      expect(String(headers['content-security-policy']), name).toMatch(/default-src 'none'; script-src '(none|self)'/)
    }
    expect(pages['case page']!.status).toBe(200)
  })

  it('with enough of them', () => {
    expect(tried.length).toBe(12)
  })
})
