import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { prefers } from '../../http/prefer.ts'
import { Answer } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { notFound } from '../../kernel/problem.ts'
import { findForCaller } from '../access.ts'
import { disputeUrl } from '../links.ts'
import type { Dispute } from '../schema/dispute.ts'

/** The scopes of those who can make requests that are answered with a receipt. */
export const receiptScopes = [
  'disputes/create',
  'disputes/update-seller',
  'disputes/update-buyer',
  'disputes/update-partner',
] as const

const insertRequest = sql`
  insert into dispute_requests (account_id, id, dispute_id, waits_for_refund, create_time) values ($1, $2, $3, $4, $5)`
const requestById = sql`
  select r.id, r.dispute_id, r.waits_for_refund, r.create_time, d.status, d.outcome_code, d.update_time
    from dispute_requests r join disputes d on d.id = r.dispute_id where r.account_id = $1 and r.id = $2`

interface RequestRow {
  readonly id: string
  readonly dispute_id: string
  readonly waits_for_refund: boolean
  readonly create_time: string
  readonly status: string
  readonly outcome_code: string | null
  readonly update_time: string
}

const requestUrl = (publicUrl: string, id: string) => `${publicUrl}/v1/apis/requests/${id}`

export const wantsAsync = (headers: Readonly<Record<string, string | string[] | undefined>>): boolean =>
  prefers(headers, 'respond-async')

/** 202: the request was accepted. Links to how it went, and to the dispute by the relation that it has in every answer. */
export function accepted(
  tx: Tx,
  caller: Caller,
  publicUrl: string,
  { dispute_id }: Pick<Dispute, 'dispute_id'>,
  { waitsForRefund = false } = {},
): Answer {
  const id = tx.newId('request')
  tx.write(insertRequest, [caller.accountId, id, dispute_id, waitsForRefund, tx.now])
  return new Answer(202, {
    links: [
      { href: requestUrl(publicUrl, id), rel: 'self', method: 'GET' },
      { href: disputeUrl(publicUrl, dispute_id), rel: 'detail', method: 'GET' },
    ],
  })
}

/** How an accepted request went. One that waits for money is done when the dispute has paid it. */
export async function showRequest(db: Reader, caller: Caller, id: string, publicUrl: string): Promise<object> {
  const row = await db.row<RequestRow>(requestById, [caller.accountId, id])
  if (!row) throw notFound('The request')
  // A partner whose consent was taken back learns nothing more of the dispute, not even in this way.
  await findForCaller(db, caller, row.dispute_id, receiptScopes)
  const isOpen = row.waits_for_refund && row.status !== 'RESOLVED'
  const failed = row.waits_for_refund && row.status === 'RESOLVED' && row.outcome_code !== 'RESOLVED_BUYER_FAVOUR'
  return {
    id: row.id,
    status: isOpen ? 'PENDING' : failed ? 'FAILED' : 'COMPLETED',
    create_time: row.create_time,
    update_time: row.waits_for_refund ? row.update_time : row.create_time,
    links: [
      { href: requestUrl(publicUrl, row.id), rel: 'self', method: 'GET' },
      { href: disputeUrl(publicUrl, row.dispute_id), rel: 'related', method: 'GET' },
    ],
  }
}
