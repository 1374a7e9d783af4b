import type { Transact, Tx } from '../../database/transaction.ts'
import { Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'

/** What a payer writes about a case. */
export const caseText = Type.Optional(Type.String({ maxLength: 2000 }))

/** The forms of a case can carry a file. A browser counts a line break as one character and sends it as two. */
export const caseForm = {
  accepts: ['multipart', 'application/x-www-form-urlencoded'],
  success: { 303: null },
  prepare(fields: unknown): unknown {
    const { text } = (fields ?? {}) as { text?: unknown }
    return typeof text === 'string' ? { ...(fields as object), text: text.replaceAll('\r\n', '\n') } : fields
  },
} as const

/** What a page says above itself. */
export interface Notice {
  readonly text: string
  readonly tone: 'good' | 'bad'
}

/** What a payer reads of a refusal; what is wrong with a file is said as it is. */
export const refusalText = ({ details: [detail] }: Problem, otherwise: string): string =>
  detail?.issue === 'INVALID_EVIDENCE_FILE' ? detail.description : otherwise

/** Carries the work out, or shows its refusal on the page it came from. */
export async function orShown<Page>(
  work: () => Promise<Page>,
  transact: Transact,
  show: (tx: Tx, problem: Problem) => Promise<Page>,
): Promise<Page> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return transact((tx) => show(tx, error))
  }
}
