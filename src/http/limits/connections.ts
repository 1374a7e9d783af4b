import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { FairShare } from './fair-share.ts'
import { networkOf } from './rate-limit.ts'

const CONNECTIONS_MAX = 2_000
/** One address may have a third as many connections as are free. That is 500 if it is alone. */
const SHARE = 1 / 3

/**
 * Takes only so many connections, and from one address only its share, so that nobody can take them all. If many addresses
 * together took them all, whoever has fewer gets the place of an idle connection of the address that has most. Connections
 * of a trusted proxy come from everybody and are not shared out.
 */
export function limitConnections(server: Server, trusted: readonly string[], max = CONNECTIONS_MAX): void {
  const connections = new FairShare(max, SHARE)
  const open = new Map<string, Set<Socket>>()
  const proxies = listOf(trusted)
  server.maxConnections = max

  function keep(who: string, socket: Socket): void {
    const own = open.get(who) ?? new Set()
    open.set(who, own.add(socket))
    socket.once('close', () => letGo(who, socket))
  }

  function letGo(who: string, socket: Socket): void {
    const own = open.get(who)
    if (!own?.delete(socket)) return
    if (own.size === 0) open.delete(who)
    connections.giveBack(who)
  }

  /** Ends the oldest idle connection of the address that has most, if it has more than the newcomer would have. */
  function makeRoomFor(who: string): boolean {
    const [most, sockets] = [...open].reduce((a, b) => (b[1].size > a[1].size ? b : a), ['', new Set<Socket>()])
    if (sockets.size <= connections.heldBy(who) + 1) return false
    for (const socket of sockets) {
      if (isBusy(socket)) continue
      letGo(most, socket)
      socket.destroy()
      return true
    }
    return false
  }

  server.on('connection', (socket: Socket) => {
    // The socket is closed already.
    if (socket.remoteAddress === undefined) return
    const address = ipaddr.process(socket.remoteAddress.split('%')[0]!).toString()
    if (proxies.check(address, familyOf(address))) return
    const who = networkOf(address)
    if (connections.take(who)) return keep(who, socket)
    if (!makeRoomFor(who)) return void socket.destroy()
    connections.takeFreed(who)
    keep(who, socket)
  })
}

/** Whether the connection carries a request now. The field is the one that the HTTP server itself looks at. */
const isBusy = (socket: Socket & { _httpMessage?: unknown }): boolean => Boolean(socket._httpMessage)

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** The names that the setting takes beside addresses and ranges. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges.flatMap((name) => named[name] ?? name)) {
    const [address, bits] = range.split('/') as [string, string?]
    const family = familyOf(address)
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}
