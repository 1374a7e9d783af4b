import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { everyStatement } from '../../src/database/sql.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

/** Statements that reach rows of an account without naming it, and why each may. */
const unscoped: readonly [pattern: RegExp, reason: string][] = [
  [
    /^delete from (idempotency|quotas|audit_log|dispute_event_inbox|events|event_ids)\b.* ctid /,
    'what has run out of time goes, whoever it belongs to',
  ],
  [
    /^(insert into|update|delete from) jobs\b|^select .* from jobs\b/,
    'the queue of all accounts; a job names its account in its payload',
  ],
  [
    /^select min\(first\.next_time\).* delivery_queue|^select \(select count.* delivery_queue|^with webhook as \(update webhooks set lane/,
    'the queue of all accounts',
  ],
  [/^(update|delete from) apps\b/, 'commands of the operator, by client id'],
  [
    /^select body as dispute, version from disputes where id = \$1|^select dispute_id from dispute_documents/,
    'found first, and shown only to whom disputes/access.ts lets see it',
  ],
  [
    /^select body as attempt, version from payment_attempts where id = \$1/,
    'the id is as long and random as a key, known to the payer and the gateway',
  ],
  [/ from mails\b|^delete from mails\b/, 'the mails of a sandbox, and the erasure of a person'],
  [/^update (dispute_documents set bytes|delivery_queue set signature)/, 'the erasure of a person'],
  [
    / from app_secrets join apps\b|^select id as owner, \w+ as sealed from webhooks|^update webhooks set (previous_)?secret|^\(select 0 as place/,
    'a service secret is replaced for everybody',
  ],
  [/^select count\(\*\)::int as count from webhooks where app_id = \$1/, 'by app, which belongs to one account'],
]

/** Tables that are read whole, because they have a handful of rows. */
const small = ['signing_keys', 'signing_authority', 'clock', 'migrations', 'environment']
/** Statements of commands, and those that look for any row at all. */
const patient =
  /^select .* from (accounts|apps)\b.*(order by create_time, id|limit 1)|^(insert|update|delete|truncate).*\bsandbox|^select distinct client_id|^\(select 0 as place|^update delivery_queue set signature = null/

const flat = (text: string) =>
  text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}
const scanned = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name']!] : []),
  ...(plan.Plans ?? []).flatMap(scanned),
]

describe('Every statement of the source', () => {
  let own: TestDatabase
  let db: Database
  let texts: string[]
  beforeAll(async () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url))
    // These run when they are loaded.
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }))
      if (path.endsWith('.ts') && !/(main|worker|guardian|threads?)\.ts$/.test(path)) await import(`${root}/${path}`)
    texts = everyStatement().map(({ text }) => text)
    own = await newDatabase()
    db = openDatabase(own.url)
  }, 60_000)
  afterAll(async () => {
    await db.close()
    await own.drop()
  })

  it('names the account whose rows it reaches, or is one of those that need not', async () => {
    const { rows } = await db.pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns where column_name = 'account_id' and table_schema = 'public'`,
    )
    expect(rows.length).toBeGreaterThan(20)
    const reaches = new RegExp(`\\b(from|join|update|into) (${rows.map(({ name }) => name).join('|')})\\b`)
    const open = texts.map(flat).filter((text) => reaches.test(text) && !/\baccount_id\b/.test(text))
    expect(open.filter((text) => !unscoped.some(([pattern]) => pattern.test(text)))).toEqual([])
    for (const [pattern, reason] of unscoped)
      expect(
        open.some((text) => pattern.test(text)),
        reason,
      ).toBe(true)
  })

  it('finds its rows by an index', async () => {
    const client = new pg.Client(connectionSettings(own.url))
    await client.connect()
    const offending: string[] = []
    let explained = 0
    try {
      await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
      for (const text of texts) {
        const plan = await planOf(client, text)
        if (!plan) continue
        explained++
        const tables = scanned(plan).filter((table) => !small.includes(table))
        if (tables.length > 0 && !patient.test(flat(text)))
          offending.push(`${tables.join(', ')}: ${flat(text).slice(0, 160)}`)
      }
    } finally {
      await client.end()
    }
    // The others are parts of a commit that refer to other parts of it.
    expect(explained).toBeGreaterThan(texts.length * 0.75)
    expect(offending).toEqual([])
  }, 60_000)
})

/** The plan for any values; undefined for a part of a larger statement. */
async function planOf(client: pg.Client, text: string): Promise<Plan | undefined> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const nulls = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`
  try {
    await client.query(`prepare one as ${text}`)
  } catch {
    return undefined
  }
  const { rows } = await client.query(`explain (format json) execute one${nulls}`)
  await client.query('deallocate one')
  return rows[0]['QUERY PLAN'][0].Plan
}
