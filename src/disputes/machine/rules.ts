import { type Money, toMinor } from '../../kernel/money.ts'

/** The settings that decide what a dispute does. Everything else about disputes is the same in every deployment. */
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

/** What a lost dispute costs the seller, by currency; a currency that is not listed costs nothing. */
export type Fees = Readonly<Record<string, Money>>

/** Reads `USD:15.00,EUR:14.00`. */
export function readFees(text: string): Fees {
  const pairs = text.split(',').filter((part) => part !== '')
  const fees = pairs.map((pair) => {
    const [currency_code = '', value = ''] = pair.split(':')
    const fee = { currency_code, value }
    toMinor(fee)
    return [currency_code, fee] as const
  })
  return Object.fromEntries(fees)
}
