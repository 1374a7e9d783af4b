import { type Static, Type } from '../kernel/type.ts'

const line = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const AccountAddress = Type.Object({
  address_line_1: line(300),
  address_line_2: line(300),
  admin_area_2: line(300),
  admin_area_1: line(300),
  postal_code: line(60),
  country_code: Type.String({ pattern: '^([A-Z]{2}|C2)$' }),
})

export const AccountPhone = Type.Object({
  country_code: Type.String({ pattern: '^[0-9]{1,3}$' }),
  national_number: Type.String({ pattern: '^[0-9]{1,14}$' }),
  phone_type: Type.Optional(Type.String({ maxLength: 20 })),
})

/** A merchant or a person. `id` is the merchant id or payer id on the wire. */
export const Account = Type.Object(
  {
    id: Type.String({ maxLength: 30 }),
    kind: Type.Enum(['BUSINESS', 'PERSONAL']),
    status: Type.Enum(['ACTIVE', 'SUSPENDED']),
    email: Type.String({ minLength: 3, maxLength: 254 }),
    /** What others see: the business name, or the person's full name. */
    name: Type.String({ minLength: 1, maxLength: 300 }),
    given_name: line(140),
    surname: line(140),
    time_zone: Type.String({ maxLength: 64 }),
    currency_code: Type.String({ minLength: 3, maxLength: 3 }),
    country_code: Type.String({ pattern: '^([A-Z]{2}|C2)$' }),
    /** The language of mails to the account; that of its country when absent. */
    language: Type.Optional(Type.String({ pattern: '^[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$' })),
    addresses: Type.Optional(Type.Array(AccountAddress, { maxItems: 10 })),
    phones: Type.Optional(Type.Array(AccountPhone, { maxItems: 10 })),
    /** Disputes of this merchant start as claims. */
    inquiry_opt_out: Type.Optional(Type.Boolean()),
    create_time: Type.String(),
  },
  { $id: 'Account' },
)
export type Account = Static<typeof Account>

/** An app: what a client id and secret stand for. */
export interface App {
  readonly id: string
  readonly account_id: string
  readonly client_id: string
  readonly name: string
  readonly features: readonly Feature[]
  readonly scopes: readonly string[]
  readonly status: 'ENABLED' | 'DISABLED'
  /** A seeded app of the sandbox may act for any account without consent. */
  readonly sandbox: boolean
  readonly create_time: string
}

export const features = ['disputes', 'invoicing', 'webhooks', 'payments'] as const
export type Feature = (typeof features)[number]
