import type { OpenRoom } from '../room.ts'
import { sweepDrafts } from './pages/disputes/drafts.ts'
import { bulkConstraints, bulkJobs, sweepBulks } from './pages/invoices/bulk.ts'
import { invitationJobs } from './sign-in/invitation.ts'
import { sweepSignIns } from './sign-in/logins.ts'

/** What the console does without an onlooker; its pages are in `routes.ts`. */
export const openConsole: OpenRoom = (service) => ({
  jobs: [...bulkJobs(service), ...(service.environment === 'live' ? invitationJobs(service) : [])],
  constraints: bulkConstraints,
  sweeps: { 'sign-ins': sweepSignIns(service.settings.auditRetentionDays), bulks: sweepBulks, drafts: sweepDrafts },
})
