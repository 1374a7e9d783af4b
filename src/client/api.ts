// Printed from openapi.json by `npm run docs`.

/** What has a name in the API. */
export interface Schemas {
  AccessToken: { scope: string; access_token: string; token_type: "Bearer"; app_id: string; expires_in: number; nonce: string }
  ActOnProblemForm: { input?: Schemas['ActOnProblemInput'] }
  ActOnProblemInput: { token: string; lang?: string; text?: string }
  Address: { address_line_1?: string; address_line_2?: string; address_line_3?: string; admin_area_4?: string; admin_area_3?: string; admin_area_2?: string; admin_area_1?: string; postal_code?: string; country_code?: string; address_details?: Schemas['AddressDetails'] }
  AddressDetails: { street_number?: string; street_name?: string; street_type?: string; delivery_service?: string; building_name?: string; sub_building?: string }
  Amount: { currency_code: string; value: string }
  AnswerReturnCompensationForm: { input?: { decision: ('PAY' | 'DENY') } }
  Attachments: { id?: string; reference_url?: string; content_type?: string; create_time?: string; size?: string }
  AuditEntry: { time: string; actor: string; action: string; account_id?: string; resource_id?: string; address?: string; request_id?: string; cause: string; arguments?: string[] }
  Balance: { currency: string; primary: boolean; total_balance: Schemas['Money']; available_balance: Schemas['Money']; withheld_balance: Schemas['Money']; pending_balance: Schemas['Money'] }
  CancellationDetails: { cancellation_date?: string; cancellation_number?: string; cancelled?: boolean; cancellation_mode?: ('CANCELLED_SERVICE_BILLING_AGREEMENT' | 'CANCELLED_PAYPAL_BILLING_AGREEMENT' | 'WEBSITE' | 'PHONE' | 'EMAIL' | 'WRITTEN' | 'IN_PERSON') }
  Capture: { id: string; status: ('COMPLETED' | 'PENDING' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'REFUNDED'); amount: Schemas['Money']; final_capture: boolean; invoice_id?: string; custom_id?: string; create_time: string; update_time: string; links: Schemas['Link'][] }
  Clock: { now: string; frozen: boolean }
  Configuration: { tax_calculated_after_discount?: boolean; tax_inclusive?: boolean; allow_tip?: boolean; partial_payment?: Schemas['PartialPayment']; template_id?: string }
  CreateDisputeForm: { input?: Schemas['CreateDisputeInput'] }
  CreateDisputeInput: { disputed_transactions?: { buyer_transaction_id?: string; items?: Schemas['DisputedItem'][] }[]; reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); dispute_amount?: Schemas['Money']; extensions?: Schemas['DisputeExtensions']; evidences?: { notes?: string; documents?: { name: string }[] }[]; messages?: { content: string }[] }
  CreateInvoiceAnswer: { id: string; rel: string; href: string; method: string }
  CreateTemplateInput: { name?: string; description?: string; default_template?: boolean; template_info?: Schemas['TemplateInfo']; settings?: Schemas['Settings']; unit_of_measure?: ('QUANTITY' | 'HOURS' | 'AMOUNT') }
  DeliveryAttempt: { number: number; time: string; webhook_url: string; duration: number; http_status?: number; reason_phrase?: string; response_headers: { [name: string]: string }; response_body: string; error_message?: string }
  Detail: { reference?: string; currency_code: string; note?: string; terms_and_conditions?: string; term?: string; memo?: string; attachments?: Schemas['Attachments'][]; category_code?: string; invoice_number?: string; invoice_date?: string; payment_term?: { term_type?: string; due_date?: string }; viewed_by_recipient?: boolean; group_draft?: boolean; archived?: boolean; metadata?: { create_time?: string; created_by?: string; last_update_time?: string; first_sent_time?: string; last_sent_time?: string; last_sent_by?: string; cancel_time?: string; cancelled_by?: string; created_by_flow?: string; recipient_view_url?: string; invoicer_view_url?: string; caller_type?: string } }
  Discount: { percent?: string; amount?: Schemas['UnitAmount'] }
  Dispute: { dispute_id: string; create_time: string; update_time: string; disputed_transactions: Schemas['DisputedTransaction'][]; reason: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); status: ('OPEN' | 'WAITING_FOR_BUYER_RESPONSE' | 'WAITING_FOR_SELLER_RESPONSE' | 'UNDER_REVIEW' | 'UNDER_PAYPAL_REVIEW' | 'RESOLVED'); dispute_state: string; dispute_amount: Schemas['Money']; fee_policy?: { transaction_fee: string; dispute_fee: string }; external_reason_code?: string; dispute_outcome?: { outcome_code: ('RESOLVED_BUYER_FAVOUR' | 'RESOLVED_SELLER_FAVOUR' | 'CANCELED_BY_BUYER' | 'NONE'); outcome_reason?: string; amount_refunded?: Schemas['Money'] }; adjudications?: { type: ('DENY_BUYER' | 'PAYOUT_TO_BUYER' | 'PAYOUT_TO_SELLER' | 'RECOVER_FROM_SELLER'); adjudication_time: string; reason?: string; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION') }[]; money_movements?: { affected_party: ('SELLER' | 'BUYER'); type: ('DEBIT' | 'CREDIT'); amount: Schemas['Money']; initiated_time: string; reason: string }[]; fund_movements?: { party: ('SELLER' | 'BUYER'); type: ('DEBIT' | 'CREDIT'); amount: Schemas['Money']; initiated_time: string; reason: string }[]; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION'); dispute_channel: ('INTERNAL' | 'EXTERNAL' | 'ALERT'); messages?: { posted_by: ('BUYER' | 'SELLER' | 'ARBITER'); time_posted: string; content: string; documents?: Schemas['DisputeDocument'][] }[]; extensions?: Schemas['DisputeExtensions']; evidences?: Schemas['DisputeEvidence'][]; buyer_response_due_date?: string; seller_response_due_date?: string; offer?: { buyer_requested_amount?: Schemas['Money']; seller_offered_amount?: Schemas['Money']; offer_type?: ('REFUND' | 'REFUND_WITH_RETURN' | 'REFUND_WITH_REPLACEMENT' | 'REPLACEMENT_WITHOUT_REFUND'); history?: { offer_time: string; actor: ('BUYER' | 'SELLER'); event_type: ('PROPOSED' | 'ACCEPTED' | 'DENIED'); offer_type: ('REFUND' | 'REFUND_WITH_RETURN' | 'REFUND_WITH_REPLACEMENT' | 'REPLACEMENT_WITHOUT_REFUND'); offer_amount?: Schemas['Money']; notes?: string; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION') }[] }; refund_details?: { allowed_refund_amount?: Schemas['Money']; transactions?: { id: string; gross_amount: Schemas['Money']; create_time: string }[] }; communication_details?: { email?: string; note?: string; time_posted: string }; supporting_info?: { notes: string; documents?: Schemas['DisputeDocument'][]; source: string; provided_time: string; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION') }[]; partner_actions?: Schemas['PartnerAction'][]; allowed_response_options?: { acknowledge_return_item?: { acknowledgement_types: ('ITEM_RECEIVED' | 'ITEM_NOT_RECEIVED' | 'DAMAGED' | 'EMPTY_PACKAGE_OR_DIFFERENT' | 'MISSING_ITEMS')[] }; accept_claim?: { accept_claim_types: ('REFUND' | 'REFUND_WITH_RETURN' | 'PARTIAL_REFUND' | 'REFUND_WITH_RETURN_SHIPMENT_LABEL')[] }; make_offer?: { offer_types: ('REFUND' | 'REFUND_WITH_RETURN' | 'REFUND_WITH_REPLACEMENT' | 'REPLACEMENT_WITHOUT_REFUND')[] } }; links: Schemas['Link'][] }
  DisputeAcceptClaimForm: { input?: Schemas['DisputeAcceptClaimInput'] }
  DisputeAcceptClaimInput: { note: string; accept_claim_reason?: ('DID_NOT_SHIP_ITEM' | 'TOO_TIME_CONSUMING' | 'LOST_IN_MAIL' | 'NOT_ABLE_TO_WIN' | 'COMPANY_POLICY' | 'REASON_NOT_SET'); accept_claim_type?: ('REFUND' | 'REFUND_WITH_RETURN' | 'PARTIAL_REFUND' | 'REFUND_WITH_RETURN_SHIPMENT_LABEL'); refund_amount?: Schemas['Money']; return_shipping_address?: unknown; return_shipping_address_info?: { save_to_profile?: boolean; address?: unknown }; return_shipment_info?: { shipment_label: { name: string }; tracking_info: Schemas['TrackingInfo'] }[]; invoice_id?: string }
  DisputeAcceptOfferForm: { input?: { note?: string } }
  DisputeAcknowledgeReturnItemForm: { input?: Schemas['DisputeAcknowledgeReturnItemInput'] }
  DisputeAcknowledgeReturnItemInput: { acknowledgement_type?: ('ITEM_RECEIVED' | 'ITEM_NOT_RECEIVED' | 'DAMAGED' | 'EMPTY_PACKAGE_OR_DIFFERENT' | 'MISSING_ITEMS'); note?: string; evidences?: { evidence_type?: ('PROOF_OF_DAMAGE' | 'THIRDPARTY_PROOF_FOR_DAMAGE_OR_SIGNIFICANT_DIFFERENCE' | 'DECLARATION' | 'PROOF_OF_MISSING_ITEMS' | 'PROOF_OF_EMPTY_PACKAGE_OR_DIFFERENT_ITEM' | 'PROOF_OF_ITEM_NOT_RECEIVED'); documents?: { name: string }[] }[] }
  DisputeAddress: { address_line_1?: string; address_line_2?: string; address_line_3?: string; admin_area_4?: string; admin_area_3?: string; admin_area_2?: string; admin_area_1?: string; postal_code?: string; country_code: string; address_details?: Schemas['AddressDetails'] }
  DisputeAdjudicateForm: { input?: { adjudication_outcome: ('BUYER_FAVOR' | 'SELLER_FAVOR') } }
  DisputeCancelForm: { input?: Schemas['DisputeCancelInput'] }
  DisputeCancelInput: { note?: string; cancellation_reason?: ('ITEM_RECEIVED' | 'REFUND_RECEIVED' | 'SHIPMENT_INFO_RECEIVED' | 'REPLACEMENT_RECEIVED' | 'OTHER'); transaction_ids?: string[] }
  DisputeChangeReasonForm: { input?: Schemas['DisputeChangeReasonInput'] }
  DisputeChangeReasonInput: { reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); note?: string; item_info?: Schemas['DisputedItem'][]; extensions?: Schemas['DisputeExtensions']; buyer_requested_amount?: Schemas['Money'] }
  DisputeDenyOfferForm: { input?: { note: string } }
  DisputeDocument: { name: string; url: string }
  DisputeEligibility: { buyer_transaction_id: string; seller_transaction_id?: string; eligible_dispute_reasons: { dispute_reason: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); allowable_life_cycle: { stage: ('INQUIRY' | 'CHARGEBACK'); reason?: string } }[]; ineligible_dispute_reasons: { dispute_reason: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); ineligibility_reason: string }[] }
  DisputeEscalateForm: { input?: Schemas['DisputeEscalateInput'] }
  DisputeEscalateInput: { note?: string; buyer_escalation_reason?: ('SHIPMENT_NOT_ARRIVED' | 'FRAUDULENT_SELLER' | 'FAILED_NEGOTIATION' | 'INCONCLUSIVE_NEGOTIATION' | 'REFUND_NOT_RECEIVED' | 'REFUND_AMOUNT_IS_DIFFERENT' | 'TRACKING_ID_INVALID' | 'OTHER'); buyer_requested_amount?: Schemas['Money'] }
  DisputeEvidence: { evidence_type: string; evidence_info?: { tracking_info?: Schemas['TrackingInfo'][]; refund_ids?: string[] }; documents?: Schemas['DisputeDocument'][]; notes?: string; source: ('REQUESTED_FROM_BUYER' | 'REQUESTED_FROM_SELLER' | 'SUBMITTED_BY_BUYER' | 'SUBMITTED_BY_SELLER' | 'SUBMITTED_BY_PARTNER'); date: string; item_id?: string; item_type?: string; action_info?: { action: string; response_option?: string }; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION') }
  DisputeExtensions: { merchant_contacted?: boolean; merchant_contacted_outcome?: ('NO_RESPONSE' | 'FIXED' | 'NOT_FIXED' | 'RESPONDED'); merchant_contacted_time?: string; merchant_contacted_mode?: ('WEBSITE' | 'PHONE' | 'EMAIL' | 'WRITTEN' | 'IN_PERSON'); buyer_contacted_time?: string; buyer_contacted_channel?: string; reported_source?: ('EMAIL' | 'WEB' | 'CHAT' | 'IVR' | 'PHONE' | 'MOBILE_APP' | 'MOBILE_WEB' | 'API'); billing_dispute_properties?: { duplicate_transaction?: { received_duplicate?: boolean; original_transaction?: { buyer_transaction_id?: string; seller_transaction_id?: string; reference_id?: string; create_time?: string; transaction_status?: ('COMPLETED' | 'UNCLAIMED' | 'DENIED' | 'FAILED' | 'HELD' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'REVERSED' | 'CANCELLED'); gross_amount?: Schemas['Money']; gross_asset?: Schemas['GrossAsset']; invoice_number?: string; custom?: string; buyer?: { name?: string }; seller?: { merchant_id?: string; name?: string; email?: string } } }; incorrect_transaction_amount?: { correct_transaction_amount?: Schemas['Money']; correct_transaction_asset?: Schemas['GrossAsset']; correct_transaction_time?: string }; payment_by_other_means?: { charge_different_from_original?: boolean; received_duplicate?: boolean; payment_method?: ('CASH' | 'CREDIT_CARD' | 'CHECK' | 'SERVICE' | 'PAYPAL' | 'DEBIT_CARD' | 'GIFT_CARD' | 'BANK_TRANSFER'); payment_instrument_suffix?: string }; credit_not_processed?: { issue_type?: ('PRODUCT' | 'SERVICE' | 'PAYPAL'); expected_refund?: Schemas['Money']; cancellation_details?: Schemas['CancellationDetails']; product_details?: Schemas['ProductDetails']; service_details?: Schemas['ServiceDetails']; agreed_refund_details?: { merchant_agreed_refund?: boolean; merchant_agreed_refund_time?: string } }; canceled_recurring_billing?: { expected_refund?: Schemas['Money']; cancellation_details?: Schemas['CancellationDetails'] } }; merchandize_dispute_properties?: { issue_type?: ('PRODUCT' | 'SERVICE' | 'PAYPAL'); product_details?: Schemas['ProductDetails']; service_details?: Schemas['ServiceDetails']; cancellation_details?: Schemas['CancellationDetails']; return_shipping_address?: Schemas['DisputeAddress'] } }
  DisputeLinks: { links: Schemas['Link'][] }
  DisputeList: { items: Schemas['DisputeSummary'][]; links: Schemas['Link'][]; total_items?: number; total_pages?: number }
  DisputeMakeOfferForm: { input?: Schemas['DisputeMakeOfferInput'] }
  DisputeMakeOfferInput: { note: string; offer_type: ('REFUND' | 'REFUND_WITH_RETURN' | 'REFUND_WITH_REPLACEMENT' | 'REPLACEMENT_WITHOUT_REFUND'); offer_amount?: Schemas['Money']; return_shipping_address?: unknown; return_shipping_address_info?: { save_to_profile?: boolean; address?: unknown }; invoice_id?: string }
  DisputeMetrics: { metrics: { key: string; count?: number; amount?: Schemas['Money'][] }[] }
  DisputeProvideEvidenceForm: { input?: Schemas['DisputeProvideEvidenceInput'] }
  DisputeProvideEvidenceInput: { evidences?: { evidence_type?: ('PROOF_OF_FULFILLMENT' | 'PROOF_OF_REFUND' | 'PROOF_OF_DELIVERY_SIGNATURE' | 'PROOF_OF_RECEIPT_COPY' | 'RETURN_POLICY' | 'BILLING_AGREEMENT' | 'PROOF_OF_RESHIPMENT' | 'ITEM_DESCRIPTION' | 'POLICE_REPORT' | 'AFFIDAVIT' | 'PAID_WITH_OTHER_METHOD' | 'COPY_OF_CONTRACT' | 'TERMINAL_ATM_RECEIPT' | 'PRICE_DIFFERENCE_REASON' | 'SOURCE_CONVERSION_RATE' | 'BANK_STATEMENT' | 'CREDIT_DUE_REASON' | 'REQUEST_CREDIT_RECEIPT' | 'PROOF_OF_RETURN' | 'CREATE' | 'CHANGE_REASON' | 'PROOF_OF_REFUND_OUTSIDE_SERVICE' | 'PROOF_OF_REFUND_OUTSIDE_PAYPAL' | 'RECEIPT_OF_MERCHANDISE' | 'CUSTOMS_DOCUMENT' | 'CUSTOMS_FEE_RECEIPT' | 'INFORMATION_ON_RESOLUTION' | 'ADDITIONAL_INFORMATION_OF_ITEM' | 'DETAILS_OF_PURCHASE' | 'PROOF_OF_SIGNIFICANT_DIFFERENCE' | 'PROOF_OF_SOFTWARE_OR_SERVICE_NOT_AS_DESCRIBED' | 'PROOF_OF_CONFISCATION' | 'PROOF_OF_DAMAGE' | 'COPY_OF_LAW_ENFORCEMENT_AGENCY_REPORT' | 'ADDITIONAL_PROOF_OF_SHIPMENT' | 'PROOF_OF_DENIAL_BY_CARRIER' | 'THIRDPARTY_PROOF_FOR_DAMAGE_OR_SIGNIFICANT_DIFFERENCE' | 'VALID_SUPPORTING_DOCUMENT' | 'LEGIBLE_SUPPORTING_DOCUMENT' | 'RETURN_TRACKING_INFORMATION' | 'DELIVERY_RECEIPT' | 'PROOF_OF_INSTORE_RECEIPT' | 'ADDITIONAL_TRACKING_INFORMATION' | 'PROOF_OF_SHIPMENT_POSTAGE' | 'ONLINE_TRACKING_INFORMATION' | 'PROOF_OF_INSTORE_REFUND' | 'PROOF_FOR_SOFTWARE_OR_SERVICE_DELIVERED' | 'RETURN_ADDRESS_FOR_SHIPPING' | 'COPY_OF_THE_EPARCEL_MANIFEST' | 'COPY_OF_SHIPPING_MANIFEST' | 'APPEAL_AFFIDAVIT' | 'RECEIPT_OF_REPLACEMENT' | 'COPY_OF_DRIVERS_LICENSE' | 'ACCOUNT_CHANGE_INFORMATION' | 'DELIVERY_ADDRESS' | 'CONFIRMATION_OF_RESOLUTION' | 'MERCHANT_RESPONSE' | 'PERMISSION_DESCRIPTION' | 'STATUS_OF_MERCHANDISE' | 'LOST_CARD_DETAILS' | 'LAST_VALID_TRANSACTION_DETAILS' | 'ADDITIONAL_PROOF_OF_RETURN' | 'DECLARATION' | 'PROOF_OF_MISSING_ITEMS' | 'PROOF_OF_EMPTY_PACKAGE_OR_DIFFERENT_ITEM' | 'PROOF_OF_ITEM_NOT_RECEIVED' | 'ORDER_DETAILS' | 'LISTING_URL' | 'SHIPPING_INSURANCE' | 'BUYER_RESPONSE' | 'PHOTOS_OF_SHIPPED_ITEM' | 'OTHER' | 'CANCELLATION_DETAILS' | 'MERCHANT_CONTACT_DETAILS' | 'ITEM_DETAILS' | 'CORRECT_RECIPIENT_INFORMATION' | 'EXPLANATION_OF_FUNDS_NOT_DELIVERED' | 'CONFIRMATION_OF_RECALL' | 'COMMUNICATION_WITH_THE_SENDER' | 'PAYMENT_REASON' | 'PROOF_OF_EXPECTED_DELIVERY_DATE' | 'DELIVERY_DELAY_COMMUNICATION' | 'ADDITIONAL_SCAM_DETAILS' | 'REASON_FOR_LATE_OPENING' | 'COMMUNICATION_WITH_THE_RECIPIENT' | 'EFFORTS_TO_VERIFY_RECIPIENT'); evidence_info?: { tracking_info?: Schemas['TrackingInfo'][]; refund_ids?: string[] }; documents?: { name: string }[]; notes?: string; item_id?: string }[]; return_shipping_address?: unknown; return_shipping_address_info?: { save_to_profile?: boolean; address?: unknown } }
  DisputeProvideSupportingInfoForm: { input?: { notes: string } }
  DisputeRequireEvidenceForm: { input?: { action: ('BUYER_EVIDENCE' | 'SELLER_EVIDENCE') } }
  DisputeSendMessageForm: { input?: { message: string } }
  DisputeSummary: { dispute_id: string; reason: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); status: ('OPEN' | 'WAITING_FOR_BUYER_RESPONSE' | 'WAITING_FOR_SELLER_RESPONSE' | 'UNDER_REVIEW' | 'UNDER_PAYPAL_REVIEW' | 'RESOLVED'); dispute_state: string; dispute_life_cycle_stage: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION'); dispute_channel: ('INTERNAL' | 'EXTERNAL' | 'ALERT'); dispute_amount: Schemas['Money']; create_time: string; update_time: string; buyer_response_due_date?: string; seller_response_due_date?: string; disputed_transactions?: Schemas['DisputedTransaction'][]; outcome?: ('WON' | 'LOST'); links: Schemas['Link'][] }
  DisputedItem: { item_id?: string; item_name?: string; item_description?: string; item_quantity?: string; partner_transaction_id?: string; reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); dispute_amount?: Schemas['Money']; notes?: string; item_type?: ('PRODUCT' | 'SERVICE' | 'PAYPAL' | 'BOOKING' | 'DIGITAL_DOWNLOAD'); expected_refund?: Schemas['Money']; product_details?: { [name: string]: unknown }; service_details?: { [name: string]: unknown }; booking_details?: { [name: string]: unknown }; digital_download_details?: { [name: string]: unknown }; cancellation_details?: { [name: string]: unknown }; agreed_refund_details?: { [name: string]: unknown } }
  DisputedTransaction: { buyer_transaction_id: string; seller_transaction_id?: string; reference_id?: string; create_time?: string; transaction_status?: ('COMPLETED' | 'UNCLAIMED' | 'DENIED' | 'FAILED' | 'HELD' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'REVERSED' | 'CANCELLED'); gross_amount?: Schemas['Money']; invoice_number?: string; custom?: string; buyer?: { name?: string; email?: string; payer_id?: string }; seller?: { merchant_id?: string; name?: string; email?: string }; items?: Schemas['DisputedItem'][]; seller_protection_eligible?: boolean; seller_protection_type?: string }
  Due: { at: string; what: string; work: string; account_id: string; subject?: string; key?: string; attempts: number }
  Error: { name: string; message: string; debug_id: string; details?: { issue: string; description?: string; field?: string; value?: string; location?: string }[]; links?: { href?: string; rel?: string; method?: string }[] }
  EventType: { name: string; description: string; status?: ('ENABLED' | 'DEPRECATED'); resource_versions?: string[] }
  EventTypes: { name: string }
  Evidences: { evidence_info?: { tracking_info?: { carrier_name?: string; tracking_url?: string; tracking_number?: string; tracking_status?: ('INVALID' | 'NO_TRACKING' | 'IN_TRANSIT' | 'LOST' | 'DELIVERED'); note?: string; posted_time?: string }[] }; documents?: { id?: string; name?: string; description?: string; url?: string }[]; notes?: string }
  Explanation: { kind: ('dispute' | 'invoice' | 'event' | 'delivery' | 'request'); id: string; standing: string; story: { seq: number; kind: string; time: string; real_time: string; summary: string; trouble: boolean; account_id?: string; ref?: string; details: { [name: string]: unknown }; thread: string; rule?: string }[]; due: Schemas['Due'][]; possible?: string[] }
  Extensions: { transaction_hold_info?: { hold_required?: boolean; id?: string; reason?: string }; transaction_risk_info?: { high_risk?: boolean; id?: string; reason?: string } }
  Fault: { id: string; hits: number; fault: ('latency' | '429' | '500' | '503' | 'drop' | 'token' | 'duplicate' | 'delay' | 'out-of-order'); operation?: string; method?: string; path?: string; client_id?: string; event_type?: string; url?: string; milliseconds?: number; seconds?: number; times?: number }
  FaultRule: { fault: ('latency' | '429' | '500' | '503' | 'drop' | 'token' | 'duplicate' | 'delay' | 'out-of-order'); operation?: string; method?: string; path?: string; client_id?: string; event_type?: string; url?: string; milliseconds?: number; seconds?: number; times?: number }
  Fork: { name: string; url: string }
  GrossAsset: { asset_symbol: ('BTC' | 'ETH' | 'BCH' | 'LTC' | 'PYUSD' | 'LINK' | 'SOL' | 'MATIC'); quantity: string }
  Happening: { seq: number; kind: ('request' | 'due' | 'move' | 'money' | 'event' | 'attempt' | 'mail' | 'clock'); time: string; real_time: string; summary: string; trouble: boolean; account_id?: string; ref?: string; details: { [name: string]: unknown } }
  Invoice: { id: string; parent_id?: string; status: ('DRAFT' | 'SCHEDULED' | 'SENT' | 'PAYMENT_PENDING' | 'PARTIALLY_PAID' | 'PAID' | 'MARKED_AS_PAID' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'MARKED_AS_REFUNDED' | 'CANCELLED'); invoice_number?: string; detail: Schemas['Detail']; invoicer?: Schemas['Invoicer']; primary_recipients?: Schemas['PrimaryRecipients'][]; additional_recipients?: string[]; items?: Schemas['Items'][]; configuration?: Schemas['Configuration']; amount?: Schemas['InvoiceAmount']; due_amount?: Schemas['Amount']; gratuity?: Schemas['Amount']; payments?: Schemas['Payments']; refunds?: Schemas['Refunds']; unilateral?: boolean; links: Schemas['Link'][] }
  InvoiceAmount: { currency_code?: string; value?: string; breakdown?: { item_total?: Schemas['Amount']; discount?: { item_discount?: Schemas['Amount']; invoice_discount?: Schemas['Discount'] }; tax_total?: Schemas['Amount']; shipping?: { amount?: Schemas['UnitAmount']; tax?: Schemas['Tax'] }; custom?: { label: string; amount: Schemas['UnitAmount'] } } }
  InvoiceDateRange: { start: string; end: string }
  InvoiceTemplate: { id: string; template_id: string; name?: string; description?: string; default_template?: boolean; template_info?: Schemas['TemplateInfo']; settings?: Schemas['Settings']; unit_of_measure?: ('QUANTITY' | 'HOURS' | 'AMOUNT'); standard_template?: boolean; links: Schemas['Link'][] }
  Invoicer: { business_name?: string; name?: Schemas['Name']; address?: Schemas['Address']; email_address?: string; phones?: Schemas['Phones'][]; website?: string; tax_id?: string; additional_notes?: string; logo_url?: string }
  Items: { id?: string; name: string; description?: string; quantity: string; unit_amount: Schemas['UnitAmount']; tax?: Schemas['Tax']; item_date?: string; discount?: Schemas['Discount']; unit_of_measure?: ('QUANTITY' | 'HOURS' | 'AMOUNT') }
  Link: { href: string; rel: string; method?: string }
  ListInvoicesAnswer: { total_items?: number; total_pages?: number; items: { id?: string; parent_id?: string; status?: ('DRAFT' | 'SCHEDULED' | 'SENT' | 'PAYMENT_PENDING' | 'PARTIALLY_PAID' | 'PAID' | 'MARKED_AS_PAID' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'MARKED_AS_REFUNDED' | 'CANCELLED'); invoice_number?: string; detail?: Schemas['Detail']; invoicer?: Schemas['Invoicer']; primary_recipients?: Schemas['PrimaryRecipients'][]; additional_recipients?: string[]; items?: Schemas['Items'][]; configuration?: Schemas['Configuration']; amount?: Schemas['InvoiceAmount']; due_amount?: Schemas['Amount']; gratuity?: Schemas['Amount']; payments?: Schemas['Payments']; refunds?: Schemas['Refunds']; unilateral?: boolean; links?: Schemas['Link'][] }[]; links: Schemas['Link'][] }
  LoggedRequest: { debug_id: string; time: string; real_time: string; method: string; path: string; operation: string; status: number; duration_ms: number; app_id?: string; client_id?: string; account_id?: string; problem?: Schemas['RequestProblem']; unknown_fields?: string[] }
  LoggedRequestWithBodies: { debug_id: string; time: string; real_time: string; method: string; path: string; operation: string; status: number; duration_ms: number; app_id?: string; client_id?: string; account_id?: string; problem?: Schemas['RequestProblem']; unknown_fields?: string[]; request: Schemas['RequestSide']; answer: Schemas['RequestSide']; links: Schemas['Link'][] }
  Mails: { id: string; to: string[]; from: string; reply_to?: string; subject: string; text: string; html: string; links: string[]; attachments: { filename: string; content_type: string; href: string }[]; create_time: string; cause?: string }
  Messages: { posted_by: ('BUYER' | 'SELLER' | 'ARBITER' | 'PARTNER'); posted_time?: string; content: string }
  Money: { currency_code: string; value: string }
  Name: { prefix?: string; given_name?: string; surname?: string; middle_name?: string; suffix?: string; alternate_full_name?: string; full_name?: string }
  Outcome: { faulty_party: ('BUYER' | 'SELLER' | 'PARTNER' | 'NONE'); adjudication_reason: string; resolution_date?: string }
  PartialPayment: { allow_partial_payment?: boolean; minimum_amount_due?: Schemas['UnitAmount'] }
  PartnerAction: { id: string; name: ('PROVIDE_PROVISIONAL_CREDIT' | 'DENY_DISPUTE' | 'ACCEPT_DISPUTE' | 'WRITE_OFF'); status: ('PENDING' | 'COMPLETED' | 'FAILED'); create_time: string; reason?: string; update_time?: string; due_time?: string; amount?: Schemas['Money']; crypto_details?: { trade_id?: string } }
  Payments: { paid_amount: Schemas['Money']; transactions: { type: string; payment_id: string; transaction_type?: string; payment_date: string; payment_date_time?: string; method: string; note?: string; amount: Schemas['Money']; shipping_info?: Schemas['ShippingInfo']; transaction_status?: string }[] }
  Phones: { country_code: string; national_number: string; extension_number?: string; phone_type?: ('FAX' | 'HOME' | 'MOBILE' | 'OTHER' | 'PAGER' | 'WORK') }
  PrimaryRecipients: { billing_info?: { business_name?: string; name?: Schemas['Name']; address?: Schemas['Address']; email_address?: string; phones?: Schemas['Phones'][]; additional_info?: string; language?: string }; shipping_info?: Schemas['ShippingInfo'] }
  ProductDetails: { description?: string; product_received?: ('YES' | 'NO' | 'RETURNED'); product_received_time?: string; expected_delivery_date?: string; sub_reasons?: ('DAMAGED' | 'DIFFERENT' | 'MISSING_PARTS' | 'OTHER')[]; purchase_url?: string; return_details?: { return_time?: string; mode?: ('SHIPPED' | 'IN_PERSON'); receipt?: boolean; return_confirmation_number?: string; returned?: boolean } }
  ProvideRefundPreferenceForm: { input?: Schemas['ProvideRefundPreferenceInput'] }
  ProvideRefundPreferenceInput: { funding_instrument_preference?: { type: string }; provisional_credit_preference?: { accept: boolean } }
  ReferenceDisputes: { id: string; create_time?: string }
  ReferredDispute: { id: string; create_time: string; update_time: string; dispute_flow?: ('THIRD_PARTY_CLAIM' | 'THIRD_PARTY_DISPUTE'); reference_disputes: Schemas['ReferenceDisputes'][]; transaction: Schemas['Transaction']; extensions?: Schemas['Extensions']; reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'); sub_reason?: ('INCOMPLETE_ORDER' | 'DAMAGED' | 'FAKE' | 'MATERIALLY_DIFFERENT' | 'UNUSABLE' | 'EXCESSIVE_SURCHARGE'); status: ('OPEN' | 'CLOSED'); evidences?: Schemas['Evidences'][]; refund_info?: Schemas['RefundInfo']; outcome?: Schemas['Outcome']; dispute_amount?: Schemas['Money']; closure_reason?: string; messages?: Schemas['Messages'][] }
  Refund: { id: string; status: string; amount: Schemas['Money']; invoice_id?: string; custom_id?: string; note_to_payer?: string; create_time: string; update_time: string; links: Schemas['Link'][] }
  RefundInfo: { recipient: ('BUYER' | 'SELLER'); amount: Schemas['Money']; create_time: string; payout_type: ('REVERSAL' | 'COURTESY_CREDIT' | 'SELLER_PROTECTION_COVERAGE'); seller_protection_eligible: boolean; transaction_source: ('SERVICE' | 'PAYPAL' | 'OTHER'); transaction_id?: string }
  Refunds: { refund_amount: Schemas['Money']; transactions: { type: string; refund_id: string; recipient_transaction_id?: string; refund_date: string; method?: string; amount: Schemas['Money'] }[] }
  ReportProblemForm: { input?: Schemas['ReportProblemInput'] }
  ReportProblemInput: { token: string; lang?: string; payment?: string; reason?: string; text?: string; again?: string }
  RequestIssue: { description: string; field?: string; value?: string; location?: string }
  RequestProblem: { name: string; message: string; details: Schemas['RequestIssue'][] }
  RequestReturnCompensationForm: { input?: Schemas['RequestReturnCompensationInput'] }
  RequestReturnCompensationInput: { amount: Schemas['Money']; note?: string; documents?: { name: string }[] }
  RequestSide: { headers: { [name: string]: string }; bytes: number; body?: string }
  ScenarioRun: { id: string; scenario: string; status: ('RUNNING' | 'DONE' | 'FAILED'); error?: string; steps: { step: string; says: string; now: string; failures: string[] }[] }
  SendInvoiceAnswer: { href: string; rel: string; method: string; links: Schemas['Link'][] }
  SendInvoiceInput: { subject?: string; note?: string; send_to_invoicer?: boolean; send_to_recipient?: boolean; additional_recipients?: string[] }
  ServiceDetails: { description?: string; service_started?: ('YES' | 'NO' | 'CANCELLED'); note?: string; sub_reasons?: ('DAMAGED' | 'DIFFERENT' | 'INCOMPLETE' | 'OTHER')[]; purchase_url?: string }
  Settings: { template_item_settings?: { field_name: ('ITEMS_QUANTITY' | 'ITEMS_DESCRIPTION' | 'ITEMS_DATE' | 'ITEMS_DISCOUNT' | 'ITEMS_TAX'); display_preference?: { hidden?: boolean } }[]; template_subtotal_settings?: { field_name: ('DISCOUNT' | 'SHIPPING' | 'CUSTOM'); display_preference?: { hidden?: boolean } }[] }
  ShippingInfo: { business_name?: string; name?: Schemas['Name']; address?: Schemas['Address'] }
  Snapshot: { name: string; create_time: string; now: string }
  Tax: { id?: string; name: string; percent: string; tax_note?: string; amount?: Schemas['Amount'] }
  TemplateInfo: { detail?: { reference?: string; currency_code: string; note?: string; terms_and_conditions?: string; term?: string; memo?: string; attachments?: Schemas['Attachments'][]; category_code?: string; payment_term?: { term_type?: string }; metadata?: { create_time?: string; created_by?: string; last_update_time?: string } }; invoicer?: Schemas['Invoicer']; primary_recipients?: Schemas['PrimaryRecipients'][]; additional_recipients?: string[]; items?: Schemas['Items'][]; configuration?: { tax_calculated_after_discount?: boolean; tax_inclusive?: boolean; allow_tip?: boolean; partial_payment?: Schemas['PartialPayment'] }; amount?: Schemas['InvoiceAmount']; due_amount?: Schemas['Amount'] }
  Thread: { id: string; cause: string; seq: number; last_seq: number; time: string; real_time: string; summary: string; trouble: boolean; happenings: Schemas['Happening'][] }
  TokenError: { error: string; error_description?: string }
  TrackingInfo: { carrier_name?: string; carrier_name_other?: string; tracking_number?: string; tracking_url?: string }
  Transaction: { id: string; items?: Schemas['TransactionItems'][]; status?: ('COMPLETED' | 'UNCLAIMED' | 'DENIED' | 'FAILED' | 'HELD' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'REVERSED' | 'CANCELED'); gross_amount?: Schemas['Money']; create_time?: string }
  TransactionInfo: { transaction_id: string; transaction_type: string; transaction_initiation_date: string; transaction_amount: Schemas['Money']; fee_amount?: Schemas['Money']; available_change?: Schemas['Money']; withheld_change?: Schemas['Money']; pending_change?: Schemas['Money']; payment_id?: string; refund_id?: string; dispute_id?: string; invoice_id?: string }
  TransactionItems: { id?: string; category?: ('COMPUTERS' | 'HOME' | 'JEWELRY' | 'ANTIQUES' | 'ENTERTAINMENT' | 'OTHER_TANGIBLES' | 'TRAVEL' | 'SERVICE' | 'PAYPAL' | 'VIRTUAL_GOODS' | 'OTHER_INTANGIBLES' | 'TICKETS'); description?: string; partner_transaction_id?: string; reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'); sub_reason?: ('INCOMPLETE_ORDER' | 'DAMAGED' | 'FAKE' | 'MATERIALLY_DIFFERENT' | 'UNUSABLE' | 'EXCESSIVE_SURCHARGE'); amount?: Schemas['Money']; note?: string }
  Transmission: { webhook_id: string; webhook_url: string; transmission_id: string; status: ('PENDING' | 'SUCCESS' | 'FAILURE'); timestamp: string; attempts: number; http_status?: number; reason_phrase?: string; response_headers?: { [name: string]: string }; duration?: number; error_message?: string; next_attempt_time?: string; links: Schemas['Link'][] }
  Transmissions: { webhook_id: string; webhook_url: string; transmission_id: string; status: ('PENDING' | 'SUCCESS' | 'FAILURE'); timestamp: string; attempts: number; http_status?: number; reason_phrase?: string; response_headers?: { [name: string]: string }; duration?: number; error_message?: string; next_attempt_time?: string; links: Schemas['Link'][]; event_id: string; event_type: string }
  UnitAmount: { currency_code: string; value: string }
  UpdateDisputeForm: { input?: Schemas['UpdateDisputeInput'][] }
  UpdateDisputeInput: { op: ('add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'); path: string; value?: unknown; from?: string }
  UpdateWebhookInput: { op: 'replace'; path: ('/url' | '/event_types'); value: (string | Schemas['EventTypes'][]) }
  Webhook: { id: string; url: string; event_types: Schemas['EventType'][]; status: ('ENABLED' | 'DISABLED'); signing_secret?: string; previous_secret_expire_time?: string; links: Schemas['Link'][] }
  WebhookEvent: { id: string; event_version: string; create_time: string; resource_type: string; resource_version?: string; event_type: string; summary: string; resource: { [name: string]: unknown }; status?: ('PENDING' | 'SUCCESS' | 'FAILURE'); transmissions?: Schemas['Transmission'][]; links: Schemas['Link'][] }
  WebhookLookup: { id: string; client_id: string; links: Schemas['Link'][] }
}

/** What every operation takes and answers. */
export interface Api {
  tokens: {
    /** Exchange client credentials for an access token. */
    create: { params: []; body: { grant_type?: string; scope?: string; client_id?: string; client_secret?: string; ignoreCache?: string }; answer: Schemas['AccessToken'] }
    /** End an access token before it expires. */
    terminate: { params: []; body: { token?: string; token_type_hint?: string; client_id?: string; client_secret?: string }; answer: undefined }
  }
  reporting: {
    /** Show what the account has, by currency. */
    listBalances: { params: []; query: { currency_code?: (string | number) }; answer: { account_id: string; as_of_time: string; balances: Schemas['Balance'][] } }
    /** List what moved money of the account, newest first. */
    listTransactions: { params: []; query: { start_date?: (string | number); end_date?: (string | number); page_size?: number; page_token?: (string | number) }; answer: { account_id: string; transaction_details: { transaction_info: Schemas['TransactionInfo'] }[]; links: Schemas['Link'][] } }
  }
  payments: {
    /** Show a payment. */
    showCapture: { params: [id: string]; answer: Schemas['Capture'] }
    /** Refund a payment, in full or in part. */
    refundCapture: { params: [id: string]; body?: { amount?: Schemas['Money']; invoice_id?: string; custom_id?: string; note_to_payer?: string }; answer: Schemas['Refund'] }
    /** Show a refund. */
    showRefund: { params: [id: string]; answer: Schemas['Refund'] }
  }
  sandbox: {
    /** Make a captured payment. */
    createTransaction: { params: []; body: { amount: Schemas['Money']; buyer_email?: string; seller_email?: string; items?: { item_id?: string; item_name?: string; item_description?: string; item_quantity?: string; item_type?: string }[]; invoice_number?: string; custom?: string }; answer: { buyer_transaction_id: string; seller_transaction_id: string; amount: Schemas['Money']; status: string; buyer: { email?: string; name?: string }; seller: { merchant_id: string; email?: string }; create_time: string; links: Schemas['Link'][] } }
    /** Pay an invoice as its recipient would. */
    payInvoice: { params: [id: string]; body?: { amount?: Schemas['Money']; tip?: Schemas['Money']; outcome?: ('COMPLETED' | 'PENDING' | 'DENIED' | 'REVERSED') }; answer: { invoice_id: string; invoice_status: string; outcome: string; order_id: string; payment_id?: string; buyer_transaction_id?: string } }
    /** Clear a pending payment, or deny it. */
    settleCapture: { params: [id: string]; body?: { outcome?: ('COMPLETED' | 'DENIED') }; answer: { id: string; status: string } }
    /** List what would have been mailed, newest first. */
    listMail: { params: []; query: { to?: (string | number); limit?: number; page?: number }; answer: { mails: Schemas['Mails'][]; has_more: boolean } }
    /** Show a mail: as it looks, its text, its links and attachments, and what it follows from. */
    showMail: { params: [id: string]; answer: Schemas['Mails'] }
    /** Show the clock of the sandbox. */
    showClock: { params: []; answer: Schemas['Clock'] }
    /** Move or stop the clock; everything that falls due on the way is done before the answer comes. */
    moveClock: { params: []; body: { advance?: string; to?: string; next?: boolean; freeze?: boolean }; answer: { now: string; frozen: boolean; fired: { work: string; at: string; key?: string }[]; next?: Schemas['Due'][]; unanswered?: { webhook_id: string; url: string; attempts: number }[] } }
    /** Forget everything but access tokens and keys, and start again with the seeded people. */
    reset: { params: []; body?: { keep?: 'webhooks'[] }; answer: Schemas['Clock'] }
    /** Let every access token expire now; they live on real time, whatever the clock of the sandbox says. */
    expireAccessTokens: { params: []; body?: { [name: string]: unknown }; answer: { expired: number } }
    /** List the states of the sandbox that were kept, oldest first. */
    listSnapshots: { params: []; answer: { snapshots: Schemas['Snapshot'][] } }
    /** Keep the present state of the sandbox under a name, in place of one of the same name. */
    saveSnapshot: { params: []; body: { name: string }; answer: Schemas['Snapshot'] }
    /** Go back to a state that was kept, its clock included; access tokens and keys stay as they are. */
    loadSnapshot: { params: [name: string]; body?: { [name: string]: unknown }; answer: Schemas['Snapshot'] }
    /** Delete a state that was kept. */
    deleteSnapshot: { params: [name: string]; answer: undefined }
    /** List the forks of the sandbox that run. */
    listForks: { params: []; answer: { forks: Schemas['Fork'][] } }
    /** Copy the sandbox and run the copy at an address of its own, for as long as this one runs. */
    createFork: { params: []; body?: { [name: string]: unknown }; answer: Schemas['Fork'] }
    /** End a fork and forget it. */
    deleteFork: { params: [name: string]; answer: undefined }
    /** List the requests the sandbox answered, newest first. */
    listRequests: { params: []; query: { status?: (string | number); failed?: boolean; operation?: (string | number); app?: (string | number); text?: (string | number); page_size?: number; page_token?: (string | number) }; answer: { requests: Schemas['LoggedRequest'][]; links: Schemas['Link'][] } }
    /** Show a request the sandbox answered, with what was sent and answered. */
    showRequest: { params: [debug_id: string]; answer: Schemas['LoggedRequestWithBodies'] }
    /** List the stories that can be played. */
    listScenarios: { params: []; answer: { scenarios: { name: string; title: string; about: string; steps: { step: string; says: string }[] }[] } }
    /** Play a story; its steps are read with the run. */
    runScenario: { params: [name: string]; body?: { until?: string; pause_seconds?: number; forward_to?: string }; answer: Schemas['ScenarioRun'] }
    /** Show how far a story got; with `after`, as soon as it got further. */
    showScenarioRun: { params: [id: string]; query: { after?: number }; answer: Schemas['ScenarioRun'] }
    /** List what happened in the sandbox under what led to it, newest first; or follow it. */
    listTimeline: { params: []; query: { kind?: (string | number); person?: (string | number); subject?: (string | number); trouble?: boolean; page_size?: number; page_token?: (string | number); after?: (string | number); wait?: number }; answer: { threads: Schemas['Thread'][]; seq: number; links: Schemas['Link'][] } }
    /** List what falls due, soonest first, and what it will do. */
    listDue: { params: []; query: { limit?: number; subject?: (string | number) }; answer: { now: string; due: Schemas['Due'][]; has_more: boolean } }
    /** Tell why something is as it is: requests, rules, timers, money, mails and attempts in the order of time. */
    explainIn: { params: [kind: string, id: string]; answer: Schemas['Explanation'] }
    /** List the faults of the sandbox and how often each came about. */
    listFaults: { params: []; answer: { faults: Schemas['Fault'][] } }
    /** Make requests or deliveries go wrong. */
    addFault: { params: []; body: Schemas['FaultRule']; answer: Schemas['Fault'] }
    /** Remove all faults. */
    clearFaults: { params: []; answer: undefined }
    /** Remove a fault. */
    removeFault: { params: [id: string]; answer: undefined }
  }
  invoices: {
    /** Create a draft invoice. */
    create: { params: []; body: { invoice_number?: string; detail: Schemas['Detail']; invoicer?: Schemas['Invoicer']; primary_recipients?: Schemas['PrimaryRecipients'][]; additional_recipients?: string[]; items?: Schemas['Items'][]; configuration?: Schemas['Configuration']; amount?: Schemas['InvoiceAmount'] }; answer: (Schemas['CreateInvoiceAnswer'] | Schemas['Invoice']) }
    /** List invoices, newest first. */
    list: { params: []; query: { page?: number; page_size?: number; total_required?: boolean; fields?: (string | number) }; answer: Schemas['ListInvoicesAnswer'] }
    /** Show an invoice. */
    show: { params: [invoice_id: string]; answer: Schemas['Invoice'] }
    /** Replace an invoice; what is left out is cleared. */
    update: { params: [invoice_id: string]; query: { send_to_recipient?: boolean; send_to_invoicer?: boolean }; body: { invoice_number?: string; detail: Schemas['Detail']; invoicer?: Schemas['Invoicer']; primary_recipients?: Schemas['PrimaryRecipients'][]; additional_recipients?: string[]; items?: Schemas['Items'][]; configuration?: Schemas['Configuration']; amount?: Schemas['InvoiceAmount']; send_to_recipient?: boolean; send_to_invoicer?: boolean }; answer: (Schemas['CreateInvoiceAnswer'] | Schemas['Invoice']) }
    /** Delete a draft or scheduled invoice. */
    delete: { params: [invoice_id: string]; answer: undefined }
    /** Send an invoice, or schedule it for its issue date. */
    send: { params: [invoice_id: string]; body?: Schemas['SendInvoiceInput']; answer: Schemas['SendInvoiceAnswer'] }
    /** Send a reminder about an unpaid invoice. */
    remind: { params: [invoice_id: string]; body?: Schemas['SendInvoiceInput']; answer: undefined }
    /** Cancel a sent invoice. */
    cancel: { params: [invoice_id: string]; body?: Schemas['SendInvoiceInput']; answer: undefined }
    /** Record a payment made outside the service. */
    recordPayment: { params: [invoice_id: string]; body: { method: ('BANK_TRANSFER' | 'CASH' | 'CHECK' | 'CREDIT_CARD' | 'DEBIT_CARD' | 'SERVICE' | 'PAYPAL' | 'WIRE_TRANSFER' | 'OTHER'); payment_date?: string; amount?: Schemas['UnitAmount']; note?: string; payment_id?: string; shipping_info?: Schemas['ShippingInfo'] }; answer: { payment_id: string } }
    /** Record a refund made outside the service. */
    recordRefund: { params: [invoice_id: string]; body: { method: ('BANK_TRANSFER' | 'CASH' | 'CHECK' | 'CREDIT_CARD' | 'DEBIT_CARD' | 'SERVICE' | 'PAYPAL' | 'WIRE_TRANSFER' | 'OTHER'); refund_date?: string; amount?: Schemas['UnitAmount'] }; answer: { refund_id: string } }
    /** Delete a recorded payment. */
    deletePayment: { params: [invoice_id: string, transaction_id: string]; answer: undefined }
    /** Delete a recorded refund. */
    deleteRefund: { params: [invoice_id: string, transaction_id: string]; answer: undefined }
    /** Draw the QR code that leads to the invoice. */
    generateQrCode: { params: [invoice_id: string]; body?: { width?: number; height?: number; action?: string }; answer: Uint8Array }
    /** Find invoices; everything given must match. */
    search: { params: []; query: { page?: number; page_size?: number; total_required?: boolean }; body?: { recipient_email?: string; recipient_first_name?: string; recipient_last_name?: string; recipient_business_name?: string; invoice_number?: string; status?: ('DRAFT' | 'SCHEDULED' | 'SENT' | 'PAYMENT_PENDING' | 'PARTIALLY_PAID' | 'PAID' | 'MARKED_AS_PAID' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'MARKED_AS_REFUNDED' | 'CANCELLED' | 'UNPAID' | 'AUTO_CANCELLED' | 'PAID_EXTERNAL' | 'REFUNDED_EXTERNAL' | 'SHARED')[]; reference?: string; currency_code?: string; memo?: string; item_description?: string; total_amount_range?: { lower_amount: Schemas['UnitAmount']; upper_amount: Schemas['UnitAmount'] }; invoice_date_range?: Schemas['InvoiceDateRange']; due_date_range?: Schemas['InvoiceDateRange']; payment_date_range?: { start: string; end: string }; creation_date_range?: { start: string; end: string }; archived?: boolean; fields?: string[] }; answer: Schemas['ListInvoicesAnswer'] }
    /** Say which invoice number comes next; it is not reserved. */
    generateNextNumber: { params: []; body?: { fetch_id?: boolean }; answer: { invoice_number?: string; invoice_id?: string } }
    /** Say which invoice number comes next; it is not reserved. */
    generateNextNumberByOldPath: { params: []; body?: { fetch_id?: boolean }; answer: { invoice_number?: string; invoice_id?: string } }
  }
  templates: {
    /** List templates with the merchant's business information. */
    list: { params: []; query: { page?: number; page_size?: number; fields?: (string | number) }; answer: { addresses: { address_line_1?: string; address_line_2?: string; admin_area_2?: string; admin_area_1?: string; postal_code?: string; country_code: string }[]; emails: string; phones: { country_code: string; national_number: string; phone_type?: string }[]; templates: Schemas['InvoiceTemplate'][]; links: Schemas['Link'][] } }
    /** Create a template; a merchant has at most 50. */
    create: { params: []; body: Schemas['CreateTemplateInput']; answer: (Schemas['CreateInvoiceAnswer'] | Schemas['InvoiceTemplate']) }
    /** Show a template. */
    show: { params: [template_id: string]; answer: Schemas['InvoiceTemplate'] }
    /** Replace a template; what is left out is cleared. */
    update: { params: [template_id: string]; body: Schemas['CreateTemplateInput']; answer: (Schemas['CreateInvoiceAnswer'] | Schemas['InvoiceTemplate']) }
    /** Delete a template; invoices made from it stay as they are. */
    delete: { params: [template_id: string]; answer: undefined }
  }
  disputes: {
    /** Ask which disputes a payment can have. */
    validateEligibility: { params: []; body: { encrypted_transaction_id?: string; dispute_id?: string }; answer: Schemas['DisputeEligibility'] }
    /** Count or add up disputes. */
    computeMetrics: { params: []; body: { dimension: ('STATUS' | 'REASON' | 'DISPUTE_OUTCOME' | 'DISPUTE_STATE'); measure: ('COUNT' | 'DISPUTE_AMOUNT_SUM' | 'TRANSACTION_AMOUNT_SUM' | 'REFUND_AMOUNT_SUM'); filter?: { email?: string; name?: string; reasons?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER')[]; statuses?: ('OPEN' | 'WAITING_FOR_BUYER_RESPONSE' | 'WAITING_FOR_SELLER_RESPONSE' | 'UNDER_REVIEW' | 'UNDER_PAYPAL_REVIEW' | 'RESOLVED' | 'OTHER')[]; create_time_before?: string; create_time_after?: string; update_time_before?: string; update_time_after?: string; response_due_date_before?: string; response_due_date_after?: string; dispute_amount_gte?: Schemas['Money']; dispute_amount_lte?: Schemas['Money'] } }; answer: Schemas['DisputeMetrics'] }
    /** Suggest what to search disputes for. */
    suggestSearches: { params: []; query: { search_text: (string | number); search_field?: ('NAME' | 'EMAIL' | 'DISPUTE_ID' | 'DISPUTED_TRANSACTION_ID' | 'INVOICE_NUMBER' | 'ALL') }; answer: { suggestions: string[]; links: Schemas['Link'][] } }
    /** List disputes. */
    list: { params: []; query: { start_time?: (string | number); disputed_transaction_id?: (string | number); page?: number; page_size?: (string | number); next_page_token?: (string | number); dispute_state?: (string | number); create_time_before?: (string | number); create_time_after?: (string | number); update_time_before?: (string | number); update_time_after?: (string | number); total_required?: boolean; fields?: ('summary' | 'all'); statuses?: (string | number); reasons?: (string | number); dispute_channel?: (string | number); dispute_life_cycle_stage?: (string | number); dispute_flows?: (string | number); dispute_currency?: (string | number); dispute_amount_gte?: (string | number); dispute_amount_lte?: (string | number); response_due_date_before?: (string | number); response_due_date_after?: (string | number); invoice_number?: (string | number); email?: (string | number); name?: (string | number); search_text?: (string | number); account_number?: (string | number); sort_by?: ('CREATE_TIME' | 'UPDATE_TIME' | 'RESPONSE_DUE_DATE'); sort_order?: ('asc' | 'desc') }; answer: Schemas['DisputeList'] }
    /** Open a dispute on a payment. */
    create: { params: []; body: Schemas['CreateDisputeInput']; answer: Schemas['DisputeLinks'] }
    /** Show a dispute. */
    show: { params: [id: string]; answer: Schemas['Dispute'] }
    /** Change parts of a dispute. */
    update: { params: [id: string]; body: Schemas['UpdateDisputeInput'][]; answer: Schemas['DisputeLinks'] | undefined }
    /** Provide evidence. */
    provideEvidence: { params: [id: string]; body?: Schemas['DisputeProvideEvidenceInput']; answer: Schemas['DisputeLinks'] }
    /** Appeal the decision. */
    appeal: { params: [id: string]; body?: Schemas['DisputeProvideEvidenceInput']; answer: Schemas['DisputeLinks'] }
    /** Accept the claim. */
    acceptClaim: { params: [id: string]; body: Schemas['DisputeAcceptClaimInput']; answer: Schemas['DisputeLinks'] }
    /** Settle the dispute as an agent would. */
    adjudicate: { params: [id: string]; body: { adjudication_outcome: ('BUYER_FAVOR' | 'SELLER_FAVOR') }; answer: Schemas['DisputeLinks'] }
    /** Ask a party for evidence as an agent would. */
    requireEvidence: { params: [id: string]; body: { action: ('BUYER_EVIDENCE' | 'SELLER_EVIDENCE') }; answer: Schemas['DisputeLinks'] }
    /** Escalate the inquiry to a claim. */
    escalate: { params: [id: string]; body?: Schemas['DisputeEscalateInput']; answer: Schemas['DisputeLinks'] }
    /** Send a message to the other party. */
    sendMessage: { params: [id: string]; body: { message: string }; answer: Schemas['DisputeLinks'] }
    /** Make an offer to the buyer. */
    makeOffer: { params: [id: string]; body: Schemas['DisputeMakeOfferInput']; answer: Schemas['DisputeLinks'] }
    /** Accept the offer. */
    acceptOffer: { params: [id: string]; body?: { note?: string }; answer: Schemas['DisputeLinks'] }
    /** Deny the offer. */
    denyOffer: { params: [id: string]; body: { note: string }; answer: Schemas['DisputeLinks'] }
    /** Acknowledge the returned item. */
    acknowledgeReturnItem: { params: [id: string]; body?: Schemas['DisputeAcknowledgeReturnItemInput']; answer: Schemas['DisputeLinks'] }
    /** Provide supporting information. */
    provideSupportingInfo: { params: [id: string]; body: { notes: string }; answer: Schemas['DisputeLinks'] }
    /** Cancel the dispute. */
    cancel: { params: [id: string]; body?: Schemas['DisputeCancelInput']; answer: Schemas['DisputeLinks'] }
    /** Change the reason of the dispute. */
    changeReason: { params: [id: string]; body: Schemas['DisputeChangeReasonInput']; answer: Schemas['DisputeLinks'] }
    /** Change the reason of the dispute. */
    changeReasonOldName: { params: [id: string]; body: Schemas['DisputeChangeReasonInput']; answer: Schemas['DisputeLinks'] }
    /** Download a document of a dispute. */
    downloadDocument: { params: [document_id: string, n: string]; answer: Uint8Array }
    /** Show how an accepted request went. */
    showRequest: { params: [id: string]; answer: { id: string; status: ('PENDING' | 'COMPLETED' | 'FAILED') } }
    /** Say how a refund should be paid. */
    provideRefundPreference: { params: [id: string]; body: Schemas['ProvideRefundPreferenceInput']; answer: Schemas['DisputeLinks'] }
    /** Ask for compensation of the return postage. */
    requestReturnCompensation: { params: [id: string]; body: Schemas['RequestReturnCompensationInput']; answer: Schemas['DisputeLinks'] }
    /** Show the compensation of the return postage. */
    showReturnCompensation: { params: [id: string]; answer: { status: ('REQUESTED' | 'PAID' | 'DENIED'); amount: Schemas['Money']; create_time: string } }
    /** Pay or deny the compensation of return postage. */
    answerReturnCompensation: { params: [id: string]; body: { decision: ('PAY' | 'DENY') }; answer: Schemas['DisputeLinks'] }
    /** Show a partner action. */
    showPartnerAction: { params: [id: string, action_id: string]; answer: Schemas['PartnerAction'] }
    /** Change the status or amount of a partner action. */
    updatePartnerAction: { params: [id: string, action_id: string]; body: Schemas['UpdateDisputeInput'][]; answer: Schemas['DisputeLinks'] | undefined }
    /** Simulate a chargeback by a bank or card network. */
    simulateChargeback: { params: []; body: { adjacency?: string; file_layout?: string; merchant_id?: string; financial_institution?: { processor?: string }; transaction: { id_enc: string; amount?: Schemas['Money'] }; instrument?: { instrument_type?: string; card_brand?: string; credit_card_transaction_id?: string; external?: unknown }; dispute: { id?: string; stage?: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION'); response_date?: string; status?: string; amount?: Schemas['Money']; receive_date?: string; event_code?: string; money_movement_date?: string; event_type?: string; chargeback_type?: string; processor_info?: { reference_number?: string; reason_code?: string; notes?: string } } }; answer: { dispute_id: string } }
    /** Receive an event about a dispute of another system. */
    receiveEvent: { params: []; body: { specversion: '1.0'; id: string; type: string; source: string; datacontenttype: 'application/json'; time?: string; subject?: string; dataschema?: string; data: { dispute_id?: string; amount?: Schemas['Money']; notes?: string; disputed_transactions?: { reference_id?: string; items?: { [name: string]: unknown }[] }[]; create_time?: string; reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' | 'UNAUTHORISED' | 'CREDIT_NOT_PROCESSED' | 'DUPLICATE_TRANSACTION' | 'INCORRECT_AMOUNT' | 'PAYMENT_BY_OTHER_MEANS' | 'CANCELED_RECURRING_BILLING' | 'PROBLEM_WITH_REMITTANCE' | 'OTHER'); external_reason_code?: string; response_due_date?: string; dispute_outcome?: unknown; dispute_life_cycle_stage?: ('INQUIRY' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION'); dispute_channel?: ('INTERNAL' | 'EXTERNAL' | 'ALERT'); dispute_extensions?: { [name: string]: unknown }; event_extensions?: { [name: string]: unknown }; event_channel?: ('RESOLUTION_CENTER' | 'FRONT_OFFICE' | 'BACK_OFFICE' | 'CRM_TOOL') } }; answer: undefined }
  }
  referredDisputes: {
    /** Refer a dispute that another marketplace decides. */
    refer: { params: []; body: { transaction: Schemas['Transaction']; reference_dispute: Schemas['ReferenceDisputes']; dispute_flow?: ('THIRD_PARTY_CLAIM' | 'THIRD_PARTY_DISPUTE'); reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'); sub_reason?: ('INCOMPLETE_ORDER' | 'DAMAGED' | 'FAKE' | 'MATERIALLY_DIFFERENT' | 'UNUSABLE' | 'EXCESSIVE_SURCHARGE'); evidences?: Schemas['Evidences'][]; messages?: Schemas['Messages'][]; extensions?: Schemas['Extensions'] }; answer: Schemas['DisputeLinks'] }
    /** List referred disputes. */
    list: { params: []; query: { create_time_after: (string | number); create_time_before: (string | number); page_size?: number; page_token?: (string | number); status?: ('OPEN' | 'CLOSED'); dispute_flows?: (string | number) }; answer: { items: { [name: string]: unknown }[]; total_items: number; total_pages: number; links: Schemas['Link'][] } }
    /** Show a referred dispute. */
    show: { params: [id: string]; answer: Schemas['ReferredDispute'] }
    /** Tell of a refund in a referred dispute. */
    processRefund: { params: [id: string]; body: Schemas['RefundInfo']; answer: Schemas['DisputeLinks'] }
    /** Tell of the decision in a referred dispute. */
    processAdjudication: { params: [id: string]; body: { dispute_amount?: Schemas['Money']; items?: Schemas['TransactionItems'][]; outcome: Schemas['Outcome']; extensions?: Schemas['Extensions']; evidences?: Schemas['Evidences'][]; dispute_reason?: ('MERCHANDISE_OR_SERVICE_NOT_RECEIVED' | 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'); closure_reason?: string; messages?: Schemas['Messages'][] }; answer: Schemas['DisputeLinks'] }
    /** Ask whether a dispute can be referred. */
    validateEligibility: { params: []; body: { transaction_id: string; disputed_items?: { id?: string; category?: ('COMPUTERS' | 'HOME' | 'JEWELRY' | 'ANTIQUES' | 'ENTERTAINMENT' | 'OTHER_TANGIBLES' | 'TRAVEL' | 'SERVICE' | 'PAYPAL' | 'VIRTUAL_GOODS' | 'OTHER_INTANGIBLES' | 'TICKETS') }[] }; answer: { eligible: boolean; ineligibility_reason?: string } }
  }
  webhooks: {
    /** Subscribe an address to events. */
    create: { params: []; body: { url: string; event_types: Schemas['EventTypes'][] }; answer: Schemas['Webhook'] }
    /** List webhooks. */
    list: { params: []; query: { anchor_type?: ('APPLICATION' | 'ACCOUNT') }; answer: { webhooks: Schemas['Webhook'][] } }
    /** Show a webhook. */
    show: { params: [webhook_id: string]; answer: Schemas['Webhook'] }
    /** Change the address or the events of a webhook. */
    update: { params: [webhook_id: string]; body: Schemas['UpdateWebhookInput'][]; answer: Schemas['Webhook'] }
    /** Delete a webhook; what was under way to it is dropped. */
    delete: { params: [webhook_id: string]; answer: undefined }
    /** List the events a webhook is subscribed to. */
    listEventTypesOf: { params: [webhook_id: string]; answer: { event_types: Schemas['EventType'][] } }
    /** Replace the signing secret; for a while both sign. */
    rotateSecret: { params: [webhook_id: string]; body?: { overlap_seconds?: number }; answer: Schemas['Webhook'] }
    /** Send events to a webhook again. */
    enable: { params: [webhook_id: string]; body?: { [name: string]: unknown }; answer: Schemas['Webhook'] }
    /** Stop sending events to a webhook; they are kept for a replay. */
    disable: { params: [webhook_id: string]; body?: { [name: string]: unknown }; answer: Schemas['Webhook'] }
    /** Let this app hear of events of its account that no app caused. */
    createLookup: { params: []; body?: { [name: string]: unknown }; answer: Schemas['WebhookLookup'] }
    /** List webhook lookups. */
    listLookups: { params: []; answer: { webhooks_lookups: Schemas['WebhookLookup'][] } }
    /** Show a webhook lookup. */
    showLookup: { params: [webhook_lookup_id: string]; answer: Schemas['WebhookLookup'] }
    /** Delete a webhook lookup. */
    deleteLookup: { params: [webhook_lookup_id: string]; answer: undefined }
    /** List every event there is. */
    listEventTypes: { params: []; answer: { event_types: Schemas['EventType'][] } }
    /** List events of this app, newest first. */
    listEvents: { params: []; query: { page_size?: number; start_time?: (string | number); end_time?: (string | number); move_to?: ('next' | 'previous'); index_time?: (string | number); index_id?: (string | number); transaction_id?: (string | number); event_type?: (string | number) }; answer: { events: Schemas['WebhookEvent'][]; count: number; links: Schemas['Link'][] } }
    /** Show an event and its transmissions. */
    showEvent: { params: [event_id: string]; answer: Schemas['WebhookEvent'] }
    /** Send an event again. */
    resendEvent: { params: [event_id: string]; body?: { webhook_ids?: string[] }; answer: Schemas['WebhookEvent'] }
    /** Send a made-up event, signed and stored like a real one. */
    simulateEvent: { params: []; body: { event_type: string; webhook_id?: string; url?: string; resource_version?: string; resource?: { [name: string]: unknown } }; answer: { id: string; event_version: string; create_time: string; resource_type: string; resource_version?: string; event_type: string; summary: string; resource: { [name: string]: unknown }; status?: ('PENDING' | 'SUCCESS' | 'FAILURE'); transmissions?: Schemas['Transmission'][]; links: Schemas['Link'][]; signing_secret?: string } }
    /** Tell whether a delivery is ours. */
    verifySignature: { params: []; body: { auth_algo: string; cert_url: string; transmission_id: string; transmission_sig: string; transmission_time: string; webhook_id: string; webhook_event: { [name: string]: unknown } }; answer: { verification_status: ('SUCCESS' | 'FAILURE') } }
    /** Get the certificate that deliveries are signed with. */
    showCertificate: { params: [cert_id: string]; answer: string }
    /** List transmissions, newest first, for example those that failed. */
    listTransmissions: { params: []; query: { page_size?: number; start_time?: (string | number); end_time?: (string | number); move_to?: ('next' | 'previous'); index_time?: (string | number); index_id?: (string | number); webhook_id?: (string | number); status?: ('PENDING' | 'RETRYING' | 'SUCCESS' | 'FAILURE') }; answer: { transmissions: Schemas['Transmissions'][]; count: number; links: Schemas['Link'][] } }
    /** Show a transmission with every attempt. */
    showTransmission: { params: [transmission_id: string]; answer: { webhook_id: string; webhook_url: string; transmission_id: string; status: ('PENDING' | 'SUCCESS' | 'FAILURE'); timestamp: string; attempts: number; http_status?: number; reason_phrase?: string; response_headers?: { [name: string]: string }; duration?: number; error_message?: string; next_attempt_time?: string; links: Schemas['Link'][]; event_id: string; event_type: string; cause?: string; attempt_log: Schemas['DeliveryAttempt'][] } }
    /** Attempt a transmission now, also one that has failed for good. */
    attemptTransmission: { params: [transmission_id: string]; body?: { [name: string]: unknown }; answer: Schemas['Transmissions'] }
    /** Send the events of a span of time to a webhook again. */
    replayEvents: { params: [webhook_id: string]; body: { start_time: string; end_time: string; include?: ('FAILED' | 'ALL') }; answer: { replayed: number } }
  }
  pages: {
    /** Find the page of an invoice by the code in its link. */
    openInvoicePage: { params: []; query: { code?: (string | number); lang?: (string | number) }; answer: string }
    /** Show the page on which the recipient of an invoice reads and pays it. */
    showInvoicePage: { params: [code: string]; query: { lang?: (string | number); attempt?: (string | number) }; answer: string }
    /** Show the seller what the recipient of an invoice reads, and which calls it takes now. */
    showInvoiceDetailsPage: { params: [id: string]; query: { lang?: (string | number) }; answer: string }
    /** Show an invoice as a PDF. */
    showInvoicePdf: { params: [code: string]; query: { lang?: (string | number) }; answer: Uint8Array }
    /** Show our copy of the logo on an invoice. */
    showInvoiceLogo: { params: [code: string]; query: { v?: (string | number) }; answer: Uint8Array }
    /** Style and script of the pages. */
    showPageAsset: { params: [name: string]; answer: Uint8Array }
    /** Fonts of the pages. */
    showPageFont: { params: [name: string]; answer: Uint8Array }
    /** Show what is about to be paid. */
    showPaymentSheet: { params: [code: string]; query: { amount?: (string | number); tip?: (string | number); lang?: (string | number) }; answer: string }
    /** Pay an invoice from its page. */
    payInvoice: { params: [code: string]; body: { token: string; amount?: string; tip?: string; lang?: string; outcome?: ('COMPLETED' | 'PENDING' | 'DENIED') }; answer: undefined }
    /** Show how a payment is getting on. */
    showPaymentUnderWay: { params: [code: string, attempt: string]; query: { lang?: (string | number) }; answer: string }
    /** Show the form that reports a problem with a payment. */
    showProblemForm: { params: [code: string]; query: { lang?: (string | number) }; answer: string }
    /** Report a problem with a payment. */
    reportProblem: { params: [code: string]; body: Schemas['ReportProblemInput']; answer: undefined }
    /** Show a reported problem to the payer who holds its private link. */
    showProblem: { params: [key: string]; query: { lang?: (string | number) }; answer: string }
    /** Write, answer an offer or add evidence to a reported problem. */
    actOnProblem: { params: [key: string, action: string]; body: Schemas['ActOnProblemInput']; answer: undefined }
  }
  gateway: {
    /** Hear from the payment gateway what became of a charge. */
    callback: { params: []; body: { charge_id: string; status: ('COMPLETED' | 'PENDING' | 'DENIED' | 'ACTION_REQUIRED'); reference?: string; redirect_url?: string }; answer: undefined }
  }
  operator: {
    /** List who did what, newest first. */
    listAuditLog: { params: []; query: { account_id?: (string | number); actor?: (string | number); resource_id?: (string | number); cause?: (string | number); start_time?: (string | number); page_size?: number; page_token?: (string | number) }; answer: { entries: Schemas['AuditEntry'][]; links: Schemas['Link'][] } }
  }
  service: {
    /** Tell that the process answers. */
    showHealth: { params: []; answer: { status: string; reasons?: string[] } }
    /** Tell whether requests should be sent here: database, schema, disk, not shutting down. */
    showReadiness: { params: []; answer: { status: string; reasons?: string[] } }
    /** Figures for Prometheus. */
    showMetrics: { params: []; answer: string }
    /** This API as an OpenAPI 3.1 document. */
    showOpenApi: { params: []; answer: { [name: string]: unknown } }
    /** This API as a page to read. */
    showReference: { params: []; answer: string }
  }
}

/** How every operation is called. */
export const operations = {
  tokens: {
    create: { call: 'POST /v1/oauth2/token', body: 'form', open: true },
    terminate: { call: 'POST /v1/oauth2/token/terminate', body: 'form', open: true, answer: 'nothing' },
  },
  reporting: {
    listBalances: { call: 'GET /v1/reporting/balances', query: true, list: 'balances' },
    listTransactions: { call: 'GET /v1/reporting/transactions', query: true, list: 'transaction_details' },
  },
  payments: {
    showCapture: { call: 'GET /v2/payments/captures/{id}' },
    refundCapture: { call: 'POST /v2/payments/captures/{id}/refund', body: 'json', once: true },
    showRefund: { call: 'GET /v2/payments/refunds/{id}' },
  },
  sandbox: {
    createTransaction: { call: 'POST /sandbox/transactions', body: 'json', open: true },
    payInvoice: { call: 'POST /sandbox/invoices/{id}/pay', body: 'json', open: true },
    settleCapture: { call: 'POST /sandbox/captures/{id}/settle', body: 'json', open: true },
    listMail: { call: 'GET /sandbox/mail', query: true, open: true, list: 'mails', numbered: true },
    showMail: { call: 'GET /sandbox/mail/{id}', open: true },
    showClock: { call: 'GET /sandbox/clock', open: true },
    moveClock: { call: 'POST /sandbox/clock', body: 'json', open: true },
    reset: { call: 'POST /sandbox/reset', body: 'json', open: true },
    expireAccessTokens: { call: 'POST /sandbox/tokens/expire', body: 'json', open: true },
    listSnapshots: { call: 'GET /sandbox/snapshots', open: true, list: 'snapshots' },
    saveSnapshot: { call: 'POST /sandbox/snapshots', body: 'json', open: true },
    loadSnapshot: { call: 'POST /sandbox/snapshots/{name}/load', body: 'json', open: true },
    deleteSnapshot: { call: 'DELETE /sandbox/snapshots/{name}', open: true, answer: 'nothing' },
    listForks: { call: 'GET /sandbox/forks', open: true, list: 'forks' },
    createFork: { call: 'POST /sandbox/forks', body: 'json', open: true },
    deleteFork: { call: 'DELETE /sandbox/forks/{name}', open: true, answer: 'nothing' },
    listRequests: { call: 'GET /sandbox/requests', query: true, open: true, list: 'requests' },
    showRequest: { call: 'GET /sandbox/requests/{debug_id}', open: true },
    listScenarios: { call: 'GET /sandbox/scenarios', open: true, list: 'scenarios' },
    runScenario: { call: 'POST /sandbox/scenarios/{name}/run', body: 'json', open: true },
    showScenarioRun: { call: 'GET /sandbox/scenario-runs/{id}', query: true, open: true },
    listTimeline: { call: 'GET /sandbox/timeline', query: true, open: true, list: 'threads' },
    listDue: { call: 'GET /sandbox/due', query: true, open: true, list: 'due' },
    explainIn: { call: 'GET /sandbox/explain/{kind}/{id}', open: true },
    listFaults: { call: 'GET /sandbox/faults', open: true, list: 'faults' },
    addFault: { call: 'POST /sandbox/faults', body: 'json', open: true },
    clearFaults: { call: 'DELETE /sandbox/faults', open: true, answer: 'nothing' },
    removeFault: { call: 'DELETE /sandbox/faults/{id}', open: true, answer: 'nothing' },
  },
  invoices: {
    create: { call: 'POST /v2/invoicing/invoices', body: 'json', once: true },
    list: { call: 'GET /v2/invoicing/invoices', query: true, list: 'items', numbered: true },
    show: { call: 'GET /v2/invoicing/invoices/{invoice_id}' },
    update: { call: 'PUT /v2/invoicing/invoices/{invoice_id}', body: 'json' },
    delete: { call: 'DELETE /v2/invoicing/invoices/{invoice_id}', answer: 'nothing' },
    send: { call: 'POST /v2/invoicing/invoices/{invoice_id}/send', body: 'json', once: true },
    remind: { call: 'POST /v2/invoicing/invoices/{invoice_id}/remind', body: 'json', once: true, answer: 'nothing' },
    cancel: { call: 'POST /v2/invoicing/invoices/{invoice_id}/cancel', body: 'json', once: true, answer: 'nothing' },
    recordPayment: { call: 'POST /v2/invoicing/invoices/{invoice_id}/payments', body: 'json', once: true },
    recordRefund: { call: 'POST /v2/invoicing/invoices/{invoice_id}/refunds', body: 'json', once: true },
    deletePayment: { call: 'DELETE /v2/invoicing/invoices/{invoice_id}/payments/{transaction_id}', answer: 'nothing' },
    deleteRefund: { call: 'DELETE /v2/invoicing/invoices/{invoice_id}/refunds/{transaction_id}', answer: 'nothing' },
    generateQrCode: { call: 'POST /v2/invoicing/invoices/{invoice_id}/generate-qr-code', body: 'json', answer: 'bytes' },
    search: { call: 'POST /v2/invoicing/search-invoices', body: 'json', list: 'items', numbered: true },
    generateNextNumber: { call: 'POST /v2/invoicing/generate-next-invoice-number', body: 'json', once: true },
    generateNextNumberByOldPath: { call: 'POST /v2/invoicing/invoices/generate-next-invoice-number', body: 'json', once: true },
  },
  templates: {
    list: { call: 'GET /v2/invoicing/templates', query: true, list: 'templates', numbered: true },
    create: { call: 'POST /v2/invoicing/templates', body: 'json', once: true },
    show: { call: 'GET /v2/invoicing/templates/{template_id}' },
    update: { call: 'PUT /v2/invoicing/templates/{template_id}', body: 'json' },
    delete: { call: 'DELETE /v2/invoicing/templates/{template_id}', answer: 'nothing' },
  },
  disputes: {
    validateEligibility: { call: 'POST /v1/customer/disputes/validate-eligibility', body: 'json' },
    computeMetrics: { call: 'POST /v1/customer/disputes/compute-metrics', body: 'json' },
    suggestSearches: { call: 'GET /v1/customer/disputes/search-suggestions', query: true },
    list: { call: 'GET /v1/customer/disputes', query: true, list: 'items', numbered: true },
    create: { call: 'POST /v1/customer/disputes', body: 'json and files', once: true },
    show: { call: 'GET /v1/customer/disputes/{id}' },
    update: { call: 'PATCH /v1/customer/disputes/{id}', body: 'json and files' },
    provideEvidence: { call: 'POST /v1/customer/disputes/{id}/provide-evidence', body: 'json and files', once: true },
    appeal: { call: 'POST /v1/customer/disputes/{id}/appeal', body: 'json and files', once: true },
    acceptClaim: { call: 'POST /v1/customer/disputes/{id}/accept-claim', body: 'json and files', once: true },
    adjudicate: { call: 'POST /v1/customer/disputes/{id}/adjudicate', body: 'json and files', once: true },
    requireEvidence: { call: 'POST /v1/customer/disputes/{id}/require-evidence', body: 'json and files', once: true },
    escalate: { call: 'POST /v1/customer/disputes/{id}/escalate', body: 'json and files', once: true },
    sendMessage: { call: 'POST /v1/customer/disputes/{id}/send-message', body: 'json and files', once: true },
    makeOffer: { call: 'POST /v1/customer/disputes/{id}/make-offer', body: 'json and files', once: true },
    acceptOffer: { call: 'POST /v1/customer/disputes/{id}/accept-offer', body: 'json and files', once: true },
    denyOffer: { call: 'POST /v1/customer/disputes/{id}/deny-offer', body: 'json and files', once: true },
    acknowledgeReturnItem: { call: 'POST /v1/customer/disputes/{id}/acknowledge-return-item', body: 'json and files', once: true },
    provideSupportingInfo: { call: 'POST /v1/customer/disputes/{id}/provide-supporting-info', body: 'json and files', once: true },
    cancel: { call: 'POST /v1/customer/disputes/{id}/cancel', body: 'json and files', once: true },
    changeReason: { call: 'POST /v1/customer/disputes/{id}/change-reason', body: 'json and files', once: true },
    changeReasonOldName: { call: 'POST /v1/customer/disputes/{id}/changeReason', body: 'json and files', once: true },
    downloadDocument: { call: 'GET /v2/content/documents/{document_id}/files/{n}/download', answer: 'bytes' },
    showRequest: { call: 'GET /v1/apis/requests/{id}' },
    provideRefundPreference: { call: 'POST /v1/customer/disputes/{id}/provide-refund-preference', body: 'json and files', once: true },
    requestReturnCompensation: { call: 'POST /v1/customer/disputes/{id}/return-compensation', body: 'json and files', once: true },
    showReturnCompensation: { call: 'GET /v1/customer/disputes/{id}/return-compensation' },
    answerReturnCompensation: { call: 'POST /v1/customer/disputes/{id}/return-compensation/answer', body: 'json and files', once: true },
    showPartnerAction: { call: 'GET /v1/customer/disputes/{id}/partner-actions/{action_id}' },
    updatePartnerAction: { call: 'PATCH /v1/customer/disputes/{id}/partner-actions/{action_id}', body: 'json' },
    simulateChargeback: { call: 'POST /v2/customer-support/process-chargeback', body: 'json', once: true },
    receiveEvent: { call: 'POST /v1/customer/dispute-events', body: 'json', once: true, answer: 'nothing' },
  },
  referredDisputes: {
    refer: { call: 'POST /v1/customer/referred-disputes', body: 'json', once: true },
    list: { call: 'GET /v1/customer/referred-disputes', query: true, list: 'items' },
    show: { call: 'GET /v1/customer/referred-disputes/{id}' },
    processRefund: { call: 'POST /v1/customer/referred-disputes/{id}/process-refund-event', body: 'json', once: true },
    processAdjudication: { call: 'POST /v1/customer/referred-disputes/{id}/process-adjudication-event', body: 'json', once: true },
    validateEligibility: { call: 'POST /v1/customer/validate-referred-dispute-eligibility', body: 'json' },
  },
  webhooks: {
    create: { call: 'POST /v1/notifications/webhooks', body: 'json', once: true },
    list: { call: 'GET /v1/notifications/webhooks', query: true, list: 'webhooks' },
    show: { call: 'GET /v1/notifications/webhooks/{webhook_id}' },
    update: { call: 'PATCH /v1/notifications/webhooks/{webhook_id}', body: 'json' },
    delete: { call: 'DELETE /v1/notifications/webhooks/{webhook_id}', answer: 'nothing' },
    listEventTypesOf: { call: 'GET /v1/notifications/webhooks/{webhook_id}/event-types', list: 'event_types' },
    rotateSecret: { call: 'POST /v1/notifications/webhooks/{webhook_id}/rotate-secret', body: 'json', once: true },
    enable: { call: 'POST /v1/notifications/webhooks/{webhook_id}/enable', body: 'json', once: true },
    disable: { call: 'POST /v1/notifications/webhooks/{webhook_id}/disable', body: 'json', once: true },
    createLookup: { call: 'POST /v1/notifications/webhooks-lookup', body: 'json', once: true },
    listLookups: { call: 'GET /v1/notifications/webhooks-lookup', list: 'webhooks_lookups' },
    showLookup: { call: 'GET /v1/notifications/webhooks-lookup/{webhook_lookup_id}' },
    deleteLookup: { call: 'DELETE /v1/notifications/webhooks-lookup/{webhook_lookup_id}', answer: 'nothing' },
    listEventTypes: { call: 'GET /v1/notifications/webhooks-event-types', list: 'event_types' },
    listEvents: { call: 'GET /v1/notifications/webhooks-events', query: true, list: 'events' },
    showEvent: { call: 'GET /v1/notifications/webhooks-events/{event_id}' },
    resendEvent: { call: 'POST /v1/notifications/webhooks-events/{event_id}/resend', body: 'json', once: true },
    simulateEvent: { call: 'POST /v1/notifications/simulate-event', body: 'json', once: true },
    verifySignature: { call: 'POST /v1/notifications/verify-webhook-signature', body: 'json' },
    showCertificate: { call: 'GET /v1/notifications/certs/{cert_id}', open: true, answer: 'text' },
    listTransmissions: { call: 'GET /v1/notifications/webhooks-transmissions', query: true, list: 'transmissions' },
    showTransmission: { call: 'GET /v1/notifications/webhooks-transmissions/{transmission_id}' },
    attemptTransmission: { call: 'POST /v1/notifications/webhooks-transmissions/{transmission_id}/attempt', body: 'json', once: true },
    replayEvents: { call: 'POST /v1/notifications/webhooks/{webhook_id}/replay', body: 'json', once: true },
  },
  pages: {
    openInvoicePage: { call: 'GET /invoice/p', query: true, open: true, answer: 'text' },
    showInvoicePage: { call: 'GET /invoice/p/{code}', query: true, open: true, answer: 'text' },
    showInvoiceDetailsPage: { call: 'GET /invoice/details/{id}', query: true, open: true, answer: 'text' },
    showInvoicePdf: { call: 'GET /invoice/p/{code}/pdf', query: true, open: true, answer: 'bytes' },
    showInvoiceLogo: { call: 'GET /invoice/p/{code}/logo', query: true, open: true, answer: 'bytes' },
    showPageAsset: { call: 'GET /invoice/assets/{name}', open: true, answer: 'bytes' },
    showPageFont: { call: 'GET /invoice/assets/fonts/{name}', open: true, answer: 'bytes' },
    showPaymentSheet: { call: 'GET /invoice/p/{code}/pay', query: true, open: true, answer: 'text' },
    payInvoice: { call: 'POST /invoice/p/{code}/pay', body: 'form', open: true, answer: 'nothing' },
    showPaymentUnderWay: { call: 'GET /invoice/p/{code}/paying/{attempt}', query: true, open: true, answer: 'text' },
    showProblemForm: { call: 'GET /invoice/p/{code}/problem', query: true, open: true, answer: 'text' },
    reportProblem: { call: 'POST /invoice/p/{code}/problem', body: 'form and files', open: true, answer: 'nothing' },
    showProblem: { call: 'GET /invoice/problem/{key}', query: true, open: true, answer: 'text' },
    actOnProblem: { call: 'POST /invoice/problem/{key}/{action}', body: 'form and files', open: true, answer: 'nothing' },
  },
  gateway: {
    callback: { call: 'POST /gateway/callback', body: 'json', open: true, answer: 'nothing' },
  },
  operator: {
    listAuditLog: { call: 'GET /v1/operator/audit', query: true, list: 'entries' },
  },
  service: {
    showHealth: { call: 'GET /healthz', open: true },
    showReadiness: { call: 'GET /readyz', open: true },
    showMetrics: { call: 'GET /metrics', open: true, answer: 'text' },
    showOpenApi: { call: 'GET /openapi.json', open: true },
    showReference: { call: 'GET /docs', open: true, answer: 'text' },
  },
} as const
