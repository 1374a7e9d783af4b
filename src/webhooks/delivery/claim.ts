import { randomInt } from 'node:crypto'
import type { Connection } from '../../database/open.ts'
import { statementOf } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'
import { mayStillHear } from '../audience.ts'
import type { Claim } from '../dispatch/lanes.ts'
import { ANY_WEBHOOK, accountOf, accountsOf, beforeAccounts, endpointOf } from './free-address.ts'
import { type ClaimedDelivery, type ClaimedWebhook, DISABLED, type QueuedDelivery, SUSPENDED } from './queue.ts'

/** What takes turns: webhooks; or accounts, for events they simulated to addresses of their own. */
interface Line {
  readonly key: 'webhook_id' | 'account_id'
  readonly only: string
  /** SQL that leaves out lines which this claim cannot serve. */
  readonly able: string
  /** SQL for the endpoint of a line. */
  turn(line: string): string
  /** SQL for where to go on after the last line of a round. */
  readonly next: string
  /** SQL for why a delivery is not to be sent. Needed where no webhook tells. */
  readonly stopped: string
}

/**
 * Takes due deliveries of a lane, a few of each webhook, webhooks in turn. Stepping from webhook to webhook through
 * the index costs the same however much any of them has waiting. What would overtake an earlier event of the same
 * resource that has not been attempted yet, or is being attempted, stays. A lease that ran out can be taken over, with `$9`.
 *
 * The first row tells whose turn it was and describes the webhooks, once each, however many deliveries they get.
 *
 * Neither this nor a result waits for the disk: if the database's machine dies within that moment, the deliveries are
 * made once more, which can happen with any of them.
 */
const claimBy = ({ key, only, able, turn, next, stopped }: Line) => {
  // An expression, as with the lane, so that no index will do but the one that was made for this.
  const line = `q.${key} || ''`
  return `
  with recursive turn as (
    (select ${line} as line from delivery_queue q
     where q.lane + 0 = $1 and ${line} > $2 ${only} order by ${line} limit 1)
    union all
    select (
      select ${line} from delivery_queue q
      where q.lane + 0 = $1 and ${line} > turn.line ${only} order by ${line} limit 1)
    from turn where turn.line is not null),
  able as materialized (
    select turn.line from turn
    where turn.line is not null ${able}
      and not exists (select from unnest($3::text[]) as busy (line) where busy.line = turn.line)
    limit $4),
  due as materialized (
    select first.* from able cross join lateral (
      select q.ctid as place, q.account_id, q.webhook_id from delivery_queue q
      where q.lane + 0 = $1 and ${line} = able.line ${only} and q.next_time <= $5
        and (q.lease_until is null or ($9 and q.lease_until <= clock_timestamp()))
        and not exists (
          select from delivery_queue earlier
          where earlier.webhook_id = q.webhook_id and earlier.resource_id = q.resource_id and earlier.seq < q.seq
            and (earlier.attempts = 0 or earlier.lease_until > clock_timestamp()))
      order by q.next_time, q.seq limit $6
      for update of q skip locked) first
    limit $7),
  held as (
    update delivery_queue q set claim = $8, lease_until = clock_timestamp() + interval '15 seconds'
    from due where q.ctid = due.place
    returning q.account_id, q.id, q.webhook_id, q.event_account_id, q.event_id, q.attempts, q.transmit_time,
      q.next_time, q.signature, q.key_id, q.url),
  described as (
    select json_agg(json_build_object('id', w.id, 'url', w.url, 'enabled', w.enabled,
      'active', (select m.status = 'ACTIVE' from accounts m where m.id = w.account_id),
      'heard', (select a.status = 'ENABLED' from apps a where a.id = w.app_id),
      'secret', encode(w.secret, 'hex'), 'previous_secret', encode(w.previous_secret, 'hex'),
      'previous_until', w.previous_until)) as webhooks
    from webhooks w where (w.account_id, w.id) in (select due.account_id, due.webhook_id from due))
  select case
      when (select count(*) from due) = $7 then (select ${turn('max(due.' + key + ')')} from due)
      else (select case when count(*) = $4 then ${turn('max(able.line)')} else ${next} end from able) end as turn,
    described.webhooks, null as account_id, null::uuid as id, null as webhook_id, null as event_id, null::int as attempts,
    null as transmit_time, null as next_time, null as signature, null as key_id, null as url, null as body, null::boolean as permitted, null as stopped
  from (select set_config('synchronous_commit', 'off', true)) always cross join described
  union all
  select null, null, held.account_id, held.id, held.webhook_id, held.event_id, held.attempts, held.transmit_time,
    held.next_time, held.signature, held.key_id, held.url, e.body,
    ${mayStillHear}, ${stopped}
  from held left join events e on e.account_id = held.event_account_id and e.id = held.event_id`
}
const claimOfWebhooks = statementOf(
  claimBy({
    key: 'webhook_id',
    only: '',
    able: `and turn.line <> '${ANY_WEBHOOK}'`,
    turn: (line) => line,
    // A round from the beginning has stepped on such deliveries, if there are any, so there is no need to look once more.
    next: `case when $2 = '' then (select '${beforeAccounts}' from turn where turn.line = '${ANY_WEBHOOK}')
      else (select '${beforeAccounts}' from delivery_queue q where q.lane + 0 = $1 and q.webhook_id || '' = '${ANY_WEBHOOK}' limit 1) end`,
    stopped: 'null',
  }),
)
const claimOfAccounts = statementOf(
  claimBy({
    key: 'account_id',
    only: `and q.webhook_id || '' = '${ANY_WEBHOOK}'`,
    able: '',
    turn: (line) => `'${beforeAccounts}' || ${line}`,
    next: 'null',
    stopped: `(select case when m.status <> 'ACTIVE' then '${SUSPENDED}' when p.status <> 'ENABLED' then '${DISABLED}' end
      from deliveries d join apps p on p.id = d.app_id join accounts m on m.id = p.account_id
      where d.account_id = held.account_id and d.id = held.id)`,
  }),
)

export interface ClaimResult {
  readonly claimed: readonly ClaimedDelivery[]
  /** The last endpoint that was looked at; undefined when all were. */
  readonly turn: string | undefined
}

interface ClaimHead {
  readonly turn: string | null
  readonly webhooks: readonly ClaimedWebhook[] | null
}

const CLAIM_MAX = 2 ** 47

/** Takes over claims whose lease ran out only when `takesOver` is true. */
export async function claimDeliveries(
  database: Connection,
  { lane, afterWebhook, busy, webhooks, each, count }: Claim,
  now: Instant,
  takesOver = true,
): Promise<ClaimResult> {
  const claim = randomInt(CLAIM_MAX)
  const account = accountOf(afterWebhook)
  const [statement, busyLines] = account === undefined ? [claimOfWebhooks, busy] : [claimOfAccounts, accountsOf(busy)]
  const values = [lane, account ?? afterWebhook, busyLines, webhooks, now, each, count, claim, takesOver]
  const rows = await database.rows<ClaimHead | QueuedDelivery>(statement, values)
  const head = rows.shift() as ClaimHead
  const described = new Map(head.webhooks?.map((webhook) => [webhook.id, webhook]))
  const claimed = (rows as QueuedDelivery[]).map(
    (row): ClaimedDelivery => ({
      ...row,
      claim,
      lane,
      endpoint: endpointOf(row.webhook_id, row.account_id),
      webhook: described.get(row.webhook_id),
    }),
  )
  return { claimed, turn: head.turn ?? undefined }
}
