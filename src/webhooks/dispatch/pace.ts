/** How far ahead the dispatcher works, and how much it does at once. */
export const pace = {
  /** How many claimed deliveries of proven webhooks may wait for a slot, so that slots do not wait for the database. */
  readyMax: 800,
  /** How many of these one webhook may have for every one of its attempts that may run at once. */
  readyPerSlot: 6,
  /** Claims are batches: it is not worth a round trip to fill a single slot of a busy lane. */
  claimMin: 5,
  webhooksPerClaim: 100,
  /** With more than this on their way, writing down each result by itself would cost more than making the attempts. */
  many: 16,
  /** How long a result then waits for others. What it was about is attempted again if we die before it is written. */
  lingerMs: 20,
  /** With so many results that cannot be written, nothing more is claimed. */
  unrecordedMax: 2_000,
  afterErrorMs: 1_000,
  roomPollMs: 20,
  coldLookEveryMs: 250,
  coldLookAgainMs: 1_000,
  /** So many stumbles in a row move a proven webhook to the cold ones. */
  strikes: 3,
} as const
