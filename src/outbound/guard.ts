import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import { addressRefusal, type EgressPolicy, hostRefusal } from './egress.ts'

/** The guard would not let the call out: the address is one that is never called. */
export class EgressRefused extends Error {}

/** The signature of `dns.lookup` with all addresses asked for. */
export type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/** The signature of the `lookup` that sockets are opened with. */
export type SocketLookup = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void

/** Why a host may not be dialled as it is written. Addresses written out are never looked up, so they are judged here. */
export const dialRefusal = (host: string, policy: EgressPolicy): string | undefined =>
  isIP(host) ? addressRefusal(host, policy) : hostRefusal(host, policy)

/** Looks a name up once. Every address it has must be allowed, and those that were checked are the ones dialled. */
export function guardedLookup(policy: EgressPolicy, lookup: Lookup = systemLookup as Lookup): SocketLookup {
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const refusal =
        addresses.length === 0
          ? `${host} has no address.`
          : addresses.map(({ address }) => addressRefusal(address, policy)).find((reason) => reason !== undefined)
      if (refusal) return done(new EgressRefused(refusal), '')
      if (options.all) return done(null, addresses)
      return done(null, addresses[0]!.address, addresses[0]!.family)
    })
}
