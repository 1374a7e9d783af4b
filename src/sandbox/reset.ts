import { sql, unprepared } from '../database/sql.ts'
import type { Reader, TransactFor, Tx } from '../database/transaction.ts'
import type { Service } from '../room.ts'
import { addPeople, seededApps } from './people.ts'

/**
 * Tables that a reset leaves alone: those of the database itself, and what clients may have kept, which is keys, access tokens
 * and a place in the log.
 */
const kept = ['migrations', 'deployment', 'signing_keys', 'signing_authority', 'tokens', 'happenings_told']

/** How a table can be emptied. Tables that refer to it must be empty before, or be emptied together with it. */
interface Table {
  readonly name: string
  readonly referrers: readonly string[]
  /** True only when that is certain, because the file of the table is empty. */
  readonly is_empty: boolean
  /** Its rows cannot be deleted one by one. */
  readonly guarded: boolean
}

const tablesToEmpty = sql`
  select format('%I', c.relname) as name, pg_relation_size(c.oid) = 0 as is_empty,
    c.oid in (select tgrelid from pg_trigger
      where not tgisinternal and (tgtype & 8) > 0 and tgfoid <> 'refuse_change'::regproc) as guarded,
    coalesce(r.referrers, '{}') as referrers
  from pg_class c left join (
    select confrelid, array_agg(distinct format('%I', conrelid::regclass)) as referrers from pg_constraint
    where contype = 'f' and conrelid <> confrelid group by confrelid) r on r.confrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> all($1)`

/** What a reset may be asked to keep. */
export const keepable = ['webhooks'] as const
export type Keepable = (typeof keepable)[number]

const readWebhooks = sql`select coalesce(jsonb_agg(to_jsonb(webhooks)), '[]') as rows from webhooks`
const putWebhooksBack = sql`insert into webhooks select * from jsonb_populate_recordset(null::webhooks, $1)`

/** Reads what is to be kept, and returns what puts it back. Only what belongs to apps that are seeded again is kept. */
async function keeping(tx: Tx, names: readonly Keepable[]): Promise<() => void> {
  if (!names.includes('webhooks')) return () => {}
  const { rows } = (await tx.row<{ rows: { app_id: string }[] }>(readWebhooks))!
  const kept = rows.filter(({ app_id }) => seededApps.some(({ id }) => id === app_id))
  return () => tx.write(putWebhooksBack, [JSON.stringify(kept)])
}

const dropEndedTokens = sql`delete from tokens using apps where apps.id = app_id and token_generation <> generation`
const beginGenerations = sql`update tokens set generation = default where generation <> 0`

/**
 * Apps that were just seeded have never ended a token: tokens that were ended are dropped, and those that count go on counting.
 */
async function keepTokens(tx: Tx): Promise<void> {
  await tx.rows(dropEndedTokens)
  await tx.rows(beginGenerations)
}

/** Takes a sandbox back to its seeded people, all at once: if the database goes away meanwhile, everything is as it was. */
export const startAnew = (transactFor: TransactFor, service: Service, keep: readonly Keepable[]): Promise<void> =>
  undisturbed(() =>
    transactFor({ kind: 'service', task: 'seed' })(
      async (tx) => {
        const putBack = await keeping(tx, keep)
        await keepTokens(tx)
        await emptySandbox(tx)
        addPeople(tx, service)
        putBack()
      },
      { locks: true },
    ),
  )

/** Up to this many rows are deleted, which is quicker than giving a table and each of its indexes a new file. */
const DELETED_MAX = 500

/** Rows that are otherwise never changed may be deleted, as they are when their account moves. */
const letGo = (isOn: boolean) => `perform set_config('quittance.moves', '${isOn ? 'on' : 'off'}', true)`

/**
 * Restarts the sequences as a part of the transaction, which `setval` is not: rows that stay must not meet their numbers again.
 */
const restartSequences = `for name in select format('%I', sequencename) from pg_sequences
  where schemaname = current_schema() and last_value is not null loop execute 'alter sequence ' || name || ' restart'; end loop`

/**
 * The codes of what others cause who write meanwhile: they add to a table that was empty when it was looked at, or deadlock
 * with us.
 */
const IN_BETWEEN = ['23503', '40P01']
const TRIES_MAX = 20

export async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: string }
      if (tries === TRIES_MAX || !IN_BETWEEN.includes(code ?? '')) throw error
    }
  }
}

/**
 * Empties every table of the sandbox at once. Most are empty already, and some have only a few rows. A new file for a table
 * would also cost every connection the plans it has made for that table.
 */
export async function emptySandbox(db: Reader): Promise<void> {
  const tables = await db.rows<Table>(tablesToEmpty, [kept])
  const counts = tables
    .filter(({ is_empty }) => !is_empty)
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*)::int as count from (select from ${name} limit ${DELETED_MAX + 1}) as found`,
    )
  if (counts.length === 0) return
  const found = await db.rows<{ name: string; count: number }>(unprepared(counts.join(' union all ')))
  const rowsIn = new Map(found.map(({ name, count }) => [name, count]))
  const rowsOf = ({ name }: Table) => rowsIn.get(name) ?? 0
  const isLarge = (table: Table) => rowsOf(table) > (table.guarded ? 0 : DELETED_MAX)
  const anew = withReferrers(tables.filter(isLarge), tables)
  const few = inOrder(tables).filter((table) => !anew.has(table) && rowsOf(table) > 0)
  const statements = [
    letGo(true),
    ...(anew.size > 0 ? [`truncate ${[...anew].map(({ name }) => name).join(', ')}`] : []),
    ...few.map(({ name }) => `delete from ${name}`),
    restartSequences,
    letGo(false),
  ]
  await db.rows(unprepared(`do $$ declare name text; begin ${statements.join('; ')}; end $$`))
}

/** A table can be truncated only together with the tables that refer to it. */
function withReferrers(some: readonly Table[], all: readonly Table[]): Set<Table> {
  const found = new Set<Table>()
  const add = (table: Table) => {
    if (found.has(table)) return
    found.add(table)
    for (const other of all) if (table.referrers.includes(other.name)) add(other)
  }
  some.forEach(add)
  return found
}

/** Tables that refer to others come before them. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered = new Set<Table>()
  const visit = (table: Table) => {
    for (const other of tables) if (table.referrers.includes(other.name) && !ordered.has(other)) visit(other)
    ordered.add(table)
  }
  tables.forEach(visit)
  return [...ordered]
}
