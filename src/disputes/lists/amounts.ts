import { type Fragment, fragment } from '../../database/sql.ts'
import { currencyCodes, minorDigits } from '../../kernel/money.ts'

/** No currency has more decimals, and no amount is asked for with more. */
const DIGITS = 4
/** More than the database can hold is no more than all there is. */
const MOST = 2n ** 63n - 1n
const unitsIn = (digits: number) => 10n ** BigInt(DIGITS - digits)
const withDigits = (digits: number) => currencyCodes.filter((code) => minorDigits(code) === digits)

/** An amount of a filter in ten-thousandths: it names no currency, and none has more than four digits. */
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

/** Amounts are kept in the smallest units of their currencies, so what a bound is in those depends on the currency. */
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
  // Of more digits than a column has: an amount without decimals may be near the most there is.
  const exact = fragment`amount::numeric * case when currency = any(${withDigits(0)}) then ${unitsIn(0)}
    when currency = any(${withDigits(3)}) then ${unitsIn(3)} when currency = any(${withDigits(4)}) then ${unitsIn(4)}
    else ${unitsIn(2)} end::numeric`
  // The first of each is looser and can be found in an index.
  return [
    ...(amountMin === undefined ? [] : [fragment`amount >= ${amountMin / unitsIn(0)} and ${exact} >= ${amountMin}`]),
    ...(amountMax === undefined ? [] : [fragment`amount <= ${amountMax} and ${exact} <= ${amountMax}`]),
  ]
}
