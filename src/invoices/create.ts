import type { Account } from '../accounts/schema.ts'
import { sql } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { dayIn, toSeconds } from '../kernel/clock.ts'
import { toMinor, toMoney } from '../kernel/money.ts'
import { forbidden, refused } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { announce } from './act.ts'
import type { InvoiceInput } from './schema/given.ts'
import type { Invoice } from './schema/invoice.ts'
import { chooseNumber, insertInvoice } from './store.ts'
import { checkInvoice } from './sums/check.ts'
import { compose } from './sums/compose.ts'
import { applyTemplate } from './templates/compose.ts'
import { hiddenFields, type Template } from './templates/schema.ts'
import { systemTemplates } from './templates/system.ts'

interface Ground {
  readonly account: Account
  readonly default_template_id: string | null
  /** The template the request names, if the merchant has it. */
  readonly asked: Template | null
  readonly usual: Template | null
}

const ground = sql`
  select a.body as account, s.default_template_id, asked.body as asked, usual.body as usual
  from accounts a
    left join invoice_settings s on s.account_id = a.id
    left join invoice_templates asked on asked.account_id = a.id and asked.id = $2
    left join invoice_templates usual on usual.account_id = a.id and usual.id = s.default_template_id
  where a.id = $1`

/** Makes a draft from what the merchant wrote, the template it names or the usual one, and the defaults. */
export async function createInvoice(
  service: Service,
  tx: Tx,
  accountId: string,
  input: InvoiceInput,
): Promise<Invoice> {
  checkInvoice(input)
  const given = input.detail.invoice_number
  const found = await tx.row<Ground>(ground, [accountId, input.configuration?.template_id ?? null])
  if (!found) throw new Error(`The account ${accountId} of a caller does not exist.`)
  requireBusiness(service, found.account)
  requireOwnEmail(service, found.account, input)

  const template = templateOf(found, input.configuration?.template_id)
  const filled = applyTemplate(input, template)
  const composed = compose(
    {
      ...filled,
      configuration: { ...filled.configuration, template_id: template.id },
      detail: {
        ...filled.detail,
        invoice_number: given ?? (await chooseNumber(tx, accountId)),
        invoice_date: filled.detail.invoice_date ?? dayIn(tx.now, found.account.time_zone),
      },
    },
    { accountId, newId: (kind) => tx.newId(kind) },
  )
  const hidden_fields = hiddenFields(template)
  const now = toSeconds(tx.now)
  const by = found.account.email
  const invoice: Invoice = {
    id: tx.newId('invoice'),
    status: 'DRAFT',
    base_status: 'DRAFT',
    ...composed,
    detail: {
      ...composed.detail,
      metadata: { create_time: now, created_by: by, last_update_time: now },
    },
    due_amount: toMoney(toMinor(composed.amount), composed.amount.currency_code),
    payments: [],
    refunds: [],
    ...(tx.appId !== undefined && { app_id: tx.appId }),
    ...(hidden_fields.length > 0 && { hidden_fields }),
    reminder_times: [],
    recipient_change_times: [],
  }
  insertInvoice(tx, accountId, invoice, given === undefined)
  announce(service, tx, accountId, invoice, 'INVOICING.INVOICE.CREATED')
  return invoice
}

/** The template asked for, or the merchant's usual one where it does not exist. */
function templateOf({ account, asked, usual, default_template_id }: Ground, id: string | undefined): Template {
  const system = systemTemplates(account)
  const found = asked ?? system.find((template) => template.id === id)
  return found ?? usual ?? system.find((template) => template.id === default_template_id) ?? system[0]!
}

/** In a sandbox everybody may try. */
function requireBusiness({ environment }: Service, { kind }: Account): void {
  if (environment === 'live' && kind !== 'BUSINESS') throw forbidden('Only a business account can invoice.')
}

function requireOwnEmail({ settings }: Service, { email }: Account, { invoicer }: InvoiceInput): void {
  const given = invoicer?.email_address
  if (settings.strictInvoicerEmail && given !== undefined && given.toLowerCase() !== email.toLowerCase())
    throw refused('USER_NOT_FOUND', 'The address is not one of the calling merchant.', '/invoicer/email_address')
}
