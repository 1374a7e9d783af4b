import { setting, whole } from '../config.ts'

/** How long it is kept who did what. */
export const auditSettings = {
  auditRetentionDays: setting<number>({
    variable: 'AUDIT_RETENTION_DAYS',
    initial: 400,
    ...whole(0, 36_500),
    description: 'How many days the audit log is kept; 0 keeps all.',
  }),
} as const
