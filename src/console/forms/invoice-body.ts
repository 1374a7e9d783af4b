import type { Refusal } from '../operate.ts'
import { bodyFrom, type Typed } from './fields.ts'
import type { Invoice } from './invoice-forms.ts'

export type Line = {
  name?: string
  quantity?: string
  unit_amount?: { currency_code?: string; value?: string }
  tax?: { name?: string; percent?: string }
}

/** Where the customer stands in the body. */
export const BILLING = '/primary_recipients/0/billing_info'

type Detail = { currency_code?: string; payment_term?: { term_type?: string } }

/**
 * The rows of the form that are lines of the invoice. A quantity or a tax alone makes no line. A price without a name does, so
 * that it is not forgotten.
 */
function rowsIn(typed: Typed): { row: number; line: Line }[] {
  const { items = [] } = bodyFrom(typed) as { items?: Line[] }
  return Array.from(items).flatMap((line, row) => (line?.name || line?.unit_amount?.value ? [{ row, line }] : []))
}

/** The body of an invoice. Prices are in its currency: the one that was typed, else that of the invoice before, else `own`. */
export function bodyOf(typed: Typed, own: string, before?: Invoice): Record<string, unknown> {
  const { detail: written, ...body } = bodyFrom(typed) as { detail?: Detail } & Record<string, unknown>
  const currency_code = (written?.currency_code ?? before?.detail?.currency_code ?? own).toUpperCase()
  const detail: Detail = { ...written, currency_code }
  const kept = (before?.items ?? []) as Line[]
  const items = rowsIn(typed).map(({ row, line: { tax, ...rest } }) => ({
    ...kept[row],
    name: undefined,
    quantity: '1',
    ...rest,
    unit_amount: { currency_code, value: rest.unit_amount?.value ?? '0' },
    tax: tax?.percent === undefined ? undefined : { name: kept[row]?.tax?.name ?? 'Tax', percent: tax.percent },
  }))
  if (!before) return { ...body, detail, items }
  // What this form does not ask for stays as it is, although the operation replaces everything.
  const { links: _, ...rest } = before
  const [recipient, ...others] = before.primary_recipients ?? []
  const given = (body['primary_recipients'] as { billing_info?: object }[] | undefined)?.[0]?.billing_info
  const emptied = Object.fromEntries(
    ['business_name', 'email_address'].flatMap((name) =>
      typed[`${BILLING}/${name}`] === '' ? [[name, undefined]] : [],
    ),
  )
  return {
    ...rest,
    detail: {
      ...before.detail,
      note: undefined,
      memo: undefined,
      reference: undefined,
      ...detail,
      ...sameTerm(before, detail),
    },
    primary_recipients:
      recipient || given
        ? [{ ...recipient, billing_info: { ...recipient?.billing_info, ...emptied, ...given } }, ...others]
        : [],
    items,
  }
}

/** A due date that was named as a day is no field of the form, so it stays with the term it belongs to. */
function sameTerm({ detail }: Invoice, given: Detail) {
  const before = detail?.payment_term
  return before?.term_type === 'DUE_ON_DATE_SPECIFIED' && given.payment_term?.term_type === before.term_type
    ? { payment_term: before }
    : {}
}

/** A refusal that counts lines, moved to the rows that were typed into: rows before them may have been left empty. */
export function refusalAtRows(refusal: Refusal, typed: Typed, within = ''): Refusal {
  const rows = rowsIn(
    Object.fromEntries(Object.entries(typed).map(([name, value]) => [name.slice(within.length), value])),
  )
  return {
    ...refusal,
    ...(refusal.details && {
      details: refusal.details.map((issue) => {
        const [, at, n, rest] = /^(.*\/items\/)(\d+)(\/.*)$/.exec(issue.field ?? '') ?? []
        return rest === undefined ? issue : { ...issue, field: `${at}${rows[Number(n)]?.row ?? n}${rest}` }
      }),
    }),
  }
}
