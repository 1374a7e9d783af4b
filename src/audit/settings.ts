import { setting, whole } from '../setting.ts'

/** How long records of what was done are kept, and how often what is stored is checked. */
export const recordSettings = {
  auditRetentionDays: setting<number>({
    variable: 'AUDIT_RETENTION_DAYS',
    initial: 400,
    ...whole(0, 36_500),
    description: 'How many days the audit log is kept; 0 keeps all.',
  }),
  invariantCheckHours: setting<number>({
    variable: 'INVARIANT_CHECK_HOURS',
    initial: 24,
    ...whole(0, 8_760),
    description: 'How often a live service checks its stored data against `invariants.sql`; 0 is never.',
  }),
} as const
