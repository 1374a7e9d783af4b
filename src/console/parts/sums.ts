import { toMoney } from '../../kernel/money.ts'
import { money } from '../words.ts'

/** What things add up to, by currency. First comes that of most things: amounts of several currencies say nothing of each other. */
export type Sums = readonly (readonly [currency: string, sum: bigint])[]

export function sumOf(amounts: readonly { readonly currency: string; readonly amount: bigint }[]): Sums {
  const found = new Map<string, { count: number; sum: bigint }>()
  for (const { currency, amount } of amounts) {
    const { count, sum } = found.get(currency) ?? { count: 0, sum: 0n }
    found.set(currency, { count: count + 1, sum: sum + amount })
  }
  return [...found]
    .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
    .map(([currency, { sum }]) => [currency, sum])
}

export const printedSums = (sums: Sums): string =>
  sums.map(([currency, sum]) => money(toMoney(sum, currency))).join(', ')
