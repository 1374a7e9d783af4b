import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { operations } from '../../../src/client/api.ts'
import {
  type Call,
  type Client,
  ConnectionError,
  createClient,
  ProblemError,
  SignatureError,
  verifyTransmission,
  verifyWebhook,
} from '../../../src/client/index.ts'
import { realSeconds } from '../../../src/kernel/clock.ts'
import { dialectNames } from '../../../src/kernel/dialect.ts'
import { describedService } from '../../../src/printed.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { standardHeaders } from '../../../src/webhooks/signing/signature.ts'
import { temporaryFolder } from '../../support/process.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const anInvoice = {
  detail: { currency_code: 'USD' },
  primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
  items: [{ name: 'A chair', quantity: '1', unit_amount: usd('10.00') }],
}

describe('The client', () => {
  it('has every operation of the service', () => {
    const called = Object.values(operations).flatMap((rows) => Object.values(rows).map(({ call }) => call))
    const routes = describedRoutes(describedService)
      .filter(({ url, tag }) => !url.includes('*') && tag !== 'Console')
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`)
    expect(called.toSorted()).toEqual(routes.toSorted())
  })

  it('knows what operations take and answer', () => {
    type Paid = Parameters<Client['invoices']['recordPayment']>[1]['method']
    expectTypeOf<Parameters<Client['invoices']['show']>[0]>().toEqualTypeOf<string>()
    expectTypeOf<'SERVICE' | 'PAYPAL'>().toExtend<Paid>()
    expectTypeOf<'MONOPOLY_MONEY'>().not.toExtend<Paid>()
    expectTypeOf<Awaited<ReturnType<Client['pages']['showInvoicePdf']>>>().toEqualTypeOf<Uint8Array>()
  })
})

describe('A client of a service that others know by another address', () => {
  it('goes through the pages at the address that it has', async () => {
    const world = await newWorld({ settings: { PUBLIC_URL: 'https://pay.example.test/money' } })
    onTestFinished(() => world.close())
    await world.app.listen()
    const { port } = world.app.server.server.address() as AddressInfo
    const merchant = createClient({
      url: `http://127.0.0.1:${port}`,
      clientId: 'sandbox-merchant',
      clientSecret: 'sandbox-merchant-secret',
    })
    for (let i = 0; i < 3; i++) await merchant.invoices.create(anInvoice)

    const page = await merchant.invoices.list({ page_size: 2 })
    expect(page.links.find(({ rel }) => rel === 'next')!.href).toMatch(/^https:\/\/pay\.example\.test\/money\/v2\//)
    expect(await merchant.invoices.list({ page_size: 2 }).all()).toHaveLength(3)
    expect(await merchant.invoices.search({}, { query: { page_size: 2 } }).all()).toHaveLength(3)
    expect(await merchant.webhooks.listEvents({ page_size: 2 }).all()).toHaveLength(3)
  })
})

describe.each(dialectNames)('A client that speaks the dialect "%s"', (dialect) => {
  let world: World
  let url: string
  const calls: Call[] = []
  const clientOf = (clientId: string, more = {}) =>
    createClient({
      url,
      clientId,
      clientSecret: `${clientId}-secret`,
      dialect,
      onCall: (call) => calls.push(call),
      ...more,
    })
  let merchant: Client
  let buyer: Client
  const folder = temporaryFolder()

  beforeAll(async () => {
    world = await newWorld({ works: true, settings: { QUITTANCE_DIALECT: dialect } })
    url = await world.app.listen()
    merchant = clientOf('sandbox-merchant')
    buyer = clientOf('sandbox-buyer')
  })
  afterAll(async () => {
    folder.remove()
    await world.close()
  })

  const newDispute = async () => {
    const { buyer_transaction_id } = await merchant.sandbox.createTransaction({ amount: usd('50.00') })
    const made = await buyer.disputes.create({
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
    })
    return made.links![0]!.href.split('/').at(-1)!
  }

  it('goes through every page of a list, in GET and in POST, and gives the first to whoever waits', async () => {
    for (let i = 0; i < 5; i++) await merchant.invoices.create(anInvoice)

    const page = await merchant.invoices.list({ page_size: 2 })
    const ids: string[] = []
    for await (const invoice of merchant.invoices.list({ page_size: 2 })) ids.push(invoice.id!)
    const searched = await merchant.invoices.search({}, { query: { page_size: 2 } }).all()
    const events = await merchant.webhooks.listEvents({ page_size: 2 }).all(3)

    expect(page.items).toHaveLength(2)
    expect(new Set(ids).size).toBe(5)
    expect(searched.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(events).toHaveLength(3)
  })

  it('asks for no more pages than hold as many as are wanted', async () => {
    for (let i = 0; i < 5; i++) await merchant.invoices.create(anInvoice)
    const asked = calls.length
    const newest = await merchant.invoices.list({ page_size: 2 }).all(4)
    const none = await merchant.invoices.list({ page_size: 2 }).all(0)

    expect([newest.length, none.length]).toEqual([4, 0])
    expect(calls.slice(asked)).toHaveLength(2)
  })

  it('uploads files of the disk, streams and buffers', async () => {
    const id = await newDispute()
    const path = join(folder.path, 'receipt.pdf')
    writeFileSync(path, '%PDF-1.4 paid')

    await merchant.disputes.sendMessage(
      id,
      { message: 'Here is the proof.' },
      {
        files: [
          path,
          { name: 'stream.pdf', content: createReadStream(path) },
          { name: 'buffer.pdf', content: Buffer.from('%PDF-1.4 in memory') },
        ],
      },
    )

    const { messages } = await merchant.disputes.show(id)
    const documents = messages!.flatMap((message) => message.documents ?? [])
    expect(documents.map(({ name }) => name)).toEqual(['receipt.pdf', 'stream.pdf', 'buffer.pdf'])
    const [, documentId, n] = /documents\/([^/]+)\/files\/(\d+)/.exec(documents[1]!.url!)!
    expect(Buffer.from(await merchant.disputes.downloadDocument(documentId!, n!)).toString()).toBe('%PDF-1.4 paid')
  })

  it('turns refusals into errors that name their reasons', async () => {
    const refusal = await merchant.invoices
      .create({ ...anInvoice, items: [{ name: '', quantity: 'x', unit_amount: usd('1') }] })
      .catch((error: unknown) => error)
    const unknown = await merchant.webhooks.show('nobody').catch((error: unknown) => error)

    expect(refusal).toBeInstanceOf(ProblemError)
    expect(refusal).toMatchObject({ status: 400, problem: 'INVALID_REQUEST', debugId: expect.any(String) })
    expect((refusal as ProblemError).issues.map(({ field }) => field)).toContain('/items/0/quantity')
    expect(unknown).toMatchObject({ status: 404, problem: 'INVALID_RESOURCE_ID' })
    expect(() => merchant.invoices.show('')).toThrow('needs invoice_id')
  })

  it('renews a token that has ended, once for all who wait', async () => {
    await merchant.sandbox.expireAccessTokens()
    calls.length = 0

    await Promise.all([merchant.invoices.list(), merchant.invoices.list()])

    expect(calls.filter((call) => call.url.endsWith('/oauth2/token')).length).toBeLessThanOrEqual(2)
    expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3)
  })

  it('acts for another account where it is told to', async () => {
    const partner = clientOf('sandbox-partner', { actingFor: 'merchant@example.com' })
    expect((await partner.invoices.list()).items!.length).toBeGreaterThan(0)
    const other = clientOf('sandbox-merchant-2')
    expect(await other.invoices.list()).toMatchObject({ items: [] })
    expect((await other.invoices.list({}, { actingFor: 'MERCHANTAAAAA' })).items!.length).toBeGreaterThan(0)
  })

  it('verifies both signatures of a delivery, and refuses what was changed', async () => {
    const receiver = await Receiver.open()
    const webhook = await merchant.webhooks.create({
      url: receiver.url(),
      event_types: [{ name: 'INVOICING.INVOICE.CREATED' }],
    })
    const { id } = await merchant.invoices.create(anInvoice)
    const [delivery] = await receiver.has(1)
    const { headers, body } = delivery!
    const secret = webhook.signing_secret!
    const check = { webhookId: webhook.id!, url }

    expect(verifyWebhook({ headers, body }, { secret })).toMatchObject({ resource: { id } })
    expect(await verifyTransmission({ headers, body: Buffer.from(body) }, check)).toMatchObject({ resource: { id } })

    const changed = body.replace('10.00', '99.00')
    expect(() => verifyWebhook({ headers, body: changed }, { secret })).toThrow(SignatureError)
    await expect(verifyTransmission({ headers, body: changed }, check)).rejects.toThrow(SignatureError)
    await expect(verifyTransmission({ headers, body }, { ...check, webhookId: 'another' })).rejects.toThrow(
      SignatureError,
    )
    await expect(verifyTransmission({ headers, body }, { ...check, url: 'http://elsewhere.test' })).rejects.toThrow(
      'not at',
    )
    const old = { ...headers, 'webhook-timestamp': '1' }
    expect(() => verifyWebhook({ headers: old, body }, { secret })).toThrow('older')
    await receiver.close()
  })

  it('takes no certificate that somebody wrote on a page of the service', async () => {
    const { pem, signed } = signer()
    const { id } = await clientOf('sandbox-merchant-2').invoices.create({
      ...anInvoice,
      invoicer: { business_name: `\n${pem}\n` },
    })
    await clientOf('sandbox-merchant-2').invoices.send(id!, {})
    const page = `${url}/invoice/p/${id!.replace(/^INV2|-/g, '')}`
    expect(await (await fetch(page)).text()).toContain(pem)

    for (const certificate of [page, `${url}/v1/notifications/certs/../../../invoice/p/${page.split('/').at(-1)}`])
      await expect(verifyTransmission(signed(certificate), { webhookId: 'HOOK', url })).rejects.toThrow(SignatureError)
  })
})

/** Somebody with a key and the least certificate there can be, who signs an event for the webhook HOOK. */
function signer() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = leastCertificate(publicKey)
  const body = JSON.stringify({ id: 'WH-1', event_type: 'PAYMENT.CAPTURE.COMPLETED', resource: {} })
  const [id, time] = ['T', '2026-01-01T00:00:00Z']
  const signature = sign('sha256', Buffer.from([id, time, 'HOOK', crc32(body)].join('|')), privateKey)
  const signed = (certificate: string) => ({
    headers: {
      'service-transmission-id': id,
      'service-transmission-time': time,
      'service-transmission-sig': signature.toString('base64'),
      'service-auth-algo': 'SHA256withRSA',
      'service-cert-url': certificate,
    },
    body,
  })
  return { pem, signed }
}

/** Short enough for the name of a business, with names and a signature of nothing. */
function leastCertificate(publicKey: KeyObject): string {
  const der = (tag: number, ...parts: readonly Buffer[]) => {
    const content = Buffer.concat(parts)
    const length = content.length < 0x80 ? [content.length] : [0x81, content.length]
    return Buffer.concat([Buffer.from([tag, ...length]), content])
  }
  const nothing = der(0x30)
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
  const time = der(0x17, Buffer.from('200101000000Z'))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const contents = der(0x30, der(2, Buffer.from([1])), algorithm, nothing, der(0x30, time, time), nothing, key)
  const certificate = der(0x30, contents, algorithm, der(3, Buffer.from([0, 0])))
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`
}

describe('What a client knows of signatures', () => {
  const DAY_MS = 86_400_000

  it('is looked for again after a day: a certificate may be withdrawn', async () => {
    const { pem, signed } = signer()
    const answers = [200, 404]
    const server = createServer((_request, response) => response.writeHead(answers.shift() ?? 500).end(pem))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const delivery = signed(`${url}/v1/notifications/certs/CERT-1`)
    const verified = () => verifyTransmission(delivery, { webhookId: 'HOOK', url })

    expect(await verified()).toMatchObject({ id: 'WH-1' })
    expect(await verified()).toMatchObject({ id: 'WH-1' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
    onTestFinished(() => void vi.useRealTimers())
    await expect(verified()).rejects.toThrow('404')
  })

  it('goes by the clock of the machine, which may have slept', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
    onTestFinished(() => void vi.useRealTimers())
    const body = '{"id":"WH-1"}'
    const headers = standardHeaders({ id: 'WH-1', seconds: realSeconds(), body: Buffer.from(body) }, [
      Buffer.from('key'),
    ])
    const secret = `whsec_${Buffer.from('key').toString('base64')}`
    expect(verifyWebhook({ headers, body }, { secret })).toEqual({ id: 'WH-1' })
  })
})

describe('A client whose service has bad moments', () => {
  it('sends a request again with the same request id, and gives up after so many times', async () => {
    const seen: (string | undefined)[] = []
    const bad = [503, 500, 'drop'] as (number | 'drop')[]
    const server = createServer((request, response) => {
      if (request.url === '/v1/oauth2/token') {
        response.end('{"access_token":"A","expires_in":3600}')
        return
      }
      seen.push(request.headers['service-request-id'] as string | undefined)
      const moment = bad.shift()
      if (moment === 'drop') request.socket.destroy()
      else response.writeHead(moment ?? 201, { 'retry-after': '0' }).end('{"id":"INV2"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createClient({ url, clientId: 'a', clientSecret: 'b' })

    expect(await client.invoices.create(anInvoice)).toMatchObject({ id: 'INV2' })
    expect(seen).toHaveLength(4)
    expect(new Set(seen).size).toBe(1)

    bad.push(500, 500, 500, 500)
    await expect(client.invoices.create(anInvoice)).rejects.toMatchObject({ status: 500 })
    bad.push('drop')
    await expect(client.invoices.delete('INV2')).rejects.toThrow(ConnectionError)
    server.close()
    server.closeAllConnections()
  })

  /** A service on whose tokens somebody has to wait. */
  async function slowTokens(token: (request: IncomingMessage, response: ServerResponse) => void) {
    const server = createServer((request, response) => {
      if (request.url === '/v1/oauth2/token') token(request, response)
      else response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return (more: object) => createClient({ url, clientId: 'a', clientSecret: 'b', ...more })
  }

  it('waits for the answer to a call as long as it may, however long its token took', async () => {
    let isBusy = true
    const calls: Call[] = []
    const clientOf = await slowTokens((_, response) => {
      if (isBusy) response.writeHead(503, { 'retry-after': '3' }).end()
      else response.end('{"access_token":"A","expires_in":3600}')
      isBusy = false
    })
    // What is not sent again whatever happens to it, so that nothing makes up for a limit that was over before.
    await clientOf({ timeoutMs: 2_500, onCall: (call: Call) => calls.push(call) }).invoices.delete('INV2')

    expect(calls.map(({ method, status }) => `${method} ${status}`)).toEqual(['POST 503', 'POST 200', 'DELETE 204'])
  })

  it('lets a call be ended while its token is waited for, and leaves the token to the others', async () => {
    const asked: ServerResponse[] = []
    const client = (await slowTokens((_, response) => asked.push(response)))({})
    const one = new AbortController()
    const ended = client.invoices.delete('INV2', { signal: one.signal })
    const other = client.invoices.delete('INV3')
    await expect.poll(() => asked.length).toBe(1)

    one.abort(new Error('enough'))
    await expect(ended).rejects.toThrow('enough')
    asked[0]!.end('{"access_token":"A","expires_in":3600}')
    await other
    expect(asked).toHaveLength(1)
  })

  it('asks for a token as often as for anything else', async () => {
    let asked = 0
    const clientOf = await slowTokens((request) => {
      asked++
      request.socket.destroy()
    })
    await expect(clientOf({ retries: 1 }).invoices.show('INV2')).rejects.toThrow(ConnectionError)
    expect(asked).toBe(2)
  })
})
