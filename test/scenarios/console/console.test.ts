import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Eyes } from '../../../src/console/who.ts'
import { stories } from '../../../src/disputes/stories.ts'
import { consoleOf, formsIn } from '../../support/console.ts'
import { formIn } from '../../support/live-console.ts'
import { Receiver } from '../../support/receiver.ts'
import { over } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { open } from '../disputes/people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const line = { '/items/0/name': 'A chair', '/items/0/quantity': '2', '/items/0/unit_amount/value': '49.50' }

describe('The console of a sandbox', () => {
  it('is where the first page leads, with a policy under which nothing foreign runs', async () => {
    const first = await world.call('GET', '/', undefined, { headers: { accept: 'text/html' } })
    const page = await world.call('GET', '/console/invoices')

    expect([first.status, first.headers['location']]).toEqual([303, '/console'])
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
    expect(page.text).not.toMatch(/ style=|<style|<script>| on\w+=/)
  })

  it.each(['/console/invoices', '/openapi.json', '/console/invoices/csv'])(
    'answers a HEAD of %s as a GET, without what follows',
    async (url) => {
      const [got, head] = await Promise.all(
        (['GET', 'HEAD'] as const).map((method) => world.app.server.inject({ method, url })),
      )

      expect([head!.statusCode, head!.headers['content-type']]).toEqual([got!.statusCode, got!.headers['content-type']])
      expect([head!.headers['content-length'], head!.body]).toEqual([got!.headers['content-length'], ''])
    },
  )

  it('has a style that browsers keep for ever, under the address of its own version alone', async () => {
    const page = await consoleOf(world).page('/console/invoices')
    const [, address] = /href="(\/console\/assets\/[^"]*\/console\.css)"/.exec(page)!
    const kept = async (path: string) => (await world.call('GET', path)).headers['cache-control']

    expect(await kept(address!)).toBe('public, max-age=31536000, immutable')
    // Of a page that a process of another version drew.
    expect(await kept('/console/assets/0123456789abcdef/console.css')).toBe('no-store')
  })

  it('hands callers over by tickets that nobody else can bring', async () => {
    for (const ticket of ['', 'A', 'x'.repeat(43)]) {
      const { status } = await world.call('GET', '/v2/invoicing/invoices', undefined, {
        headers: { authorization: `Inner ${ticket}` },
      })
      expect(status, ticket).toBe(401)
    }
  })

  it('is light or dark as the system says, or as somebody chose, and tells its keys', async () => {
    const chosen = await consoleOf(world).send('/console/theme', { theme: 'dark', back: '/console/invoices' })
    expect([chosen.status, chosen.location]).toEqual([303, '/console/invoices'])
    const cookie = String(chosen.headers['set-cookie']).split(';')[0]!
    const page = async (headers: Record<string, string>) =>
      (await world.call('GET', '/console/invoices', undefined, { headers: { host: 'localhost:8080', ...headers } }))
        .text

    expect(cookie).toBe('console-theme=dark')
    expect(await page({ cookie })).toContain('<html lang="en" data-theme="dark">')
    for (const other of ['', 'console-theme=system', 'console-theme=%22%3E'])
      expect(await page({ cookie: other }), other).toMatch(/<html lang="en">.*id="keys" popover/s)
    const odd = await consoleOf(world).send('/console/theme', { theme: '"><script>', back: '//elsewhere.example' })
    expect([odd.location, String(odd.headers['set-cookie']).split(';')[0]]).toEqual([
      '/console',
      'console-theme=system',
    ])
  })

  it('leads back to a page as it was asked for, and never to the address of a form', async () => {
    const merchant = consoleOf(world)
    const backOn = (page: string) =>
      [...page.matchAll(/name="back" value="([^"]*)"/g)].map(([, back]) => back!.replaceAll('&amp;', '&'))
    const invoice = (await merchant.send('/console/invoices/new', line)).location

    const asked = backOn(await merchant.page('/console/invoices?q=a+chair&status=DRAFT'))
    const edited = await merchant.send(`${invoice}/edit`, { ...line, '/items/0/quantity': 'two' })
    const kept = await merchant.send('/console/snapshots', { '/name': 'no spaces' })
    const chosen = await merchant.send('/console/theme', { theme: 'dark', back: asked[0]! })
    await merchant.send(`${invoice}/delete`)

    expect(new Set(asked)).toEqual(new Set(['/console/invoices?q=a+chair&status=DRAFT']))
    expect(chosen.location).toBe('/console/invoices?q=a+chair&status=DRAFT')
    expect([edited.status, new Set(backOn(edited.text))]).toEqual([422, new Set([`${invoice}/edit`])])
    expect([kept.status, new Set(backOn(kept.text))]).toEqual([422, new Set(['/console'])])
  })

  it('takes forms from its own pages only', async () => {
    const { send } = consoleOf(world)

    for (const origin of ['https://elsewhere.example', 'null'])
      expect((await send('/console/invoices/new', line, { origin })).status, origin).toBe(403)
    expect((await consoleOf(world).page('/console/invoices')).includes('A chair')).toBe(false)
  })

  it('writes, sends and settles an invoice, each once however often it is clicked', async () => {
    const merchant = consoleOf(world)
    const written = await merchant.send('/console/invoices/new', {
      ...line,
      '/detail/currency_code': 'USD',
      '/primary_recipients/0/billing_info/email_address': 'buyer@example.com',
    })
    expect([written.status, written.location]).toEqual([303, expect.stringMatching(/^\/console\/invoices\/INV2-/)])
    const at = written.location
    const id = at.split('/').at(-1)!
    expect(formsIn(await merchant.page(at))).toEqual(['send', 'record-payment', 'delete'].map((rel) => `${at}/${rel}`))

    const edited = await merchant.send(`${at}/edit`, {
      ...line,
      '/detail/currency_code': 'USD',
      '/detail/reference': 'PO 7',
    })
    expect(edited.status).toBe(303)
    expect((await merchant.send(`${at}/send`)).location).toBe(at)
    expect((await world.call('GET', `${at}/qr-code`)).headers['content-type']).toBe('image/png')
    const twice = {
      'request-id': 'console-abc',
      '/method': 'CASH',
      '/amount/value': '9.00',
      '/amount/currency_code': 'USD',
    }
    await merchant.send(`${at}/record-payment`, twice)
    await merchant.send(`${at}/record-payment`, twice)

    const shown = await world.merchant.get<{ status: string; due_amount: object; detail: { reference: string } }>(
      `/v2/invoicing/invoices/${id}`,
    )
    expect(shown.body).toMatchObject({
      status: 'PARTIALLY_PAID',
      due_amount: usd('90.00'),
      detail: { reference: 'PO 7' },
    })
    const page = await merchant.page(at)
    expect(page).toContain('Delete the record')
    const record = /action="([^"]*\/payments\/[^"]*\/delete)"/.exec(page)![1]!
    expect((await merchant.send(record)).status).toBe(303)
    expect((await merchant.send(`${at}/remind`)).status).toBe(303)
    expect((await merchant.send(`${at}/cancel`)).status).toBe(303)
    expect(formsIn(await merchant.page(at))).toEqual([])
  })

  it('says what is wrong beside the field, keeps what was typed, and changes nothing', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', { ...line, '/detail/currency_code': 'USD' })

    const refused = await merchant.send(`${location}/record-payment`, {
      '/method': 'CASH',
      '/amount/value': '9999.00',
      '/amount/currency_code': 'USD',
      '/note': 'Line <b>14</b>',
    })

    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Nothing was changed.')
    expect(refused.text).toMatch(/<p class="problem" id="record-payment-amount-problem">At most 99.00 USD is due/)
    expect(refused.text).toContain('value="9999.00"')
    expect(refused.text).toContain('Line &lt;b&gt;14&lt;/b&gt;')
    expect((await world.merchant.get(`/v2/invoicing/invoices/${location.split('/').at(-1)}`)).body).toMatchObject({
      status: 'DRAFT',
    })
  })

  it('says so when a fault of the sandbox takes the call away', async () => {
    await world.call('POST', '/sandbox/faults', { fault: 'drop', operation: 'createInvoice', times: 1 })
    const write = () => consoleOf(world).send('/console/invoices/new', { ...line, '/detail/currency_code': 'USD' })
    expect((await write()).status).toBe(503)
    expect((await write()).status).toBe(303)
  })

  it('shows nobody what is not theirs', async () => {
    const { location } = await consoleOf(world).send('/console/invoices/new', {
      ...line,
      '/detail/currency_code': 'USD',
    })

    for (const as of ['merchant2', 'partner'] as const) {
      await consoleOf(world, as).page(location, 404)
      expect((await consoleOf(world, as).send(`${location}/send`)).status, as).toBe(404)
    }
    for (const as of ['buyer', 'agent'] as const) {
      await consoleOf(world, as).page(location, 403)
      expect((await consoleOf(world, as).send(`${location}/send`)).status, as).toBe(403)
    }
    expect((await world.merchant.get(`/v2/invoicing/invoices/${location.split('/').at(-1)}`)).body).toMatchObject({
      status: 'DRAFT',
    })
  })
})

describe('Requests, mail, webhooks and money', () => {
  it('are pages of what the API tells about them', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', {
      ...line,
      '/detail/currency_code': 'USD',
      '/primary_recipients/0/billing_info/email_address': 'buyer@example.com',
    })
    const listened = await merchant.send('/console/webhooks', {
      '/url': 'http://127.0.0.1:1/hooks',
      '/event_types': '*',
    })
    expect(listened.status).toBe(422)
    expect(listened.text).toMatch(/<p class="problem" id="listen-url-problem">/)
    const webhook = (
      await merchant.send('/console/webhooks', { '/url': 'http://127.0.0.1:4999/hooks', '/event_types': '*' })
    ).location
    await merchant.send(`${location}/send`)
    await world.settle()

    await world.pass('PT5M')
    // However often a delivery is attempted, it is one row.
    const told = (await merchant.page('/console')).split('<li class="thread"').findLast((one) => one.includes(':4999'))!
    const rows = told.match(/\/console\/deliveries\/[^"]+/g)!
    expect(new Set(rows).size).toBe(rows.length)
    expect(told).toMatch(/class="tries" role="img" aria-label="\d attempts".*connection refused, again at/s)
    expect(await merchant.page('/console/webhooks')).toMatch(
      /:4999\/hooks<\/a>.*?<b class="warn">fails<\/b><small>connection refused, \d waiting/s,
    )
    const failing = await merchant.page(webhook)
    expect(failing).toMatch(/Arrived, 24 hours<\/dt><dd>0 of \d.*Waiting<\/dt><dd>\d/s)
    expect(failing).not.toContain('Answers in')
    expect(await merchant.page('/console/invoices')).toMatch(/Webhooks<span class="count">.*?>1<span/s)
    expect(await consoleOf(world, 'merchant2').page('/console/invoices')).not.toContain('Webhooks<span')
    expect(await merchant.page('/console/webhooks?only=failed')).toContain('No delivery like that')
    expect(await merchant.page(`${webhook}?only=waiting`)).toContain('/console/deliveries/')
    expect(await merchant.page(`${webhook}?only=failed`)).not.toContain('/console/deliveries/')
    const delivery = /href="(\/console\/deliveries\/[^"]*)"/.exec(await merchant.page(webhook))![1]!
    expect(await merchant.page(delivery)).toContain('Any answer from 200 to 299 counts as arrived.')
    expect(await merchant.page(delivery)).toContain('INVOICING')
    expect((await merchant.send(`${delivery}/attempt`)).status).toBe(303)
    expect((await merchant.send(`${delivery}/resend`)).location).toBe(delivery)
    expect((await merchant.send(`${webhook}/replay`)).location).toBe(webhook)
    expect((await merchant.send(`${webhook}/sample`)).location).toBe(webhook)
    for (const as of ['merchant2', 'partner'] as const) await consoleOf(world, as).page(webhook, 404)
    for (const as of ['merchant2', 'partner'] as const) await consoleOf(world, as).page(delivery, 404)
    expect((await merchant.send(`${webhook}/delete`)).location).toBe('/console/webhooks')

    const mail = await merchant.page('/console/mail')
    const open = /href="(\/console\/mail\?open=[^"]*)"/.exec(mail)![1]!
    const body = /src="(\/console\/mail\/[^"]*)"/.exec(await merchant.page(open))![1]!
    const shown = await world.call('GET', body.replaceAll('&amp;', '&'))
    expect([shown.status, body]).toEqual([200, expect.stringMatching(/^\/console\/mail\/[^/?]+\/body$/)])
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'")
    expect(await merchant.page('/console/money')).toContain('Opening balance')
    expect(await consoleOf(world, 'buyer').page('/console/money')).toContain('has no books')

    const id = location.split('/').at(-1)!
    expect(await merchant.page(location)).toContain(`href="/console/money?invoice=${id}">Movements`)
    expect(await merchant.page(location)).toMatch(/<h2>Events<\/h2>.*INVOICING\.<wbr>INVOICE\.<wbr>SENT<\/a>/s)
    expect(await merchant.page(`/console/money?invoice=${id}`)).toContain('No money has moved')
    await world.call('POST', `/sandbox/invoices/${id}/pay`)
    const moved = await merchant.page(`/console/money?invoice=${id}`)
    expect(moved).toMatch(/<p class="sub">Of <a href="[^"]+">Invoice \d+<\/a>.*<b>Capture<\/b>/s)
    expect(moved).not.toMatch(/Opening balance|Available after it<\/th>.*\$1,000/s)
    const file = await merchant.page(`/console/money/csv?invoice=${id}`)
    expect(file.split('\r\n').filter((row) => row.includes(id))).toHaveLength(file.trim().split('\r\n').length - 1)
    expect(await consoleOf(world, 'merchant2').page(`/console/money?invoice=${id}`)).toContain('No money has moved')
  })

  it('show a refusal where it is wrong, and can be sent again, mended', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', { ...line, '/detail/currency_code': 'USD' })
    const id = location.split('/').at(-1)!
    const refused = await world.merchant.post<{ debug_id: string }>(`/v2/invoicing/invoices/${id}/payments`, {
      method: 'CASH',
      amount: usd('9999.00'),
    })
    const at = `/console/requests/${refused.body.debug_id}`

    expect(await merchant.page('/console/requests?show=trouble')).toContain(at)
    const page = await merchant.page(at)
    expect(page).toMatch(/class="line bad".*?9999\.00.*?class="why".*?At most 99\.00 USD is due/s)
    expect(page).not.toContain('Bearer A21')
    const code = /\/docs\/errors#(\w+)">What this issue means/.exec(page)![1]!
    expect([code.length > 5, page.includes('What it caused')]).toEqual([true, false])
    const sums = await merchant.page('/console/requests')
    expect(sums).toMatch(/Problems, by kind.*Record a payment.*aria-label="Time to answer: half [^"]+">/s)
    expect(sums).toContain(`/console/requests?show=trouble&amp;q=${code}`)
    expect(await merchant.page(`/console/requests?show=trouble&q=${code}`)).toContain(at)
    expect(page).toContain(`client.invoices.recordPayment(&quot;${id}&quot;, {`)
    expect(await merchant.page(`${at}/part`)).toContain('At most 99.00 USD is due')
    const again = await merchant.send(`${at}/again`, { body: JSON.stringify({ method: 'CASH', amount: usd('9.00') }) })
    expect(again.location).toMatch(/^\/console\/requests\//)
    expect(again.location).not.toBe(at)
    expect((await world.merchant.get(`/v2/invoicing/invoices/${id}`)).body).toMatchObject({ status: 'PARTIALLY_PAID' })
    expect(await merchant.page(again.location)).toMatch(new RegExp(`What it caused.*${id}.*Partly paid`, 's'))
    expect((await merchant.send(`${at}/again`, { body: '{' })).status).toBe(422)
    const found = await world.call('GET', `/console/search?q=${refused.body.debug_id}`)
    expect(found.headers['location']).toBe(at)
  })
})

let payments = 1
describe('The clock and the search field', () => {
  it('move and stop time, and say what happened on the way', async () => {
    const before = world.now()
    const moved = await consoleOf(world).send('/console/clock', { advance: 'P1D', back: '/console/invoices?view=paid' })

    expect([moved.status, moved.location]).toEqual([303, '/console/invoices?view=paid'])
    expect(decodeURIComponent(String(moved.headers['set-cookie']))).toMatch(/The clock moved 1 d; .* on the way\./)
    expect(Date.parse(world.now()) - Date.parse(before)).toBe(86_400_000)
    expect(
      (await consoleOf(world).send('/console/clock', { advance: 'P1D', back: '//elsewhere.example' })).location,
    ).toBe('/console')
  })

  it('say of what is due that it is to be done now, and not that it was done before', async () => {
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '10.00' } }],
    })
    await world.merchant.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    for (const path of ['/console', '/console/clock'])
      expect(await consoleOf(world).page(path)).toMatch(/<b><time [^>]*data-away="ahead">now<\/time><\/b>/)
    await world.settle()
  })

  it('leave the clock as it is where it cannot go or nobody says where, and say so on the page', async () => {
    const merchant = consoleOf(world)
    const back = '/console/clock'
    const before = world.now()
    const past = await merchant.send('/console/clock', { to: '2001-01-01T00:00', back })
    expect([past.status, past.location]).toEqual([303, back])
    expect(await merchant.told(past)).toMatchObject({ tone: 'bad', said: expect.stringContaining('cannot go back') })
    // An empty field is nothing that starts a clock which was stopped.
    const nowhere = await merchant.send('/console/clock', { to: '', back })
    expect(await merchant.told(nowhere)).toMatchObject({ tone: 'bad', said: expect.stringContaining('Nothing was') })
    expect((await world.call('GET', '/sandbox/clock')).body).toEqual({ now: before, frozen: true })
    // The field and its button are a form of their own, so that Enter is that button.
    expect(await merchant.page(back)).toMatch(/<form class="to"[^>]*>[^\0]*?<input[^>]* name="to"[^>]* required>/)
  })

  it('lead to what an id or a number names', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', {
      ...line,
      '/detail/currency_code': 'USD',
      '/detail/invoice_number': 'FIND-1',
    })

    for (const q of [location.split('/').at(-1)!, 'FIND-1']) {
      const { status, headers } = await world.call('GET', `/console/search?q=${q}`)
      expect([status, headers['location']], q).toEqual([303, location])
    }
    expect(await merchant.page('/console/search?q=%3Cscript%3E')).toContain('“&lt;script&gt;”')
    const to = async (q: string, as: Eyes = 'merchant') =>
      (await world.call('GET', `/console/search?q=${q}`, undefined, { headers: { cookie: `console-eyes=${as}` } }))
        .headers['location']
    expect(await to('buyer@example.com')).toBe('/console/invoices?q=buyer%40example.com')
    await merchant.send(`${location}/send`)
    const { body } = await world.call<{ payment_id: string }>(
      'POST',
      `/sandbox/invoices/${location.split('/').at(-1)}/pay`,
    )
    expect([await to(body.payment_id), await to(body.payment_id.toLowerCase())]).toEqual([location, location])
    for (const as of ['merchant2', 'buyer', 'agent'] as const) expect(await to(body.payment_id, as), as).toBeUndefined()
  })
})

const agents = ['adjudicate', 'require-evidence']

/** What the API links to for one of the eyes: parties act as parties, and agents as agents. */
async function linked(as: Eyes, id: string): Promise<string[]> {
  const person = as === 'buyer' ? world.buyer : world.merchant
  const { body } = await person.get<{ links: { href: string; method: string }[] }>(`/v1/customer/disputes/${id}`)
  const all = [
    ...new Set(body.links.filter(({ method }) => method === 'POST').map(({ href }) => href.split('/').at(-1)!)),
  ]
  return all.filter((action) => agents.includes(action) === (as === 'agent'))
}

describe('A dispute at the console', () => {
  for (const { title, steps } of stories)
    it(`shows everybody exactly what they may do: ${title}`, async () => {
      let id = ''
      for (const { who, does, with: body, answer } of steps) {
        const person = who === 'buyer' ? world.buyer : world.merchant
        if (who === 'another merchant' || does === 'patch' || does === 'read') continue
        if (who === 'time') await world.call('POST', '/sandbox/clock', { advance: does })
        else if (does === 'open') {
          const opening = structuredClone(body) as { disputed_transactions: { buyer_transaction_id: string }[] }
          opening.disputed_transactions[0]!.buyer_transaction_id = `CONSOLE${payments++}`
          const { body: made } = await person.post<{ links: { href: string }[] }>('/v1/customer/disputes', opening)
          id = made.links[0]!.href.split('/').at(-1)!
          await world.settle()
        } else {
          const { status } = await person.post(`/v1/customer/disputes/${id}/${does}`, body)
          expect(String(status), does).toBe(answer!.slice(0, 3))
        }
        for (const as of ['merchant', 'buyer', 'agent'] as const) {
          const markup = await consoleOf(world, as).page(`/console/disputes/${id}`)
          const shown = formsIn(markup).map((action) => action.split('/').at(-1)!)
          expect(shown.toSorted(), `${as} after ${does}`).toEqual((await linked(as, id)).toSorted())
          // What cannot be undone stands behind all else.
          const grave = ['accept-claim', 'cancel'].filter((action) => shown.includes(action))
          expect(shown.slice(shown.length - grave.length).toSorted()).toEqual(grave)
        }
      }
    })

  it('costs no fee on its page where nothing is left to refund', async () => {
    const made = await world.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
      '/sandbox/transactions',
      { amount: { currency_code: 'USD', value: '20.00' }, buyer_email: world.people.buyer.email },
    )
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: made.body.buyer_transaction_id }],
      reason: 'INCORRECT_AMOUNT',
    })
    const at = `/console/disputes/${opened.body.links[0]!.href.split('/').at(-1)}`
    const costs = async () =>
      /If decided for the buyer<\/dt><dd>(.*?)<\/dd>/s.exec(await consoleOf(world, 'merchant').page(at))![1]!
    expect(await costs()).toMatch(/^\$20\.00 goes back.*a fee of \$15\.00/s)

    await world.merchant.post(`/v2/payments/captures/${made.body.seller_transaction_id}/refund`)

    expect(await costs()).toBe('$0.00 goes back')
  })

  it('is opened, talked about, escalated, answered with a file and decided, from every side', async () => {
    const [buyer, merchant, agent] = (['buyer', 'merchant', 'agent'] as const).map((as) => consoleOf(world, as))
    const opened = await buyer!.send('/console/disputes/new', {
      '/reason': 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      '/disputed_transactions/0/buyer_transaction_id': 'CONSOLEPLAY1',
      '/dispute_amount/value': '20.00',
      '/dispute_amount/currency_code': 'USD',
      '/messages/0/content': 'Nothing came.',
    })
    const at = opened.location
    await world.settle()
    expect((await merchant!.send(`${at}/send-message`, { '/message': 'We look into it.' })).status).toBe(303)
    expect((await merchant!.send(`${at}/adjudicate`, { '/adjudication_outcome': 'SELLER_FAVOR' })).status).toBe(403)
    expect((await buyer!.send(`${at}/escalate`, { '/note': 'Enough.' })).status).toBe(303)
    const claim = await merchant!.page(at)
    expect(claim).toMatch(
      /If decided for the buyer<\/dt><dd>\$20\.00 goes back.*<h2>Events<\/h2>.*DISPUTE\.<wbr>CREATED/s,
    )
    expect(claim).toMatch(/As a request.*curl -s -X POST [^ ]+\/provide-evidence .*PROOF_OF_FULFILLMENT/s)
    expect(await buyer!.page(at)).not.toMatch(/provide-evidence \\|If decided for the buyer|<h2>Events/)
    const boundary = 'boundary-of-this-test'
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
    const answered = await world.call(
      'POST',
      `${at}/provide-evidence`,
      Buffer.concat([
        Buffer.from(part('/evidences/0/evidence_type', 'PROOF_OF_FULFILLMENT')),
        Buffer.from(part('/evidences/0/evidence_info/tracking_info/0/carrier_name', 'FEDEX')),
        Buffer.from(part('/evidences/0/evidence_info/tracking_info/0/tracking_number', '122533485')),
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="proof.png"\r\nContent-Type: image/png\r\n\r\n`,
        ),
        Buffer.from(png, 'base64'),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
      {
        headers: {
          cookie: 'console-eyes=merchant',
          host: 'localhost:1',
          origin: 'http://localhost:1',
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
      },
    )
    expect(answered.status, answered.text).toBe(303)

    const page = await agent!.page(at)
    expect(page).toContain('proof.png')
    const file = await world.call('GET', /href="(\/console\/documents\/[^"]*)"/.exec(page)![1]!, undefined, {
      headers: { cookie: 'console-eyes=agent' },
    })
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/png'])
    expect((await consoleOf(world, 'agent').page('/console/disputes')).includes(at)).toBe(true)
    expect((await agent!.send(`${at}/adjudicate`, { '/adjudication_outcome': 'BUYER_FAVOR' })).location).toBe(at)
    await consoleOf(world, 'merchant2').page(at, 404)
    expect(await buyer!.page(at)).toContain('Resolved for the buyer')
    expect(await merchant!.page('/console/disputes?view=appealable')).toContain(at)
  })
})

describe('The timeline', () => {
  it('tells what happened under what led to it', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', { ...line, '/detail/currency_code': 'USD' })
    expect(await merchant.page('/console')).toMatch(/data-follow="\d+"/)
    await merchant.send(`${location}/send`)

    const id = location.split('/').at(-1)!
    const page = await merchant.page('/console')
    const thread = page.split('<li class="thread"').find((one) => one.includes(`/send`) && one.includes(id))!
    expect(thread).toContain(`href="/console/invoices/${id}"`)
    expect(thread).toContain('INVOICING.<wbr>INVOICE.<wbr>SENT')
    expect(page).not.toContain('Opening balance')
    expect(await merchant.page('/console?kind=clock')).toContain('The clock moved')
    expect(await merchant.page('/console?trouble=true')).not.toContain(`${id}/send`)
    expect(await merchant.page('/console?person=merchant')).toContain(`${id}/send`)
    expect(await merchant.page('/console?person=buyer')).not.toContain(`/console/invoices/${id}`)
    await merchant.page('/console?person=agent', 400)
  })

  it('leads to the event of a payment that was made without a token, which no app heard of', async () => {
    const { body } = await world.call<{ seller_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd('5.00'),
    })
    const page = await consoleOf(world).page(`/console?subject=${body.seller_transaction_id}`)
    const [address] = /\/console\/events\/[\w-]+/.exec(page)!

    for (const as of ['merchant', 'buyer', 'agent'] as const) {
      const event = await consoleOf(world, as).page(address)
      expect(event).toContain(body.seller_transaction_id)
      expect(event).toContain('Nobody was told')
    }
  })

  it('is empty before anything happened, with people and commands to copy', async () => {
    const fresh = await newWorld()
    const page = await consoleOf(fresh).page('/console')
    await fresh.close()

    expect(page).toContain('Nothing has happened yet')
    for (const text of ['sandbox-merchant-secret', 'sandbox-buyer', 'curl -s']) expect(page).toContain(text)
  })

  it('says what lies ahead, and goes there', async () => {
    const merchant = consoleOf(world)
    const { location } = await consoleOf(world, 'buyer').send('/console/disputes/new', {
      '/reason': 'INCORRECT_AMOUNT',
      '/disputed_transactions/0/buyer_transaction_id': 'CONSOLEAHEAD',
      '/dispute_amount/value': '20.00',
      '/dispute_amount/currency_code': 'USD',
    })
    await world.settle()
    expect(await merchant.page(location)).toContain('If nobody acts')
    const ahead = await merchant.page('/console/clock')
    expect(ahead).toContain(location)
    const at = new RegExp(`${location}.*?name="to" value="([^"]*)"`, 's').exec(ahead)![1]!

    await merchant.send('/console/clock', { to: at, back: location })

    expect(world.now()).toBe(at)
    expect(await merchant.page(location)).toContain('Resolved for the buyer')
  })

  it('tells deliveries right after one another as one, so that they hide nothing else, and does all of them', async () => {
    const fresh = await newWorld()
    const [merchant, receiver] = [consoleOf(fresh), await Receiver.open()]
    receiver.behaviour = { status: 503 }
    await fresh.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const dispute = await open(fresh.buyer)
    for (let i = 0; i < 6; i++) await fresh.merchant.post('/v2/invoicing/invoices', over('10.00'))
    await fresh.settle()

    const timeline = (await merchant.page('/console')).replaceAll('<wbr>', '')
    expect(/\d+ deliveries, [^<]*/.exec(timeline)?.[0]).toMatch(
      / deliveries, beginning with attempt \d+ to deliver [A-Z.]+ to http/,
    )
    const page = await merchant.page('/console/clock')
    expect(page).toContain(`href="/console/disputes/${dispute}"`)
    const [row] = page.match(/<tr>(?:(?!<tr>).)*deliveries, beginning.*?<\/tr>/s)!
    const count = Number(/(\d+) deliveries/.exec(row)![1])
    expect(count).toBeGreaterThan(6)
    const before = receiver.received.length

    await merchant.send('/console/clock', { to: /name="to" value="([^"]*)"/.exec(row)![1]! })
    await receiver.has(before + count)
    await fresh.close()
    await receiver.close()
  })

  it('keeps a state and no other in its place, goes back to it and starts over after asking', async () => {
    const merchant = consoleOf(world)
    expect((await merchant.send('/console/snapshots', { '/name': 'no spaces' })).status).toBe(422)
    await merchant.send('/console/snapshots', { '/name': 'before' })
    const { location } = await merchant.send('/console/invoices/new', { ...line, '/detail/currency_code': 'USD' })
    const again = await merchant.send('/console/snapshots', { '/name': 'before' })
    expect([again.status, again.text.includes('id="keep-name-problem"')]).toEqual([422, true])
    expect(await merchant.page('/console/scenarios')).toContain('href="/console/snapshots/before/load"')
    const asked = await merchant.page('/console/snapshots/before/load')
    expect(asked).toContain('What happened since then is forgotten.')
    await merchant.page('/console/snapshots/never/load', 404)
    await merchant.page(location)

    await merchant.send('/console/snapshots/before/load', formIn(asked, '/console/snapshots/before/load'))
    await merchant.page(location, 404)
    await merchant.send('/console/snapshots/before/delete')
    expect(await merchant.page('/console/scenarios')).not.toContain('snapshots/before')
    expect(await merchant.page('/console/reset')).toContain('cannot be undone')
    expect((await merchant.send('/console/reset', { keep: 'webhooks' })).location).toBe('/console')
    expect(await merchant.page('/console/invoices')).toContain('No invoice yet')
  })
})
