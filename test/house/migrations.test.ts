import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const folder = new URL('../../migrations/', import.meta.url)
const files = readdirSync(folder).toSorted()

/** Tables of a few rows, however much a service has to do. */
const small = ['clock', 'deployment', 'signing_keys', 'signing_authority', 'happenings_told']

/**
 * What a file may not do to a table that was there before it: lock it for as long as it is large, or take away what a
 * process of the version before still reads and writes.
 */
const refused: readonly [pattern: RegExp, instead: string][] = [
  [/^create (unique )?index (?!concurrently)/, 'create it concurrently, in a file that runs outside a transaction'],
  [/\badd column \w+ [^,]*\bnot null(?![^,]*\bdefault\b)/, 'give it a default, or let it be null'],
  [/\badd column \w+ [^,]*\bgenerated always as/, 'let the service write it, and fill it in batches'],
  [
    /\badd column \w+ [^,]*\bdefault (now|clock_timestamp|random|nextval|gen_random_uuid)\(/,
    'a default that does not change',
  ],
  [/\b(alter|add) (column )?\w+ (set data )?type\b/, 'add a column of the new type, and move over'],
  [/\bset not null\b/, 'add a check that is not valid, and validate it in a later file'],
  [
    /\badd (constraint \w+ )?(check|foreign key|unique|primary key|exclude)\b(?!.*\bnot valid\b)/,
    'add it not valid, and validate it in a later file',
  ],
  [/\brename (to|column)\b/, 'add it under the new name, and move over'],
  [/^(update|delete from) /, 'move rows in a job, a batch at a time'],
  [/^insert into .* select .* from /, 'move rows in a job, a batch at a time'],
  [/^(lock|cluster|truncate|vacuum full|reindex (?!.*concurrently))/, 'something that locks nobody out'],
]

/** What only a file may that says in its name since when nobody uses it: `0050_contract_0046_webhook_url.sql`. */
const taking: (typeof refused)[number] = [
  /\b(drop column|drop table|drop default)\b/,
  'stop using it first, and let a later version drop it in a file NNNN_contract_MMMM_name.sql: nobody uses it who knows MMMM',
]
const contract = /^(\d{4})_contract_(\d{4})_/

/** Files from before the first release, when no table was large. They are never edited, and no other may be added. */
const before = [
  '0007_dispute_transitions.sql',
  '0008_retention.sql',
  '0009_delivery_queue.sql',
  '0010_invoice_transitions.sql',
  '0017_fair_jobs.sql',
  '0019_consent_and_environment.sql',
  '0022_movements.sql',
  '0025_reversals.sql',
  '0027_returned_attempts.sql',
  '0028_withdrawn_cases.sql',
  '0030_event_ids.sql',
  '0032_kept_answers.sql',
  '0033_event_causes.sql',
  '0036_disputes_under_review.sql',
  '0037_mail_causes.sql',
  '0041_inbox.sql',
]

/** The statements of a file, without comments, in one line each. */
function statementsOf(text: string): string[] {
  const bodies: string[] = []
  return text
    .replace(/\$\$[\s\S]*?\$\$/g, (body) => `$${bodies.push(body)}$`)
    .replace(/--[^\n]*/g, ' ')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '')
}

const tableOf = (statement: string) =>
  /^(?:alter table|update|delete from|insert into|truncate|lock table) (?:if exists |only )*(\w+)/.exec(
    statement,
  )?.[1] ??
  /^create (?:unique )?index .*? on (\w+)/.exec(statement)?.[1] ??
  /^drop table (?:if exists )?(\w+)/.exec(statement)?.[1]

/** What the file does that would stop a service, with what to do instead. */
function complaintsAbout(text: string, name = ''): string[] {
  const rules = contract.test(name) ? refused : [...refused, taking]
  const statements = statementsOf(text)
  const made = statements.flatMap(
    (statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? [],
  )
  return statements.flatMap((statement) => {
    const table = tableOf(statement)
    if (table !== undefined && small.includes(table)) return []
    // A new table has no rows and no readers; what is put into it is read from others.
    const isNew = table !== undefined && made.includes(table) && !/^insert into .* select .* from /.test(statement)
    return isNew
      ? []
      : rules.flatMap(([pattern, instead]) => (pattern.test(statement) ? `${statement}: ${instead}` : []))
  })
}

describe('Migrations', () => {
  it.each(files)('%s lets processes of the version before go on, or is from before the first release', (name) => {
    const complaints = complaintsAbout(readFileSync(new URL(name, folder), 'utf8'), name)

    if (before.includes(name)) expect(complaints, 'take it from the list').not.toEqual([])
    else expect(complaints).toEqual([])
  })

  it('have a number of their own, in the order of which they are applied', () => {
    const numbers = files.map((name) => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
    expect(numbers).not.toContain(undefined)
    expect(new Set(numbers).size).toBe(files.length)
  })

  it('that take something away name the one since which nobody uses it', () => {
    const drop = 'alter table invoices drop column version;'
    expect(complaintsAbout(drop, '0050_contract_0046_version.sql')).toEqual([])
    expect(complaintsAbout(drop, '0050_contract_version.sql')).toHaveLength(1)
    for (const [, own, since] of files.flatMap((name) => [...name.matchAll(new RegExp(contract, 'g'))]))
      expect([since! < own!, files.some((name) => name.startsWith(since!))]).toEqual([true, true])
  })

  it.each([
    'create index late on invoices (id)',
    'create unique index late on invoices (id)',
    'alter table invoices add column late text not null',
    "alter table invoices add column late text generated always as (body->>'x') stored",
    'alter table invoices add column late timestamptz default now()',
    'alter table invoices alter column version type bigint',
    'alter table invoices alter version set data type bigint',
    'alter table invoices alter column version set not null',
    'alter table invoices add constraint positive check (version > 0)',
    'alter table invoices add foreign key (account_id) references accounts',
    'alter table invoices drop column version',
    'alter table invoices rename to bills',
    'alter table invoices rename column version to revision',
    'drop table invoices',
    'update invoices set version = 1',
    'delete from events where seq < 10',
    'create table bills (id int); insert into bills select version from invoices',
    'truncate events',
    'lock table events',
    'reindex table events',
  ])('may not: %s', (statement) => {
    expect(complaintsAbout(`${statement};`)).toHaveLength(1)
  })

  it.each([
    '-- Runs outside a transaction.\ndrop index concurrently if exists late;\ncreate index concurrently late on invoices (id)',
    'alter table invoices add column late text',
    "alter table invoices add column late text not null default ''",
    'alter table invoices add constraint positive check (version > 0) not valid',
    'alter table invoices validate constraint positive',
    'create table bills (id int primary key); create index bills_by on bills (id); insert into bills values (1)',
    'update clock set frozen = true',
    'create function f() returns int language sql as $$ update invoices set version = 1; select 1 $$',
    'alter table invoices drop constraint positive',
  ])('may: %s', (statement) => {
    expect(complaintsAbout(`${statement};`)).toEqual([])
  })
})
