import { type Fragment, fragment, joined, raw } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import { type Instant, parseInstant } from '../../kernel/clock.ts'
import type { Dialect } from '../../kernel/dialect.ts'
import { isSound, Money, toMinor, toMoney } from '../../kernel/money.ts'
import { invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { figureScopes, sightOf } from '../access.ts'
import { printState } from '../present.ts'
import type { Side } from '../schema/dispute.ts'
import { reasons, statuses } from '../schema/enums.ts'

const time = Type.Optional(Type.String({ maxLength: 64 }))

export const MetricsBody = Type.Object({
  dimension: Type.Enum(['STATUS', 'REASON', 'DISPUTE_OUTCOME', 'DISPUTE_STATE']),
  measure: Type.Enum(['COUNT', 'DISPUTE_AMOUNT_SUM', 'TRANSACTION_AMOUNT_SUM', 'REFUND_AMOUNT_SUM']),
  filter: Type.Optional(
    Type.Object({
      email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
      reasons: Type.Optional(Type.Array(Type.Enum([...reasons]), { maxItems: 50 })),
      statuses: Type.Optional(Type.Array(Type.Enum([...statuses, 'OTHER']), { maxItems: 50 })),
      create_time_before: time,
      create_time_after: time,
      update_time_before: time,
      update_time_after: time,
      response_due_date_before: time,
      response_due_date_after: time,
      dispute_amount_gte: Type.Optional(Money),
      dispute_amount_lte: Type.Optional(Money),
    }),
  ),
})
type MetricsBody = Static<typeof MetricsBody>
type Filter = NonNullable<MetricsBody['filter']>

export const Metrics = Type.Object(
  {
    metrics: Type.Array(
      Type.Object({
        key: Type.String(),
        count: Type.Optional(Type.Integer()),
        amount: Type.Optional(Type.Array(Money, { maxItems: 200 })),
      }),
      { maxItems: 50 },
    ),
  },
  { $id: 'DisputeMetrics' },
)

const dimensions = (side: Side) => ({
  STATUS: 'status',
  REASON: 'reason',
  DISPUTE_OUTCOME: `coalesce(outcome_code, 'NONE')`,
  DISPUTE_STATE: `${side}_state`,
})
const transactionSum = `(select coalesce(sum(t.captured), 0)::bigint from disputed_transactions d
  join payment_transactions t on t.account_id = d.account_id and t.id = d.transaction_id
  where d.account_id = disputes.account_id and d.dispute_id = disputes.id and not d.taken_out)`
const measures = (side: Side) => ({
  COUNT: '0::bigint',
  DISPUTE_AMOUNT_SUM: 'amount',
  TRANSACTION_AMOUNT_SUM: transactionSum,
  // What the buyer got. For the seller, less what the service bears of it.
  REFUND_AMOUNT_SUM: side === 'buyer' ? 'refunded' : 'refunded - covered',
})

interface MetricRow {
  readonly key: string
  readonly currency: string
  readonly count: bigint
  readonly sum: bigint
}

/** Counts or adds up the disputes a caller sees, by one of their properties. */
export async function computeMetrics(db: Reader, caller: Caller, body: MetricsBody, dialect: Dialect): Promise<object> {
  const { sellers, buyer } = await sightOf(db, caller, figureScopes)
  const { dimension, measure, filter = {} } = body
  const branches = [
    ...(sellers.size > 0 ? [branch('seller', fragment`account_id = any(${[...sellers.keys()]})`, body)] : []),
    ...(buyer === undefined ? [] : [branch('buyer', fragment`buyer_account_id = ${buyer}`, body)]),
  ].map(({ source, condition }) => fragment`${source} where ${joined([condition, ...filters(filter)], ' and ')}`)
  if (branches.length === 0) return { metrics: [] }
  const query = fragment`select key, currency, count(*) as count, sum(value)::bigint as sum
    from (${joined(branches, ' union all ')}) seen group by key, currency order by key, currency`
  const { statement, values } = query.toQuery()
  const rows = await db.rows<MetricRow>(statement, values)
  const keys = [...new Set(rows.map(({ key }) => key))]
  return {
    metrics: keys.map((key) => {
      const of = rows.filter((row) => row.key === key)
      const shown = dimension === 'DISPUTE_STATE' ? printState(key, dialect) : key
      if (measure === 'COUNT') return { key: shown, count: Number(of.reduce((sum, { count }) => sum + count, 0n)) }
      return { key: shown, amount: of.map(({ sum, currency }) => toMoney(sum, currency)) }
    }),
  }
}

const branch = (side: Side, condition: Fragment, { dimension, measure }: MetricsBody) => ({
  condition,
  source: raw(
    `select ${dimensions(side)[dimension]} as key, currency, ${measures(side)[measure]} as value from disputes`,
  ),
})

function filters(filter: Filter): Fragment[] {
  const bound = (name: keyof Filter & `${string}_${'before' | 'after'}`, column: string): Fragment[] => {
    const given = filter[name]
    if (given === undefined) return []
    return [fragment`${raw(`${column} ${name.endsWith('_after') ? '>=' : '<'}`)} ${instant(given, name)}`]
  }
  const amount = (name: 'dispute_amount_gte' | 'dispute_amount_lte', operator: string): Fragment[] => {
    const given = filter[name]
    if (given === undefined) return []
    if (!isSound(given)) throw invalid(`/filter/${name}`, 'Write an amount of a currency of ISO 4217.')
    return [fragment`currency = ${given.currency_code} and ${raw(`amount ${operator}`)} ${toMinor(given)}`]
  }
  return [
    ...(filter.email === undefined ? [] : [fragment`buyer_email = ${filter.email.toLowerCase()}`]),
    ...(filter.name === undefined ? [] : [fragment`buyer_name = ${filter.name.toLowerCase()}`]),
    ...(filter.reasons?.length ? [fragment`reason = any(${filter.reasons})`] : []),
    ...(filter.statuses?.length ? [fragment`status = any(${filter.statuses})`] : []),
    ...bound('create_time_before', 'create_time'),
    ...bound('create_time_after', 'create_time'),
    ...bound('update_time_before', 'update_time'),
    ...bound('update_time_after', 'update_time'),
    ...bound('response_due_date_before', 'due_time'),
    ...bound('response_due_date_after', 'due_time'),
    ...amount('dispute_amount_gte', '>='),
    ...amount('dispute_amount_lte', '<='),
  ]
}

function instant(given: string, name: string): Instant {
  const read = parseInstant(given)
  if (!read) throw invalid(`/filter/${name}`, 'Write an RFC 3339 date-time with seconds.', 'INVALID_PARAMETER_SYNTAX')
  return read
}
