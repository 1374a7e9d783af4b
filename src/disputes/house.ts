import type { Ledger } from '../ledger/ledger.ts'
import type { Service } from '../room.ts'
import type { Rules } from './machine/rules.ts'

/** What disputes need of the house they live in. */
export interface House {
  readonly service: Service
  readonly rules: Rules
  readonly ledger: Ledger
}

/** The rules as the settings of this service make them. */
export const rulesOf = ({ environment, settings }: Service): Rules => ({
  sandbox: environment === 'sandbox',
  triageTarget: settings.disputeTriageTarget,
  triageDelaySeconds: settings.disputeTriageDelaySeconds,
  maxAppealsPerParty: settings.disputeAppealsMax,
  autoAdjudicate: settings.disputeAutoAdjudicate,
  acceleratedTimetable: settings.disputeAcceleratedTimetable,
  autoRegisterTransactions: environment === 'sandbox' && settings.disputeAutoRegister,
  disputeFees: settings.disputeFees,
  chargebackFees: settings.disputeChargebackFees,
  declineRefunds: environment === 'sandbox' && settings.disputeDeclineRefunds,
})
