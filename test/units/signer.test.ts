import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { Signer } from '../../src/webhooks/signing/signer.ts'

const keys = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 1024 }))
const isSigned = (message: string, signature: string, n: number) =>
  verify('RSA-SHA256', Buffer.from(message), keys[n]!.publicKey, Buffer.from(signature, 'base64'))

describe('The signer', () => {
  const signer = new Signer()
  afterAll(() => signer.close())

  it('gives every message of a crowd its own signature, each with the key it came with', async () => {
    const crowd = Array.from({ length: 120 }, (_, i) => ({
      message: `message ${i}`,
      n: i < 70 ? 0 : 1,
      first: i % 10 > 0,
    }))
    const signatures = await Promise.all(
      crowd.map(({ message, n, first }) => signer.sign(message, keys[n]!.privateKey, { first })),
    )
    expect(crowd.every(({ message, n }, i) => isSigned(message, signatures[i]!, n))).toBe(true)
  })

  it('signs a single message', async () => {
    expect(isSigned('alone', await signer.sign('alone', keys[0]!.privateKey, { first: true }), 0)).toBe(true)
  })

  it('fails what cannot be signed, and goes on with the rest', async () => {
    const useless = createPublicKey(keys[0]!.publicKey.export({ type: 'spki', format: 'pem' }))
    const crowd = Array.from({ length: 40 }, (_, i) => signer.sign(`bad ${i}`, useless, { first: true }))
    const outcomes = await Promise.allSettled(crowd)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    const after = Array.from({ length: 40 }, (_, i) => signer.sign(`good ${i}`, keys[0]!.privateKey, { first: true }))
    expect((await Promise.all(after)).every((signature, i) => isSigned(`good ${i}`, signature, 0))).toBe(true)
  })
})
