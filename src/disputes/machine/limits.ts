/** How much a dispute holds at most, as the contract counts it. When something is full its link disappears. */
export const limits = {
  messages: 1000,
  /** Submitted by one side. A party is shown as many: its own, and what else it sees in the room that is left. */
  evidences: 100,
  supportingInfo: 100,
  offerEvents: 990,
  partnerActions: 10,
  /** As many are shown, the last ones: a dispute of many payments can have more. */
  refunds: 100,
  /** Of one payment. */
  items: 100,
  filesPerMessage: 10,
  filesPerRequest: 100,
  fileBytes: 10 * 1024 * 1024,
  requestBytes: 50 * 1024 * 1024,
  pageSize: 50,
  page: 50,
} as const
