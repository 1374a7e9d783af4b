import type { Account } from '../accounts/schema.ts'
import { findAccountByEmail, saveAccount } from '../accounts/store.ts'
import { type Statement, sql, statementOf } from '../database/sql.ts'
import type { Reader, Transact, Tx } from '../database/transaction.ts'
import { unhurried } from '../database/unhurried.ts'
import { rewriteAnswers } from '../http/idempotency.ts'
import type { Invoice } from '../invoices/schema/invoice.ts'
import { findStored, saveInvoice } from '../invoices/store.ts'
import { ERASED_NAME, ERASED_TEXT, erasedAddress } from '../kernel/erased.ts'
import { refused } from '../kernel/problem.ts'
import type { SealedBox } from '../kernel/sealed-box.ts'
import { type Begun, begin, end } from './begun.ts'
import {
  type FoundRow,
  findRows,
  findTraces,
  isAbout,
  owners,
  type Sought,
  type Table,
  tablesWithText,
} from './records.ts'
import { makeRedaction, type Redaction } from './redact.ts'

const deleteMails = sql`delete from mails where recipients @> array[$1::text] returning 1`
const emptyDocuments = sql`
  update dispute_documents set bytes = '', name = $2
  where document_id = any($1::text[]) and (bytes <> '' or name <> $2) returning 1`
/** Deliveries that still wait are signed anew, over what they say now. */
const forgetSignatures = sql`
  update delivery_queue set signature = null, key_id = null where event_id = any($1::text[]) and signature is not null`

/** Tables that are changed in ways of their own. */
const apart = ['accounts', 'invoices']

/** What was found and changed, by table. */
export type Erased = Readonly<Record<string, number>>

interface Erasing {
  /** What the address that replaces theirs is made from. */
  readonly code: string
  /** Opens the answers that are kept for repeated requests. */
  readonly answers: SealedBox
  /** Seals whom it looks for, which is kept until it is done. */
  readonly box: SealedBox
  /** Called when an erasure of this person was begun before, with the time when it began. */
  onStopped(since: string): void
  /** Called from time to time with how far it is. */
  onProgress(sentence: () => string): void
}

/**
 * Takes a person out of the records. What was bought, paid, disputed and decided stays, with its numbers and times, and so do
 * the books; who it was does not. It goes in pieces that each commit, so that nobody is held up for long. It can be stopped and
 * run again at any moment; run again after its end, it finds nothing.
 */
export async function erasePerson(db: Reader, transact: Transact, email: string, parts: Erasing): Promise<Erased> {
  const { answers, box, onProgress } = parts
  const account = await findAccountByEmail(db, email)
  refuseMerchant(account)
  const tables = await tablesWithText(db)
  const found = await patiently(transact, (tx) => findTraces(tx, tables, email))
  const begun = await transact((tx) => begin(tx, box, found, parts.code))
  if (begun.stopped !== undefined) parts.onStopped(begun.stopped)
  const redaction = makeRedaction(begun.person, erasedAddress(begun.code))
  const counts = new Counts()
  counts.add('invoices', 0)

  await eraseFromInvoices(transact, tables, begun, redaction, counts, onProgress)
  if (account) {
    await transact(async (tx) => saveAccount(tx, account, erasedAccount(account, erasedAddress(begun.code))))
    counts.add('accounts', 1)
  }
  for (const table of inOrder(tables.filter(({ name }) => !apart.includes(name)))) {
    onProgress(() => `Erasing: looking through ${table.name}`)
    counts.addAll(await patiently(transact, (tx) => eraseFromTable(tx, table, begun.sought, redaction)))
  }
  const answered = await rewriteAnswers(transact, answers, {
    // All kept answers are opened, and most of them are about others.
    rewrite: (body) =>
      isAbout(begun.sought, body) ? String(redacted(body, { name: '', type: 'text' }, redaction)) : body,
    about: 'people',
    onProgress: (done) => onProgress(() => `Erasing: ${done} kept answers opened`),
  })
  if (answered > 0) counts.add('idempotency', answered)
  await transact(async (tx) => end(tx, begun))
  return counts.found
}

/** Counts how much was changed, by table. */
class Counts {
  readonly found: Record<string, number> = {}

  add(name: string, count: number): void {
    this.found[name] = (this.found[name] ?? 0) + count
  }

  addAll(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts)) this.add(name, count)
  }
}

/** Tables whose documents others repeat come first. Whoever repeats a document after that has read it as it is then. */
const inOrder = (tables: readonly Table[]) => [
  ...tables.filter(({ name }) => owners.includes(name)),
  ...tables.filter(({ name }) => !owners.includes(name)),
]

const patiently = <T>(transact: Transact, work: (tx: Tx) => Promise<T>): Promise<T> => transact(work, unhurried)

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

/**
 * Changes each invoice in a unit of work of its own, so that whoever changes one meanwhile is neither overwritten nor held up.
 */
async function eraseFromInvoices(
  transact: Transact,
  tables: readonly Table[],
  { person }: Begun,
  redaction: Redaction,
  counts: Counts,
  onProgress: Erasing['onProgress'],
): Promise<void> {
  const invoices = tables.find(({ name }) => name === 'invoices')!
  const keys = await patiently(transact, (tx) => invoiceKeys(tx, invoices, person.email))
  for (const [i, { account_id, id }] of keys.entries()) {
    onProgress(() => `Erasing: invoice ${i + 1} of ${keys.length}`)
    counts.add('invoices', await transact((tx) => eraseFromInvoice(tx, account_id, id, redaction)))
  }
}

async function invoiceKeys(tx: Tx, invoices: Table, email: string) {
  const rows = await findRows(tx, invoices, { email, ids: [] })
  return rows.map(({ row }) => ({ account_id: String(row['account_id']), id: String(row['id']) }))
}

/** Goes through the store of invoices, so that what searches read is changed too. */
async function eraseFromInvoice(tx: Tx, accountId: string, id: string, redaction: Redaction): Promise<number> {
  const stored = await findStored(tx, accountId, id)
  const invoice = redaction.json(stored.invoice, '') as Invoice
  if (JSON.stringify(invoice) === JSON.stringify(stored.invoice)) return 0
  saveInvoice(tx, stored, invoice)
  return 1
}

async function eraseFromTable(tx: Tx, table: Table, sought: Sought, redaction: Redaction): Promise<Erased> {
  const counts = new Counts()
  const mails = table.name === 'mails' ? await tx.rows(deleteMails, [sought.email]) : []
  if (mails.length > 0) counts.add('mails', mails.length)
  const events: string[] = []
  for (const found of await findRows(tx, table, sought, true)) {
    const changes = changesOf(table, found, redaction)
    if (changes.length === 0) continue
    await tx.rows(updateOf(table, changes), [found.place, ...changes.map(({ value }) => value)])
    counts.add(table.root, 1)
    if (table.root === 'events') events.push(String(found.row['id']))
  }
  if (events.length > 0) await tx.rows(forgetSignatures, [events])
  // Which files were theirs is known only from the rows that this very commit changes.
  const emptied = await tx.rows(emptyDocuments, [[...redaction.documents], ERASED_TEXT])
  if (emptied.length > 0) counts.add('dispute_documents', emptied.length)
  if (Object.keys(counts.found).length > 0) tx.about(null, 'people')
  return counts.found
}

interface Change {
  readonly column: string
  readonly value: unknown
}

/** As fields of a document, people fill these in. Columns with the same names hold kinds of things, and ids. */
const inDocuments = new Set(['name', 'reference', 'subject'])

function changesOf({ columns }: Table, { row }: FoundRow, redaction: Redaction): Change[] {
  return columns.flatMap(({ name, type }) => {
    const before = row[name]
    if (before === null || before === undefined) return []
    const after = redacted(before, { name: inDocuments.has(name) ? '' : name, type }, redaction)
    if (JSON.stringify(after) === JSON.stringify(before)) return []
    return [{ column: name, value: type === 'json' || type === 'jsonb' ? JSON.stringify(after) : after }]
  })
}

function redacted(value: unknown, { name, type }: Table['columns'][number], { text, json }: Redaction): unknown {
  if (type !== 'text' || typeof value !== 'string') return json(value, name)
  // Some text columns hold whole documents: events as they are sent, and what lists show.
  const document = parsed(value)
  return document === undefined ? text(value, name) : JSON.stringify(json(document, ''))
}

function parsed(text: string): object | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** The version is raised, so that whoever read the row before starts over. What they read would bring the person back. */
const updateOf = ({ name, hasVersion }: Table, changes: readonly Change[]): Statement =>
  statementOf(
    `update ${name} set ${changes.map(({ column }, i) => `${column} = $${i + 2}`).join(', ')}${
      hasVersion ? ', version = version + 1' : ''
    } where ctid = $1::tid`,
  )
