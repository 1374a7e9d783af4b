import type { Instant } from '../../kernel/clock.ts'
import type { IdKind } from '../../kernel/ids.ts'
import type { Money } from '../../kernel/money.ts'
import type { Static, TSchema } from '../../kernel/type.ts'
import type { Dispute, DisputeNode, Side, StoredDocument } from '../schema/dispute.ts'
import type { DisputeAction, DisputeOutcome } from './lifecycle.ts'
import type { Rules } from './rules.ts'

/** Everything a decision may know besides the dispute and the request. */
export interface ActionContext {
  readonly now: Instant
  newId(kind: IdKind): string
  /** The side on which the caller is. A partner is on the seller's side. */
  readonly side: Side
  readonly isPartner: boolean
  /** Whether the caller may tell what a partner does. A partner that may also act as the seller may tell it too. */
  readonly tellsPartnerActions: boolean
  readonly rules: Rules
  /** The files that came along. They are checked and named, but not attached to anything yet. */
  readonly uploads: readonly StoredDocument[]
}

/** Money to be moved with the decision, in the words of the ledger. */
export type MoneyOrder =
  | { readonly move: 'hold'; readonly transaction: string; readonly amount: Money }
  | {
      readonly move: 'settle'
      readonly transaction: string
      /** The amount given back to the buyer. Nothing moves if it is zero. */
      readonly refund: Money
      readonly refundId: string
      /** Whether the service decided it, so that it happens whatever the seller's balance. */
      readonly forced: boolean
      /** Whether it was taken back by a decision, and not given back by the seller. */
      readonly reversal: boolean
      readonly invoiceId?: string
    }
  | {
      /** Turns a reversal: from now on the service bears it, or the seller again. */
      readonly move: 'turn-reversal'
      readonly transaction: string
      readonly refundId: string
      readonly status: 'CANCELLED' | 'COMPLETED'
    }
  | { readonly move: 'fee'; readonly amount: Money; readonly reason: 'DISPUTE_FEE' | 'CHARGEBACK_FEE' }
  | { readonly move: 'pay-buyer'; readonly amount: Money }

/** The fields an action may change: all but the node, which only the table writes. `undefined` removes a field. */
export type Changes = {
  [Field in Exclude<keyof Dispute, keyof DisputeNode | 'dispute_id' | 'update_time' | 'resolved_time'>]?:
    | Dispute[Field]
    | undefined
} & { [Facet in keyof DisputeNode]?: never }

/** What an action decided: the fields it changes, the outcome the table will follow, the money to move. */
export interface Decision<A extends DisputeAction = DisputeAction> {
  readonly outcome: DisputeOutcome<A>
  readonly changes: Changes
  readonly money?: readonly MoneyOrder[]
  /** Money that the seller must be able to pay, although nothing moves yet. */
  readonly mustCover?: Money
  /** A timer to use in place of the usual one of the new node. */
  readonly timer?: Dispute['timer']
}

export interface ActionDefinition<A extends DisputeAction = DisputeAction, Body extends TSchema = TSchema> {
  readonly name: A
  readonly summary: string
  readonly scopes: readonly string[]
  readonly body: Body
  readonly bodyOptional?: boolean
  /** The most documents that the action takes. */
  readonly files?: number
  /** Played by agents: every caller in the sandbox, the operator in live. */
  readonly agentsOnly?: boolean
  /** The values of the request's type field that this dispute allows now; `allowed_response_options` prints them. */
  options?(dispute: Dispute): readonly string[]
  decide(dispute: Dispute, input: Static<Body>, context: ActionContext): Decision<A>
}

/** Names an action and infers the types of its body and outcomes. */
export const disputeAction = <const A extends DisputeAction, Body extends TSchema>(
  name: A,
  definition: Omit<ActionDefinition<A, Body>, 'name'>,
): ActionDefinition<A, Body> => ({ name, ...definition })
