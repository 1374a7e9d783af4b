import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Instant } from '../../kernel/clock.ts'

interface Signing {
  readonly name: string
  readonly privateKey: KeyObject
}

interface CertificateParts {
  readonly publicKey: KeyObject
  /** The host that serves it, or the authority's name. */
  readonly name: string
  /** Who vouches for it. */
  readonly by: Signing
  readonly isAuthority?: boolean
  readonly serial: Buffer
  readonly from: Instant
  readonly until: Instant
}

/**
 * An X.509 certificate around an RSA key: the little of DER that takes, since Node can read certificates but not write
 * them. Clients that check the chain and the host name find both.
 */
export function issueCertificate({
  publicKey,
  name,
  by,
  isAuthority = false,
  serial,
  from,
  until,
}: CertificateParts): string {
  const contents = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serial),
    sha256WithRsa,
    nameOf(by.name),
    sequence(time(from), time(until)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...(isAuthority ? authority : [notAnAuthority, signsData, serves(name)]),
        sequence(objectId('2.5.29.14'), octets(octets(keyId(publicKey)))),
        sequence(objectId('2.5.29.35'), octets(sequence(encoded(0x80, keyId(createPublicKey(by.privateKey)))))),
      ),
    ),
  )
  const certificate = sequence(contents, sha256WithRsa, bits(sign('RSA-SHA256', contents, by.privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** What a key and the certificates it vouches for are matched by; strict clients refuse a chain without it. */
const keyId = (publicKey: KeyObject) =>
  createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()

const nameOf = (name: string) => sequence(set(sequence(objectId('2.5.4.3'), utf8(name))))

/** The alternative name that tells which host it is for: a name, or an address in bytes. */
function serves(host: string): Buffer {
  const address = ipaddr.isValid(host) ? Buffer.from(ipaddr.parse(host).toByteArray()) : undefined
  const name = address ? encoded(0x87, address) : encoded(0x82, Buffer.from(host))
  return sequence(objectId('2.5.29.17'), octets(sequence(name)))
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
/** Bits of what a key may be used for, from the left: sign data, …, sign certificates (the sixth). */
const keyUsage = (unused: number, use: number) =>
  sequence(objectId('2.5.29.15'), yes, octets(encoded(0x03, Buffer.from([unused, use]))))
const signsData = keyUsage(7, 0x80)
/** It may vouch for keys, and for no further authority. */
const authority = [
  sequence(objectId('2.5.29.19'), yes, octets(sequence(yes, integer(Buffer.from([0]))))),
  keyUsage(2, 0x04),
]
