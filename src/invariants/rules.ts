import { disputeRules } from './disputes.ts'
import { invoiceRules } from './invoices.ts'
import { ledgerRules } from './ledger.ts'
import type { Rule } from './rule.ts'
import { webhookRules } from './webhooks.ts'

export const rules: readonly Rule[] = [...ledgerRules, ...invoiceRules, ...disputeRules, ...webhookRules]

const heading = `-- What must always be true of the stored data. Each query returns the rows that break its rule, so each must return none.
-- The line above a query names the rule. The tests run all of them after every suite, and a live service every day.
-- Printed from src/invariants by npm run docs; the moves are those of the lifecycle tables.`

/** The rules as a file that psql runs. */
export const invariantsFile = (): string =>
  `${[heading, ...rules.map(({ sentence, query }) => `-- ${sentence}\n${query};`)].join('\n\n')}\n`
