import type { Account } from '../accounts/schema.ts'
import { type Day, dayIn, type Instant, toSeconds } from '../kernel/clock.ts'
import type { IdKind } from '../kernel/ids.ts'
import type { JobRequest } from '../kernel/job.ts'
import { type Money, toMinor, toMoney } from '../kernel/money.ts'
import type { Issue } from '../kernel/problem.ts'
import type { TSchema } from '../kernel/type.ts'
import type { InvoiceAction, OutcomeOf } from './lifecycle.ts'
import type { Metadata } from './schema/given.ts'
import type { Invoice, InvoiceState } from './schema/invoice.ts'
import type { Sound } from './sums/check.ts'
import { settle } from './sums/settlement.ts'

/** What a decision may know besides the invoice and the input. */
export interface ActionContext {
  readonly now: Instant
  /** The calendar day it is for the merchant. */
  readonly today: Day
  readonly account: Account
  /** Whether an invoicer must have the address of the account. */
  readonly ownEmailOnly: boolean
  newId(kind: IdKind): string
}

/** Only the table writes the state. `never` refuses it even in a spread. */
export type Changes = Partial<Omit<Invoice, 'id' | keyof InvoiceState>> & {
  readonly [Facet in keyof InvoiceState]?: never
}

export interface Decision<A extends InvoiceAction> {
  readonly outcome: OutcomeOf<A>
  /** Absent when nothing happens: then nothing is written and nobody is told. */
  readonly changes?: Changes
  readonly jobs?: readonly JobRequest[]
  /** Keys of jobs that are no longer needed. */
  readonly withdraws?: readonly string[]
  /** How many people will be mailed on another day because of this call. They count against the quota now. */
  readonly mailedLater?: number
}

/** What an action takes and what it decides. Pure: it reads no clock, no database and no network. */
export interface ActionDefinition<A extends InvoiceAction, Input> {
  readonly name: A
  readonly summary: string
  /** The body of the operation, where the action is one. */
  readonly body?: TSchema
  /** Finds what is wrong with the input whatever the invoice. Must bear an input that lacks the parts which break its schema. */
  check?(input: Sound<Input>): readonly Issue[]
  decide(invoice: Invoice, input: Input, context: ActionContext): Decision<A>
}

export const invoiceAction = <A extends InvoiceAction, Input = unknown>(
  name: A,
  definition: Omit<ActionDefinition<A, Input>, 'name'>,
): ActionDefinition<A, Input> => ({ name, ...definition })

export const contextOf = (
  tx: { readonly now: Instant; newId(kind: IdKind): string },
  account: Account,
  { strictInvoicerEmail: ownEmailOnly = false }: { readonly strictInvoicerEmail?: boolean } = {},
): ActionContext => ({
  now: tx.now,
  today: dayIn(tx.now, account.time_zone),
  account,
  ownEmailOnly,
  newId: (kind) => tx.newId(kind),
})

/** The document's metadata with some fields added. */
export const withMetadata = (invoice: Invoice, more: Metadata): Pick<Invoice, 'detail'> => ({
  detail: { ...invoice.detail, metadata: { ...invoice.detail.metadata, ...more } },
})

export const updatedAt = ({ now }: ActionContext): Metadata => ({ last_update_time: toSeconds(now) })

/** The invoice after its money changed: what is due, the tips that arrived, and what it all amounts to. */
export function resettled<A extends InvoiceAction>(
  invoice: Invoice,
  money: Partial<Pick<Invoice, 'payments' | 'refunds'>>,
  context: ActionContext,
): Decision<A> & { changes: Changes } {
  const { payments, refunds, amount, gratuity } = { ...invoice, ...money }
  const { outcome, due } = settle({ amount, payments, refunds })
  const tips = payments.flatMap(({ tip, transaction_status }) => (tip && transaction_status !== 'PENDING' ? [tip] : []))
  const currency = amount.currency_code
  return {
    // The table knows which outcomes the action can have, and refuses any other.
    outcome: outcome as OutcomeOf<A>,
    changes: {
      ...money,
      ...withMetadata(invoice, updatedAt(context)),
      due_amount: toMoney(due, currency),
      ...((tips.length > 0 || gratuity) && { gratuity: sum(tips, currency) }),
    },
  }
}

const sum = (moneys: readonly Money[], currency: string): Money =>
  toMoney(
    moneys.reduce((total, money) => total + toMinor(money), 0n),
    currency,
  )
