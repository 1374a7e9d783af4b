import { Type } from '../../../kernel/type.ts'
import { Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { limits } from '../limits.ts'

/** The parties talk. Nothing else changes. */
export const sendMessage = disputeAction('send-message', {
  summary: 'Send a message to the other party',
  scopes: ['disputes/update-seller', 'disputes/update-buyer'],
  body: Type.Object({ message: Note }),
  files: limits.filesPerMessage,
  decide({ messages = [] }, { message }, { now, side, uploads }) {
    return {
      outcome: 'sent',
      changes: {
        messages: [
          ...messages,
          {
            posted_by: side === 'seller' ? 'SELLER' : 'BUYER',
            time_posted: now,
            content: message,
            ...(uploads.length > 0 && { documents: uploads }),
          },
        ],
      },
    }
  },
})
