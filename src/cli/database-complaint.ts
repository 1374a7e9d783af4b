/** What an error from connecting or migrating means to whoever starts the service; undefined when it is no such error. */
export function databaseComplaint(error: unknown, databaseUrl: string | undefined): string | undefined {
  for (const { said, message } of causes(error)) {
    const [, sentence] = sentences.find(([pattern]) => pattern.test(said)) ?? []
    if (sentence === undefined) continue
    if (typeof sentence === 'string') return sentence
    if (databaseUrl === undefined)
      return `The embedded PostgreSQL failed (${message}): start again, or look into postgres.log in QUITTANCE_DATA_DIR.`
    return sentence(whereOf(databaseUrl), message)
  }
  return undefined
}

/** The same of a database that is not of the settings, but was named with an option. */
export const otherComplaint = (error: unknown, url: string, option: string): string | undefined =>
  databaseComplaint(error, url)?.replaceAll('DATABASE_URL', option)

export const mayNotCreate = (where: string, more = '') =>
  `The role of DATABASE_URL may not change the schema of ${where}${more}: make it the owner of the database, or grant it create and usage on the schema.`
export const ownsNot = (where: string, more = '') =>
  `The role of DATABASE_URL does not own the tables of ${where}${more}, which their owner alone may change: migrate as that role, or grant this one membership in it.`

const keptOut = (where: string, message: string) =>
  `PostgreSQL at ${where} does not let us in (${message}): correct DATABASE_URL.`
const mayBeWho = /authentication failed|no such user|not allowed/

/** PostgreSQL has one code for all that a role may not do. */
function mayNot(where: string, message: string): string {
  if (message.startsWith('must be owner ')) return ownsNot(where, ` (${message})`)
  return message.startsWith('permission denied for database ')
    ? keptOut(where, message)
    : mayNotCreate(where, ` (${message})`)
}

/** By what failed and the code of the operating system or of PostgreSQL, or by the driver's words where it gives no code. */
const sentences: readonly (readonly [RegExp, string | ((where: string, message: string) => string)])[] = [
  [/^\w* ?(ENOSPC|53100)$/, 'The disk is full: free some space and start again. Nothing that was stored is lost.'],
  [/ERR_INVALID_URL$/, 'DATABASE_URL is no address: write it as postgres://user:password@host:5432/database.'],
  [
    /^connect (ECONNREFUSED|ENOENT)$/,
    (where) => `No PostgreSQL listens at ${where}: start it, or correct DATABASE_URL.`,
  ],
  [/^getaddrinfo /, (where) => `The host of ${where} is not known here: correct DATABASE_URL.`],
  [
    /^connect (ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|^timeout e/,
    (where) => `Nothing answers at ${where}: correct DATABASE_URL, or open the way there.`,
  ],
  [
    /^(\w+_CERT\w*|CERT_\w+|UNABLE_TO_\w+|ERR_TLS_CERT_\w+)$/,
    (where, message) =>
      `The certificate of PostgreSQL at ${where} is not trusted (${message}): name the file of its authority in DATABASE_URL, as sslrootcert=/path/to/authority.pem.`,
  ],
  [
    /(ECONNRESET|EPIPE|EPROTO)$|^(Connection terminated|The server does not support SSL|Received unexpected)/,
    (where, message) =>
      `What listens at ${where} does not speak as PostgreSQL does (${message}): correct DATABASE_URL.`,
  ],
  [
    /^08P01$/,
    (where, message) =>
      // pgbouncer has one code for all that it refuses.
      mayBeWho.test(message)
        ? keptOut(where, message)
        : `The pooler at ${where} refuses what our connections begin with (${message}): set DATABASE_DIRECT_URL to the address of the server itself, and none is sent.`,
  ],
  [/^28\w{3}$/, keptOut],
  [/^3D000$/, (where) => `PostgreSQL runs, but there is no database ${where}: create it, or correct DATABASE_URL.`],
  [/^42501$/, mayNot],
  // The role sees none of the schemas that its search_path names.
  [/^3F000$/, (where, message) => mayNotCreate(where, ` (${message})`)],
  [/^25006$/, (where) => `PostgreSQL at ${where} takes no writes: name the primary in DATABASE_URL.`],
  [/^53300$/, (where) => `PostgreSQL at ${where} has no connection left: raise its max_connections.`],
  [/^57P0\d$/, (where, message) => `PostgreSQL at ${where} is not ready (${message}): start again in a moment.`],
]

/** The error and what caused it, outermost first; of several addresses that were tried, the first one's error. */
function causes(error: unknown): { said: string; message: string }[] {
  if (!(error instanceof Error)) return []
  const { code, syscall = '', cause } = error as NodeJS.ErrnoException
  const said = typeof code === 'string' ? `${syscall} ${code}`.trim() : error.message
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : cause
  return [...(error instanceof AggregateError ? [] : [{ said, message: error.message }]), ...causes(inner)]
}

/** Of several servers, which are no host to the platform. A password with an @ of its own must not be taken for one of them. */
const several = /^postgres(?:ql)?:\/\/(?:[^@/?]*@)?([^@/?]+,[^@/?]+\/[^@/?]*)(?:\?|$)/

/** The host, or hosts, port and database of an address, without its password. */
export function whereOf(databaseUrl: string): string {
  if (databaseUrl.startsWith('socket:')) return databaseUrl.slice('socket:'.length)
  if (URL.canParse(databaseUrl)) return new URL(databaseUrl).host + new URL(databaseUrl).pathname
  return several.exec(databaseUrl)?.[1] ?? 'DATABASE_URL'
}
