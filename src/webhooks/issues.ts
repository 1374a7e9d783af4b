import type { IssueReference } from '../kernel/reference.ts'

/** What the operations of webhooks refuse with codes of their own. */
export const webhookIssues: readonly IssueReference[] = [
  {
    issue: 'INVALID_URL',
    status: 400,
    by: ['createWebhook', 'updateWebhook', 'simulateEvent'],
    when: 'The address is no http or https address that may be called from here.',
    mend: 'Send one that is reachable and not forbidden by the settings.',
  },
  {
    issue: 'INVALID_EVENT_TYPE',
    status: 400,
    by: ['createWebhook', 'updateWebhook'],
    when: 'A name has not the form of an event.',
    mend: 'Use names of listEventTypes, or * for all.',
  },
  {
    issue: 'WEBHOOK_URL_ALREADY_EXISTS',
    status: 400,
    by: ['createWebhook', 'updateWebhook'],
    when: 'The app has a webhook with this address, in this spelling or another.',
    mend: 'Change that one.',
  },
  {
    issue: 'WEBHOOK_NUMBER_LIMIT_EXCEEDED',
    status: 400,
    by: ['createWebhook'],
    when: 'The app has ten webhooks.',
    mend: 'Delete one first.',
  },
  {
    issue: 'NO_CHANGE',
    status: 400,
    by: ['updateWebhook'],
    when: 'The patch leaves everything as it is.',
    mend: 'Nothing is to be done.',
  },
  {
    issue: 'INVALID_VALUE',
    status: 400,
    by: ['updateWebhook', 'simulateEvent'],
    when: 'A value does not fit what it is for.',
    mend: 'Send what the description names.',
  },
  {
    issue: 'ROTATION_UNDER_WAY',
    status: 422,
    by: ['rotateWebhookSecret'],
    when: 'The secret before the last one still signs.',
    mend: 'Wait until then, or send overlap_seconds 0.',
  },
  {
    issue: 'INVALID_TIME',
    status: 400,
    by: ['listEvents', 'listTransmissions', 'replayEvents'],
    when: 'A time is not readable.',
    mend: 'Write RFC 3339, such as 2026-03-01T09:00:00Z.',
  },
  {
    issue: 'INVALID_TIME_RANGE',
    status: 400,
    by: ['listEvents', 'listTransmissions', 'replayEvents'],
    when: 'The start lies after the end.',
    mend: 'Change the order.',
  },
  {
    issue: 'CERTIFICATE_WITHDRAWN',
    status: 404,
    by: ['showCertificate'],
    when: 'The operator withdrew this certificate.',
    mend: 'Trust nothing that was signed with it; new deliveries name another.',
  },
]
