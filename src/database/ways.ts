import { AddressError, addressOf, type Ways } from './address.ts'
import { Connector } from './connector.ts'
import { identityOf } from './identity.ts'

/** A failure on the way around a pooler. It is named, so that whoever reads of it does not look at the pooler. */
export class DirectWayError extends Error {
  readonly url: string

  constructor(url: string, cause: unknown) {
    super('The way around the pooler failed.', { cause })
    this.url = url
  }
}

/** Does the work by the way that leads to the server itself. A failure says that it happened there. */
export async function byDirectWay<T>({ databaseUrl, directUrl }: Ways, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(directUrl ?? databaseUrl)
  } catch (error) {
    throw directUrl === undefined ? error : new DirectWayError(directUrl, error)
  }
}

/**
 * Refuses two ways that do not lead to the same database. Migrations and commands go by one way and requests by the other,
 * so a service would work on a database at which no command looks.
 */
export async function requireOneDatabase(ways: Ways): Promise<void> {
  if (ways.directUrl === undefined) return
  const direct = await byDirectWay(ways, identityAt)
  const pooled = await identityAt(ways.databaseUrl)
  if (pooled !== undefined && direct !== undefined && pooled !== direct)
    throw new AddressError(
      'DATABASE_DIRECT_URL leads to another database than DATABASE_URL: name the one behind the pooler.',
    )
}

/** Undefined if the role may not ask for it. */
async function identityAt(url: string): Promise<string | undefined> {
  const connector = new Connector(addressOf(url), { application_name: 'quittance check' }, { pooled: true })
  const client = await connector.connect()
  try {
    const { rows } = await client.query<{ identity: string }>(identityOf.text)
    return rows[0]!.identity
  } catch (error) {
    if ((error as { code?: string }).code === MAY_NOT) return undefined
    throw error
  } finally {
    await client.end()
  }
}

const MAY_NOT = '42501'
