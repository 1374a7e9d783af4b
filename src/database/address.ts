import { accessSync, constants } from 'node:fs'
import type pg from 'pg'

/** Where a database is: one server, or several of which the first that fits is used. */
export interface Address {
  readonly servers: readonly ServerAddress[]
  /** What a server must be to fit. */
  readonly role: Role
}

/** A primary takes writes, a standby replays those of another. */
export type Role = 'primary' | 'standby' | 'any'

interface ServerAddress {
  /** As it stands in the address, for people. */
  readonly name: string
  readonly settings: pg.ClientConfig
}

/** Why an address cannot be used, in one sentence for the person who starts the service. */
export class AddressError extends Error {}

/** What `target_session_attrs` may say. A service that can only read is of no use, and neither is a replica that takes writes. */
const roles: Readonly<Record<'primary' | 'standby', Readonly<Record<string, Role>>>> = {
  primary: { 'read-write': 'primary', primary: 'primary', any: 'any' },
  standby: { standby: 'standby', 'read-only': 'standby' },
}

/**
 * Reads `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`, in which several servers
 * may stand, and `socket:<folder>:<port>/<database>`, which is the embedded server.
 */
export function addressOf(url: string, options = '', role: 'primary' | 'standby' = 'primary'): Address {
  const several = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url)
  if (!several) return { servers: [{ name: url, settings: connectionSettings(url, options) }], role }
  const [, before = '', hosts = '', behind = ''] = several
  const [path = '', query = ''] = behind.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs') ?? role
  if (!Object.hasOwn(roles[role], wanted)) {
    const [variable, others] =
      role === 'primary' ? ['DATABASE_URL', 'that take no writes'] : ['DATABASE_READ_URL', 'that are no replicas']
    throw new AddressError(
      `target_session_attrs in ${variable} is ${Object.keys(roles[role]).join(', ')}; ${wanted} would lead to servers ${others}.`,
    )
  }
  parameters.delete('target_session_attrs')
  requireFiles(parameters)
  if (isVerified(parameters)) parameters.set('sslmode', 'verify-full')
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`
  return {
    servers: hosts.split(',').map((host) => ({
      name: host,
      settings: connectionSettings(`${before}${host}${rest}`, options),
    })),
    role: roles[role][wanted]!,
  }
}

/** The driver reads these files whenever it connects, and of a missing one it says only that it is not there. */
function requireFiles(parameters: URLSearchParams): void {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name)
    try {
      if (file) accessSync(file, constants.R_OK)
    } catch {
      throw new AddressError(`The address of the database names a file that cannot be read: ${name}=${file}.`)
    }
  }
}

/**
 * Whether encryption is asked for in a way that must include checking the server's certificate. The driver checks it too,
 * with a long warning; its next version will not.
 */
const isVerified = (parameters: URLSearchParams) =>
  ['prefer', 'require', 'verify-ca'].includes(parameters.get('sslmode') ?? '') &&
  parameters.get('uselibpqcompat') !== 'true'

/** The settings of one server, as the driver takes them. */
export function connectionSettings(url: string, options = ''): pg.ClientConfig {
  const socket = /^socket:(.+):(\d+)\/([\w-]+)$/.exec(url)
  if (socket) return { host: socket[1]!, port: Number(socket[2]), database: socket[3]!, user: 'postgres', options }
  // The operator's own options come last, so that they win.
  const theirs = URL.canParse(url) ? new URL(url) : undefined
  const wanted = theirs?.searchParams.get('options')
  if (!theirs || !wanted) return { connectionString: url, options }
  theirs.searchParams.set('options', `${options} ${wanted}`)
  return { connectionString: theirs.href }
}

/** How a service gets to its database. */
export interface Ways {
  readonly databaseUrl: string
  /** The way around the pooler that `databaseUrl` leads to; absent when it leads to none. */
  readonly directUrl?: string
}

/** The ways that the settings name, or else the one to the embedded server. */
export function waysOf(named: Named, embedded: { readonly url: string } | undefined): Ways {
  if (named.databaseUrl === undefined && named.databaseDirectUrl !== undefined)
    throw new AddressError('DATABASE_DIRECT_URL goes with DATABASE_URL, which is the address of a pooler: set both.')
  const { databaseUrl = embedded!.url, databaseDirectUrl } = named
  return { databaseUrl, ...(databaseDirectUrl !== undefined && { directUrl: databaseDirectUrl }) }
}

interface Named {
  readonly databaseUrl: string | undefined
  readonly databaseDirectUrl: string | undefined
}

/** The same server, another database. */
export function inDatabase(url: string, name: string): string {
  if (url.startsWith('socket:')) return url.replace(/\/[^/]*$/, `/${name}`)
  // An address may name several servers, which the URL parser of the platform does not take.
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${encodeURIComponent(name)}`)
}

/** The database that an address names. If it names none, the one with the name of the user. */
export function databaseIn(url: string): string {
  const [, named] = /^(?:socket:.*|postgres(?:ql)?:\/\/[^/?]*)\/([^/?]+)/.exec(url) ?? []
  return decodeURIComponent(named ?? /^\w+:\/\/([^:@/]*)[:@]/.exec(url)?.[1] ?? 'postgres')
}
