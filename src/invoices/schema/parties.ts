import { type Static, Type } from '../../kernel/type.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
/** Text whose length the contract gives as a range, so that too short and too long are the same mistake. */
const sized = (minLength: number, maxLength: number, more: object = {}) =>
  Type.String({ minLength, maxLength, ...more })

const Email = sized(3, 254, { pattern: '^.+@[^"\\-].+$' })

const Name = Type.Object({
  prefix: text(140),
  given_name: text(140),
  surname: text(140),
  middle_name: text(140),
  suffix: text(140),
  alternate_full_name: text(300),
  full_name: text(300),
})
type Name = Static<typeof Name>

const Address = Type.Object({
  address_line_1: text(300),
  address_line_2: text(300),
  address_line_3: text(100),
  admin_area_4: text(100),
  admin_area_3: text(100),
  admin_area_2: text(300),
  admin_area_1: text(300),
  postal_code: Type.Optional(Type.String({ maxLength: 60, 'x-numeric': true })),
  country_code: Type.Optional(sized(2, 2, { pattern: '^([A-Z]{2}|C2)$' })),
  address_details: Type.Optional(
    Type.Object({
      street_number: text(100),
      street_name: text(100),
      street_type: text(100),
      delivery_service: text(100),
      building_name: text(100),
      sub_building: text(100),
    }),
  ),
})

const Phone = Type.Object({
  country_code: sized(1, 3, { pattern: '^[0-9]*$', 'x-numeric': true }),
  national_number: sized(1, 14, { pattern: '^[0-9]*$', 'x-numeric': true }),
  extension_number: Type.Optional(sized(1, 15, { pattern: '^[0-9]*$', 'x-numeric': true })),
  phone_type: Type.Optional(Type.Enum(['FAX', 'HOME', 'MOBILE', 'OTHER', 'PAGER', 'WORK'])),
})

/** A business or a person with a place. */
export const Contact = Type.Object({
  business_name: text(300),
  name: Type.Optional(Name),
  address: Type.Optional(Address),
})
export type Contact = Static<typeof Contact>

const phones = Type.Optional(Type.Array(Phone, { maxItems: 100 }))

export const Invoicer = Type.Object({
  ...Contact.properties,
  email_address: Type.Optional(Email),
  phones,
  website: text(2048),
  tax_id: Type.Optional(Type.String({ maxLength: 100, 'x-numeric': true })),
  additional_notes: text(4000),
  logo_url: text(4000),
})
export type Invoicer = Static<typeof Invoicer>

const BillingInfo = Type.Object({
  ...Contact.properties,
  email_address: Type.Optional(Email),
  phones,
  additional_info: text(40),
  language: Type.Optional(sized(2, 10, { pattern: '^[a-z]{2}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}))?$' })),
})

export const Recipient = Type.Object({
  billing_info: Type.Optional(BillingInfo),
  shipping_info: Type.Optional(Contact),
})
export type Recipient = Static<typeof Recipient>

export const PARTIES_MAX = 100
export const PrimaryRecipients = Type.Array(Recipient, { maxItems: PARTIES_MAX })
export const AdditionalRecipients = Type.Array(Email, { maxItems: PARTIES_MAX })

/** The name as it is shown. If nobody wrote a full name, it is made from the parts. */
function shownName(name: Name): Name {
  const parts = [name.given_name, name.surname].filter((part) => part !== undefined)
  return name.full_name !== undefined || parts.length === 0 ? name : { ...name, full_name: parts.join(' ') }
}

const shownContact = <C extends Contact>(contact: C): C =>
  contact.name ? { ...contact, name: shownName(contact.name) } : contact

export const shownInvoicer = (invoicer: Invoicer): Invoicer => shownContact(invoicer)

export const shownRecipient = ({ billing_info, shipping_info }: Recipient): Recipient => ({
  ...(billing_info && { billing_info: shownContact(billing_info) }),
  ...(shipping_info && { shipping_info: shownContact(shipping_info) }),
})

/** The name that an invoice gives to whoever is billed: the person's name as shown, or else the business. */
export function billedName([first]: readonly Recipient[]): string | undefined {
  const { name, business_name } = first?.billing_info ?? {}
  return (name && shownName(name).full_name) ?? business_name
}

/** Every address in the list, once each. */
export const emailsOf = (recipients: readonly Recipient[]): string[] => [
  ...new Set(recipients.flatMap(({ billing_info }) => billing_info?.email_address ?? [])),
]

/** Whether two lists name the same recipients. The case of addresses does not count, nor do full names made from their parts. */
export const sameRecipients = (one: readonly Recipient[], other: readonly Recipient[]): boolean =>
  JSON.stringify(one.map(comparable)) === JSON.stringify(other.map(comparable))

function comparable(recipient: Recipient): unknown {
  return sorted(recipient, (key, value, owner) => {
    if (key === 'email_address') return String(value).toLowerCase()
    return key === 'full_name' && value === joinedName(owner) ? undefined : value
  })
}

/** The full name that is made from the parts. */
export const joinedName = ({ given_name, surname }: Name) =>
  [given_name, surname].filter((part) => part !== undefined).join(' ')

/** The same value with its keys sorted and without anything empty. */
function sorted(value: unknown, map: (key: string, value: unknown, owner: Name) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => sorted(entry, map))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .map(([key, entry]) => [key, map(key, sorted(entry, map), value as Name)] as const)
    .filter(([, entry]) => entry !== undefined && JSON.stringify(entry) !== '{}')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
