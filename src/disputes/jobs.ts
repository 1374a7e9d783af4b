import { job } from '../jobs/job-definition.ts'
import { clockActor } from './access.ts'
import { act, keepTimer } from './act.ts'
import type { House } from './house.ts'
import { timers } from './machine/deadlines.ts'
import type { TimerName } from './schema/enums.ts'
import { findDispute } from './store.ts'

/** The passing of time acts on a dispute like any other actor: through the table. */
export const deadlineJob = (house: House) =>
  job<{ account_id: string; dispute_id: string }>({
    name: 'dispute-deadline',
    async foretell({ dispute_id }, db) {
      const name = (await findDispute(db, dispute_id))?.dispute.timer?.name
      return name === undefined ? `Dispute ${dispute_id} moved on.` : deadlineWords(dispute_id, name)
    },
    urgent: true,
    retryAfter: [1, 10, 60, 600],
    async run({ dispute_id }, { transact }) {
      await transact(async (tx) => {
        const found = await findDispute(tx, dispute_id)
        const timer = found?.dispute.timer
        if (!found || !timer) return
        // The dispute has moved on meanwhile, or a clock was set back. The timer is still to run out, so its job is enqueued
        // again.
        if (timer.due > tx.now) return keepTimer(tx, undefined, found.dispute)
        const action = timer.name === 'triage' ? 'triage' : 'pass-deadline'
        await act(tx, house, found, clockActor, { action, input: {} })
      })
    },
  })

/** What becomes of a dispute when nobody acts in time. */
const deadlineWords = (id: string, name: TimerName): string =>
  `Dispute ${id}: the time for ${timers[name].waitsFor} is up; ${timers[name].next}.`
