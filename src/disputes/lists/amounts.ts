import { type Fragment, fragment } from '../../database/sql.ts'
import { currencyCodes, minorDigits } from '../../kernel/money.ts'

/** The most decimals that any currency has, and that an amount can be asked for with. */
const DIGITS = 4
/** Amounts are bounded here: no amount in the database is larger. */
const MOST = 2n ** 63n - 1n
const unitsIn = (digits: number) => 10n ** BigInt(DIGITS - digits)
const withDigits = (digits: number) => currencyCodes.filter((code) => minorDigits(code) === digits)

/** An amount of a filter in ten-thousandths. It names no currency, and no currency has more than four decimals. */
export function tenThousandths(given: string | undefined): bigint | undefined {
  if (given === undefined) return undefined
  const [whole = '0', fraction = ''] = given.split('.')
  const asked = BigInt(whole + fraction.padEnd(DIGITS, '0'))
  return asked < MOST ? asked : MOST
}

interface Bounds {
  readonly amountMin?: bigint | undefined
  readonly amountMax?: bigint | undefined
}

/** SQL for the bounds. Amounts are kept in the smallest units of their currencies, so a bound depends on the currency. */
export function amountBounds({ amountMin, amountMax }: Bounds, currencies?: readonly string[]): Fragment[] {
  if (amountMin === undefined && amountMax === undefined) return []
  const digits = [...new Set((currencies ?? currencyCodes).map(minorDigits))]
  const [only] = digits
  if (only !== undefined && digits.length === 1) {
    const units = unitsIn(only)
    return [
      ...(amountMin === undefined ? [] : [fragment`amount >= ${(amountMin + units - 1n) / units}`]),
      ...(amountMax === undefined ? [] : [fragment`amount <= ${amountMax / units}`]),
    ]
  }
  // As numeric, because the product can have more digits than a column: an amount without decimals may be near the largest
  // possible.
  const exact = fragment`amount::numeric * case when currency = any(${withDigits(0)}) then ${unitsIn(0)}
    when currency = any(${withDigits(3)}) then ${unitsIn(3)} when currency = any(${withDigits(4)}) then ${unitsIn(4)}
    else ${unitsIn(2)} end::numeric`
  // The first condition of each pair is looser, but an index can be used for it.
  return [
    ...(amountMin === undefined ? [] : [fragment`amount >= ${amountMin / unitsIn(0)} and ${exact} >= ${amountMin}`]),
    ...(amountMax === undefined ? [] : [fragment`amount <= ${amountMax} and ${exact} <= ${amountMax}`]),
  ]
}
