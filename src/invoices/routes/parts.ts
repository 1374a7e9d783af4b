import { prefers } from '../../http/prefer.ts'
import { Type } from '../../kernel/type.ts'

export const tag = 'Invoices'

export const readScopes = [
  'invoicing/invoices/read',
  'invoicing/invoices/readwrite',
  'invoicing',
  'invoicing/internal',
] as const
export const writeScopes = ['invoicing/invoices/readwrite', 'invoicing', 'invoicing/internal'] as const

export const InvoiceId = Type.Object({ invoice_id: Type.String({ maxLength: 255 }) })

/** The answer to a write that did not ask for the whole document. */
export const SelfLink = Type.Object({
  id: Type.String({ maxLength: 30 }),
  rel: Type.String({ maxLength: 20 }),
  href: Type.String({ maxLength: 4000 }),
  method: Type.String({ maxLength: 10 }),
})

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Whether the caller wants the whole document instead of a link to it. */
export const prefersRepresentation = (headers: Headers): boolean => prefers(headers, 'return=representation')
