import type { OpenRoom } from '../room.ts'
import { beginChecks, checkJob, showFindings } from './check.ts'

/** What must always be true of the stored data, looked at while a live service runs. */
export const openInvariants: OpenRoom = ({ environment, settings: { invariantCheckHours: hours } }) => {
  if (environment !== 'live') return {}
  const jobs = [checkJob(hours)]
  if (hours === 0) return { jobs }
  return {
    jobs,
    start: beginChecks,
    work({ database, registry }) {
      if (registry) showFindings(database, registry)
      return []
    },
  }
}
