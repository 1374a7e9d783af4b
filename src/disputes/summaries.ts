import type { Reader } from '../database/transaction.ts'
import { RawJson } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Link } from '../kernel/links.ts'
import { linkedAccounts, viewerOf } from './finding.ts'
import { disputeUrl, relations } from './links.ts'
import { type ListQuery, pageToken, readListQuery } from './list-query.ts'
import { countDisputes, type ListedDispute, listDisputes, type Scope } from './listing.ts'
import { type Print, presentDispute } from './present.ts'
import { viewFrom } from './viewer.ts'

/** A page of the disputes a caller may see, with links that lead on. */
export async function listFor(
  db: Reader,
  caller: Caller,
  query: ListQuery,
  now: Instant,
  print: Print,
): Promise<RawJson> {
  const listing = readListQuery(query, now)
  const scope = await scopeOf(db, caller)
  const whole = query.fields === 'all'
  const rows = await listDisputes(db, scope, listing, whole)
  const shown = rows.slice(0, listing.size)
  const last = shown.at(-1)
  const more = rows.length > listing.size && last !== undefined
  const token = more ? pageToken(last.at, last.id) : undefined
  const total = query.total_required ? await countDisputes(db, scope, listing) : undefined
  const items = shown.map((row) => (row.body ? full(row, caller, print) : withLinks(row, print)))
  const rest = {
    links: pageLinks(query, listing.page, token, print.publicUrl),
    ...(total !== undefined && { total_items: total, total_pages: Math.ceil(total / listing.size) }),
  }
  return new RawJson(`{"items":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`)
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

function full({ body, side }: ListedDispute, caller: Caller, print: Print): string {
  const seen = { dispute: body!, side }
  return JSON.stringify(presentDispute(seen.dispute, viewerOf(caller, seen), print))
}

/** The stored summary with what depends on this deployment: its address, its spelling, its dialect. */
function withLinks({ id, side, summary, takes_info, channel }: ListedDispute, print: Print): string {
  const { dialect, publicUrl, settings } = print
  const self = disputeUrl(publicUrl, id)
  const takesInfo = takes_info && (side === 'seller' || channel === 'INTERNAL')
  const infoLinks = takesInfo ? relations('provide-supporting-info', settings.disputeLinkSpelling) : []
  const links = [
    { href: self, rel: 'self', method: 'GET' },
    ...infoLinks.map((rel) => ({ href: `${self}/provide-supporting-info`, rel, method: 'POST' })),
  ]
  const spelt =
    dialect.stateUnderReview === 'UNDER_REVIEW'
      ? summary
      : summary.replace('"dispute_state":"UNDER_REVIEW"', `"dispute_state":"${dialect.stateUnderReview}"`)
  return `${spelt.slice(0, -1)},"links":${JSON.stringify(links)}}`
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
