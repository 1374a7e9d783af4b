import { Money, normalise } from '../../../kernel/money.ts'
import { type Issue, invalid } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { type Dispute, isTangible } from '../../schema/dispute.ts'
import { NOT_AS_DESCRIBED, type OfferType, offerTypes } from '../../schema/enums.ts'
import { Note, ReturnAddress, ReturnAddressInfo } from '../../schema/given.ts'
import { type ActionContext, type Changes, disputeAction } from '../action.ts'
import { amountIssues, refuseIssues } from '../amounts.ts'
import { withOfferEvent } from '../offers.ts'
import { hasSomethingLeft, isFull } from '../payments.ts'
import { addressIn, addressIssues, knownAddress, missingAddress, unwantedAddress } from '../returns.ts'
import { end, inTurn, refund } from '../settlement.ts'

/** What a seller may offer in an inquiry. A thing can be sent back or replaced, a service cannot. */
export function offerOptions(dispute: Dispute): readonly OfferType[] {
  if (!hasSomethingLeft(dispute)) return ['REPLACEMENT_WITHOUT_REFUND']
  return dispute.reason === NOT_AS_DESCRIBED && isTangible(dispute) ? offerTypes : ['REFUND']
}

/** The seller proposes a way out. The whole amount is paid at once; anything else waits for the buyer. */
export const makeOffer = disputeAction('make-offer', {
  summary: 'Make an offer to the buyer',
  scopes: ['disputes/update-seller', 'disputes/update-buyer'],
  body: Type.Object({
    note: Note,
    offer_type: Type.Enum([...offerTypes]),
    offer_amount: Type.Optional(Money),
    return_shipping_address: Type.Optional(ReturnAddress),
    return_shipping_address_info: Type.Optional(ReturnAddressInfo),
    invoice_id: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
  }),
  options: offerOptions,
  decide(dispute, input, context) {
    const options = offerOptions(dispute)
    if (!options.includes(input.offer_type))
      throw invalid('/offer_type', `This dispute takes ${options.join(', ')}.`, 'INVALID_OFFER_TYPE')
    const { given, field } = addressIn(input)
    refuseIssues([...amountRules(dispute, input), ...addressRules(input.offer_type, given, field)])

    const amount = input.offer_amount && normalise(input.offer_amount)
    const words = { type: input.offer_type, amount, note: input.note, private: false }
    const proposed = {
      offer: withOfferEvent(dispute, 'PROPOSED', words, context),
      ...said(dispute, input.note, context),
    }
    if (input.offer_type === 'REFUND' && amount && isFull(dispute, amount)) {
      const { changes, money } = inTurn(
        dispute,
        () => ({ changes: proposed, money: [] }),
        refund(amount, { by: 'seller', invoiceId: input.invoice_id }, context),
        end('RESOLVED_BUYER_FAVOUR', 'SELLER_ISSUED_REFUND'),
      )
      return { outcome: 'refunded', changes, money }
    }
    const address = given === undefined ? undefined : knownAddress(given)
    return {
      outcome: 'proposed',
      changes: { ...proposed, offered_address: address, offered_invoice_id: input.invoice_id },
      ...(amount && { mustCover: amount }),
    }
  },
})

/** The buyer reads the note as a message too. */
const said = ({ messages = [] }: Dispute, content: string, { now }: ActionContext): Changes => ({
  messages: [...messages, { posted_by: 'SELLER', time_posted: now, content }],
})

function amountRules(
  dispute: Dispute,
  { offer_type, offer_amount }: { offer_type: string; offer_amount?: Money },
): Issue[] {
  const field = '/offer_amount'
  if (offer_type === 'REPLACEMENT_WITHOUT_REFUND')
    return offer_amount
      ? [{ issue: 'AMOUNT_SHOULD_NOT_BE_PASSED', field, description: 'A replacement alone moves no money.' }]
      : []
  if (!offer_amount) return [{ issue: 'MISSING_OFFER_AMOUNT', field, description: `${offer_type} needs an amount.` }]
  return amountIssues(dispute, offer_amount, 'INVALID_OFFER_AMOUNT', field)
}

function addressRules(offerType: string, given: unknown, field: string): Issue[] {
  if (offerType !== 'REFUND_WITH_RETURN') return given === undefined ? [] : [unwantedAddress(field)]
  return given === undefined ? [missingAddress(field)] : addressIssues(given, field)
}
