import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Link } from '../kernel/links.ts'
import { toMoney } from '../kernel/money.ts'
import { linkedAccounts, viewerOf } from './finding.ts'
import { disputeUrl, relations } from './links.ts'
import { type ListQuery, pageToken, readListQuery } from './list-query.ts'
import { countDisputes, listDisputes, type Scope, type SummaryRow } from './listing.ts'
import { type Print, presentDispute, printState } from './present.ts'
import { wonOrLost } from './state.ts'
import { viewFrom } from './viewer.ts'

/** A page of the disputes a caller may see, with links that lead on. */
export async function listFor(
  db: Reader,
  caller: Caller,
  query: ListQuery,
  now: Instant,
  print: Print,
): Promise<object> {
  const listing = readListQuery(query, now)
  const scope = await scopeOf(db, caller)
  const whole = query.fields === 'all'
  const rows = await listDisputes(db, scope, listing, whole)
  const shown = rows.slice(0, listing.size)
  const last = shown.at(-1)
  const more = rows.length > listing.size && last !== undefined
  const token = more ? pageToken(String(last[listing.sort]), last.id) : undefined
  const total = query.total_required ? await countDisputes(db, scope, listing) : undefined
  return {
    items: shown.map((row) => (row.body ? full(row, caller, print) : presentSummary(row, caller, print))),
    links: pageLinks(query, listing.page, token, print.publicUrl),
    ...(total !== undefined && { total_items: total, total_pages: Math.ceil(total / listing.size) }),
  }
}

/** Whose disputes a caller's scopes show: its own as seller and as buyer, or those of the merchants linked to it. */
export async function scopeOf(db: Reader, caller: Caller): Promise<Scope> {
  const { accountId, onBehalf, scopes } = caller
  const asSeller = viewFrom('seller', scopes)
  const asBuyer = viewFrom('buyer', scopes)
  const forOthers = !onBehalf && (asSeller === 'partner' || asSeller === 'marketplace')
  const linked = forOthers ? await linkedAccounts(db, caller) : []
  return {
    sellers: asSeller ? [...new Set([accountId, ...linked])] : [],
    buyer: asBuyer ? accountId : undefined,
  }
}

function full(row: SummaryRow, caller: Caller, print: Print): object {
  const seen = { dispute: row.body!, side: row.side }
  return presentDispute(seen.dispute, viewerOf(caller, seen), print)
}

function presentSummary(row: SummaryRow, caller: Caller, print: Print): object {
  const { dialect, publicUrl, settings } = print
  const self = disputeUrl(publicUrl, row.id)
  const isSeller = row.side === 'seller'
  const due = row.status === 'WAITING_FOR_BUYER_RESPONSE' ? 'buyer_response_due_date' : 'seller_response_due_date'
  const takesInfo = row.takes_info && (isSeller || row.channel === 'INTERNAL')
  const outcome = row.outcome_code === null ? undefined : wonOrLost(row.outcome_code, row.side)
  const infoLinks = takesInfo ? relations('provide-supporting-info', settings.disputeLinkSpelling) : []
  const seesSellerIds = isSeller || viewFrom(row.side, caller.scopes) === 'full'
  return {
    dispute_id: row.id,
    create_time: row.create_time,
    update_time: row.update_time,
    disputed_transactions: row.transactions.map(({ buyer_transaction_id, seller_transaction_id }) => ({
      buyer_transaction_id,
      ...(seesSellerIds && { seller_transaction_id }),
      seller: { merchant_id: row.account_id },
    })),
    reason: row.reason,
    status: row.status,
    dispute_state: printState(row.state, dialect),
    dispute_life_cycle_stage: row.stage,
    dispute_channel: row.channel,
    dispute_amount: toMoney(row.amount, row.currency),
    ...(row.due_time !== null && { [due]: row.due_time }),
    ...(outcome && { outcome }),
    links: [
      { href: self, rel: 'self', method: 'GET' },
      ...infoLinks.map((rel) => ({ href: `${self}/provide-supporting-info`, rel, method: 'POST' })),
    ],
  }
}

/** Links repeat every filter; the next one carries the page and the token, whichever a client prefers. */
function pageLinks(query: ListQuery, page: number, token: string | undefined, publicUrl: string): Link[] {
  const { page: _page, next_page_token: _token, ...filters } = query
  const to = (rel: string, parameters: Record<string, unknown>): Link => {
    const all = Object.entries({ ...filters, ...parameters }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const search = new URLSearchParams(all).toString()
    return { href: `${publicUrl}/v1/customer/disputes${search && `?${search}`}`, rel, method: 'GET' }
  }
  const given = {
    ...(query.page !== undefined && { page: query.page }),
    ...(query.next_page_token !== undefined && { next_page_token: query.next_page_token }),
  }
  return [
    to('self', given),
    to('first', {}),
    ...(token === undefined ? [] : [to('next', { ...(page < 50 && { page: page + 1 }), next_page_token: token })]),
    ...(page > 1 ? [to('prev', { page: page - 1 })] : []),
  ]
}
