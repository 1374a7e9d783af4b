import type { Rules } from '../../../disputes/machine/rules.ts'
import { type Content, type Html, html } from '../../../http/html.ts'
import { type Money, toMinor } from '../../../kernel/money.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { lines, mono, sheet } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import type { Onlooker } from '../../who.ts'
import { money, sentence } from '../../words.ts'

/** The schema takes the name of one field from a value, so its type does not know that field. */
interface Movement {
  readonly party: string
  readonly type: string
  readonly amount: Money
  readonly reason: string
  readonly initiated_time: string
}

type FeeRules = Pick<Rules, 'disputeFees' | 'chargebackFees'>

export function moneySheet(dispute: Dispute, { times, who }: Visit, rules: FeeRules): Html {
  const { dispute_id, dispute_amount, fund_movements = [], refund_details, fee_policy } = dispute
  const isDecidable = dispute.status !== 'RESOLVED' && dispute.dispute_life_cycle_stage !== 'INQUIRY'
  const hasBooks = who.mark !== 'agent' && who.caller.scopes.has('reporting/search/read')
  return sheet(
    'Money',
    html`${lines([
      ['In dispute', money(dispute_amount)],
      ...(refund_details?.allowed_refund_amount
        ? [['May be refunded', money(refund_details.allowed_refund_amount)] as const]
        : []),
      ...(fund_movements as unknown as readonly Movement[]).map(
        ({ party, type, amount, reason, initiated_time }) =>
          [
            html`${sentence(reason)}, ${party === 'BUYER' ? 'buyer' : 'seller'} <span class="soft">${times.at(initiated_time)}</span>`,
            html`<span class="${type === 'DEBIT' ? 'warn' : 'good'}">${type === 'DEBIT' ? '−' : '+'}${money(amount)}</span>`,
          ] as const,
      ),
      ...(isDecidable && who.mark !== 'buyer' ? decisions(dispute, rules) : []),
    ])}${fee_policy && html`<p class="hint">A dispute fee is due if it is lost, and the payment fee is not given back.</p>`}`,
    { aside: hasBooks && html`<a href="/console/money?dispute=${dispute_id}">Movements</a>` },
  )
}

/** What a decision would do to the seller's money, either way. */
function decisions({ dispute_amount, dispute_channel, refund_details }: Dispute, rules: FeeRules) {
  const fee = (dispute_channel === 'INTERNAL' ? rules.disputeFees : rules.chargebackFees)[dispute_amount.currency_code]
  const refund = refund_details?.allowed_refund_amount ?? dispute_amount
  // A decision that takes nothing costs nothing.
  const isCharged = fee && toMinor(refund) > 0n
  return [
    ['If decided for the seller', `${money(dispute_amount)} stays`] as const,
    [
      'If decided for the buyer',
      html`${money(refund)} goes back${isCharged && html`<br><span class="soft">and a fee of ${money(fee)}</span>`}`,
    ] as const,
  ]
}

/** The number of an invoice. Its seller finds the invoice by it; nobody else has a page of it. */
const invoiceLink = (number: string, { mark: seen }: Onlooker): Content =>
  seen === 'agent' || seen === 'buyer'
    ? number
    : html`<a href="/console/search?q=${encodeURIComponent(number)}">${number}</a>`

export const paymentSheet = (
  { disputed_transactions, extensions }: Dispute,
  { times, who }: Pick<Visit, 'times' | 'who'>,
): Html =>
  sheet(
    disputed_transactions.length === 1 ? 'The payment' : 'The payments',
    html`${disputed_transactions
      .slice(0, 20)
      .map((one) =>
        lines([
          ...(one.gross_amount ? [['Paid', money(one.gross_amount)] as const] : []),
          ...(one.create_time ? [['On', times.at(one.create_time)] as const] : []),
          ...(one.invoice_number ? [['Invoice', invoiceLink(one.invoice_number, who)] as const] : []),
          ...(one.items?.[0]?.item_name ? [['Goods', one.items[0].item_name] as const] : []),
          ['Transaction', mono(one.seller_transaction_id ?? one.buyer_transaction_id)],
        ]),
      )}${returnTo(extensions)}`,
  )

/** Where the item goes, once a return is agreed. */
function returnTo(extensions: Dispute['extensions']): Content {
  const address = extensions?.merchandize_dispute_properties?.return_shipping_address
  if (!address) return undefined
  const { address_line_1, address_line_2, address_line_3, postal_code, admin_area_2, admin_area_1, country_code } =
    address
  const told = [address_line_1, address_line_2, address_line_3, postal_code, admin_area_2, admin_area_1, country_code]
  return lines([['To be sent back to', told.filter(Boolean).join(', ')]])
}
