import { Problem, type ProblemName } from '../../kernel/problem.ts'

/** The answers that a trigger can ask for, in the order of an operation's numbers. */
const usual = [
  [403, 'FORBIDDEN'],
  [404, 'INVALID_RESOURCE_ID'],
  [406, 'NOT_ACCEPTABLE'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
  [429, 'RATE_LIMIT_REACHED'],
  [503, 'SERVICE_UNAVAILABLE'],
  [500, 'INTERNAL_SERVICE_ERROR'],
  [403, 'AUTHORIZATION_ERROR'],
] as const satisfies readonly (readonly [number, ProblemName])[]

const unprocessable = [422, 'UNPROCESSABLE_ENTITY'] as const
const evidenceIssues = [
  'INVALID_EVIDENCE_FILE',
  'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
  'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
  'MISSING_EVIDENCE_INFO',
  'MISSING_EVIDENCE_TYPE',
  'MISSING_REFUND_ID',
  'MISSING_TRACKING_INFO',
] as const
const listIssues = [
  'DATE_CAN_NOT_BE_IN_FUTURE',
  'INVALID_PAGE_SIZE',
  'INVALID_START_TIME_FORMAT',
  'INVALID_START_TIME_RANGE',
] as const
const claimIssues = [
  'AMOUNT_SHOULD_NOT_BE_PASSED',
  'INSUFFICIENT_FUNDS',
  'INTANGIBLE_ITEM_CANNOT_BE_RETURNED',
  'INVALID_RETURN_SHIPPING_ADDRESS_FORMAT',
  'MISSING_RETURN_SHIPPING_ADDRESS',
] as const

type Simulated = readonly [status: number, name: ProblemName] | string

/** The first number of each operation, and its answers in order. A text without a status is an issue of a validation error. */
// biome-ignore format: a table reads best as a table
const series: readonly (readonly [operation: string, first: number, answers: readonly Simulated[]])[] = [
  ['show',                     15, usual],
  ['list',                     23, [...usual, ...listIssues]],
  ['provide-evidence',         35, [...usual, unprocessable, ...evidenceIssues]],
  ['accept-claim',             51, [...usual, unprocessable, ...claimIssues, unprocessable]],
  ['appeal',                   66, [...usual, unprocessable, ...evidenceIssues]],
  ['escalate',                 82, [...usual, unprocessable]],
  ['send-message',             91, [...usual, unprocessable]],
  ['make-offer',              100, [...usual, unprocessable]],
  ['acknowledge-return-item', 109, [...usual, unprocessable]],
]

const byOperation = new Map(
  series.map(([operation, first, answers]) => [
    operation,
    new Map(answers.map((answer, i) => [`ERRDIS${String(first + i).padStart(3, '0')}`, answer])),
  ]),
)

/** Every trigger value, for the documentation and the tests. */
export const triggerValues = series.flatMap(([operation, first, answers]) =>
  answers.map((answer, i) => ({ operation, value: `ERRDIS${String(first + i).padStart(3, '0')}`, answer })),
)

/** Throws the simulated error that this value stands for in this operation; case counts. */
export function pullTrigger(operation: string, value: unknown): void {
  if (typeof value !== 'string') return
  const answer = byOperation.get(operation)?.get(value)
  if (answer === undefined) return
  const description = `The sandbox answers so to ${value}.`
  if (typeof answer === 'string') throw new Problem(400, 'VALIDATION_ERROR', [{ issue: answer, description }])
  const [status, name] = answer
  throw new Problem(status, name, [{ issue: name, description }])
}
