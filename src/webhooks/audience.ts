import { scopesThatOpen } from '../accounts/scopes.ts'
import { eventTypes } from '../kernel/event-types.ts'

/** Any one of these scopes shows what events about such a resource tell. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  // A marketplace sees less of a dispute than the seller, whose view events are in.
  dispute: ['disputes/read', 'disputes/read-partner', 'disputes/read-seller', 'disputes/webhooks'],
  invoices: ['invoicing/invoices/read', 'invoicing/invoices/readwrite'],
}
/** Captures, refunds, orders and approvals. */
const shownByPayments = ['payments/refund', 'payments/realtimepayment', 'payments/payment/authcapture']

const list = (names: readonly string[]) => `'{${names.join(',')}}'::text[]`
const typesOf = (resourceType: string) =>
  Object.entries(eventTypes).flatMap(([name, definition]) => (definition.resourceType === resourceType ? name : []))

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

/**
 * SQL that is true while an app may hear of an event: one of its own account, or of another whose present consent and
 * the scopes that are held both show such things. Telling, listing, sending and sending again all ask this. Only a
 * seeded app of a sandbox needs no consent.
 */
export function mayHear({ app, appAccount, account, type, held = 'p.scopes' }: Hearing): string {
  const cases = Object.entries(shownBy).map(
    ([resource, scopes]) => `when ${type} = any(${list(typesOf(resource))}) then ${bothOpen('c.scopes', held, scopes)}`,
  )
  return `(${account} = ${appAccount} or exists (
    select from apps p left join consents c on c.app_id = p.id and c.account_id = ${account}
      left join accounts m on m.id = c.account_id
    where p.id = ${app} and ((p.sandbox and (select environment = 'sandbox' from deployment where only_row))
      or (m.status = 'ACTIVE' and case ${cases.join(' ')} else ${bothOpen('c.scopes', held, shownByPayments)} end))))`
}

/** The same check for a claimed delivery: expects the delivery as `held`, and its event as `e`. */
export const mayStillHear = mayHear({
  app: '(select w.app_id from webhooks w where w.account_id = held.account_id and w.id = held.webhook_id)',
  appAccount: 'held.account_id',
  account: 'held.event_account_id',
  type: 'e.type',
})
