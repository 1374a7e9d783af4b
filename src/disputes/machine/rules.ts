import type { Money } from '../../kernel/money.ts'

/** The settings that affect what happens in a dispute. Everything else about disputes is the same in every deployment. */
export interface Rules {
  readonly sandbox: boolean
  readonly triageTarget: 'SELLER' | 'REVIEW'
  readonly triageDelaySeconds: number
  readonly maxAppealsPerParty: number
  readonly autoAdjudicate: 'off' | 'BUYER_FAVOR' | 'SELLER_FAVOR'
  readonly acceleratedTimetable: boolean
  readonly autoRegisterTransactions: boolean
  readonly disputeFees: Fees
  readonly chargebackFees: Fees
  readonly declineRefunds: boolean
}

/** What a lost dispute costs the seller, by currency. Where a currency is not listed, it costs nothing. */
export type Fees = Readonly<Record<string, Money>>
