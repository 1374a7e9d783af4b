import type { Account } from '../accounts/schema.ts'
import { findAccountByEmail, saveAccount } from '../accounts/store.ts'
import { type Statement, sql, statementOf } from '../database/sql.ts'
import type { Reader, Transact, Tx } from '../database/transaction.ts'
import { rewriteAnswers } from '../http/idempotency.ts'
import type { Invoice } from '../invoices/schema/invoice.ts'
import { findStored, saveInvoice } from '../invoices/store.ts'
import { ERASED_NAME, ERASED_TEXT, erasedAddress } from '../kernel/erased.ts'
import { refused } from '../kernel/problem.ts'
import type { SealedBox } from '../kernel/sealed-box.ts'
import { type FoundRow, findRows, findTraces, patient, type Sought, type Table, tablesWithText } from './records.ts'
import { makeRedaction, type Redaction } from './redact.ts'

const deleteMails = sql`delete from mails where recipients @> array[$1::text] returning 1`
const emptyDocuments = sql`
  update dispute_documents set bytes = '', name = $2 where document_id = any($1::text[]) returning 1`
/** What still waits is signed anew, over what it says now. */
const forgetSignatures = sql`
  update delivery_queue set signature = null, key_id = null where event_id = any($1::text[]) and signature is not null`

/** What has a place of its own to be changed. */
const apart = ['accounts', 'invoices']

/** What was found and changed, by table. */
export type Erased = Readonly<Record<string, number>>

interface Erasing {
  /** What the address that stands for theirs is made from. */
  readonly code: string
  /** Opens the answers that are kept for repeated requests. */
  readonly answers: SealedBox
}

/**
 * Takes a person out of the records. What was bought, paid, disputed and decided stays, with its numbers and times, and so
 * do the books; who it was does not. It can be done again, and finds nothing then.
 */
export async function erasePerson(
  db: Reader,
  transact: Transact,
  email: string,
  { code, answers }: Erasing,
): Promise<Erased> {
  const account = await findAccountByEmail(db, email)
  refuseMerchant(account)
  const tables = await tablesWithText(db)
  const { person, sought } = await patiently(transact, (tx) => findTraces(tx, tables, email))
  const address = erasedAddress(code)
  const redaction = makeRedaction(person, address)
  const invoices = tables.find(({ name }) => name === 'invoices')!
  const counts: Record<string, number> = { invoices: 0 }

  // Each in a unit of work of its own: whoever changes one meanwhile is not overwritten, nor held up.
  for (const { account_id, id } of await patiently(transact, (tx) => invoiceKeys(tx, invoices, person.email)))
    counts['invoices']! += await transact((tx) => eraseFromInvoice(tx, account_id, id, redaction))
  if (account) await transact(async (tx) => saveAccount(tx, account, erasedAccount(account, address)))
  if (account) counts['accounts'] = 1
  const rest = tables.filter(({ name }) => !apart.includes(name))
  const others = await patiently(transact, (tx) => eraseFromTables(tx, rest, sought, redaction))
  const answered = await patiently(transact, (tx) =>
    rewriteAnswers(tx, answers, (body) => String(redacted(body, 'text', redaction))),
  )
  const kept = answered + (others['idempotency'] ?? 0)
  return { ...counts, ...others, ...(kept > 0 && { idempotency: kept }) }
}

const patiently = <T>(transact: Transact, work: (tx: Tx) => Promise<T>): Promise<T> => transact(work, patient)

function refuseMerchant(account: Account | undefined): void {
  if (account?.kind === 'BUSINESS')
    throw refused(
      'PERSON_IS_A_MERCHANT',
      'The address belongs to a business account, whose books and duties stay; suspend the account instead.',
    )
}

const erasedAccount = (account: Account, email: string): Account => {
  const { given_name: _given, surname: _surname, addresses: _addresses, phones: _phones, ...kept } = account
  return { ...kept, email, name: ERASED_NAME, status: 'SUSPENDED' }
}

async function invoiceKeys(tx: Tx, invoices: Table, email: string) {
  const rows = await findRows(tx, invoices, { email, ids: [] })
  return rows.map(({ row }) => ({ account_id: String(row['account_id']), id: String(row['id']) }))
}

/** Through its own store, so that what searches read is changed with it. */
async function eraseFromInvoice(tx: Tx, accountId: string, id: string, redaction: Redaction): Promise<number> {
  const stored = await findStored(tx, accountId, id)
  const invoice = redaction.json(stored.invoice) as Invoice
  if (JSON.stringify(invoice) === JSON.stringify(stored.invoice)) return 0
  saveInvoice(tx, stored, invoice)
  return 1
}

async function eraseFromTables(tx: Tx, tables: readonly Table[], sought: Sought, redaction: Redaction) {
  const counts: Record<string, number> = {}
  const mails = await tx.rows(deleteMails, [sought.email])
  if (mails.length > 0) counts['mails'] = mails.length
  const events: string[] = []
  for (const table of tables)
    for (const found of await findRows(tx, table, sought, true)) {
      const changes = changesOf(table, found, redaction)
      if (changes.length === 0) continue
      await tx.rows(updateOf(table, changes), [found.place, ...changes.map(({ value }) => value)])
      counts[table.root] = (counts[table.root] ?? 0) + 1
      if (table.root === 'events') events.push(String(found.row['id']))
    }
  await tx.rows(forgetSignatures, [events])
  const emptied = await tx.rows(emptyDocuments, [[...redaction.documents], ERASED_TEXT])
  if (emptied.length > 0) counts['dispute_documents'] = emptied.length
  tx.about(null, 'people')
  return counts
}

interface Change {
  readonly column: string
  readonly value: unknown
}

function changesOf({ columns }: Table, { row }: FoundRow, redaction: Redaction): Change[] {
  return columns.flatMap(({ name, type }) => {
    const before = row[name]
    if (before === null || before === undefined) return []
    const after = redacted(before, type, redaction)
    if (JSON.stringify(after) === JSON.stringify(before)) return []
    return [{ column: name, value: type === 'json' || type === 'jsonb' ? JSON.stringify(after) : after }]
  })
}

function redacted(value: unknown, type: string, { text, json }: Redaction): unknown {
  if (type !== 'text' || typeof value !== 'string') return json(value)
  // Documents are also kept as text: events as they are sent, and what lists show.
  const document = parsed(value)
  return document === undefined ? text(value) : JSON.stringify(json(document))
}

function parsed(text: string): object | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** Whoever read the row before starts over: with what was read then, the person would come back. */
const updateOf = ({ name, hasVersion }: Table, changes: readonly Change[]): Statement =>
  statementOf(
    `update ${name} set ${changes.map(({ column }, i) => `${column} = $${i + 2}`).join(', ')}${
      hasVersion ? ', version = version + 1' : ''
    } where ctid = $1::tid`,
  )
