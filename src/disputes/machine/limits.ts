/** How much a dispute holds at most, as the contract counts it. When something is full its link disappears. */
export const limits = {
  messages: 1000,
  /** Submitted by the parties; the contract shows at most 100, of which a few are kept for what is requested. */
  evidences: 90,
  supportingInfo: 100,
  offerEvents: 990,
  partnerActions: 10,
  filesPerMessage: 10,
  filesPerRequest: 100,
  fileBytes: 10 * 1024 * 1024,
  requestBytes: 50 * 1024 * 1024,
  pixels: 50_000_000,
  pageSize: 50,
  page: 50,
} as const
