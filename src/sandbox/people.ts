import { type Account, type App, features } from '../accounts/schema.ts'
import { defaultScopes } from '../accounts/scopes.ts'
import { addAccount, addApp, addSecret, grantConsent } from '../accounts/store.ts'
import { sql } from '../database/sql.ts'
import type { Reader, TransactFor, Tx } from '../database/transaction.ts'
import { openBooks } from '../ledger/movements.ts'
import type { Service } from '../room.ts'

const person = (id: string, kind: Account['kind'], email: string, name: string): Omit<Account, 'create_time'> => ({
  id,
  kind,
  status: 'ACTIVE',
  email,
  name,
  time_zone: 'America/Los_Angeles',
  currency_code: 'USD',
  country_code: 'US',
})

const business = {
  addresses: [
    {
      address_line_1: '1 Sandbox Street',
      admin_area_2: 'San Jose',
      admin_area_1: 'CA',
      postal_code: '95131',
      country_code: 'US',
    },
  ],
  phones: [{ country_code: '1', national_number: '4085550100', phone_type: 'MOBILE' }],
}

/** The accounts that are there after every start and reset of a sandbox. */
export const people = {
  merchant: { ...person('MERCHANTAAAAA', 'BUSINESS', 'merchant@example.com', 'Sandbox Merchant'), ...business },
  otherMerchant: {
    ...person('MERCHANTBBBBB', 'BUSINESS', 'merchant-2@example.com', 'Second Sandbox Merchant'),
    ...business,
  },
  buyer: {
    ...person('BUYERAAAAAAAA', 'PERSONAL', 'buyer@example.com', 'Sandbox Buyer'),
    given_name: 'Sandbox',
    surname: 'Buyer',
  },
  partner: person('PARTNERAAAAAA', 'BUSINESS', 'partner@example.com', 'Sandbox Partner'),
} as const

const forMerchants = defaultScopes('BUSINESS', features)
const forBuyers = defaultScopes('PERSONAL', features)
const forPartners = [
  'disputes/read-partner',
  'disputes/update-partner',
  'referred-disputes/readwrite',
  ...defaultScopes('BUSINESS', ['invoicing', 'webhooks']),
]

/** The apps of those accounts. A secret is its client id with `-secret` behind it. */
export const seededApps = [
  { id: 'APP-SANDBOXMERCHANT01', client_id: 'sandbox-merchant', owner: people.merchant, scopes: forMerchants },
  { id: 'APP-SANDBOXMERCHANT02', client_id: 'sandbox-merchant-2', owner: people.otherMerchant, scopes: forMerchants },
  { id: 'APP-SANDBOXBUYER00001', client_id: 'sandbox-buyer', owner: people.buyer, scopes: forBuyers },
  { id: 'APP-SANDBOXPARTNER001', client_id: 'sandbox-partner', owner: people.partner, scopes: forPartners },
] as const

export const sandboxSecret = (clientId: string) => `${clientId}-secret`

export const credentials = seededApps.map(({ client_id, owner }) => ({
  client_id,
  client_secret: sandboxSecret(client_id),
  owner: owner.name,
}))

/** Puts the seeded people into an empty sandbox. */
export const seedPeople = (transactFor: TransactFor, service: Service): Promise<void> =>
  transactFor({ kind: 'service', task: 'seed' })(async (tx) => addPeople(tx, service))

export function addPeople(tx: Tx, service: Service): void {
  for (const account of Object.values(people)) {
    addAccount(tx, { ...account, create_time: tx.now })
    if (account.kind === 'BUSINESS') openBooks(tx, account.id)
  }
  for (const { id, client_id, owner, scopes } of seededApps) {
    const app: App = {
      id,
      account_id: owner.id,
      client_id,
      name: `${owner.name} app`,
      features,
      scopes,
      status: 'ENABLED',
      sandbox: true,
      create_time: tx.now,
    }
    addApp(tx, app)
    addSecret(tx, id, sandboxSecret(client_id), service.settings.secrets!)
  }
  grantConsent(tx, people.merchant.id, 'APP-SANDBOXPARTNER001', forPartners)
}

const anyAccount = sql`select 1 from accounts limit 1`

/** Seeds a sandbox that has nobody yet. Of several processes that start at once, one seeds it and the others find it done. */
export async function seedIfEmpty(db: Reader, seed: () => Promise<void>): Promise<void> {
  const isSeeded = async () => (await db.row(anyAccount)) !== undefined
  if (await isSeeded()) return
  await seed().catch(async (error: unknown) => {
    if (!(await isSeeded())) throw error
  })
}
