import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptStatus } from '../../src/payer/pay/attempts.ts'
import {
  ASKED_SECONDS_MAX,
  attemptStatuses,
  chargeRows,
  chargeRowsFor,
  type Heard,
  heardOf,
  OPEN_SECONDS_MAX,
  secondsUntilAsked,
} from '../../src/payer/pay/charge-lifecycle.ts'

const ages = [0, OPEN_SECONDS_MAX - 1, OPEN_SECONDS_MAX, ASKED_SECONDS_MAX - 1, ASKED_SECONDS_MAX]

describe('The table of charges', () => {
  it('has exactly one row for every status, word, age and state of the invoice', () => {
    for (const stored of attemptStatuses)
      for (const heard of heardOf)
        for (const ageSeconds of ages)
          for (const isDue of [true, false])
            expect(
              chargeRowsFor(stored, heard, { isDue, ageSeconds }),
              `${stored} ${heard} ${ageSeconds} ${isDue}`,
            ).toHaveLength(1)
  })

  it('leads out of neither end, and to a refund only from what was not on the invoice', () => {
    for (const { stored, to, does } of chargeRows) {
      if (stored === 'COMPLETED' || stored === 'RETURNED') expect([to, does]).toEqual([stored, []])
      expect(does.includes('void')).toBe(to === 'RETURNED' && stored !== 'RETURNED')
    }
  })

  it('asks once a minute while a payer may be waiting, and ever more seldom later', () => {
    expect([0, 1_799, 1_800, 36_000, 10_000_000].map(secondsUntilAsked)).toEqual([60, 60, 180, 3_600, 21_600])
  })
})

/** What really happens at the gateway, in the order it happens there. */
const stories: readonly (readonly Heard[])[] = [
  ['COMPLETED'],
  ['DENIED'],
  ['PENDING', 'COMPLETED'],
  ['PENDING', 'DENIED'],
  ['ACTION_REQUIRED'],
  ['ACTION_REQUIRED', 'COMPLETED'],
  ['ACTION_REQUIRED', 'DENIED'],
  ['ACTION_REQUIRED', 'PENDING', 'COMPLETED'],
  ['ACTION_REQUIRED', 'PENDING', 'DENIED'],
  // The payer's first card is refused and the second one taken, on the gateway's own page.
  ['ACTION_REQUIRED', 'DENIED', 'COMPLETED'],
]

type Move = 'goes on' | 'asked' | 'replaced' | 'invoice changes' | 'half an hour passes' | { tells: number }
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constantFrom<Move[]>('goes on', 'goes on', 'asked', 'replaced', 'invoice changes', 'half an hour passes'),
  fc.record({ tells: fc.nat(3) }),
)

describe('Whatever is heard of a charge, in whatever order', () => {
  it('money that was taken ends on the invoice or goes back, exactly once', () => {
    fc.assert(
      fc.property(fc.constantFrom(...stories), fc.array(move, { maxLength: 25 }), (story, moves) => {
        const world = { status: 'OPEN' as AttemptStatus, at: -1, isDue: true, ageSeconds: 0, asks: true }
        const done = { booked: 0, voided: 0 }
        const hear = (heard: Heard) => {
          const [row] = chargeRowsFor(world.status, heard, world)
          if (row!.does.includes('void')) done.voided++
          if (row!.to === 'COMPLETED' && world.status !== 'COMPLETED') done.booked++
          world.status = row!.to
          world.asks = row!.does.includes('ask again')
        }
        const truth = () => (world.at < 0 ? 'UNKNOWN' : story[world.at]!)
        for (const step of moves) {
          if (step === 'goes on') world.at = Math.min(world.at + 1, story.length - 1)
          else if (step === 'asked') {
            if (world.asks) hear(truth())
          } else if (step === 'replaced') hear('REPLACED')
          else if (step === 'invoice changes') world.isDue = !world.isDue
          else if (step === 'half an hour passes') world.ageSeconds += OPEN_SECONDS_MAX
          // A callback tells something that is or was true; it may be late, and come again.
          else if (world.at >= 0) hear(story[step.tells % (world.at + 1)]!)
        }
        const wasTaken = truth() === 'COMPLETED'
        // Its callback may be lost: then somebody asks.
        if (world.asks) hear(truth())

        expect(done.booked + done.voided).toBe(wasTaken ? 1 : 0)
      }),
      { numRuns: 3_000 },
    )
  })
})
