import { scopesThatOpen } from '../accounts/scopes.ts'
import { eventTypes } from '../kernel/event-types.ts'

/** What an event tells of. The rest are captures, refunds, orders and approvals. */
export type Shown = 'dispute' | 'invoices' | 'payments'

/** Any one of these scopes shows what events about such a resource tell. */
const shownBy: Readonly<Record<Shown, readonly string[]>> = {
  // A marketplace sees less of a dispute than the seller, whose view events are in.
  dispute: ['disputes/read', 'disputes/read-partner', 'disputes/read-seller', 'disputes/webhooks'],
  invoices: ['invoicing/invoices/read', 'invoicing/invoices/readwrite'],
  payments: ['payments/refund', 'payments/realtimepayment', 'payments/payment/authcapture'],
}

export function shownIn(type: keyof typeof eventTypes): Shown {
  const { resourceType } = eventTypes[type]
  return resourceType === 'dispute' || resourceType === 'invoices' ? resourceType : 'payments'
}

const list = (names: readonly string[]) => `'{${names.join(',')}}'::text[]`
const typesOf = (shown: Shown) =>
  (Object.keys(eventTypes) as (keyof typeof eventTypes)[]).filter((type) => shownIn(type) === shown)

/** SQL that is true when both lists of scopes hold at least one scope that opens the same one of `scopes`. */
const bothOpen = (one: string, other: string, scopes: readonly string[]) =>
  scopes
    .map((scope) => list(scopesThatOpen(scope)))
    .map((opening) => `(${one} && ${opening} and ${other} && ${opening})`)
    .join(' or ')

interface Hearing {
  readonly app: string
  /** The account of the app. */
  readonly appAccount: string
  /** The account of the event. */
  readonly account: string
  readonly type: string
  /** The scopes that are held: those of the app when nobody is calling. */
  readonly held?: string
}

/** What the held scopes and those of the consent `c` must show: of events of any type, or of those that tell of such things. */
function showsWhat(type: string, held: string, shown: Shown | undefined): string {
  const open = (what: Shown) => bothOpen('c.scopes', held, shownBy[what])
  if (shown) return open(shown)
  const cases = (['dispute', 'invoices'] as const).map(
    (what) => `when ${type} = any(${list(typesOf(what))}) then ${open(what)}`,
  )
  return `case ${cases.join(' ')} else ${open('payments')} end`
}

/**
 * SQL that is true while the app of the row `p` may hear of what others' accounts told. The consent is a value and not asked for
 * with `exists`: that the server takes for asked of every app there is, and goes through all consents of the account instead.
 */
const mayHearOthers = (p: string, account: string, shows: string) => `
  (${p}.sandbox and (select environment = 'sandbox' from deployment where only_row)) or (
    select true from consents c join accounts m on m.id = c.account_id
    where c.app_id = ${p}.id and c.account_id = ${account} and m.status = 'ACTIVE' and (${shows}))`

/**
 * SQL that is true while an app may hear of an event: one of its own account, or of another whose present consent and
 * the scopes that are held both show such things. Telling, listing, sending and sending again all ask this. Only a
 * seeded app of a sandbox needs no consent.
 */
export const mayHear = ({ app, appAccount, account, type, held = 'p.scopes' }: Hearing): string =>
  `(${account} = ${appAccount} or exists (
    select from apps p where p.id = ${app} and (${mayHearOthers('p', account, showsWhat(type, held, undefined))})))`

/** The same where the row of the app is at hand, and perhaps known what the event tells of. */
export const rowMayHear = (row: string, account: string, type: string, shown: Shown | undefined): string =>
  `(${account} = ${row}.account_id or ${mayHearOthers(row, account, showsWhat(type, `${row}.scopes`, shown))})`

/** The same check for a claimed delivery: expects the delivery as `held`, and its event as `e`. */
export const mayStillHear = mayHear({
  app: '(select w.app_id from webhooks w where w.account_id = held.account_id and w.id = held.webhook_id)',
  appAccount: 'held.account_id',
  account: 'held.event_account_id',
  type: 'e.type',
})
