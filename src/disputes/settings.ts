import { flag, oneOf, setting, whole } from '../config.ts'
import { isSound, type Money, normalise } from '../kernel/money.ts'

type Fees = Readonly<Record<string, Money>>

/** Reads `USD:15.00,EUR:14.00`; undefined when one of them is no amount of its currency. */
function readFees(text: string): Fees | undefined {
  const fees = text
    .split(',')
    .filter((part) => part !== '')
    .map((pair) => {
      const [, currency_code = '', value = ''] = /^([A-Z]{3}):(\d{1,6}(?:\.\d{1,3})?)$/.exec(pair) ?? []
      return { currency_code, value }
    })
  return fees.every(isSound) ? Object.fromEntries(fees.map((fee) => [fee.currency_code, normalise(fee)])) : undefined
}

const fees = (initialText: string) => ({
  form: 'amounts such as `USD:15.00,EUR:14.00`',
  initial: readFees(initialText)!,
  initialText: `\`${initialText}\``,
  read: readFees,
})

/** Where the contract leaves a choice, and what a lost dispute costs. */
export const disputeSettings = {
  disputeTriageTarget: setting<'SELLER' | 'REVIEW'>({
    variable: 'DISPUTE_TRIAGE_TARGET',
    initial: 'SELLER',
    ...oneOf(['SELLER', 'REVIEW']),
    description: 'Where a new dispute goes first: to the seller, or to the agents for review.',
  }),
  disputeTriageDelaySeconds: setting<number>({
    variable: 'DISPUTE_TRIAGE_DELAY_SECONDS',
    initial: 0,
    ...whole(0, 86_400),
    description: 'How long a new dispute stays open before anybody is asked; 0 is within the same request.',
  }),
  disputeAppealsMax: setting<number>({
    variable: 'DISPUTE_APPEALS_MAX',
    initial: 2,
    ...whole(0, 2),
    description: 'How many times each party may appeal the decision of a dispute.',
  }),
  disputeAutoAdjudicate: setting<'off' | 'BUYER_FAVOR' | 'SELLER_FAVOR'>({
    variable: 'DISPUTE_AUTO_ADJUDICATE',
    initial: 'off',
    ...oneOf(['off', 'BUYER_FAVOR', 'SELLER_FAVOR']),
    description: 'Whom a dispute is decided for when it was under review for ten days; off waits for an agent.',
  }),
  disputeAcceleratedTimetable: setting<boolean>({
    variable: 'DISPUTE_ACCELERATED_TIMETABLE',
    initial: false,
    ...flag,
    description: 'Gives sellers ten days from the start of an inquiry, and little more after an escalation.',
  }),
  disputeAutoRegister: setting<boolean>({
    variable: 'DISPUTE_AUTO_REGISTER_TRANSACTIONS',
    initial: true,
    ...flag,
    description: 'In the sandbox, opening a dispute on an unknown payment makes that payment up.',
  }),
  disputeFees: setting<Fees>({
    variable: 'DISPUTE_FEES',
    ...fees('USD:15.00'),
    description: 'What a lost dispute costs the seller, by currency.',
  }),
  disputeChargebackFees: setting<Fees>({
    variable: 'DISPUTE_CHARGEBACK_FEES',
    ...fees('USD:20.00'),
    description: 'What a lost chargeback of a bank or card costs the seller, by currency.',
  }),
  disputeCompensationsPerBuyer: setting<number>({
    variable: 'DISPUTE_COMPENSATIONS_PER_BUYER',
    initial: 2,
    ...whole(0, 10_000),
    description: 'How many times in 365 days the service pays one buyer the postage of a return; 0 is no limit.',
  }),
  disputeCompensationsPerMerchant: setting<number>({
    variable: 'DISPUTE_COMPENSATIONS_PER_MERCHANT',
    initial: 50,
    ...whole(0, 1_000_000),
    description: 'How many times in 365 days it does so for the returns to one merchant; 0 is no limit.',
  }),
  disputeHoldMovements: setting<boolean>({
    variable: 'DISPUTE_HOLD_MOVEMENTS',
    initial: false,
    ...flag,
    description: 'Shows holds among the fund movements of a dispute, with reasons that strict clients do not know.',
  }),
  disputeLinkSpelling: setting<'both' | 'underscore' | 'hyphen'>({
    variable: 'DISPUTE_LINK_SPELLING',
    initial: 'both',
    ...oneOf(['both', 'underscore', 'hyphen']),
    description: 'How the relations of links to dispute actions are spelt.',
  }),
  disputeAgentRefusal: setting<'400' | '422'>({
    variable: 'DISPUTE_AGENT_REFUSAL_STATUS',
    initial: '422',
    ...oneOf(['400', '422']),
    description: 'The status of adjudicate and require-evidence when the dispute is not under review.',
  }),
  disputeDeclineRefunds: setting<boolean>({
    variable: 'DISPUTE_DECLINE_REFUNDS',
    initial: false,
    ...flag,
    description: 'In the sandbox, refuses every refund a party asks for, as a compliance check would.',
  }),
} as const
