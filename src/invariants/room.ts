import type { OpenRoom } from '../room.ts'
import { beginChecks, checkJob, showFindings } from './check.ts'

/** What must always be true of the stored data, looked at while a live service runs. */
export const openInvariants: OpenRoom = ({ environment, settings: { invariantCheckHours: hours } }) =>
  environment === 'live' && hours > 0
    ? {
        jobs: [checkJob(hours)],
        start: beginChecks,
        work({ database, registry }) {
          if (registry) showFindings(database, registry)
          return []
        },
      }
    : {}
