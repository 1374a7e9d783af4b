import { isRecord, readerOf } from '../../http/validation/reader.ts'
import { neutralLiteral } from '../../kernel/dialect.ts'
import { InvoiceUpdate } from '../schema/given.ts'

type Body = Record<string, unknown>

/** Applies `change` to the object at a path of a body, if there is one. If nothing changes, it gives back the same object. */
function at(body: unknown, path: readonly string[], change: (object: Body) => Body): unknown {
  if (Array.isArray(body)) {
    const changed = body.map((entry) => at(entry, path, change))
    return changed.some((entry, i) => entry !== body[i]) ? changed : body
  }
  if (!isRecord(body)) return body
  const [key, ...rest] = path
  if (key === undefined) return change(body)
  if (!(key in body)) return body
  const changed = at(body[key], rest, change)
  return changed === body[key] ? body : { ...body, [key]: changed }
}

/** Older clients write addresses in copy as objects instead of text. */
const plainCopies = (body: Body): Body =>
  Array.isArray(body['additional_recipients'])
    ? {
        ...body,
        additional_recipients: body['additional_recipients'].map((entry: unknown) =>
          isRecord(entry) ? entry['email_address'] : entry,
        ),
      }
    : body

const withoutAlias = (body: Body): Body =>
  'additional_info' in body || !('additional_info_value' in body)
    ? body
    : { ...body, additional_info: body['additional_info_value'] }

/** Understands the other names that clients use for some fields of an invoice or a template. */
export const withoutAliases = (body: unknown): unknown =>
  isRecord(body) ? at(plainCopies(body), ['primary_recipients', 'billing_info'], withoutAlias) : body

/**
 * The number may stand beside the details. If it stands in both places, it stays in both, and an update reads the one that
 * was changed.
 */
function numberInDetails(given: Body): Body {
  if (!('invoice_number' in given)) return given
  const { invoice_number, ...body } = given
  const { detail } = body
  if (!invoice_number || !isRecord(detail)) return body
  return detail['invoice_number'] ? given : { ...body, detail: { ...detail, invoice_number } }
}

/** The names that only exist while a body is read. */
export const invoiceAliases = ['invoice_number', 'additional_info_value']

const readInvoice = readerOf(InvoiceUpdate, { clean: true })

/** Reads the body of a create or a full update. */
export const prepareInvoice = (body: unknown): unknown => readInvoice(withoutAliases(at(body, [], numberInDetails)))

/** Reads a body whose `method` may be written in either dialect. */
export const prepareRecorded =
  (read: (body: unknown) => unknown) =>
  (body: unknown): unknown =>
    read(
      at(body, [], (record) => ({
        ...record,
        ...(isText(record['method']) && { method: neutralLiteral(record['method']) }),
      })),
    )

const isText = (value: unknown): value is string => typeof value === 'string'

/** Reads a search: a single status need not be a list, and field names may be written with commas between them. */
export const prepareSearch =
  (read: (body: unknown) => unknown) =>
  (body: unknown): unknown => {
    if (!isRecord(body)) return body
    const { status, fields } = body
    return read({
      ...body,
      ...(isText(status) && status !== '' && { status: [status] }),
      ...(isText(fields) && { fields: fields.split(',').slice(0, 20) }),
    })
  }
