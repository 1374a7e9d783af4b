import type { Reader } from '../../database/transaction.ts'
import { findDispute } from '../../disputes/store.ts'
import { findByRecipientCode } from '../../invoices/store.ts'
import type { Service } from '../../room.ts'
import { readCaseKey } from '../case/link.ts'

/** Where a link leads, and what the answer there would be now. */
export interface CheckedLink {
  readonly href: string
  readonly leads_to?: 'INVOICE' | 'PROBLEM' | 'DISPUTE'
  readonly subject?: string
  readonly status?: number
}

/**
 * Checks links in mails against what is stored, because opening a link would tell the merchant that the reader did so.
 * Addresses of others are not called. A link to none of our addresses was made when the service had another address.
 */
export function linkChecker(service: Service, db: Reader) {
  const { publicUrl, settings } = service
  const ours = [publicUrl, settings.consoleUrl ?? publicUrl]
  const disputeBehind = async (id: string | undefined, leads_to: 'PROBLEM' | 'DISPUTE') => {
    const found = id === undefined ? undefined : await findDispute(db, id)
    return { leads_to, status: found ? 200 : 404, ...(found && { subject: found.dispute.dispute_id }) }
  }

  return async (href: string): Promise<CheckedLink> => {
    const base = ours.find((address) => href.startsWith(`${address}/`))
    if (base === undefined) return { href }
    const path = href.slice(base.length)
    const [, code] = /^\/invoice\/p\/([^/?#]+)$/.exec(path) ?? []
    if (code !== undefined) {
      const stored = await findByRecipientCode(db, code.toUpperCase())
      const isOpen = stored?.invoice.base_status === 'SENT'
      return { href, leads_to: 'INVOICE', status: isOpen ? 200 : 404, ...(stored && { subject: stored.invoice.id }) }
    }
    const [, key] = /^\/invoice\/problem\/([^/?#]+)$/.exec(path) ?? []
    if (key !== undefined) return { href, ...(await disputeBehind(readCaseKey(service, key), 'PROBLEM')) }
    const [, id] = /^\/(?:console|v1\/customer)\/disputes\/([^/?#]+)$/.exec(path) ?? []
    if (id !== undefined) return { href, ...(await disputeBehind(id, 'DISPUTE')) }
    return { href, status: 404 }
  }
}
