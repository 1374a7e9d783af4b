import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Role } from '../roles.ts'
import { openSince } from './logins.ts'

/** Somebody who may sign in. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  /** Who vouches for somebody whom single sign-on brought; null for somebody who was invited. */
  readonly issuer: string | null
  readonly seen_time: Instant | null
}

/** What somebody is, at an account or for the service as a whole. */
export interface Grant {
  readonly role: Role
  readonly account_id: string | null
}

/** A grant with the name of its account, for lists of all accounts. */
export interface ListedGrant extends Grant {
  readonly account_name?: string | null
}

/** Somebody as lists show them: with their roles, and with the ways in which they can come in. */
export interface ListedPerson extends Person {
  readonly roles: readonly ListedGrant[]
  readonly passkeys: number
  readonly logins: number
  /** When they last signed in, as far as the logins that are remembered tell. */
  readonly came_time: Instant | null
}

/** How many people are read at once when all are listed. */
const PAGE_SIZE = 1_000

/** Which people, in the order of their addresses: those after one of them, or those whose address begins with this text. */
export interface PeoplePage {
  readonly limit: number
  readonly beginning?: string | undefined
  readonly after?: { readonly email: string; readonly id: string } | undefined
}

const insertPerson = sql`
  insert into console_people (id, name, email, issuer, subject, create_time) values ($1, $2, $3, $4, $5, $6)`
const personById = sql`
  select id, name, email, issuer, seen_time from console_people where id = $1 and removed_time is null`
const hold = sql`select 1 as one from console_people where id = $1 for update`
const peopleByEmail = sql`
  select id, name, email, issuer, seen_time from console_people
  where lower(email) = lower($1) and issuer is null and removed_time is null`
const renamePerson = sql`update console_people set name = $2, email = $3 where id = $1`
const personBySubject = sql`
  select id, name, email, issuer, seen_time, removed_time from console_people where issuer = $1 and subject = $2`
const rolesOf = sql`select role, account_id from console_roles where person_id = $1`
const takeRole = sql`delete from console_roles where person_id = $1 and coalesce(account_id, '') = coalesce($2, '')`
const takeOtherRoles = sql`
  delete from console_roles where person_id = $1 and coalesce(account_id, '') <> all($2::text[])`
const knownAccounts = sql`select id from accounts where id = any($1::text[])`
const everybody = sql`
  select p.id, p.name, p.email, p.issuer, p.seen_time,
    coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'account_id', r.account_id, 'account_name', a.body ->> 'name'))
      from console_roles r left join accounts a on a.id = r.account_id where r.person_id = p.id), '[]') as roles,
    (select count(*)::int from console_passkeys k where k.person_id = p.id) as passkeys,
    (select count(*)::int from console_logins l where l.person_id = p.id and l.expire_time > $1
      and l.seen_time > case when exists (
        select from console_roles o where o.person_id = p.id and o.role = 'operator') then $8 else $7 end) as logins,
    (select max(l.create_time) from console_logins l where l.person_id = p.id) as came_time
  from console_people p
  where p.removed_time is null and (lower(p.email) collate "C", p.id) > ($3, $4)
    and lower(p.email) collate "C" >= $5 and lower(p.email) collate "C" < $6
  order by lower(p.email) collate "C", p.id limit $2`
const ofAccount = sql`
  select p.id, p.name, p.email, p.issuer, p.seen_time,
    jsonb_build_array(jsonb_build_object('role', r.role, 'account_id', r.account_id)) as roles,
    (select count(*)::int from console_passkeys k where k.person_id = p.id) as passkeys,
    (select count(*)::int from console_logins l where l.person_id = p.id and l.expire_time > $1
      and l.seen_time > case when exists (
        select from console_roles o where o.person_id = p.id and o.role = 'operator') then $8 else $7 end) as logins,
    (select max(l.create_time) from console_logins l where l.person_id = p.id) as came_time
  from console_roles r join console_people p on p.id = r.person_id
  where r.account_id = $9 and p.removed_time is null and (lower(p.email) collate "C", p.id) > ($3, $4)
    and lower(p.email) collate "C" >= $5 and lower(p.email) collate "C" < $6
  order by lower(p.email) collate "C", p.id limit $2`
const putRole = sql`
  insert into console_roles (person_id, account_id, role, create_time) values ($1, $2, $3, $4)
  on conflict (person_id, coalesce(account_id, '')) do update set role = excluded.role`
const takeRoles = sql`delete from console_roles where person_id = $1`
const endLogins = sql`delete from console_logins where person_id = $1`
const endLinks = sql`delete from console_links where person_id = $1`
const deletePasskeys = sql`delete from console_passkeys where person_id = $1`
const markRemoved = sql`update console_people set removed_time = $2 where id = $1`

export const findPerson = (db: Reader, id: string): Promise<Person | undefined> => db.row<Person>(personById, [id])

/**
 * Keeps what somebody is, and what lets them in, from being changed by others until this unit of work is committed. Without it,
 * a key that is made while they are made more would open that too. The unit of work needs locks.
 */
export const holdPerson = async (tx: Tx, id: string): Promise<void> => void (await tx.rows(hold, [id]))

/** Those who were invited under this address, each to another place. Nobody is found by an address that single sign-on tells. */
export const findInvited = (db: Reader, email: string): Promise<Person[]> => db.rows<Person>(peopleByEmail, [email])

/** Somebody whom single sign-on brought before, even if they were removed since. */
export const findBySubject = (db: Reader, issuer: string, subject: string) =>
  db.row<Person & { removed_time: Instant | null }>(personBySubject, [issuer, subject])

export const listRoles = (db: Reader, personId: string): Promise<Grant[]> => db.rows<Grant>(rolesOf, [personId])

/** People of an account or of all accounts, ordered by address. */
export function listPeople(
  db: Reader,
  now: Instant,
  accountId: string | undefined,
  { limit, beginning = '', after }: PeoplePage,
): Promise<ListedPerson[]> {
  const from = beginning.toLowerCase()
  const place = [after?.email.toLowerCase() ?? '', after?.id ?? '']
  const values = [now, limit, ...place, from, `${from}\u{10ffff}`, ...openSince(now)]
  return accountId === undefined
    ? db.rows<ListedPerson>(everybody, values)
    : db.rows<ListedPerson>(ofAccount, [...values, accountId])
}

/** All people, read page by page: whoever asks who may come in needs everybody. */
export async function listEverybody(db: Reader, now: Instant, accountId?: string): Promise<ListedPerson[]> {
  const found: ListedPerson[] = []
  for (;;) {
    const page = await listPeople(db, now, accountId, { limit: PAGE_SIZE, after: found.at(-1) })
    found.push(...page)
    if (page.length < PAGE_SIZE) return found
  }
}

export interface NewPerson {
  readonly name: string
  readonly email: string
  readonly issuer?: string
  readonly subject?: string
}

export function addPerson(tx: Tx, { name, email, issuer, subject }: NewPerson): string {
  const id = tx.newId('person')
  tx.write(insertPerson, [id, name, email, issuer ?? null, subject ?? null, tx.now])
  return id
}

/** Gives somebody a role, at an account or, when the role belongs to none, for the service. It replaces their role there. */
export function grantRole(tx: Tx, id: string, { role, account_id }: Grant): void {
  tx.about(account_id, id)
  tx.write(putRole, [id, account_id, role, tx.now])
}

export function revokeRole(tx: Tx, id: string, accountId: string | null): void {
  tx.about(accountId, id)
  tx.write(takeRole, [id, accountId])
}

/** Gives somebody the roles that single sign-on says they have, and no others. Accounts that do not exist are passed over. */
export async function replaceRoles(tx: Tx, id: string, grants: readonly Grant[]): Promise<number> {
  const named = grants.flatMap(({ account_id }) => account_id ?? [])
  const known = new Set((await tx.rows<{ id: string }>(knownAccounts, [named])).map((row) => row.id))
  const wanted = grants.filter(({ account_id }) => account_id === null || known.has(account_id))
  tx.write(takeOtherRoles, [id, wanted.map(({ account_id }) => account_id ?? '')])
  for (const grant of wanted) grantRole(tx, id, grant)
  return wanted.length
}

/** Takes over what single sign-on calls them now. */
export function renameTo(tx: Tx, id: string, { name, email }: Pick<NewPerson, 'name' | 'email'>): void {
  tx.write(renamePerson, [id, name, email])
}

/** Ends every login and link of somebody, in all processes, from the next request on. */
export function signOutEverywhere(tx: Tx, id: string, accountId: string | null = null): void {
  tx.about(accountId, id)
  tx.write(endLogins, [id])
  tx.write(endLinks, [id])
}

/** Ends everything that lets somebody in, except links, which are ended by the next link. */
export function shutOut(tx: Tx, id: string): void {
  tx.write(endLogins, [id])
  tx.write(deletePasskeys, [id])
}

/** Takes everything from somebody that lets them in. The audit log still knows their name until its own time is over. */
export function removePerson(tx: Tx, id: string, accountId: string | null = null): void {
  signOutEverywhere(tx, id, accountId)
  tx.write(takeRoles, [id])
  tx.write(deletePasskeys, [id])
  tx.guard(markRemoved, [id, tx.now])
}
