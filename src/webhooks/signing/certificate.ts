import { type KeyObject, sign } from 'node:crypto'
import type { Instant } from '../../kernel/clock.ts'

/**
 * A self-signed X.509 certificate around an RSA key: the little of DER that takes, since Node can read certificates
 * but not write them.
 */
export function selfSignedCertificate(
  keys: { privateKey: KeyObject; publicKey: KeyObject },
  { name, serial, from, until }: { name: string; serial: Buffer; from: Instant; until: Instant },
): string {
  const who = sequence(set(sequence(objectId('2.5.4.3'), utf8(name))))
  const contents = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serial),
    sha256WithRsa,
    who, // issuer and subject are the same
    sequence(time(from), time(until)),
    who,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(notAnAuthority)),
  )
  const certificate = sequence(contents, sha256WithRsa, bits(sign('RSA-SHA256', contents, keys.privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function encoded(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const digits = length.subarray(length.findIndex((byte) => byte !== 0))
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content])
}

const sequence = (...contents: readonly Uint8Array[]) => encoded(0x30, ...contents)
const set = (...contents: readonly Uint8Array[]) => encoded(0x31, ...contents)
const explicit = (number: number, ...contents: readonly Uint8Array[]) => encoded(0xa0 | number, ...contents)
const octets = (content: Uint8Array) => encoded(0x04, content)
const utf8 = (text: string) => encoded(0x0c, Buffer.from(text))
const bits = (content: Uint8Array) => encoded(0x03, Buffer.from([0]), content)
const yes = encoded(0x01, Buffer.from([0xff]))
const nothing = encoded(0x05)

/** A whole number that is not negative: a leading zero keeps the first bit from being read as a sign. */
function integer(bytes: Buffer): Buffer {
  const firstSignificant = bytes.findIndex((byte) => byte !== 0)
  const digits = firstSignificant < 0 ? Buffer.from([0]) : bytes.subarray(firstSignificant)
  return encoded(0x02, ...(digits[0]! & 0x80 ? [Buffer.from([0])] : []), digits)
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const arcs = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f]
    for (let high = arc >>> 7; high > 0; high >>>= 7) digits.unshift(0x80 | (high & 0x7f))
    return digits
  })
  return encoded(0x06, Buffer.from(arcs))
}

/** Years before 2050 must be written with two digits, later ones with four. */
function time(instant: Instant): Buffer {
  const digits = Buffer.from(`${instant.replace(/\D/g, '').slice(0, 14)}Z`)
  return instant < '2050' ? encoded(0x17, digits.subarray(2)) : encoded(0x18, digits)
}

const sha256WithRsa = sequence(objectId('1.2.840.113549.1.1.11'), nothing)
const notAnAuthority = sequence(objectId('2.5.29.19'), yes, octets(sequence()))
