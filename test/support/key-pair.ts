import { createPrivateKey, createPublicKey } from 'node:crypto'
import { inject } from 'vitest'

let made = 0

/**
 * Stands in for `src/webhooks/signing/key-pair.ts` in a test run: pairs that were made before it began, in turn. Every service that
 * delivers anything makes two, and finding their primes would take it a second of a processor.
 */
export async function newKeyPair() {
  const keys = inject('signingKeys')
  const key = keys[made++ % keys.length]!
  return { privateKey: createPrivateKey(key), publicKey: createPublicKey(key) }
}
