import { sql } from '../../../database/sql.ts'
import type { Reader, Tx } from '../../../database/transaction.ts'
import { refused } from '../../../kernel/problem.ts'
import type { Typed } from '../../forms/fields.ts'

/** One side of a dispute: its account, which is empty for those who decide. */
export interface Side {
  readonly accountId: string
  readonly disputeId: string
}

export interface Taken {
  readonly person: string
  readonly create_time: string
}
export interface Note extends Taken {
  readonly content: string
}
export interface Draft {
  readonly action: string
  readonly typed: Typed
  readonly person: string
  readonly update_time: string
  readonly files: readonly KeptFile[]
  /** Changes whenever somebody saves the draft. */
  readonly stamp: string
}

/** A file that is kept with a draft. */
export interface KeptFile {
  readonly n: number
  readonly name: string
  readonly size: number
}

/** What one side keeps to itself. */
export interface Desk {
  readonly taken: Taken | null
  readonly notes: readonly Note[]
  readonly drafts: readonly Draft[]
}

const NOTES_MAX = 200
export const NOTE_LENGTH_MAX = 4_000

const deskOf = sql`
  select
    (select json_build_object('person', t.person, 'create_time', t.create_time) from console_taken t
     where t.account_id = $1 and t.dispute_id = $2) as taken,
    (select coalesce(json_agg(json_build_object('person', n.person, 'create_time', n.create_time, 'content', n.content)
       order by n.seq), '[]') from console_notes n where n.account_id = $1 and n.dispute_id = $2) as notes,
    (select coalesce(json_agg(json_build_object('action', d.action, 'typed', d.typed, 'person', d.person,
       'update_time', d.update_time, 'stamp', d.xmin::text, 'files', (
         select coalesce(json_agg(json_build_object('n', f.n, 'name', f.name, 'size', octet_length(f.bytes)) order by f.n), '[]')
         from console_draft_files f
         where f.account_id = d.account_id and f.dispute_id = d.dispute_id and f.action = d.action))), '[]')
     from console_drafts d
     where d.account_id = $1 and d.dispute_id = $2) as drafts`
const countNotes = sql`select count(*)::int as n from console_notes where account_id = $1 and dispute_id = $2`
const insertNote = sql`
  insert into console_notes (account_id, dispute_id, person, content, create_time) values ($1, $2, $3, $4, $5)`
const insertTaken = sql`
  insert into console_taken (account_id, dispute_id, person, create_time) values ($1, $2, $3, $4)
  on conflict (account_id, dispute_id) do nothing`
const takenOne = sql`select person, create_time from console_taken where account_id = $1 and dispute_id = $2`
const deleteTaken = sql`delete from console_taken where account_id = $1 and dispute_id = $2`
const takenAmong = sql`
  select dispute_id, person from console_taken where account_id = $1 and dispute_id = any($2::text[])`

export const findDesk = async (db: Reader, { accountId, disputeId }: Side): Promise<Desk> =>
  (await db.row<Desk>(deskOf, [accountId, disputeId]))!

/** Who has taken which of these disputes. */
export async function takenOf(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ dispute_id: string; person: string }>(takenAmong, [accountId, ids])
  return new Map(rows.map(({ dispute_id, person }) => [dispute_id, person]))
}

/** Takes a dispute for somebody. Whoever has it already keeps it, and is returned. */
export async function takeIt(tx: Tx, { accountId, disputeId }: Side, person: string): Promise<string> {
  const holder = (await tx.row<Taken>(takenOne, [accountId, disputeId]))?.person
  if (holder !== undefined) return holder
  tx.about(accountId === '' ? null : accountId, disputeId)
  tx.guard(insertTaken, [accountId, disputeId, person, tx.now])
  return person
}

/**
 * Gives a dispute back for the person who had it when the page was drawn. Somebody who took it since keeps it, and is returned.
 */
export async function giveItBack(tx: Tx, { accountId, disputeId }: Side, from?: string): Promise<string | undefined> {
  const holder = (await tx.row<Taken>(takenOne, [accountId, disputeId]))?.person
  if (holder !== undefined && from !== undefined && holder !== from) return holder
  tx.about(accountId === '' ? null : accountId, disputeId)
  tx.write(deleteTaken, [accountId, disputeId])
  return undefined
}

export async function addNote(tx: Tx, { accountId, disputeId }: Side, person: string, content: string): Promise<void> {
  const { n } = (await tx.row<{ n: number }>(countNotes, [accountId, disputeId]))!
  if (n >= NOTES_MAX) throw refused('TOO_MANY_NOTES', `A dispute has at most ${NOTES_MAX} notes.`)
  tx.about(accountId === '' ? null : accountId, disputeId)
  tx.write(insertNote, [accountId, disputeId, person, content, tx.now])
}
