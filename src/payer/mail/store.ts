import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { causeId } from '../../kernel/cause.ts'
import { type Instant, toSeconds } from '../../kernel/clock.ts'

/** A mail as it was sent or kept. */
export interface KeptMail {
  readonly id: string
  readonly to: readonly string[]
  readonly from: string
  /** The name before the sender's address. Earlier mails have none. */
  readonly from_name?: string
  readonly reply_to?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Every address the mail links to. */
  readonly links: readonly string[]
  readonly attachments: readonly { readonly filename: string; readonly content_type: string; readonly href: string }[]
}

const insertStatement = sql`
  insert into mails (account_id, id, recipients, body, create_time, cause) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`
const newest = sql`select body, create_time, cause, read_time from mails order by seq desc limit $1 offset $2`
const newestUnread = sql`
  select body, create_time, cause, read_time from mails where read_time is null order by seq desc limit $1 offset $2`
const byId = sql`select body, create_time, cause, read_time from mails where id = $1 limit 1`
/** Recipients are found first, by their index. In the order of mails, all of them would be read to find somebody's few. */
const newestTo = sql`
  with found as materialized (select seq from mails where recipients @> array[$3::text]),
    page as materialized (select seq from found order by seq desc limit $1 offset $2)
  select m.body, m.create_time, m.cause, m.read_time from page cross join lateral (
    select * from mails where mails.seq = page.seq limit 1) m
  order by page.seq desc`
/** No index finds a part of a subject, so only a limited number of the newest mails is looked through. */
const newestWith = sql`
  select m.body, m.create_time, m.cause, m.read_time from (
    select * from mails order by seq desc limit $4) m
  where strpos(lower(m.body->>'subject'), $3) > 0 or strpos(array_to_string(m.recipients, ' '), $3) > 0
  order by m.seq desc limit $1 offset $2`
const unreadCounted = sql`
  select count(*)::int as n from (select 1 from mails where read_time is null limit $1) counted`
const unread = sql`select account_id, id from mails where read_time is null order by seq desc limit $1`
const named = sql`select account_id, id from mails where id = any($1::text[]) limit $2`
const markRead = sql`
  update mails set read_time = coalesce(mails.read_time, $3)
  from unnest($1::text[], $2::text[]) as chosen (account_id, id)
  where mails.account_id = chosen.account_id and mails.id = chosen.id`

/** How many of the newest mails are searched for a part of an address or a subject. */
export const LOOKED_THROUGH_MAX = 2_000
/** Unread mails are counted only up to this number. */
const UNREAD_COUNTED_MAX = 100
/** How many mails are marked as read at once. */
export const MARKED_MAX = 10_000

export function keepMail(tx: Tx, accountId: string, mail: KeptMail): void {
  const recipients = mail.to.map((address) => address.toLowerCase())
  tx.write(insertStatement, [accountId, mail.id, recipients, JSON.stringify(mail), tx.now, causeId(tx.cause)])
  // Names are read from the mail itself, which is removed when somebody has to be forgotten.
  tx.happened(() => ({ kind: 'mail', accountId, ref: mail.id, details: {} }))
}

export interface MailFilter {
  /** The whole address of a recipient. */
  readonly to?: string | undefined
  /** A part of an address or of a subject. */
  readonly text?: string | undefined
  readonly unread?: boolean | undefined
}

/** One page of the mails, newest first, and whether there are more. */
export async function findMails(db: Reader, filter: MailFilter, { page, limit }: { page: number; limit: number }) {
  const rows = await found(db, filter, [limit + 1, (page - 1) * limit])
  return { mails: rows.slice(0, limit).map(presentMail), has_more: rows.length > limit }
}

function found(db: Reader, { to, text, unread: isUnread }: MailFilter, bounds: readonly number[]): Promise<MailRow[]> {
  if (to !== undefined) return db.rows<MailRow>(newestTo, [...bounds, to.toLowerCase()])
  if (text !== undefined) return db.rows<MailRow>(newestWith, [...bounds, text.toLowerCase(), LOOKED_THROUGH_MAX])
  return db.rows<MailRow>(isUnread ? newestUnread : newest, bounds)
}

/** How many nobody has read, up to a hundred. */
export const countUnread = async (db: Reader): Promise<number> =>
  (await db.row<{ n: number }>(unreadCounted, [UNREAD_COUNTED_MAX]))?.n ?? 0

export async function findMail(db: Reader, id: string) {
  const row = await db.row<MailRow>(byId, [id])
  return row && presentMail(row)
}

/** Marks mails as read: those that are named, or all of them, up to the limit for one call. */
export async function readMails(tx: Tx, ids: readonly string[] | undefined): Promise<{ has_more: boolean }> {
  const limit = MARKED_MAX + 1
  type Key = { account_id: string; id: string }
  const all = await (ids ? tx.rows<Key>(named, [ids, limit]) : tx.rows<Key>(unread, [limit]))
  const chosen = all.slice(0, MARKED_MAX)
  if (chosen.length > 0)
    tx.write(markRead, [chosen.map(({ account_id }) => account_id), chosen.map(({ id }) => id), tx.now])
  return { has_more: all.length > chosen.length }
}

interface MailRow {
  readonly body: KeptMail
  readonly create_time: Instant
  readonly cause: string | null
  readonly read_time: Instant | null
}

const presentMail = ({ body, create_time, cause, read_time }: MailRow) => ({
  ...body,
  create_time: toSeconds(create_time),
  ...(cause !== null && { cause }),
  ...(read_time !== null && { read_time: toSeconds(read_time) }),
})
export type ShownMail = ReturnType<typeof presentMail>
