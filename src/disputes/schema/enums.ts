/** The values of the dispute contract in their neutral spelling. The dialect knows which of them depend on the brand. */

export const reasons = [
  'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
  'UNAUTHORISED',
  'CREDIT_NOT_PROCESSED',
  'DUPLICATE_TRANSACTION',
  'INCORRECT_AMOUNT',
  'PAYMENT_BY_OTHER_MEANS',
  'CANCELED_RECURRING_BILLING',
  'PROBLEM_WITH_REMITTANCE',
  'OTHER',
] as const
export type Reason = (typeof reasons)[number]

/** The two reasons that begin as an inquiry. Most rules are about them. */
export const NOT_RECEIVED = 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'
export const NOT_AS_DESCRIBED = 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'

export const statuses = [
  'OPEN',
  'WAITING_FOR_BUYER_RESPONSE',
  'WAITING_FOR_SELLER_RESPONSE',
  'UNDER_REVIEW',
  'RESOLVED',
] as const
export type Status = (typeof statuses)[number]

export const stages = ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const
export type Stage = (typeof stages)[number]

/** What a waiting party is expected to do. It is never shown. */
export const flows = ['NONE', 'OFFER', 'EVIDENCE', 'RETURN', 'ACK'] as const
export type Flow = (typeof flows)[number]

/** Whether a decision is final. While it can be appealed, it may still change. */
export const finalities = ['OPEN', 'APPEALABLE', 'FINAL'] as const
export type Finality = (typeof finalities)[number]

export const channels = ['INTERNAL', 'EXTERNAL', 'ALERT'] as const
export type Channel = (typeof channels)[number]

export const disputeStates = [
  'OPEN_INQUIRIES',
  'REQUIRED_ACTION',
  'REQUIRED_OTHER_PARTY_ACTION',
  'UNDER_REVIEW',
  'APPEALABLE',
  'RESOLVED',
] as const
export type DisputeStateName = (typeof disputeStates)[number]

export const transactionStatuses = [
  'COMPLETED',
  'UNCLAIMED',
  'DENIED',
  'FAILED',
  'HELD',
  'PENDING',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'REVERSED',
  'CANCELLED',
] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export const itemTypes = ['PRODUCT', 'SERVICE', 'BOOKING', 'DIGITAL_DOWNLOAD'] as const

export const outcomeCodes = ['RESOLVED_BUYER_FAVOUR', 'RESOLVED_SELLER_FAVOUR', 'CANCELED_BY_BUYER', 'NONE'] as const
export type OutcomeCode = (typeof outcomeCodes)[number]

export const acceptClaimTypes = [
  'REFUND',
  'REFUND_WITH_RETURN',
  'PARTIAL_REFUND',
  'REFUND_WITH_RETURN_SHIPMENT_LABEL',
] as const
export type AcceptClaimType = (typeof acceptClaimTypes)[number]

export const acceptClaimReasons = [
  'DID_NOT_SHIP_ITEM',
  'TOO_TIME_CONSUMING',
  'LOST_IN_MAIL',
  'NOT_ABLE_TO_WIN',
  'COMPANY_POLICY',
  'REASON_NOT_SET',
] as const

export const escalationReasons = [
  'SHIPMENT_NOT_ARRIVED',
  'FRAUDULENT_SELLER',
  'FAILED_NEGOTIATION',
  'INCONCLUSIVE_NEGOTIATION',
  'REFUND_NOT_RECEIVED',
  'REFUND_AMOUNT_IS_DIFFERENT',
  'TRACKING_ID_INVALID',
  'OTHER',
] as const

export const offerTypes = [
  'REFUND',
  'REFUND_WITH_RETURN',
  'REFUND_WITH_REPLACEMENT',
  'REPLACEMENT_WITHOUT_REFUND',
] as const
export type OfferType = (typeof offerTypes)[number]

export const acknowledgementTypes = [
  'ITEM_RECEIVED',
  'ITEM_NOT_RECEIVED',
  'DAMAGED',
  'EMPTY_PACKAGE_OR_DIFFERENT',
  'MISSING_ITEMS',
] as const
export type AcknowledgementType = (typeof acknowledgementTypes)[number]

export const acknowledgementEvidenceTypes = [
  'PROOF_OF_DAMAGE',
  'THIRDPARTY_PROOF_FOR_DAMAGE_OR_SIGNIFICANT_DIFFERENCE',
  'DECLARATION',
  'PROOF_OF_MISSING_ITEMS',
  'PROOF_OF_EMPTY_PACKAGE_OR_DIFFERENT_ITEM',
  'PROOF_OF_ITEM_NOT_RECEIVED',
] as const

export const adjudicationTypes = ['DENY_BUYER', 'PAYOUT_TO_BUYER', 'PAYOUT_TO_SELLER', 'RECOVER_FROM_SELLER'] as const
export type AdjudicationType = (typeof adjudicationTypes)[number]

export const evidenceSources = [
  'REQUESTED_FROM_BUYER',
  'REQUESTED_FROM_SELLER',
  'SUBMITTED_BY_BUYER',
  'SUBMITTED_BY_SELLER',
  'SUBMITTED_BY_PARTNER',
] as const
export type EvidenceSource = (typeof evidenceSources)[number]

export const cancellationReasons = [
  'ITEM_RECEIVED',
  'REFUND_RECEIVED',
  'SHIPMENT_INFO_RECEIVED',
  'REPLACEMENT_RECEIVED',
  'OTHER',
] as const

/** The timers of a dispute. How long each runs is defined in `machine/deadlines.ts`. */
export type TimerName =
  | 'triage'
  | 'inquiry'
  | 'seller-answer'
  | 'accelerated-answer'
  | 'seller-proof'
  | 'buyer-proof'
  | 'claim-offer'
  | 'return'
  | 'acknowledgement'
  | 'review'
  | 'appeal-window'
  | 'alert'

const words = (list: string): readonly string[] => list.trim().split(/\s+/)

export const evidenceTypes = words(`
  PROOF_OF_FULFILLMENT PROOF_OF_REFUND PROOF_OF_DELIVERY_SIGNATURE PROOF_OF_RECEIPT_COPY RETURN_POLICY
  BILLING_AGREEMENT PROOF_OF_RESHIPMENT ITEM_DESCRIPTION POLICE_REPORT AFFIDAVIT PAID_WITH_OTHER_METHOD
  COPY_OF_CONTRACT TERMINAL_ATM_RECEIPT PRICE_DIFFERENCE_REASON SOURCE_CONVERSION_RATE BANK_STATEMENT
  CREDIT_DUE_REASON REQUEST_CREDIT_RECEIPT PROOF_OF_RETURN CREATE CHANGE_REASON
  PROOF_OF_REFUND_OUTSIDE_SERVICE RECEIPT_OF_MERCHANDISE CUSTOMS_DOCUMENT CUSTOMS_FEE_RECEIPT
  INFORMATION_ON_RESOLUTION ADDITIONAL_INFORMATION_OF_ITEM DETAILS_OF_PURCHASE PROOF_OF_SIGNIFICANT_DIFFERENCE
  PROOF_OF_SOFTWARE_OR_SERVICE_NOT_AS_DESCRIBED PROOF_OF_CONFISCATION PROOF_OF_DAMAGE
  COPY_OF_LAW_ENFORCEMENT_AGENCY_REPORT ADDITIONAL_PROOF_OF_SHIPMENT PROOF_OF_DENIAL_BY_CARRIER
  THIRDPARTY_PROOF_FOR_DAMAGE_OR_SIGNIFICANT_DIFFERENCE VALID_SUPPORTING_DOCUMENT LEGIBLE_SUPPORTING_DOCUMENT
  RETURN_TRACKING_INFORMATION DELIVERY_RECEIPT PROOF_OF_INSTORE_RECEIPT ADDITIONAL_TRACKING_INFORMATION
  PROOF_OF_SHIPMENT_POSTAGE ONLINE_TRACKING_INFORMATION PROOF_OF_INSTORE_REFUND
  PROOF_FOR_SOFTWARE_OR_SERVICE_DELIVERED RETURN_ADDRESS_FOR_SHIPPING COPY_OF_THE_EPARCEL_MANIFEST
  COPY_OF_SHIPPING_MANIFEST APPEAL_AFFIDAVIT RECEIPT_OF_REPLACEMENT COPY_OF_DRIVERS_LICENSE
  ACCOUNT_CHANGE_INFORMATION DELIVERY_ADDRESS CONFIRMATION_OF_RESOLUTION MERCHANT_RESPONSE
  PERMISSION_DESCRIPTION STATUS_OF_MERCHANDISE LOST_CARD_DETAILS LAST_VALID_TRANSACTION_DETAILS
  ADDITIONAL_PROOF_OF_RETURN DECLARATION PROOF_OF_MISSING_ITEMS PROOF_OF_EMPTY_PACKAGE_OR_DIFFERENT_ITEM
  PROOF_OF_ITEM_NOT_RECEIVED ORDER_DETAILS LISTING_URL SHIPPING_INSURANCE BUYER_RESPONSE
  PHOTOS_OF_SHIPPED_ITEM OTHER CANCELLATION_DETAILS MERCHANT_CONTACT_DETAILS ITEM_DETAILS
  CORRECT_RECIPIENT_INFORMATION EXPLANATION_OF_FUNDS_NOT_DELIVERED CONFIRMATION_OF_RECALL
  COMMUNICATION_WITH_THE_SENDER PAYMENT_REASON PROOF_OF_EXPECTED_DELIVERY_DATE DELIVERY_DELAY_COMMUNICATION
  ADDITIONAL_SCAM_DETAILS REASON_FOR_LATE_OPENING COMMUNICATION_WITH_THE_RECIPIENT EFFORTS_TO_VERIFY_RECIPIENT
`)
