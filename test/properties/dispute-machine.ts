import type { ActionContext } from '../../src/disputes/machine/action.ts'
import { acceptClaimOptions } from '../../src/disputes/machine/actions/accept-claim.ts'
import { offerOptions } from '../../src/disputes/machine/actions/make-offer.ts'
import { acceptedTypes } from '../../src/disputes/machine/evidence.ts'
import type { DisputeAction } from '../../src/disputes/machine/lifecycle.ts'
import { openDispute } from '../../src/disputes/machine/opening.ts'
import { allowedRefund } from '../../src/disputes/machine/payments.ts'
import type { Rules } from '../../src/disputes/machine/rules.ts'
import type { Dispute, Side } from '../../src/disputes/schema/dispute.ts'
import type { Channel, Reason } from '../../src/disputes/schema/enums.ts'
import type { Role } from '../../src/kernel/caller.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import { toMinor, toMoney } from '../../src/kernel/money.ts'

export const START = '2026-03-02T09:00:00.000Z' as Instant

export const usualRules: Rules = {
  sandbox: true,
  triageTarget: 'SELLER',
  triageDelaySeconds: 60,
  maxAppealsPerParty: 2,
  autoAdjudicate: 'off',
  acceleratedTimetable: false,
  autoRegisterTransactions: true,
  disputeFees: { USD: { currency_code: 'USD', value: '15.00' } },
  chargebackFees: { USD: { currency_code: 'USD', value: '20.00' } },
  declineRefunds: false,
}

const ids = countingIds()

export const contextFor = (now: Instant, side: Side, isPartner = false, rules = usualRules): ActionContext => ({
  now,
  newId: (kind) => ids.next(kind),
  side,
  isPartner,
  tellsPartnerActions: isPartner,
  rules,
  uploads: [],
})

export interface Beginning {
  readonly reason: Reason
  readonly channel: Channel
  readonly disputed: bigint
  readonly gross: bigint
  readonly intangible?: boolean
  readonly email?: string
}

/** A dispute as it stands right after it was opened, and the hold it asked for. */
export function begin(
  { reason, channel, disputed, gross, intangible = false, email = 'b@example.com' }: Beginning,
  rules = usualRules,
) {
  const usd = (minor: bigint) => toMoney(minor, 'USD')
  return openDispute(
    {
      reason,
      channel,
      seller: { account_id: 'SELLER', email: 's@example.com', name: 'Seller' },
      buyer: { account_id: 'BUYER', email, name: 'Buyer' },
      inquiryOptOut: false,
      transactions: [
        {
          buyer_transaction_id: 'B1',
          seller_transaction_id: 'S1',
          create_time: START,
          gross_amount: usd(gross),
          disputed: usd(disputed),
          refunded_before: usd(0n),
        },
      ],
      ...(intangible && { extensions: { merchandize_dispute_properties: { issue_type: 'SERVICE' as const } } }),
      statements: [{ text: 'It is not right.', documents: [] }],
      messages: [],
    },
    contextFor(START, 'buyer', false, rules),
  )
}

const address = { address_line_1: '1 Road', admin_area_2: 'Town', country_code: 'US' }
const tracking = [{ carrier_name: 'UPS', tracking_number: '1Z' }]

/** Evidence of a type with everything that any type could ask for. */
const evidence = (evidence_type: string) => ({
  evidence_type,
  notes: 'See for yourself.',
  evidence_info: { tracking_info: tracking, refund_ids: ['R1'] },
})

/** A request that this dispute must take if it takes the action at all. `pick` chooses among the possible ones. */
export function inputFor(
  dispute: Dispute,
  action: DisputeAction,
  side: Side,
  pick: number,
  isPartner = false,
): unknown {
  const choose = <T>(list: readonly T[]): T => list[pick % list.length]!
  const left = toMinor(allowedRefund(dispute))
  const part = toMoney(left > 1n ? 1n + (BigInt(pick) % left) : left, 'USD')
  switch (action) {
    case 'send-message':
      return { message: 'Hello.' }
    case 'make-offer': {
      const offer_type = choose(offerOptions(dispute))
      const withAmount = offer_type !== 'REPLACEMENT_WITHOUT_REFUND' && { offer_amount: part }
      const withAddress = offer_type === 'REFUND_WITH_RETURN' && { return_shipping_address: address }
      return { note: 'Deal?', offer_type, ...withAmount, ...withAddress }
    }
    case 'accept-claim': {
      const takes = (type: string) => !type.endsWith('LABEL') && (left > 0n || type !== 'PARTIAL_REFUND')
      const accept_claim_type = choose(acceptClaimOptions(dispute).filter(takes))
      const withAmount = accept_claim_type === 'PARTIAL_REFUND' && { refund_amount: part }
      const withAddress = accept_claim_type === 'REFUND_WITH_RETURN' && { return_shipping_address: address }
      return { note: 'Fine.', accept_claim_type, ...withAmount, ...withAddress }
    }
    case 'acknowledge-return-item':
      return { acknowledgement_type: choose(['ITEM_RECEIVED', 'DAMAGED', 'MISSING_ITEMS']) }
    case 'deny-offer':
      return { note: 'No.' }
    case 'provide-evidence':
    case 'appeal':
      if (side === 'buyer' && dispute.flow === 'RETURN' && pick % 2 === 0)
        return { evidences: [evidence('PROOF_OF_RETURN')] }
      return { evidences: [evidence(choose(acceptedTypes(dispute, side)))] }
    case 'provide-supporting-info':
      return { notes: 'Also this.' }
    case 'adjudicate':
      return { adjudication_outcome: choose(['BUYER_FAVOR', 'SELLER_FAVOR']) }
    case 'require-evidence':
      return { action: choose(['BUYER_EVIDENCE', 'SELLER_EVIDENCE']) }
    case 'change-reason':
      return { reason: choose(['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'UNAUTHORISED']), note: 'It came broken.' }
    case 'provide-refund-preference':
      return { funding_instrument_preference: { type: 'BALANCE' } }
    case 'return-compensation':
      return { amount: toMoney(BigInt(pick % 6000) + 1n, 'USD') }
    case 'patch':
      if (isPartner)
        return (dispute.partner_actions ?? []).length < 10
          ? [
              {
                op: 'add',
                path: '/partner_actions/-',
                value: { id: ids.next('record'), name: 'WRITE_OFF', status: 'PENDING' },
              },
            ]
          : []
      return [{ op: 'add', path: '/communication_details', value: { note: 'Call.' } }]
    case 'update-partner-action':
      return { action_id: dispute.partner_actions?.[0]?.id ?? 'NONE', entries: [] }
    case 'follow-payment':
      return []
    default:
      return {}
  }
}

/** The roles a person has in the sandbox; the clock has its own. */
export const people: readonly { who: string; side: Side; isPartner: boolean; roles: readonly Role[] }[] = [
  { who: 'seller', side: 'seller', isPartner: false, roles: ['seller', 'agent'] },
  { who: 'buyer', side: 'buyer', isPartner: false, roles: ['buyer', 'agent'] },
  { who: 'partner', side: 'seller', isPartner: true, roles: ['partner'] },
]
