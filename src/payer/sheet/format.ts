import { DateTime } from 'luxon'
import { type Money, minorDigits } from '../../kernel/money.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Locale } from '../words/languages.ts'

/** Prints money, dates and numbers as readers of a language expect them. */
export interface Format {
  money(money: Money): string
  /** Only the figures, for places where the currency is written elsewhere. */
  figures(money: Money): string
  /** The figures as somebody would type them, without separators between thousands. */
  plain(money: Money): string
  day(day: string): string
  /** The day of an instant in a zone. */
  dayOf(instant: string, zone: string): string
  /** Until when: only the day if the whole day counts, and otherwise the hour too. */
  until(instant: string, zone: string): string
  number(decimal: string): string
  percent(decimal: string): string
}

/** How many formatters are kept. Each takes some ten kilobytes, and each pair of locale and currency needs one. */
const NUMBERS_MAX = 500
const numbers = new RecentMap<string, Intl.NumberFormat>(NUMBERS_MAX)

// Decimal text is formatted exactly, without becoming a float. The library's types only accept literals of that form.
type Numeric = Intl.StringNumericLiteral

/** A minus sign that is as wide as a figure. */
const withMinus = (text: string) => text.replace('-', '\u2212')

export function formatOf({ tag: locale }: Locale): Format {
  const formatter = (key: string, options: Intl.NumberFormatOptions) =>
    numbers.getOrMake(`${locale} ${key}`, () => new Intl.NumberFormat(locale, options))
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
    plain: ({ currency_code, value }) =>
      formatter(`plain ${currency_code}`, { ...digits(currency_code), useGrouping: false }).format(value as Numeric),
    day: (text) => day(DateTime.fromISO(text, { zone: 'utc' })),
    dayOf: (instant, zone) => day(DateTime.fromISO(instant, { zone })),
    until(instant, zone) {
      const end = DateTime.fromISO(instant, { zone })
      const next = end.plus({ seconds: 1 })
      return +next === +next.startOf('day') ? day(end) : end.setLocale(locale).toLocaleString(DateTime.DATETIME_FULL)
    },
    number: (decimal) => formatter('number', { maximumFractionDigits: 5 }).format(decimal as Numeric),
    percent: (decimal) =>
      `${formatter('percent', { maximumFractionDigits: 5 }).format(decimal as Numeric)}${locale.startsWith('de') || locale.startsWith('fr') || locale.startsWith('es') ? '\u00a0%' : '%'}`,
  }
}
