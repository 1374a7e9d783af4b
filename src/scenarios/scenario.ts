import type { Person, SentFile } from './client.ts'

/** A story that a sandbox can be told to live through. */
export interface Scenario {
  /** The name of its file, without its ending. */
  readonly name: string
  readonly title: string
  readonly about: string
  /** People, by the names that the story gives them. The story follows the view, events and money of the first. */
  readonly people: Readonly<Record<string, Person>>
  readonly steps: readonly Step[]
}

export interface Step {
  readonly step: string
  /** What happens, as one would tell it. */
  readonly says: string
  readonly as?: string
  readonly call?: string
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly files?: readonly SentFile[]
  /** A duration to wait for. */
  readonly wait?: string
  /** An instant to wait for. */
  readonly wait_until?: string
  /** How the receiver of the story answers from now on. */
  readonly receiver?: { readonly answers: number }
  readonly expect: Expectation
  /** Where it stands in its file, for whoever looks for what went wrong. */
  readonly at: string
}

/** What must be true after a step. What is not named is not looked at. */
export interface Expectation {
  readonly status?: number
  readonly answer?: unknown
  readonly dispute?: unknown
  readonly invoice?: unknown
  readonly payment?: unknown
  readonly events?: readonly string[] | 'none'
  readonly money?: Readonly<Partial<Record<Book, string>>> | 'none'
  readonly mail?: readonly { readonly to?: string; readonly subject?: string }[] | 'none'
  readonly received?: Readonly<Record<string, number>> | 'none'
}

export const books = ['available', 'withheld', 'pending'] as const
export type Book = (typeof books)[number]

/** Things that a story is about, with the operations whose answers name them. */
export const things = {
  dispute: { made: ['createDispute', 'simulateChargeback'], show: 'showDispute', id: ['id'] },
  invoice: { made: ['createInvoice'], show: 'showInvoice', id: ['id'] },
  payment: {
    made: ['createSandboxTransaction', 'paySandboxInvoice'],
    show: 'showCapture',
    id: ['payment_id', 'seller_transaction_id', 'id'],
  },
} as const
export type Thing = keyof typeof things
