import { DateTime } from 'luxon'
import { type Money, minorDigits } from '../../kernel/money.ts'
import type { Tongue } from '../words/languages.ts'

/** Prints money, dates and numbers as readers of a language expect them. */
export interface Format {
  money(money: Money): string
  /** The figures alone, where the currency stands elsewhere. */
  figures(money: Money): string
  day(day: string): string
  /** The day of an instant in a zone. */
  dayOf(instant: string, zone: string): string
  number(decimal: string): string
  percent(decimal: string): string
}

const formats = new Map<string, Format>()

export function formatOf({ locale }: Tongue): Format {
  let format = formats.get(locale)
  if (!format) {
    format = makeFormat(locale)
    formats.set(locale, format)
  }
  return format
}

// Decimal text is formatted exactly, without passing through a float; the types only know literals of that form.
type Numeric = Intl.StringNumericLiteral

/** A minus as long as the figures are wide. */
const withMinus = (text: string) => text.replace('-', '\u2212')

function makeFormat(locale: string): Format {
  const currencies = new Map<string, Intl.NumberFormat>()
  const formatter = (key: string, options: Intl.NumberFormatOptions) => {
    let found = currencies.get(key)
    if (!found) {
      found = new Intl.NumberFormat(locale, options)
      currencies.set(key, found)
    }
    return found
  }
  const digits = (code: string) => ({
    minimumFractionDigits: minorDigits(code),
    maximumFractionDigits: minorDigits(code),
  })
  const day = (date: DateTime) => date.setLocale(locale).toLocaleString(DateTime.DATE_FULL)
  return {
    money: ({ currency_code, value }) => {
      const options = { style: 'currency', currency: currency_code, ...digits(currency_code) } as const
      return withMinus(formatter(`money ${currency_code}`, options).format(value as Numeric))
    },
    figures: ({ currency_code, value }) =>
      withMinus(formatter(`figures ${currency_code}`, digits(currency_code)).format(value as Numeric)),
    day: (text) => day(DateTime.fromISO(text, { zone: 'utc' })),
    dayOf: (instant, zone) => day(DateTime.fromISO(instant, { zone })),
    number: (decimal) => formatter('number', { maximumFractionDigits: 5 }).format(decimal as Numeric),
    percent: (decimal) =>
      `${formatter('percent', { maximumFractionDigits: 5 }).format(decimal as Numeric)}${locale.startsWith('de') || locale.startsWith('fr') || locale.startsWith('es') ? '\u00a0%' : '%'}`,
  }
}
