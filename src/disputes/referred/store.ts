import { fragment, joined, sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { notFound } from '../../kernel/problem.ts'
import type { ReferredDispute } from './schema.ts'

const byId = sql`select body as dispute, version from referred_disputes where account_id = $1 and id = $2`
const insert = sql`insert into referred_disputes (account_id, id, body, create_time) values ($1, $2, $3, $4)`
const update = sql`
  update referred_disputes set body = $4, version = version + 1 where account_id = $1 and id = $2 and version = $3`
const openOf = sql`
  select body as dispute from referred_disputes where account_id = $1 and transaction_id = $2 and status = 'OPEN' limit 10`

export interface StoredReferral {
  readonly dispute: ReferredDispute
  readonly version: number
}

export async function findReferral(db: Reader, accountId: string, id: string): Promise<StoredReferral> {
  const found = await db.row<StoredReferral>(byId, [accountId, id])
  if (!found) throw notFound('The referred dispute')
  return found
}

export const findOpenReferrals = async (db: Reader, accountId: string, transactionId: string) =>
  (await db.rows<{ dispute: ReferredDispute }>(openOf, [accountId, transactionId])).map(({ dispute }) => dispute)

export function insertReferral(tx: Tx, accountId: string, dispute: ReferredDispute): void {
  tx.about(accountId, dispute.id)
  tx.write(insert, [accountId, dispute.id, JSON.stringify(dispute), dispute.create_time])
}

export function saveReferral(tx: Tx, accountId: string, version: number, dispute: ReferredDispute): void {
  tx.about(accountId, dispute.id)
  tx.guard(update, [accountId, dispute.id, version, JSON.stringify(dispute)])
}

export interface ReferralListing {
  readonly accountId: string
  readonly from: string
  readonly before: string
  readonly status?: string | undefined
  readonly flows?: readonly string[] | undefined
}

const conditions = ({ accountId, from, before, status, flows }: ReferralListing) => [
  fragment`account_id = ${accountId}`,
  fragment`create_time >= ${from}`,
  fragment`create_time < ${before}`,
  ...(status === undefined ? [] : [fragment`status = ${status}`]),
  ...(flows === undefined ? [] : [fragment`flow = any(${flows})`]),
]

/** The last dispute of the page before. For a page that is read backwards, the first dispute of the page after it. */
export interface ReferralPlace {
  readonly time: string
  readonly id: string
  readonly backwards: boolean
}

/** Newest first; in the opposite order if it is read backwards. */
export async function listReferrals(
  db: Reader,
  listing: ReferralListing,
  size: number,
  at: ReferralPlace | undefined,
): Promise<ReferredDispute[]> {
  const beyond = at && (at.backwards ? fragment`>` : fragment`<`)
  const order = at?.backwards ? fragment`create_time, id` : fragment`create_time desc, id desc`
  const all = [...conditions(listing), ...(at ? [fragment`(create_time, id) ${beyond} (${at.time}, ${at.id})`] : [])]
  const { statement, values } = fragment`select body as dispute from referred_disputes
    where ${joined(all, ' and ')} order by ${order} limit ${size}`.toQuery()
  return (await db.rows<{ dispute: ReferredDispute }>(statement, values)).map(({ dispute }) => dispute)
}

export async function countReferrals(db: Reader, listing: ReferralListing): Promise<number> {
  const { statement, values } = fragment`select count(*)::int as n from referred_disputes
    where ${joined(conditions(listing), ' and ')}`.toQuery()
  return (await db.row<{ n: number }>(statement, values))!.n
}
