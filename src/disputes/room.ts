import { conflict } from '../kernel/problem.ts'
import { makeLedger } from '../ledger/ledger.ts'
import type { FollowPayments } from '../ledger/routes.ts'
import type { Room, Service } from '../room.ts'
import { followPayments } from './act.ts'
import { alreadyDisputed } from './filing/disputable-payments.ts'
import { type House, rulesOf } from './house.ts'
import { deadlineJob } from './jobs.ts'
import { referredRoutes } from './referred/routes.ts'
import { buyerRoutes } from './routes/buyer.ts'
import { chargebackRoutes } from './routes/chargebacks.ts'
import { disputeRoutes } from './routes/disputes.ts'
import { enquiryRoutes } from './routes/enquiries.ts'
import { eventInboxRoutes, sweepEventInbox } from './routes/event-inbox.ts'
import { partnerActionRoutes } from './routes/partner-actions.ts'

const houseOf = (service: Service): House => ({
  service,
  rules: rulesOf(service),
  ledger: makeLedger(service),
})

/** Keeps the money of disputes in step with the ledger, whoever moves it. */
export function disputesFollow(service: Service): FollowPayments {
  const house = houseOf(service)
  return (tx, changes) => followPayments(tx, house, changes)
}

/** Disputes: everything between a buyer who is not content and the decision that ends it. */
export function openDisputes(service: Service): Room {
  const house = houseOf(service)
  return {
    routes: [
      ...enquiryRoutes(service),
      ...disputeRoutes(house),
      ...buyerRoutes(house),
      ...partnerActionRoutes(house),
      ...chargebackRoutes(house),
      ...eventInboxRoutes(),
      ...referredRoutes(service),
    ],
    jobs: [deadlineJob(house)],
    sweeps: { 'event-inbox': (given) => sweepEventInbox(given, service.settings.webhookRetentionDays) },
    constraints: {
      disputed_once: alreadyDisputed,
      payment_transactions_buyer_id: () =>
        conflict('CONCURRENT_UPDATE', 'This payment was just made up; send it again.'),
      disputes_id: () => conflict('CONCURRENT_UPDATE', 'The new dispute drew an id that is taken; send it again.'),
    },
  }
}
