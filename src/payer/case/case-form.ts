import type { Transact, Tx } from '../../database/transaction.ts'
import type { Answer } from '../../http/route.ts'
import { invalid, Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { isOwnOrigin } from '../page/form-token.ts'
import { formsOf, type Headers } from '../page/forms.ts'
import type { Notice } from '../page/page.ts'

/** What a payer writes about a case. */
export const caseText = Type.Optional(Type.String({ maxLength: 2000 }))

const TEXT_MISSING = 'MISSING_REQUIRED_PARAMETER'

/** What the payer writes. Blanks alone count as nothing, whatever the browser lets through. */
export function written({ text = '' }: { readonly text?: string }): string {
  const said = text.trim()
  if (said === '') throw invalid('/text', 'Write something.', TEXT_MISSING)
  return said
}

/** Whether the form was refused because nothing was written. */
export const isOfText = ({ details: [detail] }: Problem): boolean => detail?.issue === TEXT_MISSING

/** Forms of a case can carry a file. A browser counts a line break as one character but sends it as two. */
export const caseForm = {
  accepts: ['multipart', 'application/x-www-form-urlencoded'],
  success: { 303: null },
  prepare(fields: unknown): unknown {
    const { text } = (fields ?? {}) as { text?: unknown }
    return typeof text === 'string' ? { ...(fields as object), text: text.replaceAll('\r\n', '\n') } : fields
  },
} as const

/** What is sent with a form of a case. */
interface SentForm {
  readonly transact: Transact
  readonly headers: Headers
  readonly body: { readonly token: string; readonly lang?: string }
}

/** What the form is about. If one of these gives undefined, the answer is that there is no such page. */
interface FormOf<Found> {
  open(tx: Tx): Promise<Found | undefined>
  /** What the token of the form was issued for, and the account under which its use is counted. */
  purpose(found: Found): readonly [purpose: string, accountId: string]
  carryOut(tx: Tx, found: Found): Promise<Answer | undefined>
  show(tx: Tx, found: Found, notice: Notice): Promise<Answer | undefined>
  /** What the payer reads if the form is refused. */
  refused(found: Found, problem: Problem): string
}

/** Whether the form was refused because of its file. */
export const isOfFile = ({ details: [detail] }: Problem): boolean => detail?.issue === 'INVALID_EVIDENCE_FILE'

/** Carries out what a form asks for, once, or shows the refusal on the page from which it came. */
export async function answerForm<Found>(
  service: Service,
  { transact, headers, body }: SentForm,
  { open, purpose, carryOut, show, refused }: FormOf<Found>,
): Promise<Answer> {
  const forms = formsOf(service)
  const withFound = (answer: (tx: Tx, found: Found) => Promise<Answer | undefined>) =>
    transact(async (tx) => {
      const found = await open(tx)
      return (found && (await answer(tx, found))) ?? forms.missing(headers, body.lang)
    })
  if (!isOwnOrigin(headers, service)) return forms.refusal(headers, body.lang)
  try {
    return await withFound(async (tx, found) => {
      const [what, accountId] = purpose(found)
      const isUsable = await forms.use(tx, headers, what, body.token, accountId)
      return isUsable ? carryOut(tx, found) : forms.refusal(headers, body.lang)
    })
  } catch (error) {
    // What is not the fault of the form has a page of its own: too many requests in a day, or a mistake of ours.
    if (!(error instanceof Problem) || error.status >= 429) throw error
    return withFound((tx, found) => show(tx, found, { text: refused(found, error), tone: 'bad' }))
  }
}
