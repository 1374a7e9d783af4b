/**
 * What someone can be to a resource. `agent` decides disputes: in the sandbox every caller, in live the operator.
 * `clock` is the passing of time; a job acts for it.
 */
export type Role = 'seller' | 'buyer' | 'partner' | 'agent' | 'clock'

/** Who is calling, as established from the access token and the assertion header. */
export interface Caller {
  /** The app whose token it is. Events of this call go to its webhooks. */
  readonly appId: string
  /** The person at the console who calls. No app calls then, and `appId` only says whose webhooks are looked at. */
  readonly personId?: string
  readonly clientId: string
  /** The account the call acts for: the app's own, or the merchant or person the assertion names. */
  readonly accountId: string
  /** True when the assertion header made the call act for an account other than the app's own. */
  readonly onBehalf: boolean
  /** Whether any account has consented that this app acts for it. What the consent covers is asked where it matters. */
  readonly hasConsents: boolean
  /**
   * Set if the account lives in another cell: a sentence that says where. What the account has is there, and nothing of it
   * is made here.
   */
  readonly elsewhere?: string
  /** Names of scopes without their base, for example `disputes/read-seller`. */
  readonly scopes: ReadonlySet<string>
  /** Roles that do not depend on the resource: `agent` for every caller of a sandbox and for operators. */
  readonly roles: readonly Role[]
  /** A caller who decides disputes and does nothing else. A dispute exists for this caller only while it is under review. */
  readonly onlyUnderReview?: true
}

/** A caller without a token and without any scope. */
export const nobody: Caller = {
  appId: '',
  clientId: '',
  accountId: '',
  onBehalf: false,
  hasConsents: false,
  scopes: new Set(),
  roles: [],
}
