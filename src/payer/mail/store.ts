import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { causeId } from '../../kernel/cause.ts'
import { type Instant, toSeconds } from '../../kernel/clock.ts'

/** A mail as it was sent or kept. */
export interface KeptMail {
  readonly id: string
  readonly to: readonly string[]
  readonly from: string
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
const newest = sql`select body, create_time, cause from mails order by seq desc limit $1 offset $2`
const byId = sql`select body, create_time, cause from mails where id = $1 limit 1`
/** Found first, by the index of recipients: in the order of mails all of them are read to find the few of somebody. */
const newestTo = sql`
  with found as materialized (select seq from mails where recipients @> array[$3::text]),
    page as materialized (select seq from found order by seq desc limit $1 offset $2)
  select m.body, m.create_time, m.cause from page cross join lateral (
    select * from mails where mails.seq = page.seq limit 1) m
  order by page.seq desc`

export function keepMail(tx: Tx, accountId: string, mail: KeptMail): void {
  const recipients = mail.to.map((address) => address.toLowerCase())
  tx.write(insertStatement, [accountId, mail.id, recipients, JSON.stringify(mail), tx.now, causeId(tx.cause)])
  // Whom it names is read from the mail itself, which goes when somebody is to be forgotten.
  tx.happened(() => ({ kind: 'mail', accountId, ref: mail.id, details: {} }))
}

/** One page of what was mailed, newest first, and whether there is more behind it. */
export async function findMails(db: Reader, to: string | undefined, { page, limit }: { page: number; limit: number }) {
  const bounds = [limit + 1, (page - 1) * limit]
  const rows = await (to === undefined
    ? db.rows<MailRow>(newest, bounds)
    : db.rows<MailRow>(newestTo, [...bounds, to.toLowerCase()]))
  return { mails: rows.slice(0, limit).map(presentMail), has_more: rows.length > limit }
}

export async function findMail(db: Reader, id: string) {
  const row = await db.row<MailRow>(byId, [id])
  return row && presentMail(row)
}

interface MailRow {
  readonly body: KeptMail
  readonly create_time: Instant
  readonly cause: string | null
}

const presentMail = ({ body, create_time, cause }: MailRow) => ({
  ...body,
  create_time: toSeconds(create_time),
  ...(cause !== null && { cause }),
})
