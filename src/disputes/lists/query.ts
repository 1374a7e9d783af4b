import { after, type Instant, parseInstant } from '../../kernel/clock.ts'
import { neutralState } from '../../kernel/dialect.ts'
import { isCurrency } from '../../kernel/money.ts'
import { breaches, invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { limits } from '../machine/limits.ts'
import { channels, disputeStates, flows, reasons, stages, statuses } from '../schema/enums.ts'
import { tenThousandths } from './amounts.ts'

const text = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, ...(description && { description }) }))
const list = (description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2000, 'x-list': true, ...(description && { description }) }))
const time = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

const PAGE_SIZE = 10
/**
 * How many currencies a list can be asked for. Each is searched separately, in the disputes of everybody whom the caller
 * sees.
 */
const CURRENCIES_MAX = 10

/**
 * Everything a list can be asked for. Times, states and the page size are text here, because their refusals are worded
 * elsewhere.
 */
export const ListQuery = Type.Object({
  start_time: time('Created at or after; within the last 180 days. Deprecated.'),
  disputed_transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_-]+$' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page })),
  page_size: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      maxLength: 20,
      description: `1 to ${limits.pageSize}; ${PAGE_SIZE} when absent.`,
      'x-printed': { type: 'integer', minimum: 1, maximum: limits.pageSize, default: PAGE_SIZE },
    }),
  ),
  next_page_token: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9+/=]+$' })),
  dispute_state: list('One or several states, separated by commas or as several parameters.'),
  create_time_before: time('Created before.'),
  create_time_after: time('Created at or after.'),
  update_time_before: time('Changed before; within the last 180 days.'),
  update_time_after: time('Changed at or after; within the last 180 days.'),
  total_required: Type.Optional(Type.Boolean()),
  fields: Type.Optional(Type.Enum(['summary', 'all'])),
  statuses: list(),
  reasons: list(),
  dispute_channel: list(),
  dispute_life_cycle_stage: list(),
  dispute_flows: list(),
  dispute_currency: list(),
  dispute_amount_gte: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9]{1,15}([.][0-9]{1,4})?$' })),
  dispute_amount_lte: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9]{1,15}([.][0-9]{1,4})?$' })),
  response_due_date_before: time('To be answered before.'),
  response_due_date_after: time('To be answered at or after.'),
  invoice_number: text(127),
  email: text(254),
  name: text(300),
  search_text: Type.Optional(Type.String({ minLength: 2, maxLength: 255 })),
  account_number: text(255),
  sort_by: Type.Optional(Type.Enum(['CREATE_TIME', 'UPDATE_TIME', 'RESPONSE_DUE_DATE'])),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'])),
})
export type ListQuery = Static<typeof ListQuery>

export type SortColumn = 'create_time' | 'update_time' | 'due_time'
export type ListColumn = 'dispute_state' | 'status' | 'reason' | 'channel' | 'stage' | 'flow' | 'currency'

/** A list request, understood. */
export interface Listing {
  readonly size: number
  readonly page: number
  /** Where the page begins; or where it ends, when it is read backwards. */
  readonly after?: PagePlace | undefined
  readonly sort: SortColumn
  readonly descending: boolean
  readonly transactionId?: string | undefined
  /** Columns that must hold one of these values. */
  readonly anyOf: Readonly<Partial<Record<ListColumn, readonly string[]>>>
  /** Nothing is listed that last changed before this instant, unless `from` says otherwise. */
  readonly window: Instant
  readonly from: Readonly<Partial<Record<SortColumn, Instant>>>
  readonly before: Readonly<Partial<Record<SortColumn, Instant>>>
  /** In ten-thousandths, whatever the currency. */
  readonly amountMin?: bigint | undefined
  readonly amountMax?: bigint | undefined
  readonly invoiceNumber?: string | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly searchText?: string | undefined
  readonly accountNumber?: string | undefined
}

const WINDOW_SECONDS = 180 * 86_400
/** So that a client that computes "180 days ago" on its own clock is not refused for being slow. */
const SLACK_SECONDS = 300

/** Within a minute a list stays the same question, so it is understood only once if it is asked all the time. */
export const minuteOf = (now: Instant): string => now.slice(0, 16)

/** Reads the parameters of a list. Refuses each with the issue that the contract has for it. */
export function readListQuery(query: ListQuery, now: Instant): Listing {
  if (query.start_time !== undefined && query.disputed_transaction_id !== undefined)
    throw invalid('start_time', 'Send start_time or disputed_transaction_id, not both.')
  const windowStart = after(`${minuteOf(now)}:00.000Z` as Instant, -WINDOW_SECONDS - SLACK_SECONDS)
  const created = later(startTime(query.start_time, now, windowStart), instant(query, 'create_time_after'))
  const place = query.next_page_token === undefined ? undefined : readPageToken(query.next_page_token)
  const sort = { CREATE_TIME: 'create_time', UPDATE_TIME: 'update_time', RESPONSE_DUE_DATE: 'due_time' } as const
  return {
    size: pageSize(query.page_size),
    page: place?.page ?? query.page ?? 1,
    after: place,
    sort: sort[query.sort_by ?? 'CREATE_TIME'],
    descending: query.sort_order !== 'asc',
    transactionId: query.disputed_transaction_id,
    anyOf: withoutAbsent({
      dispute_state: values(query, 'dispute_state', disputeStates, neutralState),
      status: values(query, 'statuses', [...statuses, 'OTHER']),
      reason: values(query, 'reasons', reasons),
      channel: values(query, 'dispute_channel', channels),
      stage: values(query, 'dispute_life_cycle_stage', stages),
      flow: values(query, 'dispute_flows', flows),
      currency: currencies(query),
    }),
    window: windowStart,
    from: withoutAbsent({
      create_time: created,
      update_time: updateTime(query, 'update_time_after', windowStart),
      due_time: instant(query, 'response_due_date_after'),
    }),
    before: withoutAbsent({
      create_time: instant(query, 'create_time_before'),
      update_time: updateTime(query, 'update_time_before', windowStart),
      due_time: instant(query, 'response_due_date_before'),
    }),
    amountMin: tenThousandths(query.dispute_amount_gte),
    amountMax: tenThousandths(query.dispute_amount_lte),
    invoiceNumber: query.invoice_number,
    email: query.email?.toLowerCase(),
    name: query.name?.toLowerCase(),
    searchText: query.search_text,
    accountNumber: query.account_number,
  }
}

function pageSize(given: string | undefined): number {
  if (given === undefined) return PAGE_SIZE
  const size = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (size < 1 || size > limits.pageSize)
    throw breaches('INVALID_PAGE_SIZE', `page_size is 1 to ${limits.pageSize}.`, 'page_size')
  return size
}

function startTime(given: string | undefined, now: Instant, windowStart: Instant): Instant | undefined {
  if (given === undefined) return undefined
  const read = parseInstant(given)
  if (!read) throw breaches('INVALID_START_TIME_FORMAT', 'Write an RFC 3339 date-time with seconds.', 'start_time')
  if (read > now) throw breaches('DATE_CAN_NOT_BE_IN_FUTURE', 'start_time lies in the future.', 'start_time')
  if (read < windowStart)
    throw breaches('INVALID_START_TIME_RANGE', 'start_time lies in the last 180 days.', 'start_time')
  return read
}

type TimeParameter = Extract<keyof ListQuery, `${string}_before` | `${string}_after`>

function instant(query: ListQuery, name: TimeParameter): Instant | undefined {
  const given = query[name]
  if (given === undefined) return undefined
  const read = parseInstant(given)
  if (!read) throw invalid(name, 'Write an RFC 3339 date-time with seconds.', 'INVALID_PARAMETER_SYNTAX')
  return read
}

/** A bound of the update time must lie within the 180 days that are listed by default. */
function updateTime(query: ListQuery, name: 'update_time_before' | 'update_time_after', windowStart: Instant) {
  const read = instant(query, name)
  if (read !== undefined && read < windowStart)
    throw breaches('INVALID_DATE_RANGE', `${name} lies in the last 180 days.`, name)
  return read
}

type ListParameter =
  | 'dispute_state'
  | 'statuses'
  | 'reasons'
  | 'dispute_channel'
  | 'dispute_life_cycle_stage'
  | 'dispute_flows'

function values(
  query: ListQuery,
  name: ListParameter,
  known: readonly string[],
  neutral: (value: string) => string = (value) => value,
): readonly string[] | undefined {
  const given = query[name]
  if (given === undefined) return undefined
  const list = [...new Set(given.split(',').map((value) => neutral(value.trim())))].filter((value) => value !== '')
  const unknown = list.find((value) => !known.includes(value))
  if (unknown !== undefined || list.length === 0) throw invalid(name, `Known values: ${known.join(', ')}.`)
  return list
}

function currencies({ dispute_currency }: ListQuery): readonly string[] | undefined {
  if (dispute_currency === undefined) return undefined
  const list = [...new Set(dispute_currency.split(',').map((code) => code.trim().toUpperCase()))]
  if (!list.every(isCurrency)) throw invalid('dispute_currency', 'Use currencies of ISO 4217.')
  if (list.length > CURRENCIES_MAX)
    throw invalid('dispute_currency', `Ask for at most ${CURRENCIES_MAX} currencies at once.`)
  return list
}

const later = (a: Instant | undefined, b: Instant | undefined) =>
  a === undefined || (b !== undefined && b > a) ? b : a

/**
 * A place between two disputes of a list, and the number of the page that begins there, or ends there if it is read
 * backwards.
 */
export interface PagePlace {
  readonly value: string
  readonly id: string
  readonly page?: number | undefined
  readonly backwards?: boolean | undefined
}

const BACKWARDS = 'back'

export const pageToken = ({ value, id, page, backwards }: PagePlace & { readonly page: number }): string =>
  Buffer.from(`${value} ${id} ${page}${backwards ? ` ${BACKWARDS}` : ''}`).toString('base64')

/** Tokens of earlier versions hold no page. */
function readPageToken(token: string): PagePlace {
  const [value = '', id = '', page = '1', direction, ...rest] = Buffer.from(token, 'base64')
    .toString('latin1')
    .split(' ')
  const sound = parseInstant(value) && /^[A-Za-z0-9-]{1,255}$/.test(id) && /^[1-9]\d{0,8}$/.test(page)
  if (!sound || (direction !== undefined && direction !== BACKWARDS) || rest.length > 0)
    throw invalid('next_page_token', 'Send the token of a next link as it is.')
  return { value, id, page: Number(page), backwards: direction === BACKWARDS }
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  // The condition has excluded undefined, which the type of an indexed access does not show.
  for (const name in fields)
    if (fields[name] !== undefined) kept[name] = fields[name] as Exclude<T[typeof name], undefined>
  return kept
}
