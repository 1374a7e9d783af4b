/**
 * What someone can be to a resource. `agent` decides disputes: in the sandbox every caller, in live the operator.
 * `clock` is the passing of time; a job acts for it.
 */
export type Role = 'seller' | 'buyer' | 'partner' | 'agent' | 'clock'

/** Who is calling, as established from the access token and the assertion header. */
export interface Caller {
  /** The app whose token it is. Events of this call go to its webhooks. */
  readonly appId: string
  /** The person at the console who calls; no app does then, and `appId` only says whose webhooks are looked at. */
  readonly personId?: string
  readonly clientId: string
  /** The account the call acts for: the app's own, or the merchant or person the assertion names. */
  readonly accountId: string
  /** True when the assertion header made the call act for an account other than the app's own. */
  readonly onBehalf: boolean
  /** Whether any account has consented that this app acts for it; what for is asked where it matters. */
  readonly hasConsents: boolean
  /** Where the account is, in a sentence, when it lives in another cell: what it has is there, and nothing of it is made here. */
  readonly elsewhere?: string
  /** Scope names without base, for example `disputes/read-seller`. */
  readonly scopes: ReadonlySet<string>
  /** Roles held whatever the resource: `agent` for every caller of a sandbox and for operators. */
  readonly roles: readonly Role[]
  /** Decides disputes and does nothing else: none exists for this caller but while it is under review. */
  readonly onlyUnderReview?: true
}

/** A caller without a token, who may do nothing by name. */
export const nobody: Caller = {
  appId: '',
  clientId: '',
  accountId: '',
  onBehalf: false,
  hasConsents: false,
  scopes: new Set(),
  roles: [],
}
