import { invalid } from './problem.ts'
import { type Static, Type } from './type.ts'

/** Decimal text as the contract writes it: `12`, `12.5`, `-0.05`, `.5`. */
export const amountPattern = '^((-?[0-9]+)|(-?([0-9]+)?[.][0-9]+))$'

export const Money = Type.Object(
  {
    currency_code: Type.String({ minLength: 3, maxLength: 3, description: 'Three letters of ISO 4217.' }),
    value: Type.String({
      maxLength: 32,
      pattern: amountPattern,
      'x-numeric': true,
      description: 'The amount as a decimal string.',
    }),
  },
  { $id: 'Money', description: 'An amount in a currency.' },
)
export type Money = Static<typeof Money>

/**
 * Every currency of ISO 4217 that money is kept in, by the number of its decimals. HUF and TWD stand with none, as the
 * contract has it, although the standard gives them two.
 */
// biome-ignore format: a table reads best as a table
const codes: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF HUF ISK JPY KMF KRW PYG RWF TWD UGX UYI VND VUV XAF XOF XPF',
  2: 'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
     'CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK ' +
     'HTG IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
     'MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE ' +
     'SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ' +
     'ZWG ZWL',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}
const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codes).flatMap(([digits, list]) => list.split(' ').map((code) => [code, Number(digits)] as const)),
)

export const currencyCodes: readonly string[] = [...exponents.keys()].sort()

export const isCurrency = (code: string): boolean => exponents.has(code)

/** How many decimals a currency has. Two for a code we do not know, which validation refuses before it gets here. */
export const minorDigits = (code: string): number => exponents.get(code) ?? 2

/** Whether this is an amount of a currency we know, without digits the currency does not have. */
export function isSound({ currency_code, value }: Money): boolean {
  const fraction = value.split('.')[1] ?? ''
  return isCurrency(currency_code) && !/[^0]/.test(fraction.slice(minorDigits(currency_code)))
}

/** Money as an exact count of the currency's smallest unit. Digits beyond the currency's decimals are refused. */
export function toMinor({ currency_code, value }: Money, field = '/value'): bigint {
  const digits = minorDigits(currency_code)
  const point = value.indexOf('.')
  if (point < 0) return BigInt(value + zeros(digits))
  const end = point + 1 + digits
  for (let i = end; i < value.length; i++)
    if (value[i] !== '0')
      throw invalid(field, `${currency_code} has ${digits} decimal places.`, 'INVALID_PARAMETER_SYNTAX')
  const whole = value.slice(0, point)
  const text = whole + value.slice(point + 1, end) + zeros(end - value.length)
  // `-.` and `.` with no digit left to either side stand for nothing.
  return text === '' || text === '-' ? 0n : BigInt(text)
}

const zeros = (count: number): string => (count > 0 ? '0000'.slice(0, count) : '')

/** Prints a count of smallest units with all the decimals of the currency. */
export function toMoney(minor: bigint, currency_code: string): Money {
  const digits = minorDigits(currency_code)
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0')
  const value = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return { currency_code, value: minor < 0n ? `-${value}` : value }
}

/** The same amount, printed with all the decimals of its currency. */
export const normalise = (money: Money): Money => toMoney(toMinor(money), money.currency_code)

/**
 * Brings money as somebody wrote it into the form in which it is kept: of a known currency, with exactly the decimals of
 * that currency.
 */
export function exactMoney(money: Money, field: string): Money {
  if (!isCurrency(money.currency_code)) throw invalid(`${field}/currency_code`, 'Name a currency of ISO 4217.')
  return toMoney(toMinor(money, `${field}/value`), money.currency_code)
}

/** Splits `total` in proportion to `weights` so that the parts add up to exactly `total`. */
export function allocate(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((a, b) => a + b, 0n)
  if (sum === 0n) throw new Error('Nothing can be split over weights that are all zero.')
  const parts = weights.map((weight) => (total * weight) / sum)
  let rest = total - parts.reduce((a, b) => a + b, 0n)
  const unit = rest < 0n ? -1n : 1n
  // The remainder goes to the earliest parts that carry weight, one unit each.
  for (let i = 0; rest !== 0n; i++) {
    if (weights[i] === 0n) continue
    parts[i] = parts[i]! + unit
    rest -= unit
  }
  return parts
}
