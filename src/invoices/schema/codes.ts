import { hash } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LENGTH = 17

/** The part of an identifier that follows from what it names, so that the same thing always has the same one. */
export function derivedCode(name: string): string {
  const digest = hash('sha256', name, 'buffer')
  let code = ''
  for (let i = 0; i < LENGTH; i++) code += ALPHABET[digest[i]! % ALPHABET.length]
  return code
}
