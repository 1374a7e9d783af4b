import type { OpenRoom } from '../room.ts'
import { invitationJobs } from './sign-in/invitation.ts'
import { sweepSignIns } from './sign-in/logins.ts'

/** What the console does without anybody looking; its pages are in `routes.ts`. */
export const openConsole: OpenRoom = (service) => ({
  jobs: service.environment === 'live' ? invitationJobs(service) : [],
  sweep: sweepSignIns(service.settings.auditRetentionDays),
})
