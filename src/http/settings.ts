import { isIP } from 'node:net'
import { flag, perEnvironment, setting, text, url, whole } from '../config.ts'

/** An address, a range of them, or one of the names that stand for ranges. */
function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const most = address.includes('%') ? undefined : { 4: 32, 6: 128 }[isIP(address)]
  if (most === undefined) return ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

/** Where the service is reached, and what it takes from whom. */
export const httpSettings = {
  host: setting<string>({
    variable: 'HOST',
    initial: '127.0.0.1',
    ...text(),
    description: 'The address to listen on.',
  }),
  port: setting<number>({
    variable: 'PORT',
    initial: 8080,
    ...whole(0, 65535),
    description: 'The port to listen on; 0 takes a free one.',
  }),
  statusPort: setting<number | undefined>({
    variable: 'STATUS_PORT',
    initial: undefined,
    initialText: 'none',
    ...whole(0, 65535),
    description:
      'A port beside `PORT` that answers `/healthz`, `/readyz` and `/metrics` alone; `PORT` does not answer `/metrics` then. 0 takes a free one. A process that only works has no other.',
  }),
  publicUrl: setting<string | undefined>({
    variable: 'PUBLIC_URL',
    initial: undefined,
    initialText: 'the listening address',
    ...url,
    description: 'The address clients and customers reach the service at. Every link is built from it.',
  }),
  allowedHosts: setting<readonly string[]>({
    variable: 'ALLOWED_HOSTS',
    initial: [],
    initialText: 'none',
    form: 'names with commas between them, or `*`',
    read: (value) => (/^(\*|[\w.-]+(\s*,\s*[\w.-]+)*)$/.test(value) ? value.toLowerCase().split(/\s*,\s*/) : undefined),
    description:
      'Further names that a sandbox answers to, and whose web pages may call it; `*` answers to all. Addresses, `localhost`, names without dots or below `.test`, `.local`, `.internal` and the name in `PUBLIC_URL` need none. Not used in live.',
  }),
  trustProxy: setting<string | undefined>({
    variable: 'TRUST_PROXY',
    initial: undefined,
    initialText: 'nobody',
    form: 'addresses or ranges such as `10.0.0.0/8`, or `loopback`, `linklocal`, `uniquelocal`, separated by commas',
    read: (value) => (value.split(',').every((one) => one.trim() === '' || isProxy(one.trim())) ? value : undefined),
    description: 'The proxies whose `X-Forwarded-For` is believed. Names of machines are not looked up.',
  }),
  strictFields: setting<boolean>({
    variable: 'STRICT_FIELDS',
    initial: false,
    ...flag,
    description:
      'Refuses requests with fields or event types that are not known, which are otherwise ignored; a sandbox names them in a header of the answer.',
  }),
  seed: setting<number | undefined>({
    variable: 'SEED',
    initial: undefined,
    initialText: 'none',
    ...whole(0, 2 ** 31 - 1),
    description:
      'Makes the ids of a sandbox repeat: the same calls on an empty sandbox with a frozen clock get the same ids, codes, numbers and times. Start it on a new data folder. Not used in live.',
  }),
  storedMegabytesPerDay: setting<number>({
    variable: 'STORED_MEGABYTES_PER_DAY',
    ...perEnvironment(0, 2_048),
    ...whole(0, 1_000_000),
    description:
      'Megabytes that an account may send in a day in requests of more than 8 KiB, files included; an address without a token a tenth of it. 0 is no limit.',
  }),
} as const
