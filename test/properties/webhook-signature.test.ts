import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, verify, X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { Instant } from '../../src/kernel/clock.ts'
import { issueCertificate } from '../../src/webhooks/signing/certificate.ts'
import { makeSeal, remembering } from '../../src/webhooks/signing/seal.ts'
import {
  isSignedBy,
  printSecret,
  signedMessage,
  signMessage,
  standardHeaders,
} from '../../src/webhooks/signing/signature.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 1024 })
const authority = generateKeyPairSync('rsa', { modulusLength: 1024 })
const certificate = issueCertificate({
  publicKey: keys.publicKey,
  name: 'pay.example.test',
  by: { name: 'An authority', privateKey: authority.privateKey },
  serial: Buffer.from([0x00, 0xff, 0x01]),
  from: '2026-01-01T00:00:00.000Z' as Instant,
  until: '2056-01-01T00:00:00.000Z' as Instant,
})
const transmission = { id: 'a-b-c', time: '2026-03-01T09:00:00.250Z' as Instant, webhookId: '8PT597110X687430L' }

describe('The signed message', () => {
  it('names the body by the checksum of its bytes, as the published vectors have it', () => {
    const checksum = (body: string | Uint8Array) => signedMessage(transmission, body).split('|').at(-1)
    expect(checksum('{"a":1}')).toBe('1444654255')
    expect(checksum('{"note":"Grüße"}')).toBe('2076256429')
    expect(checksum(Buffer.from('{"note":"Grüße"}'))).toBe('2076256429')
    expect(checksum('{"id":"WH-1","event_type":"INVOICING.INVOICE.PAID"}')).toBe('1311348942')
    expect(checksum('')).toBe('0')
  })
})

describe('The certificate', () => {
  it('is one that Node reads: for its own key and host, valid for its years, vouched for by the authority', () => {
    const read = new X509Certificate(certificate)
    expect([read.subject, read.issuer]).toEqual(['CN=pay.example.test', 'CN=An authority'])
    expect([read.checkHost('pay.example.test'), read.checkHost('other.example.test')]).toEqual([
      'pay.example.test',
      undefined,
    ])
    expect(read.verify(authority.publicKey)).toBe(true)
    expect(read.checkPrivateKey(keys.privateKey)).toBe(true)
    expect(read.serialNumber).toBe('FF01')
    expect(read.ca).toBe(false)
    expect([read.validFrom, read.validTo]).toEqual(['Jan  1 00:00:00 2026 GMT', 'Jan  1 00:00:00 2056 GMT'])
  })

  it('verifies a signature with nothing but node:crypto', async () => {
    const body = Buffer.from('{"a":1}')
    const message = signedMessage(transmission, body)
    const signature = await signMessage(message, keys.privateKey)

    expect(message).toBe('a-b-c|2026-03-01T09:00:00Z|8PT597110X687430L|1444654255')
    expect(
      verify('RSA-SHA256', Buffer.from(message), createPublicKey(certificate), Buffer.from(signature, 'base64')),
    ).toBe(true)
    expect(await isSignedBy(message, signature, certificate)).toBe(true)
    expect(await isSignedBy(`${message}0`, signature, certificate)).toBe(false)
    expect(await isSignedBy(message, 'not a signature', certificate)).toBe(false)
    expect(await isSignedBy(message, signature, 'not a certificate')).toBe(false)
  })
})

describe('Standard Webhooks headers', () => {
  it('match the published vector', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const headers = standardHeaders(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1614265330, body: Buffer.from('{"test": 2432232314}') },
      [secret],
    )
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(printSecret(secret)).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  })

  it('verify with the published package under every secret of an overlap, whatever the body', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.array(fc.uint8Array({ minLength: 24, maxLength: 64 }), { minLength: 1, maxLength: 2 }),
        (text, secrets) => {
          const body = Buffer.from(text)
          const headers = standardHeaders({ id: 'WH-1-2', seconds: Math.floor(Date.now() / 1000), body }, secrets)
          for (const secret of secrets)
            expect(new Webhook(printSecret(secret)).verify(body, headers)).toEqual(JSON.parse(text))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('fail with another secret', () => {
    const body = Buffer.from('{}')
    const headers = standardHeaders({ id: 'WH-1-2', seconds: Math.floor(Date.now() / 1000), body }, [randomBytes(32)])
    expect(() => new Webhook(printSecret(randomBytes(32))).verify(body, headers)).toThrow()
  })
})

describe('A sealed secret', () => {
  const seal = makeSeal(['a service secret of thirty-two characters'])

  it('opens for its owner and nobody else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.string(), (plain, owner) => {
        const sealed = seal.close(plain, owner)
        expect(Buffer.compare(seal.open(sealed, owner), Buffer.from(plain))).toBe(0)
        expect(() => seal.open(sealed, `${owner}x`)).toThrow()
        expect(() => makeSeal(['another secret']).open(sealed, owner)).toThrow()
      }),
    )
  })

  it('is opened once of each that a webhook has, also while one takes over from another, and for its owner alone', () => {
    const plain = [randomBytes(32), randomBytes(32)]
    const sealed = plain.map((one) => seal.close(one, 'W').toString('hex'))
    const opened: string[] = []
    const open = remembering({
      ...seal,
      open(bytes, owner) {
        opened.push(Buffer.from(bytes).toString('hex'))
        return seal.open(bytes, owner)
      },
    })
    const keys = sealed.map((one) => open(one, 'W'))
    expect(keys.map((key) => key.export())).toEqual(plain)

    for (let delivery = 0; delivery < 3; delivery++)
      for (const [n, one] of sealed.entries()) expect(open(one, 'W')).toBe(keys[n])
    expect(opened).toEqual(sealed)
    expect(() => open(sealed[0]!, 'V')).toThrow()
  })

  it('does not show in what is stored', () => {
    const plain = createHmac('sha256', 'x').digest()
    expect(seal.close(plain, 'W').includes(plain)).toBe(false)
  })
})
