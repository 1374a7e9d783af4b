/** What is listed: how many there are of everything, and when the newest invoice was made. */
export interface Sized {
  readonly size: number
  readonly newest: string
  /** The merchant, and its app. */
  readonly accountId: string
  readonly appId: string
  /** The webhook that all deliveries went to. */
  readonly busyWebhook: string
}

/** One list or search, the same whatever its size. */
export interface Listing {
  readonly what: string
  /** The client that asks; the merchant's unless said. */
  readonly who?: string
  request(sized: Sized): { path: string; json?: object }
}
