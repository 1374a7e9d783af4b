import { createReadStream, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
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
import { dialectNames } from '../../../src/kernel/dialect.ts'
import { describedService } from '../../../src/printed.ts'
import { describedRoutes } from '../../../src/routes.ts'
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
