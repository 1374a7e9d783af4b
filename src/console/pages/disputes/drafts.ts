import { sql } from '../../../database/sql.ts'
import type { Reader, Tx } from '../../../database/transaction.ts'
import { receiveFiles } from '../../../disputes/documents.ts'
import { limits } from '../../../disputes/machine/limits.ts'
import type { UploadedFile } from '../../../http/body/multipart.ts'
import { removeAll, type Sweep } from '../../../jobs/sweep.ts'
import { after } from '../../../kernel/clock.ts'
import { refused } from '../../../kernel/problem.ts'
import type { Typed } from '../../forms/fields.ts'
import type { Draft, Side } from './desk.ts'

const TEXT_MAX = 64 * 1024
/** The limits of one draft, and the limit of all drafts of an account. */
const FILES_MAX = limits.filesPerMessage
const BYTES_MAX = 50 * 1024 * 1024
const ACCOUNT_BYTES_MAX = 500 * 1024 * 1024
/** A draft that nobody touched for this many days is forgotten, with its files. */
const KEPT_DAYS = 90

const insertDraft = sql`
  insert into console_drafts (account_id, dispute_id, action, typed, person, update_time)
  values ($1, $2, $3, $4, $5, $6) on conflict (account_id, dispute_id, action) do nothing`
const replaceDraft = sql`
  update console_drafts set typed = $4, person = $5, update_time = $6
  where account_id = $1 and dispute_id = $2 and action = $3 and xmin::text = $7`
const deleteSeen = sql`
  delete from console_drafts where account_id = $1 and dispute_id = $2 and action = $3 and xmin::text = $4`
const sizes = sql`
  select n, octet_length(bytes) as size, (
    select coalesce(sum(octet_length(o.bytes)), 0)::bigint from console_draft_files o where o.account_id = $1) as account_size
  from (select $1::text as account_id) one left join console_draft_files f
    on f.account_id = one.account_id and f.dispute_id = $2 and f.action = $3`
const insertFile = sql`
  insert into console_draft_files (account_id, dispute_id, action, n, name, content_type, bytes, create_time)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`
const deleteFiles = sql`
  delete from console_draft_files where account_id = $1 and dispute_id = $2 and action = $3 and n = any($4::int[])`
const filesOf = sql`
  select n, name, content_type, bytes from console_draft_files
  where account_id = $1 and dispute_id = $2 and action = $3 order by n`
const fileOf = sql`
  select n, name, content_type, bytes from console_draft_files
  where account_id = $1 and dispute_id = $2 and action = $3 and n = $4`
const removeOld = sql`
  delete from console_drafts where ctid = any(array(
    select ctid from console_drafts where update_time <= $1 order by update_time limit $2 for update skip locked))
  returning 1`

interface StoredFile {
  readonly n: number
  readonly name: string
  readonly content_type: string
  readonly bytes: Buffer
}

/** The field of a form in which a file of a draft is left out again. */
export const DROP_FILE = 'drop-file-'

/** The kept files that the form leaves out. */
const droppedIn = (typed: Typed): number[] =>
  Object.keys(typed)
    .filter((name) => name.startsWith(DROP_FILE))
    .map((name) => Number(name.slice(DROP_FILE.length)))
    .filter((n) => Number.isSafeInteger(n))

interface Kept {
  readonly action: string
  readonly typed: Typed
  readonly files: readonly UploadedFile[]
  readonly person: string
  /** What was kept before. */
  readonly before: Draft | undefined
}

/** Keeps what was typed into the form of an action, in place of what was kept before. Files are added to those that are there. */
export async function keepDraft(tx: Tx, side: Side, { action, typed, files, person, before }: Kept): Promise<void> {
  const { accountId, disputeId } = side
  const text = JSON.stringify(Object.fromEntries(Object.entries(typed).filter(([name]) => name.startsWith('/'))))
  if (text.length > TEXT_MAX) throw refused('DRAFT_TOO_LONG', 'This is too long to be kept as a draft.')
  const { files: named, types } = receiveFiles(tx, files)
  const key = [accountId, disputeId, action]
  const rows = await tx.rows<{ n: number | null; size: number; account_size: bigint }>(sizes, key)
  const there = rows.flatMap(({ n, size }) => (n === null ? [] : [{ n, size }]))
  const dropped = droppedIn(typed).filter((n) => there.some((one) => one.n === n))
  const left = there.filter(({ n }) => !dropped.includes(n))
  const added = named.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const sum = left.reduce((all, { size }) => all + size, added)
  if (left.length + named.length > FILES_MAX) throw refused('TOO_MANY_FILES', `A draft has at most ${FILES_MAX} files.`)
  if (sum > BYTES_MAX || Number(rows[0]!.account_size) + added > ACCOUNT_BYTES_MAX)
    throw refused('FILES_TOO_LARGE', 'These files are too large to be kept; send the answer, or leave some out.')
  tx.about(accountId === '' ? null : accountId, disputeId)
  if (before) tx.guard(replaceDraft, [...key, text, person, tx.now, before.stamp])
  else tx.guard(insertDraft, [...key, text, person, tx.now])
  if (dropped.length > 0) tx.write(deleteFiles, [...key, dropped])
  const last = Math.max(0, ...there.map(({ n }) => n))
  for (const [i, { fileName, bytes }] of named.entries())
    tx.write(insertFile, [...key, last + 1 + i, fileName, types[i], bytes, tx.now])
}

/** The kept files of a draft, as if they had been sent with the form, except those that the form leaves out. */
export async function filesOfDraft(
  db: Reader,
  { accountId, disputeId }: Side,
  action: string,
  typed: Typed,
): Promise<UploadedFile[]> {
  const dropped = droppedIn(typed)
  const kept = await db.rows<StoredFile>(filesOf, [accountId, disputeId, action])
  return kept
    .filter(({ n }) => !dropped.includes(n))
    .map(({ n, name, content_type, bytes }) => ({
      partName: `kept${n}`,
      fileName: name,
      contentType: content_type,
      bytes,
    }))
}

export const findDraftFile = (db: Reader, { accountId, disputeId }: Side, action: string, n: number) =>
  db.row<StoredFile>(fileOf, [accountId, disputeId, action, n])

/** Forgets a draft that was sent or is not wanted, with its files. What somebody keeps in its place at that very moment stays. */
export const dropSeen = (tx: Tx, { accountId, disputeId }: Side, { action, stamp }: Draft): void =>
  tx.write(deleteSeen, [accountId, disputeId, action, stamp])

/** Forgets drafts that nobody has gone on with. */
export const sweepDrafts: Sweep = (parts) => removeAll(parts, removeOld, after(parts.now, -KEPT_DAYS * 86_400))
