import type { AnyRoute } from '../http/route.ts'
import type { MarkedKind } from '../kernel/cell.ts'

/** What a balancer reads of a call to know in which cell it belongs. */
export type Rule =
  /** The account that is acted for: the one an assertion names, else that of the access token. */
  | { readonly by: 'account' }
  /** The client id that asks for a token, in the header or in the form. */
  | { readonly by: 'client' }
  /** The id that stands in the path behind `before`, because others than its owner may ask for it too. */
  | { readonly by: 'path'; readonly before: string; readonly kind: PathKind }
  /** What the JSON body names, for the same reason. */
  | { readonly by: 'body'; readonly path: string; readonly fields: readonly Field[] }
  /** Nothing: every cell answers the same, or the call is about the cell itself, which has a host name of its own. */
  | { readonly by: 'nothing'; readonly because: 'same' | 'own' }

/** A place in a JSON body that names something. Of several places, the first that is there counts. */
type Field = readonly [place: string, kind: MarkedKind]

/** The code of a page is the id of its invoice without its prefix and hyphens. */
export type PathKind = 'code' | 'invoice' | 'dispute' | 'document' | 'certificate'

/** Addresses at which others than the owner may ask for a thing. Each ends with the parameter that names the thing. */
const inPath: Readonly<Record<string, PathKind>> = {
  '/v1/customer/disputes/:id': 'dispute',
  '/v2/content/documents/:document_id': 'document',
  '/v1/notifications/certs/:cert_id': 'certificate',
  '/invoice/p/:code': 'code',
  '/invoice/details/:id': 'invoice',
  '/invoice/problem/:key': 'dispute',
}

/** Calls that name something of somebody else in their body, such as a payment, and calls of the gateway, which name a charge. */
const inBody: Readonly<Record<string, readonly Field[]>> = {
  createDispute: [['disputed_transactions[0].buyer_transaction_id', 'transaction']],
  validateDisputeEligibility: [
    ['encrypted_transaction_id', 'transaction'],
    ['dispute_id', 'dispute'],
  ],
  validateReferredDisputeEligibility: [['transaction_id', 'transaction']],
  gatewayCallback: [['charge_id', 'attempt']],
}

const same = new Set(['openInvoicePage', 'showPageAsset', 'showPageFont', 'showOpenApi', 'showHealth', 'showReadiness'])
/** Reference, console, figures and sandbox: each cell has its own. A sandbox has no cells unless somebody tries them out. */
const ofOneCell = /^\/(sandbox|console|metrics)?(\/|$)/

/** How a call of an operation finds its cell. An operation that nobody considered has no rule, and a test reports it. */
export function ruleOf({ url, operation, scopes }: AnyRoute): Rule | undefined {
  if (ofOneCell.test(url)) return { by: 'nothing', because: 'own' }
  if (same.has(operation) || url.startsWith('/docs')) return { by: 'nothing', because: 'same' }
  const fields = inBody[operation]
  if (fields) return { by: 'body', path: url, fields }
  if (url.startsWith('/v1/oauth2/')) return { by: 'client' }
  const named = Object.keys(inPath).find((start) => url === start || url.startsWith(`${start}/`))
  if (named !== undefined) return { by: 'path', before: named.slice(0, named.indexOf(':')), kind: inPath[named]! }
  return scopes === 'public' ? undefined : { by: 'account' }
}
