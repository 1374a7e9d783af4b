import type { Account } from '../../accounts/schema.ts'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Template } from './schema.ts'
import { systemTemplates } from './system.ts'

/** Names that differ only in upper and lower case are the same name. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase()

/** A merchant, and the template that its invoices start from unless they name another. */
export interface TemplateOwner {
  readonly account: Account
  readonly default_template_id: string | null
}

export interface OwnTemplates extends TemplateOwner {
  readonly templates: readonly Template[]
}

const allOfAccount = sql`
  select a.body as account, s.default_template_id,
    coalesce((select jsonb_agg(t.body order by t.seq desc) from invoice_templates t where t.account_id = a.id), '[]')
      as templates
  from accounts a left join invoice_settings s on s.account_id = a.id
  where a.id = $1`

/** Every own template, newest first, with the merchant they belong to. */
export async function findTemplates(db: Reader, accountId: string): Promise<OwnTemplates> {
  const row = await db.row<OwnTemplates>(allOfAccount, [accountId])
  if (!row) throw new Error(`The account ${accountId} of a caller does not exist.`)
  return row
}

export interface FoundTemplate extends TemplateOwner {
  readonly template: Template
  /** Absent for a system template. */
  readonly version?: number
}

const oneOfAccount = sql`
  select a.body as account, s.default_template_id, t.body as template, t.version
  from accounts a
    left join invoice_settings s on s.account_id = a.id
    left join invoice_templates t on t.account_id = a.id and t.id = $2
  where a.id = $1`

export async function findTemplate(db: Reader, accountId: string, id: string): Promise<FoundTemplate> {
  const row = await db.row<TemplateOwner & { template: Template | null; version: number | null }>(oneOfAccount, [
    accountId,
    id,
  ])
  const { account, default_template_id } = row ?? {}
  if (row?.template && row.version !== null)
    return {
      account: row.account,
      default_template_id: row.default_template_id,
      template: row.template,
      version: row.version,
    }
  const system = account && systemTemplates(account).find((template) => template.id === id)
  if (!system) throw notFound('The template')
  return { account, default_template_id: default_template_id ?? null, template: system }
}

const lockAccount = sql`select 1 from accounts where id = $1 for no key update`

/** Locks the merchant until the end of the transaction, for rules that span several rows of a merchant. */
export const holdMerchant = (tx: Tx, accountId: string): Promise<unknown> => tx.rows(lockAccount, [accountId])

const insertStatement = sql`
  insert into invoice_templates (account_id, id, body, name_key, create_time) values ($1, $2, $3, $4, $5)`
const updateStatement = sql`
  update invoice_templates set body = $4, name_key = $5, version = version + 1
  where account_id = $1 and id = $2 and version = $3`
const deleteStatement = sql`delete from invoice_templates where account_id = $1 and id = $2 and version = $3`

export function insertTemplate(tx: Tx, accountId: string, template: Template): void {
  tx.about(accountId, template.id)
  tx.write(insertStatement, [accountId, template.id, JSON.stringify(template), nameKey(template.name), tx.now])
}

export function saveTemplate(tx: Tx, accountId: string, version: number, template: Template): void {
  tx.guard(updateStatement, [accountId, template.id, version, JSON.stringify(template), nameKey(template.name)])
}

export function removeTemplate(tx: Tx, accountId: string, version: number, id: string): void {
  tx.guard(deleteStatement, [accountId, id, version])
}

const setDefault = sql`
  insert into invoice_settings (account_id, default_template_id) values ($1, $2)
  on conflict (account_id) do update set default_template_id = excluded.default_template_id`
const clearDefault = sql`delete from invoice_settings where account_id = $1 and default_template_id = $2`

export const makeDefault = (tx: Tx, accountId: string, id: string): void => tx.write(setDefault, [accountId, id])

/** Makes the system's first template the default again, if this one was. */
export const unmakeDefault = (tx: Tx, accountId: string, id: string): void => tx.write(clearDefault, [accountId, id])
