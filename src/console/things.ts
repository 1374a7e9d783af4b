import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { type Content, type Html, html } from '../http/html.ts'
import { mono } from './parts/parts.ts'
import { reasonWords } from './words.ts'

/** Something that an id stands for, and the account it belongs to. */
export interface Named {
  readonly account_id: string | null
  readonly id: string | null
}

interface Known {
  readonly id: string
  readonly kind: 'invoice' | 'dispute' | 'webhook' | 'account' | 'app' | 'person'
  readonly name: string
}

/**
 * Each thing is found by its id alone, and then compared with the account it is said to be of: a planner must not step through
 * all of an account. An app that acts for an account may belong to another one.
 */
const known = sql`
  with named as materialized (select * from unnest($1::text[], $2::text[]) as t (account_id, id))
  select named.id, 'invoice' as kind, found.name from named cross join lateral (
    select body->'detail'->>'invoice_number' as name from invoices
    where id = named.id and account_id || '' = named.account_id limit 1) found
  union all
  select named.id, 'dispute', found.name from named cross join lateral (
    select reason as name from disputes where id = named.id and account_id || '' = named.account_id limit 1) found
  union all
  select named.id, 'webhook', found.name from named cross join lateral (
    select url as name from webhooks where id = named.id and account_id || '' = named.account_id limit 1) found
  union all
  select named.id, 'app', found.name from named cross join lateral (
    select name from apps where id = named.id limit 1) found
  union all
  select named.id, 'account', accounts.body->>'name' from named join accounts on accounts.id = named.id
  union all
  select named.id, 'person', console_people.name from named join console_people on console_people.id = named.id`

export type Things = ReadonlyMap<string, Known>

/** Things by what people call them. Those for which nobody has a name are left out. */
export async function namesOfThings(db: Reader, things: readonly Named[]): Promise<Things> {
  const asked = things.filter(({ id }) => id !== null)
  if (asked.length === 0) return new Map()
  const rows = await db.rows<Known>(known, [asked.map((one) => one.account_id ?? ''), asked.map(({ id }) => id)])
  return new Map(rows.map((row) => [row.id, row]))
}

const labels: Readonly<Record<Known['kind'], (name: string) => string>> = {
  invoice: (name) => `Invoice ${name}`,
  dispute: (name) => `Dispute: ${reasonWords(name).toLowerCase()}`,
  webhook: (name) => name,
  app: (name) => `App ${name}`,
  account: (name) => name,
  person: (name) => name,
}

const pages: Readonly<Record<'account' | 'operator', Partial<Record<Known['kind'], string>>>> = {
  account: { invoice: '/console/invoices', dispute: '/console/disputes', webhook: '/console/webhooks' },
  operator: {
    dispute: '/console/disputes',
    webhook: '/console/operator/webhooks',
    account: '/console/operator/accounts',
  },
}

/** A thing by its name, with the id small below it; only the id when nobody has a name for it. */
export function thing(
  id: string,
  names: Things,
  { face, isLinked = true }: { face: keyof typeof pages; isLinked?: boolean },
): Html {
  const found = names.get(id)
  if (!found) return mono(id)
  const label: Content = labels[found.kind](found.name)
  const at = isLinked ? pages[face][found.kind] : undefined
  return html`${at ? html`<a href="${at}/${id}">${label}</a>` : label} <span class="mono known-as">${id}</span>`
}
