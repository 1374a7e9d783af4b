import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

/** A new pair to sign with. Finding its primes takes half a second of a processor, off the loop. */
export const newKeyPair = () => generate('rsa', { modulusLength: 2048 })
