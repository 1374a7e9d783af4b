import { findAccount } from '../../../accounts/store.ts'
import type { Transact } from '../../../database/transaction.ts'
import { type Html, html } from '../../../http/html.ts'
import type { AnyRoute } from '../../../http/route.ts'
import { makeValidator, type Validator } from '../../../http/validation/validator.ts'
import { createInvoice } from '../../../invoices/create.ts'
import { Remembered } from '../../../invoices/ground.ts'
import type { Invoice } from '../../../invoices/schema/invoice.ts'
import { type Issue, Problem } from '../../../kernel/problem.ts'
import { invoicePaper } from '../../../payer/page/page.ts'
import { sheetOf } from '../../../payer/sheet/sheet.ts'
import type { Service } from '../../../room.ts'
import type { Refusal } from '../../operate.ts'

/** Thrown with an invoice that was worked out and is not kept. */
class Preview extends Error {
  readonly invoice: Invoice
  constructor(invoice: Invoice) {
    super('This is a preview.')
    this.invoice = invoice
  }
}

export type Previewed = { readonly paper: Html; readonly refusal?: never } | { readonly refusal: Refusal }

const refusalOf = (message: string, details: readonly Issue[]): Refusal => ({
  name: 'INVALID_REQUEST',
  message,
  debug_id: '–',
  details,
})

/**
 * The paper as it would be, worked out as creating the invoice would work it out: the same unit of work is begun, and given up
 * before it commits.
 */
export function makePreview(service: Service, route: () => AnyRoute) {
  let check: Validator | undefined
  return async (transact: Transact, accountId: string, body: unknown): Promise<Previewed> => {
    const { body: schema, prepare } = route()
    check ??= makeValidator(schema!, 'body')
    const read = prepare ? prepare(body) : body
    const issues = check(read)
    if (issues.length > 0) return { refusal: refusalOf('The invoice is not complete yet.', issues) }
    try {
      await transact(async (tx) => {
        // Only a commit checks what a process remembers. Nothing is committed here, so nothing may be remembered.
        throw new Preview(await createInvoice(service, tx, accountId, read as never, new Remembered()))
      })
      throw new Error('A preview was kept.')
    } catch (error) {
      if (error instanceof Problem) return { refusal: refusalOf(error.message, error.details) }
      if (!(error instanceof Preview)) throw error
      const { invoice } = error
      return { paper: await paperOf(transact, accountId, invoice) }
    }
  }
}

async function paperOf(transact: Transact, accountId: string, invoice: Invoice): Promise<Html> {
  const [account, now] = await transact(async (tx) => [await findAccount(tx, accountId), tx.now] as const)
  const sheet = sheetOf({ invoice, account: account!, now }, { language: 'en', tag: 'en-US' })
  return html`${invoicePaper({ sheet }, html`<p class="kind">Invoice</p>`)}`
}
