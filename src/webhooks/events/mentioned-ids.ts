import { statementOf } from '../../database/sql.ts'
import type { Write } from '../../database/transaction.ts'

/** Where ids of payments, refunds and disputes stand in a resource, at any depth. */
const namesOfIds = new Set([
  'dispute_id',
  'transaction_id',
  'payment_id',
  'refund_id',
  'seller_transaction_id',
  'buyer_transaction_id',
])
/** Printable, and no longer than an id that can be asked for. A simulated resource may hold anything under these names. */
const isId = (text: string) => /^[\x21-\x7e]{1,255}$/.test(text)
/** More than twice the payments of the largest dispute. */
const MENTIONED_MAX = 2_500

interface Mentioning {
  readonly id: string
  readonly resourceId: string
  readonly resource: object
}

/** How each of those names ends where it stands as a key in the text of an event. The longer names end like the shorter ones. */
const endOfNames = '_id":'
const endsOfNames = ['dispute', 'transaction', 'payment', 'refund']

/**
 * Whether one of those names is a key somewhere in a text. Looks for their common ending, which most texts have in few
 * places.
 */
function namesSome(text: string): boolean {
  for (let at = text.indexOf(endOfNames); at >= 0; at = text.indexOf(endOfNames, at + 1))
    if (endsOfNames.some((name) => text.endsWith(name, at))) return true
  return false
}

/** Follows an insert named `announced`: adds the ids that its events mention, other than that of their resource. */
const insertIds = statementOf(
  `insert into event_ids (account_id, mentioned_id, seq, event_id, create_time)
   select e.account_id, m.mentioned_id, e.seq, e.id, e.create_time
   from unnest($1::text[], $2::text[]) as m (event_id, mentioned_id) join announced e on e.id = m.event_id`,
)

/**
 * Makes events findable by the ids in them. Most events mention no id but that of their resource, and the text of the event
 * shows that at once.
 */
export function mentionIds(events: readonly Mentioning[], texts: readonly string[]): Write[] {
  const pairs = events.flatMap((event, i) => mentionedIds(event, texts[i]!).map((id) => [event.id, id] as const))
  if (pairs.length === 0) return []
  return [{ statement: insertIds, values: [pairs.map(([event]) => event), pairs.map(([, id]) => id)] }]
}

function mentionedIds({ resourceId, resource }: Mentioning, text: string): string[] {
  const found = new Set<string>()
  const { id } = resource as { id?: unknown }
  if (typeof id === 'string') found.add(id)
  if (namesSome(text)) collect(resource, found)
  found.delete(resourceId)
  return [...found].filter(isId).slice(0, MENTIONED_MAX)
}

/**
 * Inside a dispute: the member that holds the refunds that were made, and the member with ids of refunds that somebody told
 * of.
 */
const REFUNDS = 'refund_details'
const TOLD = 'refund_ids'
const namesInRefunds: ReadonlySet<string> = new Set([...namesOfIds, 'id'])

function collect(value: object, found: Set<string>, names: ReadonlySet<string> = namesOfIds): void {
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && names.has(name)) found.add(inner)
    if (typeof inner !== 'object' || inner === null) continue
    if (name === TOLD && Array.isArray(inner)) for (const id of inner) if (typeof id === 'string') found.add(id)
    collect(inner, found, name === REFUNDS ? namesInRefunds : names)
  }
}
