import type { Dialect } from '../kernel/dialect.ts'

const ownKey = /^service_(?=fee|fees|transaction)/

/** An example in the words of a dialect: our documents keep the neutral ones. */
export function spoken(value: unknown, dialect: Dialect): unknown {
  if (dialect.name === 'service') return value
  if (Array.isArray(value)) return value.map((item) => spoken(item, dialect))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key === 'dispute_state' && part === 'UNDER_REVIEW') return [key, dialect.stateUnderReview]
        return [key.replace(ownKey, `${dialect.keyPrefix}_`), spoken(part, dialect)]
      }),
    )
  return typeof value === 'string' ? dialect.literal(value) : value
}

/** The name of a header in a dialect. */
export const headerIn = (dialect: Dialect, neutral: string): string =>
  neutral.replace(/^Service-/, `${dialect.headerPrefix}-`)
