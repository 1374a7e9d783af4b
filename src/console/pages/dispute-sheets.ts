import { type Html, html } from '../../http/html.ts'
import type { Money } from '../../kernel/money.ts'
import type { Dispute } from '../forms/dispute-fields.ts'
import { lines, mono, sheet } from '../parts/parts.ts'
import type { Visit } from '../visit.ts'
import { money, sentence } from '../words.ts'

/** The schema has the name of one field as a value, so its type does not know it. */
interface Movement {
  readonly party: string
  readonly type: string
  readonly amount: Money
  readonly reason: string
  readonly initiated_time: string
}

export function moneySheet(
  { dispute_id, dispute_amount, fund_movements = [], refund_details, fee_policy }: Dispute,
  { times, who }: Visit,
): Html {
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
    ])}${fee_policy && html`<p class="hint">A dispute fee is due if it is lost, and the payment fee is not given back.</p>`}`,
    { aside: hasBooks && html`<a href="/console/money?dispute=${dispute_id}">Movements</a>` },
  )
}

export const paymentSheet = ({ disputed_transactions }: Dispute, { times }: Pick<Visit, 'times'>): Html =>
  sheet(
    disputed_transactions.length === 1 ? 'The payment' : 'The payments',
    disputed_transactions
      .slice(0, 20)
      .map((one) =>
        lines([
          ...(one.gross_amount ? [['Paid', money(one.gross_amount)] as const] : []),
          ...(one.create_time ? [['On', times.at(one.create_time)] as const] : []),
          ...(one.invoice_number ? [['Invoice', one.invoice_number] as const] : []),
          ...(one.items?.[0]?.item_name ? [['Goods', one.items[0].item_name] as const] : []),
          ['Transaction', mono(one.seller_transaction_id ?? one.buyer_transaction_id)],
        ]),
      ),
  )
