import { readerOf } from '../../http/validation/reader.ts'
import { fits, onlyKnown } from '../../http/validation/validator.ts'
import type { Money } from '../../kernel/money.ts'
import type { Issue } from '../../kernel/problem.ts'
import type { Dispute, ReturnShipment, Side } from '../schema/dispute.ts'
import { NOT_AS_DESCRIBED } from '../schema/enums.ts'
import { Address } from '../schema/given.ts'
import type { ActionContext, Changes } from './action.ts'
import { refuseIssues } from './amounts.ts'
import { ask, RETURN } from './evidence.ts'
import { refund } from './settlement.ts'

interface AddressFields {
  readonly return_shipping_address?: unknown
  readonly return_shipping_address_info?: { readonly address?: unknown }
}

const readAddress = readerOf(Address)

/** The return address of a request in either of the two forms in which it can come, and the field where it stood. */
export function addressIn(input: AddressFields): { given: unknown; field: string } {
  const inInfo = input.return_shipping_address_info?.address
  return inInfo !== undefined
    ? { given: readAddress(inInfo), field: '/return_shipping_address_info/address' }
    : { given: readAddress(input.return_shipping_address), field: '/return_shipping_address' }
}

/** Issues of a return address: it must be an address to which a parcel can be sent. */
export function addressIssues(given: unknown, field: string): Issue[] {
  if (given === undefined) return []
  const sound = fits(Address, given) && Boolean(given.address_line_1) && Boolean(given.admin_area_2)
  if (sound) return []
  return [
    {
      issue: 'INVALID_RETURN_SHIPPING_ADDRESS_FORMAT',
      field,
      description:
        'A return address needs a first line (address_line_1), a town (admin_area_2) and a country as two capital letters (country_code), within their lengths.',
    },
  ]
}

/** The address without fields that the contract does not know. Only to be called with an address that was checked. */
export function knownAddress(given: unknown): Address {
  return onlyKnown(Address, given as Address)
}

export const missingAddress = (field: string): Issue => ({
  issue: 'MISSING_RETURN_SHIPPING_ADDRESS',
  field,
  description: 'Say where the buyer shall send the item.',
})

export const unwantedAddress = (field: string): Issue => ({
  issue: 'SHIPPING_ADDRESS_SHOULD_NOT_BE_PASSED',
  field,
  description: 'Nothing is sent back here, so leave the address out.',
})

/** Where the item goes if it is sent back. Both sides can read it. */
export function withReturnAddress({ extensions }: Dispute, address: Address): Pick<Dispute, 'extensions'> {
  const { merchandize_dispute_properties } = extensions ?? {}
  const properties = { ...merchandize_dispute_properties, return_shipping_address: address }
  return { extensions: { ...extensions, merchandize_dispute_properties: properties } }
}

/** Where the item should go. The seller may say so together with evidence about an item that is not as described. */
export function toldAddress(dispute: Dispute, input: AddressFields, side: Side): Partial<Pick<Dispute, 'extensions'>> {
  const { given, field } = addressIn(input)
  refuseIssues(addressIssues(given, field))
  if (given === undefined || side === 'buyer' || dispute.reason !== NOT_AS_DESCRIBED) return {}
  return withReturnAddress(dispute, knownAddress(given))
}

interface ReturnTerms {
  readonly amount: Money
  readonly address?: Address | undefined
  readonly shipments?: ReturnShipment[]
  /** The invoice id that the refund shall carry. */
  readonly invoiceId?: string | undefined
}

/** What changes when a return is agreed: the buyer is asked for proof that the item is on its way, and told the address. */
export function agreeReturn(
  dispute: Dispute,
  { amount, address, shipments, invoiceId }: ReturnTerms,
  context: ActionContext,
): Changes {
  return {
    agreed_return: {
      amount,
      ...(address && { return_shipping_address: address }),
      ...(shipments && shipments.length > 0 && { shipments }),
      ...(invoiceId !== undefined && { invoice_id: invoiceId }),
    },
    ...(address && withReturnAddress(dispute, address)),
    evidences: ask(dispute, 'buyer', [RETURN], context),
  }
}

/** M2 once the item is back: refunds the agreed amount. If the seller confirms it, they need cover; a deadline pays anyway. */
export function refundReturn(
  { agreed_return, dispute_amount }: Dispute,
  by: 'seller' | 'clock',
  context: ActionContext,
) {
  const { amount = dispute_amount, invoice_id: invoiceId } = agreed_return ?? {}
  return refund(amount, { by, invoiceId }, context)
}
