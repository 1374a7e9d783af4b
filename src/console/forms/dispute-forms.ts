import { reasonTargets } from '../../disputes/machine/actions/change-reason.ts'
import { disputeActions, type PublicAction } from '../../disputes/machine/actions/index.ts'
import { limits } from '../../disputes/machine/limits.ts'
import { acceptClaimReasons, cancellationReasons, escalationReasons } from '../../disputes/schema/enums.ts'
import type { Capability } from '../roles.ts'
import { money, reasonWords } from '../words.ts'
import {
  amount,
  choicesOf,
  type Dispute,
  evidenceFields,
  files,
  note,
  returnAddress,
  unset,
  withNotes,
} from './dispute-fields.ts'
import type { Field } from './fields.ts'
import { generatedFields } from './generated.ts'

/** One action on a dispute, as a person is asked for it. */
export interface DisputeForm {
  readonly title: string
  readonly note?: string
  readonly button: string
  /** What is said when it was done; a function when that depends on how the dispute stands then. */
  readonly done: string | ((dispute: Dispute) => string)
  readonly danger?: boolean
  /** `mark` says who is asked. */
  fields(dispute: Dispute, mark?: string): readonly Field[]
}

/** The capability that each action takes. */
export const takes = (action: PublicAction): Capability => {
  if (action === 'adjudicate' || action === 'require-evidence') return 'decide'
  return action === 'accept-claim' ? 'settle' : 'work'
}

/** The form of an action: one in words of its own when there is one, or else one that asks what the schema asks for. */
export const disputeFormOf = (action: PublicAction): DisputeForm => wellSaid[action] ?? generatedForm(action)

export function generatedForm(action: PublicAction): DisputeForm {
  const { summary, body, files = 0 } = disputeActions[action]
  return {
    title: summary,
    button: summary,
    done: 'It was done.',
    fields: ({ dispute_amount }) => generatedFields(body, { currency: dispute_amount.currency_code, files: files > 0 }),
  }
}

/** Forms that ask in words of their own. A new action needs none. */
const wellSaid: Readonly<Partial<Record<PublicAction, DisputeForm>>> = {
  'provide-evidence': {
    title: 'Provide evidence',
    note: 'An agent decides on what you send.',
    button: 'Send the evidence',
    done: 'The evidence was sent.',
    fields: evidenceFields,
  },
  appeal: {
    title: 'Appeal',
    note: 'Show something new, and an agent looks again.',
    button: 'Appeal the decision',
    done: 'The decision was appealed.',
    fields: evidenceFields,
  },
  'accept-claim': {
    title: 'Accept the claim',
    note: 'Refund all or part of it.',
    button: 'Accept the claim',
    done: ({ status }) =>
      status === 'RESOLVED' ? 'The claim was accepted.' : 'The claim was answered; it waits for the buyer now.',
    danger: true,
    fields: (dispute) => {
      const types = dispute.allowed_response_options?.accept_claim?.['accept_claim_types'] ?? ['REFUND']
      const fitting = types.filter((type) => type !== 'REFUND_WITH_RETURN_SHIPMENT_LABEL')
      return [
        {
          kind: 'choice',
          at: '/accept_claim_type',
          label: 'How',
          choices: withNotes([...fitting].reverse()),
          value: 'REFUND',
        },
        ...(types.includes('PARTIAL_REFUND')
          ? [amount(dispute, '/refund_amount', 'Amount', 'Only for a partial refund.')]
          : []),
        ...returnAddress(fitting),
        {
          kind: 'select',
          at: '/accept_claim_reason',
          label: 'Why',
          choices: [unset('Not said'), ...choicesOf(acceptClaimReasons.filter((one) => one !== 'REASON_NOT_SET'))],
        },
        note('Note to the buyer'),
        files,
      ]
    },
  },
  adjudicate: {
    title: 'Decide',
    note: 'For one of the two sides.',
    button: 'Decide',
    done: 'The dispute was decided.',
    fields: ({ dispute_amount }) => [
      {
        kind: 'choice',
        at: '/adjudication_outcome',
        isOpen: true,
        label: 'For whom',
        choices: [
          {
            value: 'BUYER_FAVOR',
            label: 'For the buyer',
            note: `${money(dispute_amount)} goes to the buyer; the seller pays a fee.`,
          },
          { value: 'SELLER_FAVOR', label: 'For the seller', note: 'What is held is released.' },
        ],
      },
    ],
  },
  'require-evidence': {
    title: 'Ask for more evidence',
    note: 'Of the seller or of the buyer.',
    button: 'Ask for evidence',
    done: 'Evidence was asked for.',
    fields: () => [
      {
        kind: 'choice',
        at: '/action',
        isOpen: true,
        label: 'Of whom',
        choices: [
          { value: 'SELLER_EVIDENCE', label: 'Of the seller' },
          { value: 'BUYER_EVIDENCE', label: 'Of the buyer' },
        ],
      },
    ],
  },
  escalate: {
    title: 'Escalate to a claim',
    note: 'The talk ends, and in the end an agent decides.',
    button: 'Escalate',
    done: 'The inquiry is a claim now.',
    fields: (_, mark) => {
      const why: Field = {
        kind: 'select',
        at: '/buyer_escalation_reason',
        label: 'Why',
        choices: [unset('Not said'), ...choicesOf(escalationReasons)],
      }
      const forAgent = note('Note for the agent')
      return mark === 'buyer' ? [forAgent, why] : [forAgent]
    },
  },
  'send-message': {
    title: 'Write to the other side',
    note: 'They read it, and so does an agent if it comes to that.',
    button: 'Send the message',
    done: 'The message was sent.',
    fields: () => [note('Message', '/message'), files],
  },
  'make-offer': {
    title: 'Make an offer',
    note: 'The buyer takes it, turns it down, or lets it run out.',
    button: 'Make the offer',
    done: 'The offer was made.',
    fields: (dispute) => {
      const types = dispute.allowed_response_options?.make_offer?.['offer_types'] ?? ['REFUND']
      return [
        { kind: 'choice', at: '/offer_type', label: 'What you offer', choices: withNotes(types) },
        amount(dispute, '/offer_amount', 'Amount', 'Left empty for a replacement alone.'),
        ...returnAddress(types),
        note('Note to the buyer'),
      ]
    },
  },
  'accept-offer': {
    title: 'Accept the offer',
    note: 'The money moves now, or once the item has come back.',
    button: 'Accept the offer',
    done: 'The offer was accepted.',
    fields: () => [note('Note to the seller')],
  },
  'deny-offer': {
    title: 'Turn the offer down',
    note: 'The seller may answer again, or an agent decides.',
    button: 'Turn it down',
    done: 'The offer was turned down.',
    fields: () => [note('Why')],
  },
  'acknowledge-return-item': {
    title: 'Confirm the return',
    note: 'If the item came back as it should, the refund is made.',
    button: 'Say what came back',
    done: 'It is noted what came back.',
    fields: ({ allowed_response_options: options }) => [
      {
        kind: 'choice',
        at: '/acknowledgement_type',
        isOpen: true,
        label: 'What came back',
        choices: choicesOf(options?.acknowledge_return_item?.['acknowledgement_types'] ?? ['ITEM_RECEIVED']),
      },
      note('Note'),
      files,
    ],
  },
  'provide-supporting-info': {
    title: 'Add a note for the agent',
    note: `Up to ${limits.supportingInfo}, until it is decided.`,
    button: 'Add the note',
    done: 'The note was added.',
    fields: () => [note('Note', '/notes'), files],
  },
  cancel: {
    title: 'Take the dispute back',
    note: 'It ends, and what is held is released.',
    button: 'Take it back',
    done: 'The dispute was taken back.',
    danger: true,
    fields: () => [
      {
        kind: 'select',
        at: '/cancellation_reason',
        label: 'Why',
        choices: [unset('Not said'), ...choicesOf(cancellationReasons)],
      },
      note('Note'),
    ],
  },
  'change-reason': {
    title: 'Change the reason',
    note: 'The item came, and it is wrong; or you never made the payment.',
    button: 'Change the reason',
    done: 'The reason was changed.',
    fields: (dispute) => [
      {
        kind: 'choice',
        at: '/reason',
        label: 'What it is',
        choices: reasonTargets.map((value) => ({ value, label: reasonWords(value) })),
      },
      amount(dispute, '/buyer_requested_amount', 'Amount you ask for', 'All of it when empty.'),
      note('Note'),
      files,
    ],
  },
}
