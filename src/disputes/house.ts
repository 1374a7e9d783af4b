import type { Settings } from '../config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Service } from '../room.ts'
import { type Rules, readFees } from './machine/rules.ts'

/** What disputes need of the house they live in. */
export interface House {
  readonly service: Service
  readonly rules: Rules
  readonly ledger: Ledger
}

/** The rules as this deployment sets them. */
export const rulesOf = (settings: Settings): Rules => ({
  sandbox: settings.environment === 'sandbox',
  triageTarget: settings.disputeTriageTarget,
  triageDelaySeconds: settings.disputeTriageDelaySeconds,
  maxAppealsPerParty: settings.disputeAppealsMax,
  autoAdjudicate: settings.disputeAutoAdjudicate,
  acceleratedTimetable: settings.disputeAcceleratedTimetable,
  autoRegisterTransactions: settings.environment === 'sandbox' && settings.disputeAutoRegister,
  disputeFees: readFees(settings.disputeFees),
  chargebackFees: readFees(settings.disputeChargebackFees),
  declineRefunds: settings.environment === 'sandbox' && settings.disputeDeclineRefunds,
})
