import type { ChargeStatus } from '../../outbound/gateway.ts'
import type { AttemptStatus } from './attempts.ts'

/** What is heard of a charge: what the gateway says, that it knows no such charge, or that another try replaces it. */
export type Heard = ChargeStatus | 'UNKNOWN' | 'REPLACED'

export const heardOf = ['COMPLETED', 'PENDING', 'DENIED', 'ACTION_REQUIRED', 'UNKNOWN', 'REPLACED'] as const
export const attemptStatuses = ['OPEN', 'PENDING', 'COMPLETED', 'DENIED', 'REVERSED', 'RETURNED'] as const

const minutes = 60
const hours = 60 * minutes

/** How long a payer may take on the gateway's own page before the try is given up. */
export const OPEN_SECONDS_MAX = 30 * minutes
/** How long the gateway is asked about a try that was refused or given up. */
export const ASKED_SECONDS_MAX = 24 * hours
const ASK_SECONDS_MIN = 1 * minutes
const ASK_SECONDS_MAX = 6 * hours

/** What decides between two rows, besides what is stored and what is heard. */
export interface Circumstances {
  /** Whether the invoice still takes this amount. */
  readonly isDue: boolean
  readonly ageSeconds: number
}

const conditions = {
  'still due': ({ isDue }: Circumstances) => isDue,
  'no longer due': ({ isDue }: Circumstances) => !isDue,
  'within 30 minutes': ({ ageSeconds }: Circumstances) => ageSeconds < OPEN_SECONDS_MAX,
  'after 30 minutes': ({ ageSeconds }: Circumstances) => ageSeconds >= OPEN_SECONDS_MAX,
  'within a day': ({ ageSeconds }: Circumstances) => ageSeconds < ASKED_SECONDS_MAX,
  'after a day': ({ ageSeconds }: Circumstances) => ageSeconds >= ASKED_SECONDS_MAX,
}

/**
 * `capture` takes the payment into the books and onto the invoice (a denied one only into the books), `settle` ends one
 * that was pending there, `reverse` tells subscribers that nothing was captured, `void` has the gateway give the money
 * back, `ask again` looks at the charge later.
 */
export type Step = 'capture' | 'settle' | 'reverse' | 'void' | 'ask again'

export interface ChargeRow {
  readonly stored: AttemptStatus
  readonly heard: readonly Heard[]
  readonly when?: keyof typeof conditions
  readonly to: AttemptStatus
  readonly does: readonly Step[]
}

const silence = ['ACTION_REQUIRED', 'UNKNOWN'] as const
/** A denial need not be final: on the gateway's own page, the payer can use another card. */
const unfinished = ['DENIED', ...silence, 'REPLACED'] as const

/**
 * What becomes of a try to pay, early, late, twice or out of order. Money that was taken ends on the invoice (COMPLETED)
 * or on its way back (RETURNED), and nothing leads out of either.
 */
// biome-ignore format: a table reads best as a table
export const chargeRows: readonly ChargeRow[] = [
  { stored: 'OPEN',      heard: ['COMPLETED'],            when: 'still due',         to: 'COMPLETED', does: ['capture'] },
  { stored: 'OPEN',      heard: ['COMPLETED'],            when: 'no longer due',     to: 'RETURNED',  does: ['reverse', 'void'] },
  { stored: 'OPEN',      heard: ['PENDING'],              when: 'still due',         to: 'PENDING',   does: ['capture', 'ask again'] },
  { stored: 'OPEN',      heard: ['PENDING'],              when: 'no longer due',     to: 'REVERSED',  does: ['reverse', 'ask again'] },
  { stored: 'OPEN',      heard: ['DENIED'],                                          to: 'DENIED',    does: ['capture', 'ask again'] },
  { stored: 'OPEN',      heard: silence,                  when: 'within 30 minutes', to: 'OPEN',      does: ['ask again'] },
  { stored: 'OPEN',      heard: silence,                  when: 'after 30 minutes',  to: 'REVERSED',  does: ['reverse', 'ask again'] },
  { stored: 'OPEN',      heard: ['REPLACED'],                                        to: 'REVERSED',  does: ['reverse', 'ask again'] },
  { stored: 'PENDING',   heard: ['COMPLETED'],                                       to: 'COMPLETED', does: ['settle'] },
  { stored: 'PENDING',   heard: ['DENIED'],                                          to: 'DENIED',    does: ['settle', 'ask again'] },
  { stored: 'PENDING',   heard: ['PENDING', ...silence, 'REPLACED'],                 to: 'PENDING',   does: ['ask again'] },
  { stored: 'DENIED',    heard: ['COMPLETED'],                                       to: 'RETURNED',  does: ['void'] },
  { stored: 'DENIED',    heard: ['PENDING'],                                         to: 'DENIED',    does: ['ask again'] },
  { stored: 'DENIED',    heard: unfinished,               when: 'within a day',      to: 'DENIED',    does: ['ask again'] },
  { stored: 'DENIED',    heard: unfinished,               when: 'after a day',       to: 'DENIED',    does: [] },
  { stored: 'REVERSED',  heard: ['COMPLETED'],                                       to: 'RETURNED',  does: ['void'] },
  { stored: 'REVERSED',  heard: ['PENDING'],                                         to: 'REVERSED',  does: ['ask again'] },
  { stored: 'REVERSED',  heard: unfinished,               when: 'within a day',      to: 'REVERSED',  does: ['ask again'] },
  { stored: 'REVERSED',  heard: unfinished,               when: 'after a day',       to: 'REVERSED',  does: [] },
  { stored: 'COMPLETED', heard: heardOf,                                             to: 'COMPLETED', does: [] },
  { stored: 'RETURNED',  heard: heardOf,                                             to: 'RETURNED',  does: [] },
]

/** The rows that fit. The table has a row for every case. */
export const chargeRowsFor = (stored: AttemptStatus, heard: Heard, circumstances: Circumstances): ChargeRow[] =>
  chargeRows.filter(
    (row) => row.stored === stored && row.heard.includes(heard) && (!row.when || conditions[row.when](circumstances)),
  )

/** How long until the gateway is asked again: a minute while somebody may be waiting, and later a tenth of the age. */
export function secondsUntilAsked(ageSeconds: number): number {
  if (ageSeconds < OPEN_SECONDS_MAX) return ASK_SECONDS_MIN
  return Math.min(ASK_SECONDS_MAX, Math.round(ageSeconds / 10))
}
