import { type Fragment, fragment, joined, raw } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'
import { type SearchedText, spellingsOf } from './columns.ts'

export interface Days {
  readonly start: string
  readonly end: string
}

/** What all listed invoices must have in common. Without any criteria everything matches. */
export interface Criteria {
  readonly email?: string | undefined
  readonly number?: string | undefined
  readonly statuses?: readonly string[] | undefined
  readonly currency?: string | undefined
  readonly texts?: Readonly<Partial<Record<SearchedText, string | undefined>>>
  readonly amount?: { readonly currency: string; readonly least: bigint; readonly most: bigint } | undefined
  readonly issued?: Days | undefined
  readonly due?: Days | undefined
  readonly paid?: Days | undefined
  readonly created?: { readonly start: Instant; readonly end: Instant } | undefined
  /** Matches no invoice at all. */
  readonly nothing?: boolean
}

/** How a value is put into a statement. */
export type Put = (value: unknown, type: string) => Fragment

export const put: Put = (value, type) => fragment`${value}${raw(`::${type}`)}`

const contains: Readonly<Record<SearchedText, (text: Fragment) => Fragment>> = {
  first_names: (text) => fragment`strpos(i.first_names, ${text}) > 0`,
  last_names: (text) => fragment`strpos(i.last_names, ${text}) > 0`,
  business_names: (text) => fragment`strpos(i.business_names, ${text}) > 0`,
  reference: (text) => fragment`strpos(i.reference, ${text}) > 0`,
  memo: (text) => fragment`strpos(i.memo, ${text}) > 0`,
  item_text: (text) => fragment`strpos(i.item_text, ${text}) > 0`,
}

function containsSpelled(has: (text: Fragment) => Fragment, text: string, as: Put): Fragment {
  const spelled = spellingsOf(text).map((one) => has(as(one, 'text')))
  return spelled.length === 1 ? spelled[0]! : fragment`(${joined(spelled, ' or ')})`
}

/** The conditions that a row `i` of invoices must fulfil. */
export function conditionsOf(accountId: string | Fragment, criteria: Criteria, as: Put = put): Fragment {
  const { email, number, statuses, currency, texts = {}, amount, issued, due, paid, created } = criteria
  const between = ({ start, end }: Days) => fragment`between ${as(start, 'text')} and ${as(end, 'text')}`
  const conditions = [
    fragment`i.account_id = ${accountId}`,
    email !== undefined && fragment`i.emails @> ${as([email], 'text[]')}`,
    number !== undefined && fragment`i.number_key ${between({ start: number, end: number })}`,
    // Without the cast, a bare subselect would be taken for rows to compare with.
    statuses && fragment`i.status = any(${as(statuses, 'text[]')}::text[])`,
    currency !== undefined && fragment`i.currency_code = ${as(currency, 'text')}`,
    ...Object.entries(texts).map(
      ([column, text]) => text !== undefined && containsSpelled(contains[column as SearchedText], text, as),
    ),
    amount &&
      fragment`i.currency_code = ${as(amount.currency, 'text')}
        and i.amount_minor between ${as(amount.least, 'bigint')} and ${as(amount.most, 'bigint')}`,
    issued && fragment`i.invoice_date ${between(issued)}`,
    due && fragment`i.due_date ${between(due)}`,
    paid &&
      // As a value and not as `exists`, which would be turned into a join with every payment of the merchant. The day must
      // not decide which index is used: there may be many payments on those days, but an invoice has few.
      fragment`coalesce((select true from invoice_transactions t where t.account_id = i.account_id
        and t.invoice_id = i.id and t.kind = 'PAYMENT' and t.day || '' ${between(paid)} limit 1), false)`,
    created && fragment`i.create_time ${between(created)}`,
  ]
  return joined(
    conditions.filter((condition) => condition instanceof Object),
    ' and ',
  )
}
