/** The webhook id that stands for none, in simulated events that go to an address of their own. */
export const ANY_WEBHOOK = 'WEBHOOK_ID'

const FREE = `${ANY_WEBHOOK}:`

/**
 * Whose line a delivery stands in: that of its webhook, or that of its account where it has no webhook. So nobody waits for
 * the receivers of others.
 */
export const endpointOf = (webhookId: string, accountId: string): string =>
  webhookId === ANY_WEBHOOK ? FREE + accountId : webhookId

/** The account of an endpoint that is no webhook. */
export const accountOf = (endpoint: string): string | undefined =>
  endpoint.startsWith(FREE) ? endpoint.slice(FREE.length) : undefined

/** Sorts before the endpoints of all accounts. */
export const beforeAccounts = FREE

/** The accounts among these endpoints. */
export const accountsOf = (endpoints: readonly string[]): string[] =>
  endpoints.map(accountOf).filter((account) => account !== undefined)
