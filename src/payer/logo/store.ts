import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { logoDigest, logoJob } from '../../kernel/logo.ts'
import type { LogoImage } from './image.ts'

const REFRESH_SECONDS = 24 * 3_600
const RETRY_SECONDS = 10 * 60
/** How many logos an account keeps. Beyond that, those fetched longest ago are removed, and fetched again when needed. */
export const LOGOS_PER_ACCOUNT = 20

/** Our copy of a logo. Another picture gets another version. */
export interface KeptLogo extends LogoImage {
  readonly version: string
}

/** Where a page finds the logo, and how much room it takes. */
export interface ShownLogo {
  readonly address: string
  readonly width: number
  readonly height: number
}

interface LogoRow {
  readonly content_type: LogoImage['type'] | null
  readonly width: number
  readonly height: number
  readonly version: string
  readonly stale_time: Instant
}

const described = sql`
  select content_type, width, height, version, stale_time from logos where account_id = $1 and digest = $2`
const whole = sql`
  select content_type, width, height, version, stale_time, image from logos where account_id = $1 and digest = $2`
const upsert = sql`
  insert into logos (account_id, digest, content_type, width, height, image, stale_time)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (account_id, digest) do update set content_type = excluded.content_type, width = excluded.width,
    height = excluded.height, image = excluded.image, stale_time = excluded.stale_time`
const insertMissing = sql`
  insert into logos (account_id, digest, stale_time) values ($1, $2, $3)
  on conflict (account_id, digest) do update set stale_time = excluded.stale_time`
const deleteStalest = sql`
  delete from logos where account_id = $1 and digest <> $2 and digest not in (
    select digest from logos where account_id = $1 and digest <> $2 order by stale_time desc, digest limit $3)`

/** The logo on the page at `path`, if we have a copy. Where there is none, or an old one, a job will fetch it. */
export async function showLogo(tx: Tx, stored: StoredInvoice, path: string): Promise<ShownLogo | undefined> {
  const url = stored.invoice.invoicer.logo_url
  if (!url) return undefined
  const row = await tx.row<LogoRow>(described, [stored.account.id, logoDigest(url)])
  if (!row || row.stale_time <= tx.now) tx.enqueue(logoJob(stored.account.id, url))
  if (!row?.content_type) return undefined
  return { address: `${path}/logo?v=${row.version}`, width: row.width, height: row.height }
}

/** The picture itself. */
export async function findLogo(db: Reader, { invoice, account }: StoredInvoice): Promise<KeptLogo | undefined> {
  const url = invoice.invoicer.logo_url
  if (!url) return undefined
  const row = await db.row<LogoRow & { image: Buffer }>(whole, [account.id, logoDigest(url)])
  if (!row?.content_type) return undefined
  const { content_type: type, width, height, version, image: bytes } = row
  return { type, width, height, bytes, version }
}

export async function isLogoFresh(db: Reader, accountId: string, url: string, now: Instant): Promise<boolean> {
  const row = await db.row<LogoRow>(described, [accountId, logoDigest(url)])
  return row !== undefined && row.stale_time > now
}

/** Keeps what a fetch brought. If it brought nothing, the copy that we have stays. */
export function saveLogo(tx: Tx, accountId: string, url: string, image: LogoImage | undefined): void {
  const key = [accountId, logoDigest(url)]
  if (image) {
    const { type, width, height, bytes } = image
    tx.write(upsert, [...key, type, width, height, bytes, after(tx.now, REFRESH_SECONDS)])
  } else tx.write(insertMissing, [...key, after(tx.now, RETRY_SECONDS)])
  tx.write(deleteStalest, [...key, LOGOS_PER_ACCOUNT - 1])
}
