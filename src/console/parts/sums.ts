import { toMoney } from '../../kernel/money.ts'
import { money } from '../words.ts'

/** What things add up to, by currency, the most first. */
export type Sums = readonly (readonly [currency: string, sum: bigint])[]

export function sumOf(amounts: readonly { readonly currency: string; readonly amount: bigint }[]): Sums {
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  return [...sums].sort(([, a], [, b]) => (a < b ? 1 : -1))
}

export const printedSums = (sums: Sums): string =>
  sums.map(([currency, sum]) => money(toMoney(sum, currency))).join(', ')
