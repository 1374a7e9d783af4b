import { forbidden, type Issue, invalidToken, malformed, notFound, Problem, refused } from '../../kernel/problem.ts'

type Simulated = () => Problem

const simulated = 'This answer was simulated because the request carries a trigger value.'
const serverError: Simulated = () => new Problem(500, 'INTERNAL_SERVER_ERROR')
const noPermission: Simulated = () => forbidden(simulated)
const noToken: Simulated = () => invalidToken(simulated)
const unknown: Simulated = () => notFound('The resource')
const mediaType: Simulated = () => new Problem(415, 'UNSUPPORTED_MEDIA_TYPE')
const bad =
  (issue: string, field = '/'): Simulated =>
  () =>
    malformed({ issue, field, description: simulated } satisfies Issue)
const not =
  (issue: string): Simulated =>
  () =>
    refused(issue, simulated)
const usual = [serverError, noPermission, noToken, unknown]

const emptyBody = bad('MISSING_OR_INVALID_REQUEST_BODY')
const badRequest = bad('INVALID_PARAMETER_VALUE')
const badSchema = bad('MISSING_REQUIRED_PARAMETER', '/detail/currency_code')

/**
 * Trigger values by operation: the number of the first one, and the answers in order. `ok` simulates success and changes
 * nothing.
 */
// biome-ignore format: a table reads best as a table
const tables = {
  create:         { first: 1,  answers: [serverError, noPermission, mediaType, emptyBody, badRequest, badSchema] },
  show:           { first: 7,  answers: usual },
  send:           { first: 11, answers: [...usual, not('CANT_SEND_INVOICE_WITHOUT_EMAIL'), 'ok'] },
  remind:         { first: 17, answers: [...usual, not('CANNOT_REMIND_INVOICE'), not('CANT_REMIND_INVOICE_WITHOUT_BILLING_INFO'), 'ok'] },
  cancel:         { first: 24, answers: [...usual, not('CANNOT_CANCEL_DRAFT_INVOICE'), 'ok'] },
  'record-payment': { first: 31, answers: [...usual, not('CANNOT_PROCESS_PAYMENTS'), not('PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE'), 'ok'] },
  'delete-payment': { first: 38, answers: [...usual, 'ok'] },
  'record-refund':  { first: 43, answers: [...usual, not('CANNOT_PROCESS_REFUNDS'), not('INVALID_REFUND_AMOUNT'), 'ok'] },
  'delete-refund':  { first: 50, answers: [...usual, 'ok'] },
  delete:         { first: 55, answers: [...usual, 'ok'] },
  update:         { first: 60, answers: [serverError, noPermission, mediaType, emptyBody, badRequest, badSchema] },
} as const satisfies Record<string, { first: number; answers: readonly (Simulated | 'ok')[] }>

/** Sending has one more trigger value, outside of its row of numbers. */
const SENT_ALREADY = 30

export type Triggered = keyof typeof tables

const forms = {
  invoice: /^INV2-ABCD-1234-EINV-(\d{4})$/,
  transaction: /^EXT-ABCDEFGHERRINV(\d{3})$/,
  reference: /^ERRINV(\d{3})$/,
} as const

/** Throws the answer that a trigger value stands for. Gives `ok` if it stands for success, and undefined for any other value. */
export function pull(operation: Triggered, form: keyof typeof forms, value: unknown): 'ok' | undefined {
  const number = typeof value === 'string' ? forms[form].exec(value)?.[1] : undefined
  if (number === undefined) return undefined
  if (operation === 'send' && Number(number) === SENT_ALREADY) throw not('INVOICE_ALREADY_SENT')()
  const { first, answers } = tables[operation]
  const answer = (answers as readonly (Simulated | 'ok')[])[Number(number) - first]
  if (answer === undefined || answer === 'ok') return answer
  throw answer()
}

/** The values and their answers as the documentation lists them. */
export function triggerValues(): string[][] {
  return Object.entries(tables).map(([operation, { first, answers }]) => {
    const form = operation === 'create' ? 'reference' : operation.startsWith('delete-') ? 'transaction' : 'invoice'
    const shown = answers.map((answer) => (answer === 'ok' ? 'success' : answerText(answer())))
    return [
      operation,
      `\`${triggerValue(form, first)}\` to \`${triggerValue(form, first + answers.length - 1)}\``,
      shown.join('; '),
    ]
  })
}

const answerText = ({ status, details }: Problem) => (status === 422 ? `422 \`${details[0]!.issue}\`` : String(status))

const triggerValue = (form: keyof typeof forms, number: number) =>
  ({
    invoice: `INV2-ABCD-1234-EINV-${String(number).padStart(4, '0')}`,
    transaction: `EXT-ABCDEFGHERRINV${String(number).padStart(3, '0')}`,
    reference: `ERRINV${String(number).padStart(3, '0')}`,
  })[form]
