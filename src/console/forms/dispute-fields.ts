import { acceptedTypes } from '../../disputes/machine/evidence.ts'
import type { Dispute as ShownDispute } from '../../disputes/schema/shown.ts'
import type { Static } from '../../kernel/type.ts'
import { money, sentence } from '../words.ts'
import type { Choice, Field } from './fields.ts'

export type Dispute = Static<typeof ShownDispute>

export const note = (label: string, at = '/note'): Field => ({ kind: 'long', at, label })
export const files: Field = { kind: 'files', label: 'Files' }
export const choicesOf = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, label: sentence(value) }))
export const unset = (label: string): Choice => ({ value: '', label })

export const amount = (
  { dispute_amount, refund_details }: Dispute,
  at: string,
  label: string,
  hint: string,
): Field => ({
  kind: 'money',
  at,
  label,
  currency: dispute_amount.currency_code,
  hint: `${hint} At most ${money(refund_details?.allowed_refund_amount ?? dispute_amount)}.`,
})

/** Where an item is to be sent back to. It is asked only when the dispute allows a return. */
export const returnAddress = (possible: readonly string[]): Field[] =>
  possible.some((type) => type.includes('WITH_RETURN'))
    ? [
        {
          kind: 'text',
          at: '/return_shipping_address/address_line_1',
          label: 'Send it back to',
          hint: 'Only for a refund after the return.',
        },
        {
          kind: 'pair',
          fields: [
            { kind: 'text', at: '/return_shipping_address/admin_area_2', label: 'Town' },
            {
              kind: 'text',
              at: '/return_shipping_address/country_code',
              label: 'Country',
              hint: 'Two letters, such as US.',
            },
          ],
        },
      ]
    : []

/** The kinds of evidence that somebody was asked for. */
export const evidenceAsked = ({ evidences = [] }: Dispute) => [
  ...new Set(
    evidences.filter(({ source }) => source.startsWith('REQUESTED')).map(({ evidence_type }) => evidence_type),
  ),
]

export const evidenceFields = (dispute: Dispute, mark?: string): Field[] => {
  const first = evidenceAsked(dispute)
  const others = acceptedTypes(dispute, mark === 'buyer' ? 'buyer' : 'seller').filter((type) => !first.includes(type))
  return [
    {
      kind: 'select',
      at: '/evidences/0/evidence_type',
      label: 'What you show',
      choices: [...first.map((value) => ({ value, label: `${sentence(value)}, as asked for` })), ...choicesOf(others)],
      value: first[0] ?? 'OTHER',
    },
    {
      kind: 'pair',
      fields: [
        {
          kind: 'text',
          at: '/evidences/0/evidence_info/tracking_info/0/carrier_name',
          label: 'Carrier',
          hint: 'By its name or its code.',
        },
        { kind: 'text', at: '/evidences/0/evidence_info/tracking_info/0/tracking_number', label: 'Tracking number' },
      ],
    },
    {
      kind: 'text',
      at: '/evidences/0/evidence_info/refund_ids/0',
      label: 'Id of a refund',
      hint: 'For a proof of refund.',
    },
    files,
    note('Notes for the agent', '/evidences/0/notes'),
  ]
}

const offerNotes: Readonly<Record<string, string>> = {
  REFUND: 'Money back, and the buyer keeps what came. All of it ends the dispute at once.',
  REFUND_WITH_RETURN: 'Money back once the item has come back.',
  REFUND_WITH_REPLACEMENT: 'Part of the money, and another item.',
  REPLACEMENT_WITHOUT_REFUND: 'Another item, and no money.',
  PARTIAL_REFUND: 'Part of the money; the buyer decides.',
  REFUND_WITH_RETURN_SHIPMENT_LABEL: 'Money back after a return with your label.',
}
export const withNotes = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, label: sentence(value), ...(offerNotes[value] && { note: offerNotes[value] }) }))
