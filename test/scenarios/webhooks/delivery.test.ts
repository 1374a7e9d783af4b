import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runCommand as runInProcess } from '../../../src/cli/run.ts'
import { listKeys, SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { type Received, Receiver } from '../../support/receiver.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

interface WebhookBody {
  id: string
  signing_secret: string
}

/** Runs a command beside the service, as the operator does, and gives what it says. */
async function runCommand(words: readonly string[], variables: Record<string, string>): Promise<{ id: string }> {
  const said: string[] = []
  const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) }
  const code = await runInProcess([...words, '--json'], variables, output)
  if (code !== 0) throw new Error(said.join(''))
  return JSON.parse(said.join(''))
}

const keyOf = ({ headers }: Received) => String(headers['service-cert-url']).split('/').at(-1)

describe('A delivery', () => {
  let world: World
  let receiver: Receiver
  let webhook: WebhookBody
  beforeAll(async () => {
    world = await newWorld()
    receiver = await Receiver.open()
    const created = await world.merchant.post<WebhookBody>('/v1/notifications/webhooks', {
      url: receiver.url(),
      event_types: [{ name: '*' }],
    })
    webhook = created.body
  })
  afterEach(() => {
    receiver.behaviour = { status: 200 }
    receiver.forget()
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const simulate = (event_type = 'INVOICING.INVOICE.PAID') =>
    world.merchant.post<{ id: string }>('/v1/notifications/simulate-event', { event_type, webhook_id: webhook.id })

  const variables = () => ({ DATABASE_URL: world.databaseUrl })

  it('arrives with the published headers and body', async () => {
    const { status, body } = await simulate()
    await world.settle()

    expect(status).toBe(202)
    const [call] = await receiver.has(1)
    expect(Object.keys(JSON.parse(call!.body))).toEqual([
      'id',
      'event_version',
      'create_time',
      'resource_type',
      'event_type',
      'summary',
      'resource',
      'links',
    ])
    expect(call!.event.id).toBe(body.id)
    expect(call!.event.id).toMatch(/^WH-[0-9A-Z]{17}-[0-9A-Z]{17}$/)
    expect(call!.headers).toMatchObject({
      'content-type': 'application/json',
      accept: '*/*',
      'correlation-id': expect.stringMatching(/^[0-9a-f]{13}$/),
      'service-transmission-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'service-transmission-time': '2026-03-02T09:00:00Z',
      'service-auth-algo': 'SHA256withRSA',
      'service-auth-version': 'v2',
      'service-cert-url': expect.stringMatching(/\/v1\/notifications\/certs\/CERT(-[0-9a-f]{8}){3}$/),
      'webhook-id': body.id,
    })
    expect(call!.rawHeaders).toContain('SERVICE-TRANSMISSION-ID')
  })

  const certificateOf = ({ headers }: Received) =>
    world.call('GET', new URL(String(headers['service-cert-url'])).pathname)

  /** What a receiver does that has nothing of ours but the address in the delivery. */
  async function verifies(call: Received): Promise<boolean> {
    const { headers, body } = call
    const message = [
      headers['service-transmission-id'],
      headers['service-transmission-time'],
      webhook.id,
      crc32(Buffer.from(body)),
    ].join('|')
    const signature = Buffer.from(String(headers['service-transmission-sig']), 'base64')
    const { text } = await certificateOf(call)
    return verify('RSA-SHA256', Buffer.from(message), createPublicKey(text), signature)
  }

  const claim = (call: Received, webhook_event: object, changes: object = {}) =>
    world.merchant.post<{ verification_status: string }>('/v1/notifications/verify-webhook-signature', {
      auth_algo: call.headers['service-auth-algo'],
      cert_url: call.headers['service-cert-url'],
      transmission_id: call.headers['service-transmission-id'],
      transmission_sig: call.headers['service-transmission-sig'],
      transmission_time: call.headers['service-transmission-time'],
      webhook_id: webhook.id,
      webhook_event,
      ...changes,
    })

  it('verifies with nothing but node:crypto and the certificate we serve', async () => {
    await simulate()
    await world.settle()
    const [call] = await receiver.has(1)

    expect((await certificateOf(call!)).headers['cache-control']).toBe('public, max-age=86400')
    expect(await verifies(call!)).toBe(true)
  })

  it('comes with a certificate for our host and the authority that vouches for it', async () => {
    await simulate()
    await world.settle()
    const [call] = await receiver.has(1)
    const { text } = await certificateOf(call!)
    const [leaf, issuer] = text.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem))
    const authority = await world.call('GET', '/v1/notifications/certs/authority')

    expect(new X509Certificate(authority.text).raw).toEqual(issuer!.raw)
    expect([leaf!.subject, leaf!.checkIP('127.0.0.1'), leaf!.ca]).toEqual(['CN=127.0.0.1', '127.0.0.1', false])
    expect([issuer!.ca, leaf!.checkIssued(issuer!), leaf!.verify(issuer!.publicKey)]).toEqual([true, true, true])
    expect([issuer!.checkIssued(issuer!), issuer!.verify(issuer!.publicKey)]).toEqual([true, true])
  })

  it('is signed with a new key once the operator replaces it, and what the old one signed still verifies', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()

    const rotated = await runCommand(['keys', 'rotate'], variables())
    receiver.behaviour = { status: 200 }
    await simulate('INVOICING.INVOICE.SENT')
    await world.settle()
    await world.pass('PT10S')

    const [first, second, retried] = receiver.received
    expect(rotated.id).not.toBe(keyOf(first!))
    expect([first, second, retried].map((call) => keyOf(call!))).toEqual([keyOf(first!), rotated.id, keyOf(first!)])
    for (const call of [first!, second!, retried!]) {
      expect(await verifies(call)).toBe(true)
      expect((await claim(call, call.event)).body.verification_status).toBe('SUCCESS')
    }
    const others = { cert_url: second!.headers['service-cert-url'] }
    expect((await claim(first!, first!.event, others)).body.verification_status).toBe('FAILURE')
  })

  it('is no longer ours once its key is withdrawn, and is signed anew if it still waits', async () => {
    const { database, service, transact } = world.app
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()
    const [first] = await receiver.has(1)
    const withdrawing = (id: string) => runCommand(['keys', 'withdraw', id], variables())
    const statusOf = async (call: Received) => (await claim(call, call.event)).body.verification_status

    await expect(withdrawing('CERT-NONE')).rejects.toThrow('quittance keys list')
    await expect(withdrawing(keyOf(first!)!)).rejects.toThrow('replace it with "quittance keys rotate"')
    expect(await statusOf(first!)).toBe('SUCCESS')
    const keys = new SigningKeys(database, makeSeal(service.settings.secrets!), service, patient.newKeyPair)
    const next = await transact((tx) => keys.rotate(tx))
    expect(await withdrawing(keyOf(first!)!)).toMatchObject({ id: keyOf(first!), withdraw_time: expect.any(String) })

    expect(await certificateOf(first!)).toMatchObject({
      status: 404,
      body: { name: 'INVALID_RESOURCE_ID', details: [{ code: 'CERTIFICATE_WITHDRAWN' }] },
    })
    expect(await statusOf(first!)).toBe('FAILURE')
    receiver.behaviour = { status: 200 }
    await world.pass('PT10S')
    const retried = receiver.received[1]!
    expect(keyOf(retried)).toBe(next)
    expect([await verifies(retried), await statusOf(retried), await statusOf(first!)]).toEqual([
      true,
      'SUCCESS',
      'FAILURE',
    ])
  })

  it('has one key to be signed with, however many replace it at once, and only with the secret of the service', async () => {
    const { database, service, transact } = world.app
    const seal = makeSeal(service.settings.secrets!)
    const before = await listKeys(database)

    await Promise.all(
      [1, 2].map(() => transact((tx) => new SigningKeys(database, seal, service, patient.newKeyPair).rotate(tx))),
    )
    const after = await listKeys(database)
    const wrong = runCommand(['keys', 'rotate'], { ...variables(), QUITTANCE_SECRET: 'x'.repeat(32) })

    expect(after.filter(({ current }) => current).length).toBe(1)
    expect(after.find(({ current }) => current)!.id).not.toBe(before.find(({ current }) => current)!.id)
    await expect(wrong).rejects.toThrow('QUITTANCE_SECRET does not open the present key')
    expect(await listKeys(database)).toEqual(after)
  })

  it('verifies with the standardwebhooks package', async () => {
    await simulate()
    await world.settle()
    const [call] = await receiver.has(1)

    const verified = new Webhook(webhook.signing_secret).verify(call!.body, call!.headers as Record<string, string>)

    expect(verified).toEqual(call!.event)
  })

  it('is verified by us, also when the client printed the event in another order', async () => {
    await simulate()
    await world.settle()
    const [call] = await receiver.has(1)
    const { event } = call!
    const reversed = Object.fromEntries(Object.entries(event).reverse())

    expect((await claim(call!, event)).body.verification_status).toBe('SUCCESS')
    expect((await claim(call!, reversed)).body.verification_status).toBe('SUCCESS')
    expect((await claim(call!, { ...event, summary: 'another' })).body.verification_status).toBe('FAILURE')
    expect((await claim(call!, event, { transmission_sig: 'AAAA' })).body.verification_status).toBe('FAILURE')
    expect((await claim(call!, event, { webhook_id: 'SOMEBODYELSES' })).body.verification_status).toBe('FAILURE')
    expect((await claim(call!, event, { webhook_id: 'not an id' })).status).toBe(400)
  })

  it('can be read by the receiver before it answers', async () => {
    const seen: number[] = []
    receiver.behaviour = async (call, response) => {
      seen.push((await world.merchant.get(`/v1/notifications/webhooks-events/${call.event.id}`)).status)
      response.writeHead(200).end()
    }
    await simulate()
    await world.settle()

    expect(seen).toEqual([200])
  })

  it('is retried 25 times over three days, with the same id, body and certificate signature', async () => {
    receiver.behaviour = { status: 500, body: 'no' }
    const { body } = await simulate()
    const fired = await world.pass('P4D')

    const calls = receiver.received
    expect(calls.length).toBe(26)
    expect(fired.filter(({ work }) => work === 'deliver-webhook').length).toBe(26)
    const first = Date.parse(fired[0]!.at)
    const last = Date.parse(fired.at(-1)!.at)
    expect(last - first).toBeGreaterThanOrEqual(72 * 3600_000)
    expect(last - first).toBeLessThanOrEqual(72 * 3600_000 * 1.1)
    for (const name of [
      'service-transmission-id',
      'service-transmission-sig',
      'service-transmission-time',
      'webhook-id',
    ])
      expect(new Set(calls.map(({ headers }) => headers[name])).size).toBe(1)
    expect(new Set(calls.map((call) => call.body)).size).toBe(1)

    const event = await world.merchant.get<{ status: string; transmissions: { status: string; attempts: number }[] }>(
      `/v1/notifications/webhooks-events/${body.id}`,
    )
    expect(event.body).toMatchObject({
      status: 'FAILURE',
      transmissions: [{ status: 'FAILURE', attempts: 26, http_status: 500 }],
    })
  })
})
