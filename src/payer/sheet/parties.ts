import type { Account } from '../../accounts/schema.ts'
import type { Contact, Invoicer } from '../../invoices/schema/parties.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Say } from '../words/index.ts'

const isText = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''

const personOf = (name: Contact['name']): string | undefined => {
  if (!name) return undefined
  const parts = [name.prefix, name.given_name, name.middle_name, name.surname, name.suffix].filter(isText)
  return name.full_name ?? (parts.length > 0 ? parts.join(' ') : undefined)
}

/** The name of a business or person. Undefined if none is given. */
export const nameOf = ({ business_name, name }: Contact): string | undefined =>
  isText(business_name) ? business_name : personOf(name)

/** Name and address in lines, as on an envelope. */
export function addressLines(contact: Contact, locale: string): string[] {
  const person = personOf(contact.name)
  const names = [contact.business_name, person].filter(isText)
  return [...names, ...placeLines(contact, locale)]
}

function placeLines({ address }: Contact, locale: string): string[] {
  if (!address) return []
  const { postal_code, admin_area_4, admin_area_3, admin_area_2, admin_area_1, country_code } = address
  // In countries where the postal code comes first, as in most of Europe, the state comes last.
  const codeFirst = country_code !== undefined && !codeLast.has(country_code)
  const town = codeFirst
    ? [[postal_code, admin_area_2].filter(isText).join(' '), admin_area_1]
    : [admin_area_2, [admin_area_1, postal_code].filter(isText).join(' ')]
  return [
    address.address_line_1,
    address.address_line_2,
    address.address_line_3,
    [admin_area_4, admin_area_3].filter(isText).join(', '),
    town.filter(isText).join(', '),
    country_code && countryName(country_code, locale),
  ].filter(isText)
}

const codeLast = new Set(['US', 'CA', 'AU', 'GB', 'IE', 'NZ', 'IN', 'JP', 'BR', 'MX'])

const REGIONS_MAX = 50
const regions = new RecentMap<string, Intl.DisplayNames>(REGIONS_MAX)

function countryName(code: string, locale: string): string {
  const names = regions.getOrMake(locale, () => new Intl.DisplayNames([locale], { type: 'region' }))
  return names.of(code === 'C2' ? 'CN' : code) ?? code
}

/** The seller's address and how to reach it. */
export function contactLines(invoicer: Invoicer, say: Say, locale: string, account: Pick<Account, 'email'>): string[] {
  const phones = (invoicer.phones ?? []).map(
    ({ country_code, national_number, extension_number }) =>
      `+${country_code} ${national_number}${extension_number ? ` ext. ${extension_number}` : ''}`,
  )
  const person = isText(invoicer.business_name) ? personOf(invoicer.name) : undefined
  return [
    person,
    ...placeLines(invoicer, locale),
    invoicer.email_address ?? account.email,
    ...phones,
    invoicer.website,
    invoicer.tax_id && `${say('taxId')} ${invoicer.tax_id}`,
  ].filter(isText)
}
