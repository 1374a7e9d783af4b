import { randomBytes } from 'node:crypto'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import type { Service } from '../../room.ts'
import { digestOf } from './logins.ts'
import type { ListedPerson } from './people.ts'

/** How long a link to sign in works. */
export const LINK_SECONDS = 900

/** What became of a link. A link that never existed and one that is long gone look the same. */
export type LinkState =
  | { readonly kind: 'good'; readonly personId: string; readonly name: string; readonly email: string }
  | { readonly kind: 'used' | 'late' | 'replaced' | 'none' }

const insertLink = sql`
  insert into console_links (digest, person_id, create_time, expire_time) values ($1, $2, $3, $4)`
const endEarlier = sql`
  update console_links set expire_time = $2 where person_id = $1 and used_time is null and expire_time > $2`
const findLink = sql`
  select l.person_id, l.create_time, l.expire_time, l.used_time, p.name, p.email
  from console_links l join console_people p on p.id = l.person_id
  where l.digest = $1 and p.removed_time is null`
const useLink = sql`
  update console_links set used_time = $2 where digest = $1 and used_time is null and expire_time > $2`

/**
 * Makes a link for somebody: the secret in its address, of which only the digest is kept. It replaces links that were made
 * before and not used, because whoever asks for another may have lost the first to somebody else.
 */
export function addLink(tx: Tx, personId: string, now: Instant): { code: string; expires: Instant } {
  const code = randomBytes(32).toString('base64url')
  const expires = after(now, LINK_SECONDS)
  tx.write(endEarlier, [personId, now])
  tx.write(insertLink, [digestOf(code), personId, now, expires])
  return { code, expires }
}

/** Where people reach the console. */
export const consoleUrl = ({ settings, publicUrl }: Pick<Service, 'settings' | 'publicUrl'>): string =>
  settings.consoleUrl ?? publicUrl

export const linkAddress = (address: string, code: string): string => `${address}/console/sign-in/link/${code}`

/** Whether somebody can come in only by another link: they have no passkey, and did not come by a link just now to make one. */
export const needsLink = (
  { issuer, passkeys, came_time }: Pick<ListedPerson, 'issuer' | 'passkeys' | 'came_time'>,
  now: Instant,
): boolean => issuer === null && passkeys === 0 && (came_time === null || after(came_time, LINK_SECONDS) <= now)

interface FoundLink {
  readonly person_id: string
  readonly create_time: Instant
  readonly expire_time: Instant
  readonly used_time: Instant | null
  readonly name: string
  readonly email: string
}

/** What a link is good for. Reading it does not use it up. */
export async function readLink(db: Reader, code: string, now: Instant): Promise<LinkState> {
  const found = await db.row<FoundLink>(findLink, [digestOf(code)])
  if (!found) return { kind: 'none' }
  if (found.used_time !== null) return { kind: 'used' }
  const isReplaced = found.expire_time < after(found.create_time, LINK_SECONDS)
  if (found.expire_time <= now) return { kind: isReplaced ? 'replaced' : 'late' }
  return { kind: 'good', personId: found.person_id, name: found.name, email: found.email }
}

/** Uses up a link. Of two who come at once, one starts over and finds it used. */
export function takeLink(tx: Tx, code: string, now: Instant): void {
  tx.guard(useLink, [digestOf(code), now])
}
