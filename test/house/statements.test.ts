import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'
import { sourceStatements } from '../support/source-statements.ts'

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
  [
    /^select (id, update_time|count\(\*\)::int as n) from (\( ?select 1 from )?disputes where (status|buyer_account_id)/,
    'what waits for an agent, who decides for all accounts, and for a buyer, by the account of the buyer',
  ],
  [/^(update|delete from) apps\b/, 'commands of the operator, by client id'],
  [
    /^select a\.id, a\.client_id.* from webhooks w join apps a /,
    'how deliveries to any webhook are doing, for operators',
  ],
  [/^delete from console_roles where person_id = \$1$/, 'a person is removed everywhere'],
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
  [/ from webhooks$|^insert into webhooks select kept/, 'a reset of a sandbox that keeps all webhooks'],
  [/^insert into tokens select kept/, 'a snapshot of a sandbox is loaded, and all tokens are kept'],
  [/^select count\(\*\)::int as count from webhooks where app_id = \$1/, 'by app, which belongs to one account'],
]

const flat = (text: string) =>
  text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('Every statement of the source', () => {
  let own: TestDatabase
  let db: Database
  let texts: string[]
  beforeAll(async () => {
    texts = sourceStatements()
    own = await newDatabase()
    db = openDatabase(own.url)
  }, 60_000)
  afterAll(async () => {
    await db.close()
    await own.drop()
  })

  it('names the account whose rows it reaches, or is one of those that need not', async () => {
    const { rows } = await db.query<{ name: string }>(
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
})
