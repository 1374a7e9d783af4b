import { toSeconds } from '../../kernel/clock.ts'
import { toMinor, toMoney } from '../../kernel/money.ts'
import { type Issue, Problem } from '../../kernel/problem.ts'
import type { ActionContext } from '../action.ts'
import { updateName } from '../schema/codes.ts'
import type { InvoiceInput } from '../schema/given.ts'
import type { AmountSummary, Discount } from '../schema/lines.ts'
import { checkAmounts, checkItems, Findings, type Sound } from '../sums/check.ts'
import { attachedSince, composeLines } from '../sums/compose.ts'
import { readSentBack } from '../sums/sent-back.ts'
import { isByPercent, netOf } from '../sums/totals.ts'
import type { Template, TemplateInfo, TemplateInput } from './schema.ts'

/** What is wrong with a template, whatever is stored. */
export function checkTemplate({ template_info: info = {} }: Sound<TemplateInput>): readonly Issue[] {
  const found = new Findings()
  found.currency('/template_info/detail/currency_code', info.detail?.currency_code)
  checkItems(found, '/template_info/items', info.items)
  checkAmounts(found, info, '/template_info')
  return found.issues
}

export function composeTemplate(
  input: TemplateInput & { name: string },
  id: string,
  context: Pick<ActionContext, 'now' | 'account' | 'newId'>,
  before?: Template,
): Template {
  const { description, settings, unit_of_measure = 'QUANTITY', template_info: given = {} } = input
  const known = before?.template_info
  const isAgain = known !== undefined && before?.last_update === updateName(given, known)
  const template_info = isAgain ? changedAt(known, context) : composeInfo(given, context, known)
  return {
    id,
    name: input.name,
    ...(description !== undefined && { description }),
    template_info,
    ...(settings && { settings }),
    unit_of_measure,
    ...(known && { last_update: updateName(given, template_info) }),
  }
}

const changedAt = ({ detail, ...info }: TemplateInfo, { now }: Pick<ActionContext, 'now'>): TemplateInfo => ({
  ...(detail && { detail: { ...detail, metadata: { ...detail.metadata, last_update_time: toSeconds(now) } } }),
  ...info,
})

function composeInfo(
  given: TemplateInfo,
  { now, account, newId }: Pick<ActionContext, 'now' | 'account' | 'newId'>,
  before: TemplateInfo | undefined,
): TemplateInfo {
  const info = before ? readSentBack(given, before) : given
  const { term, terms_and_conditions = term, ...detail } = info.detail ?? { currency_code: account.currency_code }
  const isOpen = !info.items?.length
  const lines = composeLines({ ...info, detail }, { accountId: account.id, newId, itemIds: itemIds(before), isOpen })
  if (lines.problems.length > 0)
    throw new Problem(
      422,
      'UNPROCESSABLE_ENTITY',
      lines.problems.map((problem) => ({ ...problem, field: `/template_info${problem.field}` })),
    )
  const created = before?.detail?.metadata ?? { create_time: toSeconds(now), created_by: account.email }
  const { currency_code } = lines.amount
  const due = toMinor(lines.amount)
  return {
    ...info,
    detail: {
      ...detail,
      ...(terms_and_conditions !== undefined && { terms_and_conditions }),
      ...attachedSince(detail, before?.detail, toSeconds(now)),
      metadata: { ...created, last_update_time: toSeconds(now) },
    },
    ...(info.items && { items: lines.items }),
    configuration: lines.configuration,
    amount: lines.amount,
    due_amount: toMoney(due > 0n ? due : 0n, currency_code),
  }
}

const itemIds = (info: TemplateInfo | undefined) => new Set((info?.items ?? []).flatMap(({ id }) => id ?? []))

/**
 * The request, with what it leaves out copied from a template. A field that is present wins as a whole. Money in another
 * currency than the invoice's is not copied.
 */
export function applyTemplate(input: InvoiceInput, { template_info: info }: Template): InvoiceInput {
  const { detail = { currency_code: '' } }: TemplateInfo = info
  const sameCurrency = detail.currency_code === input.detail.currency_code
  const copied = <Key extends 'note' | 'terms_and_conditions' | 'memo' | 'reference' | 'payment_term' | 'attachments'>(
    key: Key,
  ) => (detail[key] === undefined ? {} : { [key]: detail[key] })
  const given = { ...input.detail }
  if (given.terms_and_conditions === undefined && given.term !== undefined) given.terms_and_conditions = given.term
  return {
    ...(info.invoicer && { invoicer: info.invoicer }),
    ...(info.primary_recipients && { primary_recipients: info.primary_recipients }),
    ...(info.additional_recipients && { additional_recipients: info.additional_recipients }),
    ...(info.items && sameCurrency && { items: info.items }),
    ...input,
    detail: {
      ...copied('note'),
      ...copied('terms_and_conditions'),
      ...copied('memo'),
      ...copied('reference'),
      // A date that the template leaves open has to be given by whoever makes the invoice.
      ...(detail.payment_term?.term_type !== 'DUE_ON_DATE_SPECIFIED' && copied('payment_term')),
      ...copied('attachments'),
      ...given,
    },
    configuration: { ...copiedConfiguration(info, sameCurrency), ...input.configuration },
    ...withAmount(input, info, sameCurrency),
  }
}

function copiedConfiguration({ configuration = {} }: TemplateInfo, sameCurrency: boolean) {
  const { partial_payment, ...rest } = configuration
  if (!partial_payment) return rest
  const { minimum_amount_due, ...allowed } = partial_payment
  return { ...rest, partial_payment: sameCurrency && minimum_amount_due ? partial_payment : allowed }
}

/** Discount, shipping and the custom amount, each from the request or else from the template. */
function withAmount(
  { amount }: InvoiceInput,
  { amount: summary }: TemplateInfo,
  sameCurrency: boolean,
): Pick<InvoiceInput, 'amount'> {
  const given = amount?.breakdown ?? {}
  const copied = sameCurrency ? (summary?.breakdown ?? {}) : {}
  const discount = summary && asWritten(summary)
  const isCopied = sameCurrency || discount?.amount === undefined
  const invoice_discount = given.discount?.invoice_discount ?? (isCopied ? discount : undefined)
  const shipping = given.shipping ?? copied.shipping
  const custom = given.custom ?? copied.custom
  return {
    amount: {
      breakdown: {
        ...(invoice_discount && { discount: { invoice_discount } }),
        ...(shipping && { shipping }),
        ...(custom && { custom }),
      },
    },
  }
}

/**
 * A percentage is copied as a percentage: its amount was worked out from the template's own items. An amount that wins over
 * one stays.
 */
function asWritten(summary: AmountSummary): Discount | undefined {
  const discount = summary.breakdown?.discount?.invoice_discount
  const { percent } = discount ?? {}
  return discount && percent !== undefined && isByPercent(discount, netOf(summary)) ? { percent } : discount
}
