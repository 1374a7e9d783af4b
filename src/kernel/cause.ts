/** The cause of what a request by somebody leads to, with a token or without. */
export interface RequestCause {
  readonly kind: 'request'
  /** The debug id of the answer. */
  readonly id: string
  readonly operation: string
  /** The address it came from. */
  readonly address: string
  /** The app whose token it is. Absent if the operation asks for no token. */
  readonly appId?: string
  /** The person at the console who made the request. No app did then. */
  readonly personId?: string
  /** The account the call acts for. */
  readonly accountId?: string
  /** Whether the app belongs to another account than the one it acts for. */
  readonly onBehalf?: boolean
  /** Who calls, where the route is for somebody who brings no token. */
  readonly stranger?: Stranger
  /** The request id the caller chose. */
  readonly requestId?: string
  /** The first parameter of the path, for work that does not name a resource itself. */
  readonly resourceId?: string
}

/** Somebody without a token for whom an operation was made. */
export type Stranger = 'payer' | 'gateway'

/**
 * Why a unit of work happens. It is said once, where the work enters the service; the unit of work writes it beside
 * everything it changes, and hands it on to the jobs it enqueues.
 */
export type Cause =
  | RequestCause
  /**
   * A job that is due. `cause` is the thread of what enqueued it. `waited` says that the passing of time led to it, and not
   * that work alone.
   */
  | {
      readonly kind: 'job'
      readonly name: string
      readonly id: string
      readonly cause?: string
      readonly waited?: boolean
      /** The person at the console who asked for the job, and in whose name it works. */
      readonly personId?: string
    }
  /** Somebody at the command line. Its arguments hold no secret and nobody's name or address. */
  | {
      readonly kind: 'command'
      readonly id: string
      readonly name: string
      readonly arguments: readonly string[]
      readonly address: string
    }
  /** The service itself: it seeds a sandbox, or keeps the answer to a refused request. */
  | { readonly kind: 'service'; readonly task: string }

/**
 * Who acts, as one text that logs, transitions and ledger entries share: `app:APP-…`, `person:PER-…`, `command:apps create`,
 * `payer`.
 */
export function actorOf(cause: Cause): string {
  switch (cause.kind) {
    case 'request':
      if (cause.personId !== undefined) return `person:${cause.personId}`
      return cause.appId === undefined ? (cause.stranger ?? 'public') : `app:${cause.appId}`
    case 'service':
      return `service:${cause.task}`
    case 'job':
      return cause.personId === undefined ? `job:${cause.name}` : `person:${cause.personId}`
    default:
      return `${cause.kind}:${cause.name}`
  }
}

/** The id that all effects of one cause share, including the effects of the jobs it enqueued. */
export const causeId = (cause: Cause): string => threadOf(cause).split(AT_ITS_TIME, 1)[0]!

const AT_ITS_TIME = '@'

/**
 * The name of what happens at one go because of one thing. Usually it is the id of the cause. A job that waited for its time
 * begins a thread of its own under the same cause: `4651ab1363a50@17`.
 */
export function threadOf(cause: Cause): string {
  switch (cause.kind) {
    case 'service':
      return actorOf(cause)
    case 'job': {
      const before = cause.cause ?? `job-${cause.id}`
      return cause.waited ? `${before.split(AT_ITS_TIME, 1)[0]}${AT_ITS_TIME}${cause.id}` : before
    }
    default:
      return cause.id
  }
}
