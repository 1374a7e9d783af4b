import { findAccount } from '../../accounts/store.ts'
import type { Reader } from '../../database/transaction.ts'
import { type AnyRoute, route } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { Links } from '../../kernel/links.ts'
import { breaches, invalid } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { findTransaction, findTransactionByEitherId } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import { figureScopes, findForCaller } from '../access.ts'
import { eligibleReasons } from '../filing/eligibility.ts'
import { computeMetrics, Metrics, MetricsBody } from '../lists/figures.ts'
import { SuggestionsQuery, suggest } from '../lists/suggestions.ts'
import { reasons } from '../schema/enums.ts'
import { findDisputeOf } from '../store.ts'
import { tag } from './parts.ts'

const base = '/v1/customer/disputes'
const eligibilityScopes = ['disputes/create', 'disputes/update-buyer', 'disputes/read-buyer'] as const

const Eligibility = Type.Object(
  {
    buyer_transaction_id: Type.String(),
    seller_transaction_id: Type.Optional(Type.String()),
    eligible_dispute_reasons: Type.Array(
      Type.Object({
        dispute_reason: Type.Enum([...reasons]),
        allowable_life_cycle: Type.Object({
          stage: Type.Enum(['INQUIRY', 'CHARGEBACK']),
          reason: Type.Optional(Type.String()),
        }),
      }),
      { maxItems: 50 },
    ),
    ineligible_dispute_reasons: Type.Array(
      Type.Object({ dispute_reason: Type.Enum([...reasons]), ineligibility_reason: Type.String() }),
      { maxItems: 50 },
    ),
  },
  { $id: 'DisputeEligibility' },
)

/** Operations that ask about disputes without opening or changing one. */
export function enquiryRoutes(service: Service): AnyRoute[] {
  return [
    route({
      method: 'POST',
      url: `${base}/validate-eligibility`,
      operation: 'validateDisputeEligibility',
      summary: 'Ask which disputes a payment can have',
      tag,
      scopes: eligibilityScopes,
      body: Type.Object({
        encrypted_transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        dispute_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      }),
      success: { 200: Eligibility },
      reads: true,
      async handle({ db, caller, body, now }) {
        const { payment, dispute, isBuyer } = await subjectOf(db, caller, body)
        const account = await findAccount(db, payment.seller.account_id)
        const optOut = account?.inquiry_opt_out ?? false
        const { eligible, ineligible } = eligibleReasons(payment, dispute, optOut, now)
        return {
          buyer_transaction_id: payment.buyer_transaction_id,
          ...(!isBuyer && { seller_transaction_id: payment.id }),
          eligible_dispute_reasons: eligible.map(({ reason, stage }) => ({
            dispute_reason: reason,
            allowable_life_cycle: {
              stage,
              ...(optOut && stage === 'CHARGEBACK' && { reason: 'SELLER_OPTED_OUT_OF_DISPUTE' }),
            },
          })),
          ineligible_dispute_reasons: ineligible.map(({ reason, why }) => ({
            dispute_reason: reason,
            ineligibility_reason: why,
          })),
        }
      },
    }),
    route({
      method: 'POST',
      url: `${base}/compute-metrics`,
      operation: 'computeDisputeMetrics',
      summary: 'Count or add up disputes',
      tag,
      scopes: figureScopes,
      body: MetricsBody,
      success: { 200: Metrics },
      reads: true,
      fromReplica: true,
      handle: ({ db, caller, body }) => computeMetrics(db, caller, body, service.dialect),
    }),
    route({
      method: 'GET',
      url: `${base}/search-suggestions`,
      operation: 'suggestDisputeSearches',
      summary: 'Suggest what to search disputes for',
      tag,
      scopes: figureScopes,
      query: SuggestionsQuery,
      success: {
        200: Type.Object({ suggestions: Type.Array(Type.String(), { maxItems: 10 }), links: Links }),
      },
      reads: true,
      fromReplica: true,
      async handle({ db, caller, query }) {
        const suggestions = await suggest(db, caller, query.search_text, query.search_field)
        const search = new URLSearchParams(query as Record<string, string>)
        const href = `${service.publicUrl}${base}/search-suggestions?${search}`
        return { suggestions, links: [{ href, rel: 'self', method: 'GET' }] }
      },
    }),
  ]
}

interface Subject {
  readonly encrypted_transaction_id?: string
  readonly dispute_id?: string
}

/** The payment a question is about, by its own id or by its dispute's, if the caller is a party of it. */
async function subjectOf(db: Reader, caller: Caller, { encrypted_transaction_id: id, dispute_id }: Subject) {
  if (dispute_id !== undefined) {
    const { dispute, side } = await findForCaller(db, caller, dispute_id, eligibilityScopes)
    const paid = await findTransaction(
      db,
      dispute.seller.account_id,
      dispute.disputed_transactions[0]!.seller_transaction_id,
    )
    return { payment: paid!.transaction, dispute, isBuyer: side === 'buyer' }
  }
  if (id === undefined)
    throw invalid(
      '/encrypted_transaction_id',
      'Send encrypted_transaction_id or dispute_id.',
      'MISSING_REQUIRED_PARAMETER',
    )
  const found = await findTransactionByEitherId(db, id)
  const isBuyer = found?.transaction.buyer.account_id === caller.accountId
  if (!found || (!isBuyer && found.transaction.seller.account_id !== caller.accountId))
    throw breaches('INVALID_TRANSACTION_ID', 'There is no such payment of yours.', '/encrypted_transaction_id')
  const existing = await findDisputeOf(db, found.transaction.seller.account_id, found.transaction.id)
  return { payment: found.transaction, dispute: existing?.withdrawn ? undefined : existing?.dispute, isBuyer }
}
