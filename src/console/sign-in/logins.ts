import { createHash, randomBytes } from 'node:crypto'
import type { Account } from '../../accounts/schema.ts'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { cookieOf } from '../../http/cookies.ts'
import { removeAll, type Sweep } from '../../jobs/sweep.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import type { Role } from '../roles.ts'

/** The way in which somebody signed in. */
export type Way = 'link' | 'passkey' | 'oidc'

/** What a person is at one place: an account, or the service as a whole. */
export interface Place {
  readonly role: Role
  /** Null for those who work for the whole service. */
  readonly account: Account | null
  /** The app whose webhooks are looked at. */
  readonly app_id: string | null
}

/** Somebody who is signed in. */
export interface Login {
  readonly person_id: string
  readonly name: string
  readonly email: string
  readonly issuer: string | null
  readonly way: Way
  readonly create_time: Instant
  readonly seen_time: Instant
  readonly fresh_time: Instant | null
  /** When they were here last, with any login; null when they have seen no page yet. */
  readonly person_seen_time: Instant | null
  /** Every place that is open to them now. */
  readonly places: readonly Place[]
}

const HOUR = 3_600
const LONGEST_SECONDS = 7 * 24 * HOUR
const IDLE_SECONDS = 12 * HOUR
const IDLE_SECONDS_OF_OPERATORS = HOUR / 2
/** Noting that somebody was here is a write, and once a minute is as exact as anybody needs. */
const SEEN_EVERY_SECONDS = 60
/** How many seconds ago a passkey or single sign-on may have been shown for something grave. */
export const FRESH_SECONDS = 300

const COOKIE = '__Host-quittance'
const BROWSER_LENGTH_MAX = 200

/** What the cookie of a browser holds before anybody signed in: it binds forms to the browser and opens nothing. */
const stranger = /^b\.[\w-]{43}$/
const signedIn = /^[\w-]{43}$/

const newSecret = () => randomBytes(32).toString('base64url')
export const newStranger = (): string => `b.${newSecret()}`

/** What the browser's cookie holds, if it has one of our forms. */
export function sessionIn(cookies: string | undefined): string | undefined {
  const value = cookieOf(cookies, COOKIE)
  return value !== undefined && (stranger.test(value) || signedIn.test(value)) ? value : undefined
}

export const loginCookie = (value: string): string =>
  `${COOKIE}=${value}; Path=/; Max-Age=${LONGEST_SECONDS}; Secure; HttpOnly; SameSite=Lax`

export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

// A suspended account is open to nobody, just as its tokens open nothing.
const findLogin = sql`
  select l.person_id, p.name, p.email, p.issuer, l.way, l.create_time, l.seen_time, l.fresh_time,
    p.seen_time as person_seen_time, coalesce((
      select jsonb_agg(jsonb_build_object('role', r.role, 'account', a.body, 'app_id', (
          select apps.id from apps where apps.account_id = a.id and apps.status = 'ENABLED'
          order by apps.create_time, apps.id limit 1)) order by r.account_id nulls first)
      from console_roles r left join accounts a on a.id = r.account_id
      where r.person_id = p.id and (r.account_id is null or a.status = 'ACTIVE')), '[]') as places
  from console_logins l join console_people p on p.id = l.person_id
  where l.digest = $1 and l.expire_time > $2 and p.removed_time is null`
const insertLogin = sql`
  insert into console_logins (digest, person_id, way, address, browser, create_time, seen_time, fresh_time, expire_time)
  values ($1, $2, $3, $4, $5, $6, $6, $7, $8)`
const noteSeen = sql`
  with seen as (update console_logins set seen_time = $2 where digest = $1 returning person_id)
  update console_people set seen_time = $2 from seen where id = seen.person_id`
const freshen = sql`update console_logins set fresh_time = $2 where digest = $1`
const endOne = sql`delete from console_logins where digest = $1`
const endOneOf = sql`delete from console_logins where person_id = $1 and digest = $2`
const loginsOf = sql`
  select digest, way, address, browser, create_time, seen_time from console_logins
  where person_id = $1 and expire_time > $2 and seen_time > case when exists (
      select from console_roles r where r.person_id = $1 and r.role = 'operator') then $4 else $3 end
  order by create_time desc limit 100`

const sweepLogins = sql`
  delete from console_logins where ctid = any(array(
    select ctid from console_logins where expire_time <= $1 order by expire_time limit $2 for update skip locked))
  returning 1`
const sweepLinks = sql`
  delete from console_links where ctid = any(array(
    select ctid from console_links where expire_time <= $1 order by expire_time limit $2 for update skip locked))
  returning 1`
const sweepAnswered = sql`
  delete from console_answered where ctid = any(array(
    select ctid from console_answered where expire_time <= $1 order by expire_time limit $2 for update skip locked))
  returning 1`
const sweepRemoved = sql`
  delete from console_people where ctid = any(array(
    select ctid from console_people where removed_time <= $1 order by removed_time limit $2 for update skip locked))
  returning 1`

/** Used links are kept for a day, so that whoever comes late is told what became of theirs. */
const LINKS_KEPT_SECONDS = 24 * HOUR

/** Removes what has run out of time. People who were removed are removed for good once no row of the audit log can name them. */
export const sweepSignIns =
  (auditRetentionDays: number): Sweep =>
  async (parts) => {
    const { now } = parts
    await removeAll(parts, sweepLogins, now)
    await removeAll(parts, sweepLinks, after(now, -LINKS_KEPT_SECONDS))
    await removeAll(parts, sweepAnswered, now)
    if (auditRetentionDays > 0) await removeAll(parts, sweepRemoved, after(now, -auditRetentionDays * 24 * HOUR))
  }

/** Since when people must have been here for their logins to be open, and since when operators must have been. */
export const openSince = (now: Instant): readonly [Instant, Instant] => [
  after(now, -IDLE_SECONDS),
  after(now, -IDLE_SECONDS_OF_OPERATORS),
]

/** Whether somebody has been away for so long that they must sign in again. */
function isIdle({ seen_time, places }: Login, now: Instant): boolean {
  const most = places.some(({ role }) => role === 'operator') ? IDLE_SECONDS_OF_OPERATORS : IDLE_SECONDS
  return after(seen_time, most) <= now
}

/** Who is signed in with this secret; undefined for nobody. */
export async function loginOf(db: Reader, secret: string, now: Instant): Promise<Login | undefined> {
  if (!signedIn.test(secret)) return undefined
  const digest = digestOf(secret)
  const login = await db.row<Login>(findLogin, [digest, now])
  if (!login || isIdle(login, now)) return undefined
  const stale = after(now, -SEEN_EVERY_SECONDS)
  // The first page after signing in notes the person too, although the login itself is new.
  if (login.seen_time < stale || (login.person_seen_time ?? '') < stale) await db.rows(noteSeen, [digest, now])
  return login
}

export interface Beginning {
  readonly personId: string
  readonly way: Way
  readonly isFresh: boolean
  readonly address: string
  readonly browser: string
}

/** Signs somebody in. Returns what their cookie is to hold, which nobody can tell from what is stored. */
export function beginLogin(tx: Tx, { personId, way, isFresh, address, browser }: Beginning, now: Instant): string {
  const secret = newSecret()
  const fresh = isFresh ? now : null
  const kept = browser.slice(0, BROWSER_LENGTH_MAX)
  const expires = after(now, LONGEST_SECONDS)
  tx.write(insertLogin, [digestOf(secret), personId, way, address, kept, now, fresh, expires])
  return secret
}

/** Notes that somebody has just proved again who they are. */
export const freshenLogin = (tx: Tx, secret: string, now: Instant): void => tx.guard(freshen, [digestOf(secret), now])

export const isFresh = ({ fresh_time }: Pick<Login, 'fresh_time'>, now: Instant): boolean =>
  fresh_time !== null && after(fresh_time, FRESH_SECONDS) > now

export const endLogin = (tx: Tx, secret: string): void => tx.write(endOne, [digestOf(secret)])

/** Ends one of somebody's logins, by the name that lists show. */
export const endLoginNamed = (tx: Tx, personId: string, name: string): void =>
  tx.write(endOneOf, [personId, Buffer.from(name, 'base64url')])

export interface ListedLogin {
  readonly digest: Buffer
  readonly way: Way
  readonly address: string
  readonly browser: string
  readonly create_time: Instant
  readonly seen_time: Instant
}
export const listLogins = (db: Reader, personId: string, now: Instant): Promise<ListedLogin[]> =>
  db.rows<ListedLogin>(loginsOf, [personId, now, ...openSince(now)])
