import { Type } from '../../../kernel/type.ts'
import { Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { limits } from '../limits.ts'

/** Something for the agents to know, as often as one likes. */
export const provideSupportingInfo = disputeAction('provide-supporting-info', {
  summary: 'Provide supporting information',
  scopes: ['disputes/update-seller', 'disputes/update-buyer', 'disputes/update-partner'],
  body: Type.Object({ notes: Note }),
  files: limits.filesPerRequest,
  decide({ supporting_info = [], dispute_life_cycle_stage }, { notes }, { now, side, isPartner, uploads }) {
    const source = isPartner ? 'SUBMITTED_BY_PARTNER' : side === 'seller' ? 'SUBMITTED_BY_SELLER' : 'SUBMITTED_BY_BUYER'
    const documents = uploads.length > 0 && { documents: uploads }
    return {
      outcome: 'filed',
      changes: {
        supporting_info: [
          ...supporting_info,
          { notes, ...documents, source, provided_time: now, dispute_life_cycle_stage },
        ],
      },
    }
  },
})
