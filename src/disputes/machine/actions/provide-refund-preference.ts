import { Problem, refused } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { disputeAction } from '../action.ts'

/** How refunds may reach the buyer. */
export const fundingInstruments = ['BALANCE', 'ORIGINAL_INSTRUMENT'] as const

/** The buyer says how a refund should come. It is kept; nothing else changes. */
export const provideRefundPreference = disputeAction('provide-refund-preference', {
  summary: 'Say how a refund should be paid',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({
    funding_instrument_preference: Type.Optional(
      Type.Object({ type: Type.String({ minLength: 1, maxLength: 255, pattern: '^[0-9A-Z_]+$' }) }),
    ),
    provisional_credit_preference: Type.Optional(Type.Object({ accept: Type.Boolean() })),
  }),
  decide(dispute, { funding_instrument_preference: instrument, provisional_credit_preference: credit }) {
    if (instrument && credit)
      throw new Problem(400, 'VALIDATION_ERROR', [
        { issue: 'REFUND_PREFERENCE_MUTUALLY_EXCLUSIVE', description: 'Send one of the two preferences.' },
      ])
    if (!instrument && !credit)
      throw new Problem(400, 'INVALID_REQUEST', [
        {
          issue: 'MISSING_REQUIRED_PARAMETER',
          field: '/funding_instrument_preference',
          description: 'Send funding_instrument_preference or provisional_credit_preference.',
        },
      ])
    if (instrument && !fundingInstruments.some((known) => known === instrument.type))
      throw refused('FUNDING_INSTRUMENT_PREFERENCE_NOT_ALLOWED', `Offered: ${fundingInstruments.join(', ')}.`)
    if (credit && dispute.refund_preference && 'provisional_credit_preference' in dispute.refund_preference)
      throw refused('PROVISIONAL_CREDIT_PREFERENCE_NOT_ALLOWED', 'A provisional credit was answered already.')
    const preference = instrument
      ? { funding_instrument_preference: instrument }
      : { provisional_credit_preference: credit }
    return { outcome: 'noted', changes: { refund_preference: { ...dispute.refund_preference, ...preference } } }
  },
})
