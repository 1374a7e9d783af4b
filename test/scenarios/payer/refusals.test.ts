import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSheet, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type Response, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const isPage = ({ headers, text }: Response<unknown>) =>
  String(headers['content-type']).startsWith('text/html') && text.startsWith('<!doctype html>')

const inParts = { configuration: { partial_payment: { allow_partial_payment: true } } }

async function form(path: string) {
  const page = await world.call('GET', path)
  const cookie = String(page.headers['set-cookie'] ?? '').split(';')[0]!
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''
  return (fields: Record<string, string | Buffer>) => {
    const parts = Object.entries({ token: field('token'), payment: field('payment'), ...fields }).map(
      ([name, value]) => {
        const file = name === 'file' ? '; filename="photo.png"' : ''
        return Buffer.concat([
          Buffer.from(`--xxFORMxx\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
          Buffer.from(value),
          Buffer.from('\r\n'),
        ])
      },
    )
    return world.call('POST', path, Buffer.concat([...parts, Buffer.from('--xxFORMxx--\r\n')]), {
      headers: { 'content-type': 'multipart/form-data; boundary=xxFORMxx', origin: PUBLIC_URL, cookie },
    })
  }
}
const reason = 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'

async function paid() {
  const { id, path } = await sentInvoice(world)
  await world.call('POST', `/sandbox/invoices/${id}/pay`, {})
  return `${path}/problem`
}

describe('A payer', () => {
  it('can write 1,999 characters with line breaks in between', async () => {
    const text = `${'line\r\n'.repeat(300)}end`
    expect(text.replaceAll('\r\n', '\n').length).toBeLessThan(2000)
    const send = await form(await paid())

    expect((await send({ reason, text: text.padEnd(1_999 + 300, '.') })).status).toBe(303)
  })

  it('sees a page, whatever is wrong with what they sent', async () => {
    const problem = await paid()
    const answers = [
      await (await form(problem))({ reason, text: 'x'.repeat(3_000) }),
      await (await form(problem))({ reason, text: 'x', file: Buffer.alloc(11 * 1024 * 1024) }),
      await (await form(problem))({ reason, text: Buffer.from('No caf\u00e9.', 'latin1') }),
      await world.call('POST', problem, '{}', { headers: { 'content-type': 'application/json', origin: PUBLIC_URL } }),
      await world.call('POST', problem, 'x=1', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL },
      }),
      await world.call('GET', `/invoice/p/${'A'.repeat(60)}`),
      await world.call('GET', '/invoice/problem/nobody'),
      await world.call('POST', '/invoice/problem/nobody/dance', 'token=x', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL },
      }),
    ]

    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(isPage(answer), `${answer.status} ${answer.text.slice(0, 80)}`).toBe(true)
    }
  })

  it('finds the amount written as they write numbers, and can write it so', async () => {
    const { path } = await sentInvoice(world, inParts)
    const german = await world.call('GET', path, undefined, { query: { lang: 'de' } })
    const english = await world.call('GET', path)

    expect(german.text).toContain('value="74,21"')
    expect(english.text).toContain('value="74.21"')
    const amountOf = async (amount: string) => (await openSheet(world, path, { amount, lang: 'de' })).form.amount
    expect([await amountOf('50,5'), await amountOf('0.050,50'), await amountOf('50.50')]).toEqual([
      '50.50',
      '50.50',
      '50.50',
    ])
  })

  it('without a name is called a customer in the mail to the merchant', async () => {
    const { id } = await sentInvoice(world, { primary_recipients: [] })
    await world.call('POST', `/sandbox/invoices/${id}/pay`, { amount: usd('74.21') })
    await world.settle()

    const { body } = await world.call<{ mails: { subject: string }[] }>('GET', '/sandbox/mail?to=merchant@example.com')

    expect(body.mails[0]!.subject).toMatch(/^Your customer paid \$74\.21/)
  })

  it('is a page also where there is no such address, or not for this method, when a browser asks', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const ask = (method: 'GET' | 'PUT', path: string, headers: Record<string, string>) =>
      world.call<{ name: string }>(method, path, undefined, { headers })

    for (const path of ['/invoice', '/invoice/nothing', '/invoice/p/CODE/more/of/it', '/invoice/assets/none?v=1']) {
      const page = await ask('GET', path, { accept, 'accept-language': 'de' })
      expect([page.status, page.headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.text).toContain('<html lang="de"')
    }
    const page = await ask('PUT', '/invoice/p/CODE', { accept })
    expect([page.status, page.headers['content-type']]).toEqual([405, 'text/html; charset=utf-8'])
    expect(page.headers['allow']).toBe('GET, HEAD')
    expect((await ask('GET', '/invoice/nothing', {})).body.name).toBe('RESOURCE_NOT_FOUND')
    expect((await ask('GET', '/v2/nothing', { accept })).body.name).toBe('RESOURCE_NOT_FOUND')
  })
})
