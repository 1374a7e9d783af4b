import { Type } from '../../../kernel/type.ts'
import { disputeAction } from '../action.ts'
import { end, inTurn, release } from '../settlement.ts'

/** A chargeback on the same payment takes the place of a dispute between the parties. */
export const supersede = disputeAction('supersede', {
  summary: 'Give way to a chargeback on the same payment',
  scopes: [],
  body: Type.Object({}),
  decide(dispute, _input, context) {
    return { outcome: 'superseded', ...inTurn(dispute, release(context), end('NONE')) }
  },
})
