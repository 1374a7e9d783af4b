import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../support/command.ts'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, type World } from '../../support/world.ts'

const PAGE_MAX = 100_000
const SCRIPT_MAX = 60_000
const host = 'localhost:8080'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const get = (path: string) => world.call('GET', path, undefined, { headers: { accept: 'text/html', host } })
const page = async (path: string, status = 200) => {
  const answer = await get(path)
  expect([path, answer.status, answer.headers['content-type']]).toEqual([path, status, 'text/html; charset=utf-8'])
  return answer.text
}
const sends = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  world.call('POST', path, new URLSearchParams(fields).toString(), {
    headers: { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
const operations = async () => {
  const { body } = await world.call<{ paths: Record<string, Record<string, { operationId: string }>> }>(
    'GET',
    '/openapi.json',
  )
  return Object.values(body.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
}
/** The value of an input of the form with which an operation is tried. */
const typed = (markup: string, name: string) =>
  new RegExp(`name="${name.replace('.', '\\.')}" value="([^"]*)"`).exec(markup)?.[1] ?? ''

describe('The reference', () => {
  it('can be read where the apps of the seeded people are disabled or gone', async () => {
    const disable = await run(['apps', 'disable', 'sandbox-merchant'], { DATABASE_URL: world.databaseUrl })
    expect(disable.code).toBe(0)

    const markup = await page('/docs/createInvoice')
    expect([typed(markup, 'authorization'), markup.includes('Create a draft invoice')]).toEqual(['', true])

    await run(['apps', 'enable', 'sandbox-merchant'], { DATABASE_URL: world.databaseUrl })
    expect(typed(await page('/docs/createInvoice'), 'authorization')).toMatch(/^Bearer ./)
  })

  it('begins with every operation, under the name that older links have', async () => {
    const markup = await page('/docs')

    for (const id of await operations())
      expect(markup, id).toContain(`<li id="${id}"><a class="row" href="/docs/${id}">`)
    expect(gzipSync(markup).length).toBeLessThan(PAGE_MAX)
  })

  it('has a page for every operation that keeps to its budget and to the policy', async () => {
    for (const id of await operations()) {
      const { text, status, headers } = await get(`/docs/${id}`)
      expect([id, status]).toEqual([id, 200])
      expect(text.length, id).toBeGreaterThan(2_000)
      expect(gzipSync(text).length, id).toBeLessThan(PAGE_MAX)
      expect(text, id).not.toMatch(/ style="|<style|<script>| on\w+="|"javascript:/)
      expect(text, id).toContain('curl -s')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
    }
  })

  it('tells of an operation what it takes, answers and refuses, with a recorded call', async () => {
    const markup = await page('/docs/recordPayment')

    for (const part of [
      'Record a payment made outside the service',
      '/v2/invoicing/invoices/{invoice_id}/payments',
      'invoicing/invoices/readwrite',
      'Notes money that reached you outside the service',
      '<code class="name">payment_date</code>',
      'BANK_TRANSFER',
      'Answer 200',
      'PAYMENT_<wbr>AMOUNT_<wbr>GREATER_<wbr>THAN_<wbr>AMOUNT_<wbr>DUE',
      'Send at most what is due.',
      'client.invoices.recordPayment(',
      'Service-Request-Id',
    ])
      expect(markup).toContain(part)
  })

  it('speaks both dialects', async () => {
    const markup = await page('/docs/recordPayment?dialect=paypal')

    expect(markup).toContain('PayPal-Request-Id')
    expect(markup).toMatch(/<code>PAYPAL<\/code>/)
    expect(markup).not.toMatch(/<code>SERVICE<\/code>/)
    expect(markup).toContain('href="/docs/sendInvoice?dialect=paypal"')
  })

  it('finds operations, paths, fields and errors', async () => {
    const found = async (query: string) => {
      const markup = await page(`/docs/search?q=${encodeURIComponent(query)}`)
      return [...markup.matchAll(/class="row" href="([^"]*)"/g)].map(([, href]) => href!)
    }

    expect((await found('refundCapture'))[0]).toBe('/docs/refundCapture')
    expect(await found('/v1/oauth2/token')).toContain('/docs/createAccessToken')
    expect((await found('tax_inclusive'))[0]).toMatch(/^\/docs\/\w+#(body|answer)-.*tax_inclusive$/)
    expect(await found('duplicate number')).toContain('/docs/errors#DUPLICATE_INVOICE_NUMBER')
    expect(await page('/docs/search?q=quuxfrobnicate')).toContain('Nothing is called so')
    expect((await get('/docs/search/part?q=invoice')).text).toMatch(/^<section class="hits">/)
  })

  it('leads from a field that was found to where it stands', async () => {
    const markup = await page('/docs/search?q=minimum_amount_due')
    const [, path, anchor] = /href="(\/docs\/\w+)#([^"]*minimum_amount_due)"/.exec(markup)!

    expect(await page(path!)).toContain(`id="${anchor}"`)
  })

  it('calls no two operations of a group the same in its list', async () => {
    const groups = (await page('/docs')).matchAll(/<details name="group".*?<\/details>/gs)
    for (const [group] of groups) {
      const names = [...group.matchAll(/<a [^>]*>([^<]*)</g)].map(([, name]) => name)
      expect(names).toEqual([...new Set(names)])
    }
  })

  it('lists every error with what mends it and where it comes', async () => {
    const markup = await page('/docs/errors')

    expect(markup).toContain('id="INVOICE_CANCELED_ALREADY"')
    expect(markup).toContain('href="/docs/cancelInvoice#error-CANNOT_CANCEL_DRAFT_INVOICE"')
    const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('serves style and script itself, for ever, within their budget', async () => {
    const markup = await page('/docs')
    for (const [, path] of markup.matchAll(/(?:href|src)="(\/docs\/assets\/[^"]+)"/g)) {
      const { status, text, headers } = await world.call('GET', path!)
      expect([path, status]).toEqual([path, 200])
      expect(headers['cache-control']).toContain('immutable')
      expect(gzipSync(text).length).toBeLessThan(SCRIPT_MAX)
    }
    expect((await world.call('GET', '/docs/assets/x/app.ts')).status).toBe(404)
  })

  it('refuses what it does not know with a page', async () => {
    await page('/docs')
    expect(await page('/docs/noSuchThing', 404)).toContain('No operation has this name.')
    expect((await get('/docs/%3Cscript%3E')).text).not.toContain('<script>')
  })
})

describe('Trying an operation', () => {
  it('calls it with the token that is filled in, and shows what was answered', async () => {
    const form = await page('/docs/createInvoice')
    const body = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(form)![1]!.replaceAll('&quot;', '"')

    const answer = await sends('/docs/createInvoice/try', { authorization: typed(form, 'authorization'), body })
    const listed = await world.merchant.get<{ items: { id: string }[] }>('/v2/invoicing/invoices')

    expect(answer.status).toBe(200)
    expect(answer.text).toContain('<span class="status fine">201</span>')
    expect(answer.text).toContain(listed.body.items[0]!.id)
    expect(answer.text).toMatch(/href="\/console\/requests\/[0-9a-f]+"/)
  })

  it('is filled in with the newest thing there is, for whoever is chosen', async () => {
    const made = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: [{ name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '9.00' } }],
    })
    const merchant = await page('/docs/showInvoice')
    const other = await page('/docs/showInvoice?as=sandbox-merchant-2')

    expect(typed(merchant, 'parameter.invoice_id')).toBe(made.body.id)
    expect(typed(other, 'parameter.invoice_id')).not.toBe(made.body.id)
    expect(typed(other, 'authorization')).not.toBe(typed(merchant, 'authorization'))
    const shown = await sends('/docs/showInvoice/try?part=1', {
      authorization: typed(merchant, 'authorization'),
      'parameter.invoice_id': made.body.id,
    })
    expect(shown.text).toMatch(/^<div class="answer-of-try">/)
    expect(shown.text).toContain('A chair')
  })

  it('shows refusals as they are, also of what is no JSON', async () => {
    const authorization = typed(await page('/docs/createInvoice'), 'authorization')

    expect((await sends('/docs/createInvoice/try', { authorization, body: '{' })).text).toContain(
      'MALFORMED_REQUEST_JSON',
    )
    expect((await sends('/docs/createInvoice/try', { body: '{}' })).text).toContain(
      '<span class="status refused">401</span>',
    )
    expect((await sends('/docs/showInvoice/try', { authorization, 'parameter.invoice_id': '../x' })).text).toContain(
      '404',
    )
  })

  it('sends forms as forms, and files beside JSON', async () => {
    const token = await page('/docs/createAccessToken')
    const body = '{"grant_type":"client_credentials"}'
    expect(
      (await sends('/docs/createAccessToken/try', { authorization: typed(token, 'authorization'), body })).text,
    ).toContain('access_token')
    expect(await page('/docs/disputeProvideEvidence')).toContain('enctype="multipart/form-data"')
  })

  it('is nothing that happens, until something is sent', async () => {
    const before = await world.call<{ requests: { operation: string }[] }>('GET', '/sandbox/requests?page_size=100')

    await page('/docs/listDisputes?as=sandbox-partner')
    await page('/docs/search?q=dispute')

    const after = await world.call<{ requests: { operation: string }[] }>('GET', '/sandbox/requests?page_size=100')
    const seen = (list: typeof after) => list.body.requests.map(({ operation }) => operation)
    expect(seen(after).filter((name) => /^reference|createAccessToken/.test(name))).toEqual(
      seen(before).filter((name) => /^reference|createAccessToken/.test(name)),
    )
  })

  it('takes forms from its own pages only', async () => {
    for (const origin of ['https://elsewhere.example', 'null'])
      expect((await sends('/docs/resetSandbox/try', { body: '{}' }, { origin })).status, origin).toBe(403)
  })

  it('prints whatever was typed or answered, and runs none of it', async () => {
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`
    const made = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', note: evil },
      items: [{ name: evil, quantity: '1', unit_amount: { currency_code: 'USD', value: '9.00' } }],
    })
    const { authorization } = { authorization: `Bearer ${await world.tokenFor('sandbox-merchant')}` }
    const pages = [
      await sends('/docs/showInvoice/try', { authorization, 'parameter.invoice_id': made.body.id }),
      await sends('/docs/showInvoice/try', { authorization: evil, 'parameter.invoice_id': evil }),
      await sends('/docs/createInvoice/try', { authorization, body: evil }),
      await get(`/docs/search?q=${encodeURIComponent(evil)}`),
      await get(`/docs/search/part?q=${encodeURIComponent(evil)}`),
      await get(`/docs/showInvoice?as=${encodeURIComponent(evil)}`),
      await get(`/docs/showInvoice?dialect=${encodeURIComponent(evil)}`),
    ]

    for (const { text } of pages) expect(text).not.toMatch(/<img src=x|<script>alert/)
  })
})

describe('The reference of a live service', () => {
  it('is there to be read, without a token of anybody and with nothing to try', async () => {
    const live = await newLiveWorld()
    const read = (path: string) => live.call('GET', path, undefined, { headers: { accept: 'text/html' } })
    const { status, text } = await read('/docs/createInvoice')
    const tried = await live.call('POST', '/docs/createInvoice/try', 'body=%7B%7D', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

    expect(status).toBe(200)
    expect(text).toContain('Bearer $TOKEN')
    expect(text).not.toMatch(/Try it|data-try|Bearer A21/)
    expect(tried.status).toBe(403)
    expect((await read('/docs/listSandboxMail')).status).toBe(404)
    expect((await read('/docs')).text).not.toContain('href="/console"')
    await live.close()
  })
})
