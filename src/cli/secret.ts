import { UsageError } from './command.ts'

/** The bytes of a signing secret as handlers have it. */
export function secretBytes(text: string): Buffer {
  const secret = Buffer.from(text.replace(/^whsec_/, ''), 'base64')
  if (!text.startsWith('whsec_') || secret.length < 16)
    throw new UsageError('A signing secret is whsec_ with at least 16 bytes in base64 behind it.')
  return secret
}
