import { nodes } from '../../disputes/machine/nodes.ts'
import { nodeName } from '../../disputes/machine/step.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { HappeningKind } from '../../kernel/happening.ts'
import type { FollowedRow } from '../../kernel/lifecycle.ts'
import type { HappeningRow } from './timeline.ts'

const meanings = new Map(nodes.map(({ node, meaning }) => [nodeName(node), meaning]))

/** Where a dispute stands, by the short name of its node. */
export const nodeWords = (name: string): string => meanings.get(name) ?? name

/** What a job was about, once its time came. */
const dueWords: Readonly<Record<string, (ref: string) => string>> = {
  'dispute-deadline': (ref) => `A time of dispute ${ref} was up`,
  'issue-invoice': (ref) => `The issue date of invoice ${ref} came`,
  'settle-payment': (ref) => `Payment ${ref} was to be settled`,
}

/** The details of each kind, as they were noted. */
interface Details {
  readonly request: { method: string; path: string; status: number; ms: number }
  readonly due: { work: string; error?: string; parked?: boolean }
  readonly move: {
    of: 'dispute' | 'invoice'
    action: string
    from: string | null
    to: string | null
    /** Absent for the opening of a dispute, and in notes of versions before this one. */
    rule?: FollowedRow
  }
  readonly money: { what: string; currency_code: string; books: Readonly<Record<string, string>> }
  readonly event: { type: string; resource_id: string }
  readonly attempt: { url: string; number: number; status?: number; ms: number; error?: string; next_time?: Instant }
  readonly mail: object
  readonly clock: { from: Instant; to: Instant; frozen: boolean; fell_due: number }
}

const say: { readonly [Kind in HappeningKind]: (details: Details[Kind], row: HappeningRow) => string } = {
  request: ({ method, path, status, ms }) => `${method} ${path} was answered with ${status} in ${ms} ms`,
  due: ({ work, error, parked }, { ref }) => {
    const what = dueWords[work]?.(ref ?? '') ?? `The job ${work} was due`
    if (error === undefined) return what
    return `${what}, and failed${parked ? ' for good' : ''}: ${error}`
  },
  move: ({ of, action, from, to }, { ref }) =>
    of === 'dispute'
      ? `Dispute ${ref}, ${action}: ${from === null ? '' : `${nodeWords(from)} → `}${nodeWords(to ?? '')}`
      : `Invoice ${ref}, ${action}: ${from ?? ''} → ${to ?? 'deleted'}`,
  money: ({ what, currency_code, books }, { ref }) =>
    `${what} for ${ref}: ${Object.entries(books)
      .map(([book, value]) => `${book} ${value.startsWith('-') ? '' : '+'}${value} ${currency_code}`)
      .join(', ')}`,
  event: ({ type, resource_id }) => `${type} about ${resource_id}`,
  attempt: ({ url, number, status, ms, error, next_time }) => {
    if (error === undefined) return `Attempt ${number} to ${url}: ${status} in ${ms} ms`
    const next = next_time === undefined ? 'and no other follows' : `next at ${next_time}`
    return `Attempt ${number} to ${url} failed: ${status ?? error}, ${next}`
  },
  mail: (_, { recipients, subject }) =>
    recipients === null ? 'A mail that is no more' : `Mail to ${recipients.join(', ')}: ${subject}`,
  clock: ({ from, to, frozen, fell_due }) =>
    from === to
      ? `The clock ${frozen ? 'stands still' : 'runs'} at ${to}`
      : `The clock moved from ${from} to ${to}; ${fell_due === 1 ? 'one thing' : `${fell_due} things`} fell due`,
}

/** A happening in a sentence without its full stop. */
export function sentenceFor(row: HappeningRow): string {
  // The details were noted by whoever noted this kind.
  const tell = say[row.kind] as (details: unknown, row: HappeningRow) => string
  return tell(row.details, row)
}

/** The row of the table that a move followed, as a sentence without its full stop. Undefined when it was no move along a table. */
export function ruleOf({ kind, details }: HappeningRow): string | undefined {
  if (kind !== 'move') return undefined
  // The details were noted by the logs of transitions.
  const { action, rule } = details as unknown as Details['move']
  if (!rule) return undefined
  const number = rule.t === undefined ? '' : `${rule.t}, `
  const condition = rule.given.length === 0 ? '' : `, given ${rule.given.join(' and ')}`
  return `${number}${action} by the ${rule.by.join(' or ')}${condition}: ${rule.outcome}`
}
