/** What led to a request by somebody, with a token or without. */
export interface RequestCause {
  readonly kind: 'request'
  /** The debug id of the answer. */
  readonly id: string
  readonly operation: string
  /** The address it came from. */
  readonly address: string
  /** The app whose token it is. Absent where the operation asks for none. */
  readonly appId?: string
  /** The person at the console whose request it is; no app then. */
  readonly personId?: string
  /** The account the call acts for. */
  readonly accountId?: string
  /** The app belongs to another account than the one it acts for. */
  readonly onBehalf?: boolean
  /** Who calls where nobody brings a token, as the route says. */
  readonly stranger?: Stranger
  /** The request id the caller chose. */
  readonly requestId?: string
  /** The first name in the path, for work that names nothing itself. */
  readonly resourceId?: string
}

/** Somebody without a token whom an operation was made for. */
export type Stranger = 'payer' | 'gateway'

/**
 * Why a unit of work happens. It is said once, where the work enters the service; the unit of work writes it beside
 * everything it changes, and hands it on to the jobs it enqueues.
 */
export type Cause =
  | RequestCause
  /** A job that is due. `cause` is the thread of what enqueued it; `waited` says that time led to it, not that work alone. */
  | {
      readonly kind: 'job'
      readonly name: string
      readonly id: string
      readonly cause?: string
      readonly waited?: boolean
      /** The person at the console who asked for it, and whose doing it is. */
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
 * Who acts, in one word that logs, transitions and ledger entries share: `app:APP-…`, `person:PER-…`,
 * `command:apps create`, `payer`.
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

/** What all effects of one cause have in common, those of the jobs it enqueued included. */
export const causeId = (cause: Cause): string => threadOf(cause).split(AT_ITS_TIME, 1)[0]!

const AT_ITS_TIME = '@'

/**
 * What happens at one go because of one thing. It is named by its cause; what a job does that waited for its time is a
 * thread of its own under the same cause: `4651ab1363a50@17`.
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
