/**
 * Where a webhook's deliveries wait. One that answered promptly last time is proven; a new one has yet to; one that
 * failed or kept us waiting is cold until it answers promptly again.
 */
export const lanes = { proven: 0, unproven: 1, cold: 2 } as const
export type Lane = (typeof lanes)[keyof typeof lanes]
export const everyLane: readonly Lane[] = [lanes.proven, lanes.unproven, lanes.cold]

export interface LaneRules {
  /** How many attempts of the lane run at once. */
  readonly slots: number
  /** How many of them may be to the same webhook. */
  readonly each: number
  /** An attempt that runs longer gives its slot back and goes on without one. */
  readonly slotMs: number
}

export interface DispatchRules {
  readonly lanes: Readonly<Record<Lane, LaneRules>>
  /** A webhook that takes longer to answer is cold. */
  readonly promptMs: number
  /** How many attempts without a slot there may be. When there are so many, the oldest is ended to make room. */
  readonly overflow: number
  /** No attempt is ended to make room before it ran this long. */
  readonly overflowMs: number
  /** How many a cold webhook may have at once as long as it does answer, if slowly. */
  readonly slowEach: number
}

export const dispatchRules: DispatchRules = {
  lanes: {
    [lanes.proven]: { slots: 75, each: 8, slotMs: 300 },
    // Little is known of these, so each gets a short moment to show itself, and the next one its turn.
    [lanes.unproven]: { slots: 50, each: 1, slotMs: 50 },
    [lanes.cold]: { slots: 25, each: 1, slotMs: 300 },
  },
  promptMs: 300,
  overflow: 940,
  overflowMs: 1_000,
  slowEach: 4,
}

export interface Claim {
  readonly lane: Lane
  /** At most so many deliveries, and so many of one webhook. */
  readonly count: number
  readonly each: number
  /** Webhooks that have enough to do already, and are left out. */
  readonly busy: readonly string[]
  /** Webhooks take turns: the claim begins with those after this one. */
  readonly afterWebhook: string
  readonly webhooks: number
}

export interface Dispatchable {
  /** The webhook it goes to, or another line of its own: an endpoint keeps only its own deliveries waiting. */
  readonly endpoint: string
  readonly lane: Lane
}

/** What the dispatcher needs of the rest: where deliveries come from, how one is attempted, where results go. */
export interface DispatchPorts<Delivery extends Dispatchable, Result extends { readonly delivered: boolean }> {
  /** `turn` is the last webhook that was looked at; undefined when all were. */
  claim(claim: Claim): Promise<{ claimed: readonly Delivery[]; turn: string | undefined }>
  /** Does what an attempt needs before it can begin, and never fails. */
  prepare(delivery: Delivery): Delivery | Promise<Delivery>
  /** `handle.abandon` is set while the attempt can be ended early; its result then says that it failed. */
  attempt(delivery: Delivery, handle: AttemptHandle): Promise<Result>
  record(finished: readonly { delivery: Delivery; result: Result; lane: Lane }[]): Promise<void>
  /** Makes a webhook's waiting and future deliveries wait in another lane. */
  move(webhookId: string, lane: Lane): Promise<void>
  /** Gives back what was claimed and not begun. */
  release(deliveries: readonly Delivery[]): Promise<void>
  onError(error: unknown): void
}

export interface AttemptHandle {
  /** Ends it, and says why. */
  abandon?: (because: string) => void
}

/** How far ahead the dispatcher works, and how much it does at once. */
export const pace = {
  /**
   * How many claimed deliveries of proven webhooks may be ready for a slot, so that a free slot need not wait for the
   * database.
   */
  readyMax: 800,
  /** How many ready deliveries one webhook may have for each of its attempts that may run at once. */
  readyPerSlot: 6,
  /** Claims are batches: it is not worth a round trip to fill a single slot of a busy lane. */
  claimMin: 5,
  webhooksPerClaim: 100,
  /** With more than this on their way, writing down each result by itself would cost more than making the attempts. */
  many: 16,
  /** How long a result then waits for others. If the process dies before it is written, the delivery is attempted again. */
  lingerMs: 20,
  /** With so many results waiting to be written, nothing more is claimed. */
  unrecordedMax: 2_000,
  afterErrorMs: 1_000,
  roomPollMs: 20,
  coldLookEveryMs: 250,
  coldLookAgainMs: 1_000,
  /** So many stumbles in a row move a proven webhook to the cold ones. */
  strikes: 3,
} as const
