import { scopesAt } from '../../accounts/consent.ts'
import type { Reader } from '../../database/transaction.ts'
import { type AnyRoute, route } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { toMinor } from '../../kernel/money.ts'
import { Type } from '../../kernel/type.ts'
import { findTransactionByEitherId } from '../../ledger/store.ts'
import { findDisputesOf } from '../store.ts'
import { itemCategories } from './schema.ts'
import { findOpenReferrals } from './store.ts'

export const tag = 'Referred disputes'
export const scopes = ['referred-disputes/readwrite']

const EligibilityBody = Type.Object({
  transaction_id: Type.String({ minLength: 1, maxLength: 255 }),
  disputed_items: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(Type.String({ maxLength: 255 })),
        category: Type.Optional(Type.Enum([...itemCategories])),
      }),
      { maxItems: 100 },
    ),
  ),
})

/** Says whether a payment can still be disputed elsewhere. */
export const eligibilityRoute = (): AnyRoute =>
  route({
    method: 'POST',
    url: '/v1/customer/validate-referred-dispute-eligibility',
    operation: 'validateReferredDisputeEligibility',
    summary: 'Ask whether a dispute can be referred',
    tag,
    scopes,
    body: EligibilityBody,
    success: {
      200: Type.Object(
        { eligible: Type.Boolean(), ineligibility_reason: Type.Optional(Type.String()) },
        { additionalProperties: true },
      ),
    },
    reads: true,
    async handle({ db, caller, body }) {
      const found = await findOwn(db, caller, body.transaction_id)
      const intangible = body.disputed_items?.some(({ category }) => category === 'TICKETS') ?? false
      const open = await findOpenReferrals(db, caller.accountId, body.transaction_id)
      const ours = found ? await findDisputesOf(db, found.transaction.seller.account_id, [found.transaction.id]) : []
      const underWay = ours.filter(({ dispute }) => dispute.status !== 'RESOLVED')
      const existing = [
        ...open.map(({ id }) => ({ id })),
        ...underWay.map(({ dispute }) => ({ id: dispute.dispute_id })),
      ]
      const cleared = found?.transaction.status === 'COMPLETED' || found?.transaction.status === 'PARTIALLY_REFUNDED'
      const why = !found
        ? 'TRANSACTION_TYPE_NOT_DISPUTABLE'
        : existing.length > 0
          ? 'DISPUTE_ALREADY_EXISTS'
          : !cleared
            ? 'INVALID_TRANSACTION_STATUS'
            : intangible
              ? 'ITEM_CATEGORY_NOT_DISPUTABLE'
              : undefined
      const refunds = found && toMinor(found.transaction.refunded) > 0n ? [{ amount: found.transaction.refunded }] : []
      return {
        eligible: why === undefined,
        ...(why === undefined ? { allowable_life_cycle: 'INQUIRY' } : { ineligibility_reason: why }),
        ...(existing.length > 0 && { existing_disputes: existing }),
        ...(refunds.length > 0 && { existing_refunds: refunds }),
      }
    },
  })

/** A payment of the caller, or of a merchant that lets the caller refer disputes. Any other payment counts as unknown. */
async function findOwn(db: Reader, caller: Caller, id: string) {
  const found = await findTransactionByEitherId(db, id)
  if (!found) return undefined
  const { seller, buyer } = found.transaction
  if (buyer.account_id === caller.accountId) return found
  const held = await scopesAt(db, caller, seller.account_id)
  return scopes.some((scope) => held.has(scope)) ? found : undefined
}
