import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What the operator allows beyond public https. */
export interface EgressPolicy {
  readonly allowHttp: boolean
  /** Loopback and private networks. Link-local addresses, where clouds keep credentials, stay closed even so. */
  readonly allowPrivate: boolean
}

export const URL_LENGTH_MAX = 2048
const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'])
/** Addresses in public ranges at which clouds serve their metadata. */
const DENIED_ADDRESSES = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'])
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/
const LOWEST_FREE_PORT = 1024
const WEB_PORTS = new Set([80, 443])
/** Ports above 1023 of databases and other services that do not speak HTTP. */
const DENIED_PORTS = new Set([
  1433, 1521, 2049, 2375, 2376, 3306, 3389, 5432, 5672, 5900, 6000, 6379, 9042, 9200, 9300, 10250, 11211, 27017,
])

/** Why an address may not be called; undefined when it may. What cannot be understood may not. */
export function addressRefusal(address: string, { allowPrivate }: EgressPolicy): string | undefined {
  const refused = `${address || 'An unknown address'} is not a public address.`
  const bare = address.replace(/%.*$/, '')
  if (!isIP(bare)) return refused
  // A v4 address mapped into v6 is judged as the v4 address it reaches.
  const parsed = ipaddr.process(bare)
  if (DENIED_ADDRESSES.has(parsed.toString())) return refused
  const range = parsed.range()
  if (PRIVATE_RANGES.has(range)) return allowPrivate ? undefined : refused
  if (range !== 'unicast') return refused
  // Of v6 only 2000::/3 is handed out for global use; the rest embeds v4 addresses or is not in use.
  if (parsed instanceof ipaddr.IPv6 && (parsed.parts[0]! & 0xe000) !== 0x2000) return refused
  return undefined
}

/** Why a name may not be called, judged by the name alone. What it resolves to is judged when it is dialled. */
export function hostRefusal(host: string, { allowPrivate }: EgressPolicy): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === '') return 'The address names no host.'
  if (allowPrivate) return undefined
  if (PRIVATE_NAMES.test(name) || !name.includes('.')) return `${name} is a name of a private network.`
  return undefined
}

/** Why a URL may not be called, in a sentence for whoever wrote it; undefined when it may. */
export function urlRefusal(text: string, policy: EgressPolicy): string | undefined {
  if (text.length > URL_LENGTH_MAX) return `The address is longer than ${URL_LENGTH_MAX} characters.`
  // The URL parser would silently drop these, and then call something other than what was written.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'The address contains spaces, backslashes or control characters.'
  if (!URL.canParse(text)) return 'The address is not an absolute URL.'
  const url = new URL(text)
  const schemes = policy.allowHttp ? 'https:// or http://' : 'https://'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `The address must begin with ${schemes}.`
  if (!/^https?:\/\/[^/]/i.test(text)) return `The address must name its host after ${schemes}.`
  if (url.protocol === 'http:' && !policy.allowHttp)
    return 'The address must begin with https://; http is not encrypted.'
  if (url.username || url.password) return 'The address must not contain a user name or password.'
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if ((port < LOWEST_FREE_PORT && !WEB_PORTS.has(port)) || DENIED_PORTS.has(port))
    return `Port ${port} is not one that is called.`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) ? addressRefusal(host, policy) : hostRefusal(host, policy)
}

/** The address that a URL calls, however it is spelt: its scheme and host in lower case, and without a default port. */
export function calledAt(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return origin + pathname + search
}
