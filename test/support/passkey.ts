import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { CONSOLE_URL } from './live-console.ts'

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest()
/** What CBOR calls a name, and bytes of a length that one byte holds. */
const named = (name: string) => Buffer.concat([Buffer.from([0x60 + name.length]), Buffer.from(name)])
const bytes = (content: Buffer) => Buffer.concat([Buffer.from([0x58, content.length]), content])

const PRESENT_AND_VERIFIED_WITH_KEY = 0x45

/** What an authenticator answers when a page asks it to make a passkey: the field that a script would fill in. */
export function madePasskey(options: string): string {
  const { challenge } = JSON.parse(options) as { challenge: string }
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  // An EC2 key for ES256 on P-256.
  const key = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x!, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y!, 'base64url')),
  ])
  const data = Buffer.concat([
    sha256(new URL(CONSOLE_URL).hostname),
    Buffer.from([PRESENT_AND_VERIFIED_WITH_KEY, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, id.length]),
    id,
    key,
  ])
  const attestation = Buffer.concat([
    Buffer.from([0xa3]),
    named('fmt'),
    named('none'),
    named('attStmt'),
    Buffer.from([0xa0]),
    named('authData'),
    bytes(data),
  ])
  const client = JSON.stringify({ type: 'webauthn.create', challenge, origin: CONSOLE_URL })
  return JSON.stringify({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    },
  })
}
