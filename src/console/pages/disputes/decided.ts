import { sql } from '../../../database/sql.ts'
import type { Reader } from '../../../database/transaction.ts'
import { type Day, dayIn, type Instant, instantOf } from '../../../kernel/clock.ts'
import type { Move } from './past.ts'

/** Whose time was up, by the last letter of the node that a dispute stood at. A dispute under review is decided by a rule. */
const silences: Readonly<Record<string, string>> = {
  S: 'the seller did not answer in time',
  A: 'the seller did not confirm the return in time',
  B: 'the buyer did not answer in time',
  F: 'the offer was not answered in time',
  R: 'the item was not sent back in time',
  U: 'nobody decided it in time, and the rule of this service did',
}
/** At an inquiry nobody is asked until somebody agrees to something or an agent asks; it just ends. */
const inquiryEnded = 'nobody took the inquiry further in time'

const wordsOf = (node: string): string | undefined =>
  ['IO', 'IS', 'IF'].includes(node) ? inquiryEnded : silences[node.at(-1) ?? '']

/** Why a move that ended a dispute was made by time. Undefined if somebody made it. */
export function timeDecided({ action, from }: Move): string | undefined {
  // On the accelerated timetable, the time to answer can be over when the inquiry becomes a claim.
  if (action === 'escalate') return silences['S']
  return action === 'pass-deadline' && from ? wordsOf(from) : undefined
}

/** The last end counts: what time decided can have been appealed, and then somebody decided it. */
const byTime = sql`
  select d.id, ending.node from disputes d
    join lateral (
      select t.action, t.from_node as node from dispute_transitions t
      where t.account_id = d.account_id and t.dispute_id = d.id and t.from_node not like 'X%' and t.to_node like 'X%'
      order by t.version desc limit 1) ending on ending.action = 'pass-deadline'
  where d.id = any($2::text[]) and (d.account_id || '' = $1 or d.buyer_account_id || '' = $1)`

/** Which of these disputes of an account were decided in somebody's place because their time was up, and why. */
export async function decidedByTime(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; node: string }>(byTime, [accountId, ids])
  return new Map(rows.flatMap(({ id, node }) => (wordsOf(node) === undefined ? [] : [[id, wordsOf(node)!]])))
}

/** No more than this many disputes of each state are looked at. */
export const DECIDED_MAX = 500

/** Disputes of each state are read by the index of states, and what time decided is read by the key of their moves. */
const decided = sql`
  select count(*)::int as decided, count(*) filter (where d.outcome_code = 'RESOLVED_SELLER_FAVOUR')::int as won,
    count(silence.found)::int as silent
  from (
    (select id, outcome_code from disputes where account_id = $1 and seller_state = 'RESOLVED' and create_time >= $2
      order by create_time desc, id desc limit $3)
    union all
    (select id, outcome_code from disputes where account_id = $1 and seller_state = 'APPEALABLE' and create_time >= $2
      order by create_time desc, id desc limit $3)) d
    left join lateral (
      select true as found from (
        select t.action, t.from_node from dispute_transitions t
        where t.account_id = $1 and t.dispute_id = d.id and d.outcome_code = 'RESOLVED_BUYER_FAVOUR'
          and t.from_node not like 'X%' and t.to_node like 'X%'
        order by t.version desc limit 1) ending
      where ending.action = 'pass-deadline' and right(ending.from_node, 1) in ('S', 'A')) silence on true
  where d.outcome_code in ('RESOLVED_SELLER_FAVOUR', 'RESOLVED_BUYER_FAVOUR')`

export interface Decided {
  readonly decided: number
  /** How many were decided for the seller. */
  readonly won: number
  /** How many were decided for the buyer because the seller let a time pass. */
  readonly silent: number
}

/** How those disputes of a seller ended that were opened this year. */
export const decidedThisYear = async (
  db: Reader,
  { accountId, zone, now }: { accountId: string; zone: string; now: Instant },
): Promise<Decided> => {
  const newYear = instantOf(`${dayIn(now, zone).slice(0, 4)}-01-01` as Day, zone, { hour: 0 })
  return (await db.row<Decided>(decided, [accountId, newYear, DECIDED_MAX]))!
}
