import type { Reader } from '../../../database/transaction.ts'
import { placeOf } from '../../../http/keyset.ts'
import { type Money, toMinor, toMoney } from '../../../kernel/money.ts'
import { findBalancesAfter } from '../../../ledger/statements.ts'

/** Sums are worked out no further back than this; older movements are listed without one. */
export const SUMMED_MAX = 2_000

interface Moved {
  readonly available_change?: Money
  readonly withheld_change?: Money
}

/**
 * What was available after each movement of a page, in the currency of the movement. It is added up from the oldest movement of
 * the page: from what was there then, or from nothing when the page is the last. Undefined for pages that are too far back.
 */
export async function runningSums(
  db: Reader,
  accountId: string,
  page: readonly Moved[],
  older: string | null | undefined,
): Promise<readonly (Money | undefined)[] | undefined> {
  const last = older ? await findBalancesAfter(db, accountId, placeOf(older), SUMMED_MAX) : new Map<string, bigint>()
  if (!last) return undefined
  const sums = new Map(last)
  const oldestFirst = page.toReversed().map(({ available_change: change, withheld_change }, i) => {
    const currency = (change ?? withheld_change)?.currency_code
    if (currency === undefined) return undefined
    // What was there after the oldest movement of the page already includes its change.
    const isCounted = older && i === 0
    const sum = (sums.get(currency) ?? 0n) + (change && !isCounted ? toMinor(change) : 0n)
    sums.set(currency, sum)
    return toMoney(sum, currency)
  })
  return oldestFirst.toReversed()
}
