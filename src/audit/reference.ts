import type { RoomReference } from '../kernel/reference.ts'

export const auditReference: RoomReference = {
  operations: {
    listAuditLog:
      'Everything that was changed, by whom and because of which request, newest first. For the operator of the service; an entry is never changed, and goes when its time is over.',
  },
  fields: {
    page_size: 'How many a page has at most.',
    entries: 'Newest first.',
    time: 'When it was done.',
    links: 'Where the next page is.',
  },
  issues: [],
}
