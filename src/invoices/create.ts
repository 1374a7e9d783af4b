import type { Account } from '../accounts/schema.ts'
import type { Tx } from '../database/transaction.ts'
import { dayIn, toSeconds } from '../kernel/clock.ts'
import { toMinor, toMoney } from '../kernel/money.ts'
import { forbidden, Problem } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { announce } from './act.ts'
import { type Ground, type Remembered, rememberedBy } from './ground.ts'
import { requireOwnEmail } from './limits.ts'
import { type ChosenNumber, chooseNumber, givenNumber } from './numbers.ts'
import type { InvoiceInput } from './schema/given.ts'
import type { Invoice } from './schema/invoice.ts'
import { insertInvoice } from './store.ts'
import { checkInvoice, refuseWrong } from './sums/check.ts'
import { attachedSince, compose } from './sums/compose.ts'
import { applyTemplate } from './templates/compose.ts'
import { hiddenFields, type Template } from './templates/schema.ts'
import { systemTemplates } from './templates/system.ts'

/** Makes a draft from what the merchant wrote, the named template or else the usual one, and the defaults. */
export async function createInvoice(
  service: Service,
  tx: Tx,
  accountId: string,
  input: InvoiceInput,
  remembered: Remembered = rememberedBy(service),
): Promise<Invoice> {
  refuseWrong(checkInvoice(input))
  const templateId = input.configuration?.template_id ?? null
  const given = input.detail.invoice_number
  let chosen: ChosenNumber | undefined
  const number = async () => {
    chosen ??=
      given === undefined ? await chooseNumber(tx, accountId, remembered) : givenNumber(accountId, given, remembered)
    return chosen
  }
  const known = remembered.ground(tx, accountId, templateId)
  if (known)
    try {
      return await createOn(service, tx, known, input, number)
    } catch (error) {
      // The refusal may be due to something that has been changed since it was remembered, so it is tried again on what is
      // read now.
      if (!(error instanceof Problem)) throw error
    }
  return createOn(service, tx, await remembered.readGround(tx, accountId, templateId), input, number)
}

async function createOn(
  service: Service,
  tx: Tx,
  ground: Ground,
  input: InvoiceInput,
  number: () => Promise<ChosenNumber>,
): Promise<Invoice> {
  const { account } = ground
  requireBusiness(service, account)

  const template = templateOf(ground, input.configuration?.template_id)
  const filled = applyTemplate(input, template)
  if (service.settings.strictInvoicerEmail) requireOwnEmail(account, filled)
  const chosen = await number()
  const composed = compose(
    {
      ...filled,
      configuration: { ...filled.configuration, template_id: template.id },
      detail: {
        ...filled.detail,
        invoice_number: chosen.number,
        invoice_date: filled.detail.invoice_date ?? dayIn(tx.now, account.time_zone),
      },
    },
    {
      accountId: account.id,
      newId: (kind) => tx.newId(kind),
      isMinimumCopied: input.configuration?.partial_payment === undefined,
    },
  )
  const hidden_fields = hiddenFields(template)
  const now = toSeconds(tx.now)
  const by = account.email
  const invoice: Invoice = {
    id: tx.newId('invoice'),
    status: 'DRAFT',
    base_status: 'DRAFT',
    ...composed,
    detail: {
      ...composed.detail,
      ...attachedSince(composed.detail, undefined, now),
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
  insertInvoice(tx, ground, invoice, chosen)
  announce(service, tx, account.id, invoice, 'INVOICING.INVOICE.CREATED')
  return invoice
}

/** The template asked for, or the merchant's usual one where it does not exist. */
function templateOf({ account, asked, usual, default_template_id }: Ground, id: string | undefined): Template {
  const system = systemTemplates(account)
  const found = asked ?? system.find((template) => template.id === id)
  return found ?? usual ?? system.find((template) => template.id === default_template_id) ?? system[0]!
}

/** In a sandbox, everybody may create invoices. */
function requireBusiness({ environment }: Service, { kind }: Account): void {
  if (environment === 'live' && kind !== 'BUSINESS') throw forbidden('Only a business account can invoice.')
}
