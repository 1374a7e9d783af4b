/** How much a dispute can hold, as the contract counts it. When something is full, the link for adding to it disappears. */
export const limits = {
  /** Written by one side: half of what the contract has room for, so that neither side can keep the other from speaking. */
  messages: 500,
  /** Submitted by one side. A party is shown the same number: its own evidence, and as much of the other as there is room for. */
  evidences: 100,
  /** Notes of one side to the agents, again half of the room. */
  supportingInfo: 50,
  offerEvents: 990,
  partnerActions: 10,
  /** How many refunds are shown, the last ones. A dispute about many payments can have more. */
  refunds: 100,
  /** For each payment. */
  items: 100,
  filesPerMessage: 10,
  filesPerRequest: 100,
  fileBytes: 10 * 1024 * 1024,
  requestBytes: 50 * 1024 * 1024,
  pageSize: 50,
  page: 50,
} as const
