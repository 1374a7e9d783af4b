/** The kinds of things that happen in a sandbox, as its timeline tells them. */
export const happeningKinds = ['request', 'due', 'move', 'money', 'event', 'attempt', 'mail', 'clock'] as const
export type HappeningKind = (typeof happeningKinds)[number]

/** Something that happened, for whoever watches a sandbox. It refers to what is stored, and repeats only a few words. */
export interface Happening {
  readonly kind: HappeningKind
  readonly accountId: string | null
  /** What it is about: the id of a request, invoice, dispute, payment, event or mail. */
  readonly ref: string | null
  /** Set if somebody should look at it. */
  readonly trouble?: boolean
  readonly details: Readonly<Record<string, unknown>>
}
