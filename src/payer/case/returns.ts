import type { Dispute } from '../../disputes/schema/dispute.ts'
import type { Address } from '../../disputes/schema/given.ts'
import { addressLines } from '../sheet/parties.ts'
import type { Sheet } from '../sheet/sheet.ts'

/** Where an item goes back to, in lines as on an envelope. */
export const returnLines = ({ seller, locale }: Sheet, address: Address): string[] =>
  addressLines({ business_name: seller, address }, locale.tag)

/** What a payer is told of a return that they have to send, on the page and by mail. Undefined if there is none. */
export function returnToSend({ flow, agreed_return, timer }: Dispute, sheet: Sheet, zone: string) {
  if (flow !== 'RETURN' || !agreed_return || !timer) return undefined
  const { amount, return_shipping_address: address, shipments = [] } = agreed_return
  const { format, seller } = sheet
  const values = { business: seller, amount: format.money(amount), date: format.until(timer.due, zone) }
  return { values, lines: address ? returnLines(sheet, address) : [], shipments }
}
