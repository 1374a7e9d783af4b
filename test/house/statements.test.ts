import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'
import { sourceStatements } from '../support/source-statements.ts'
import { statementsOf } from '../support/statements.ts'
import { newWorld, usd } from '../support/world.ts'

/** Statements that reach rows of an account without naming it, and why each may. */
const unscoped: readonly [pattern: RegExp, reason: string][] = [
  [
    /^delete from (idempotency|quotas|audit_log|dispute_event_inbox|events|event_ids|console_bulks|console_drafts)\b.* ctid /,
    'what has run out of time goes, whoever it belongs to',
  ],
  [/^update console_bulks set finish_time = \$3 where ctid /, 'what does not go on is given up, whoever it belongs to'],
  [
    /^(insert into|update|delete from) jobs\b|^select .* from jobs\b|^with recursive names .* from jobs\b/,
    'the queue of all accounts; a job names its account in its payload',
  ],
  [
    /^select min\(first\.next_time\).* delivery_queue|^select \(select count.* delivery_queue|^with webhook as \(update webhooks set lane|^update delivery_queue (q )?set (claim|lease_until) /,
    'the queue of all accounts',
  ],
  [/^select from delivery_queue where event_id >= /, 'whether anything of a day of events still waits, whoever has it'],
  [
    /^select (id, update_time|count\(\*\)::int as n) from (\( ?select 1 from )?disputes where (status|buyer_account_id)/,
    'what waits for an agent, who decides for all accounts, and for a buyer, by the account of the buyer',
  ],
  [/^(update|delete from) apps\b/, 'commands of the operator, by client id'],
  [
    /^select a\.id, a\.client_id.* from webhooks w join apps a /,
    'how deliveries to any webhook are doing, for operators',
  ],
  [/^select .* from apps (order by|where client_id = )/, 'commands of the operator, and who calls, by client id'],
  [/^select account_id from apps where id = \$1/, 'asks for the account'],
  [
    /^(delete|select role, account_id) from console_roles where person_id = |^select (p\.id, p\.name, p\.email, p\.issuer|digest, way)/,
    'what a person of the console may, in all accounts',
  ],
  [
    /^select (\(select count\(\*\)::int from \(select from accounts|h\.start_time as hour)/,
    'what the operator sees of all accounts',
  ],
  [/^select .* from \(select .* from audit_log where actor like 'person:%'/, 'what the operator sees of all accounts'],
  [
    /^select body as dispute, version from disputes where id = \$1|^select stamp, .* from disputes d where id = \$1|^select dispute_id from dispute_documents/,
    'found first, and shown only to whom disputes/access.ts lets see it',
  ],
  [
    /^select body as attempt, version from payment_attempts where id = \$1/,
    'the id is as long and random as a key, known to the payer and the gateway',
  ],
  [
    /^select .* from request_log (where (number < |debug_id = )|order by number desc limit )/,
    'the requests of a sandbox, which all who use it look at',
  ],
  [/ from mails\b|^delete from mails\b/, 'the mails of a sandbox, and the erasure of a person'],
  [
    /^update (dispute_documents set bytes|delivery_queue set signature)|^select account_id, app_id, operation, key, sealed from idempotency/,
    'the erasure of a person',
  ],
  [
    / from app_secrets join apps\b|^select id as owner, \w+ as sealed from webhooks|^update webhooks set (previous_)?secret|^\(select 0 as place/,
    'a service secret is replaced for everybody',
  ],
  [/ from webhooks$|^insert into webhooks select \* /, 'a reset of a sandbox that keeps all webhooks'],
  [
    /^select \(select coalesce\(jsonb_agg\(to_jsonb\(tokens\)|^insert into tokens select \(jsonb/,
    'a snapshot of a sandbox is loaded, and all tokens are kept',
  ],
  [
    /^select (count\(\*\)::int as count|account_id, app_id, .*) from webhooks where (id = \$2 and )?app_id = \$1/,
    'by app, which belongs to one account',
  ],
  [
    /^select .* from webhooks where position\(\$1::text in url\) > 0 limit 100$/,
    'the inbox of a sandbox looks for the secret of its own address',
  ],
]

/** The account, or of a dispute that of the buyer, which a statement compares, joins by or writes; showing it keeps nobody out. */
const named = String.raw`(?:\w+\.)?(?:buyer_)?account_id`
const scoped = new RegExp(
  [
    String.raw`\b${named}(?: \|\| '')? (?:=|in|is not distinct from) `,
    String.raw`= ${named}\b`,
    String.raw`\([^()]*\b${named}\b[^()]*\) (?:=|in) `,
    String.raw`\busing \([^)]*\baccount_id\b`,
    String.raw`\binsert into \w+ (?:as \w+ )?\([^)]*\baccount_id\b`,
  ].join('|'),
)

const flat = (text: string) =>
  text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const days = { start: '2026-01-01', end: '2026-03-01' }
const moments = { start: '2026-01-01T00:00:00Z', end: '2026-03-01T00:00:00Z' }
const invoiceSearches = [
  {},
  { recipient_email: 'a@example.com' },
  { recipient_first_name: 'Ann', memo: 'late' },
  { invoice_number: '0001' },
  { status: ['DRAFT', 'SENT'] },
  { currency_code: 'USD', archived: false },
  { item_description: 'a chair', reference: 'PO' },
  { total_amount_range: { lower_amount: usd('1.00'), upper_amount: usd('9.00') } },
  { invoice_date_range: days },
  { due_date_range: days },
  { payment_date_range: moments },
  { creation_date_range: moments },
]
const disputeLists = [
  '',
  'total_required=true&page=2',
  'dispute_state=REQUIRED_ACTION&sort_by=UPDATE_TIME',
  'statuses=RESOLVED&reasons=UNAUTHORISED&dispute_currency=USD&dispute_amount_gte=1',
  'disputed_transaction_id=ABC123',
  'sort_by=RESPONSE_DUE_DATE&response_due_date_after=2026-02-01T00:00:00Z',
]
const metrics = { dimension: 'STATUS', measure: 'COUNT', filter: { reasons: ['UNAUTHORISED'] } }

describe('Every statement of the source', () => {
  let own: TestDatabase
  let db: Database
  let texts: readonly string[]
  beforeAll(async () => {
    texts = sourceStatements()
    own = await newDatabase()
    db = openPatiently(own.url)
  })
  afterAll(async () => {
    await db.close()
    await own.drop()
  })

  /** Statements that reach rows of accounts and are not bound to one. */
  async function openIn(statements: readonly string[]): Promise<string[]> {
    const { rows } = await db.query<{ name: string }>(
      `select table_name as name from information_schema.columns where column_name = 'account_id' and table_schema = 'public'`,
    )
    expect(rows.length).toBeGreaterThan(20)
    const reaches = new RegExp(`\\b(from|join|update|into) (${rows.map(({ name }) => name).join('|')})\\b`)
    return statements.map(flat).filter((text) => reaches.test(text) && !scoped.test(text))
  }

  it('is bound to the account whose rows it reaches, or is one of those that need not', async () => {
    const open = await openIn(texts)
    expect(open.filter((text) => !unscoped.some(([pattern]) => pattern.test(text)))).toEqual([])
    for (const [pattern, reason] of unscoped)
      expect(
        open.some((text) => pattern.test(text)),
        reason,
      ).toBe(true)
  })

  it('looks once for the rows that it locks', () => {
    // Behind `in` the planner may look again for every row of the other side, each time past what it has locked already.
    const locked = texts
      .map(flat)
      .filter((text) => /\bin \( ?select (?:[^()]|\((?:[^()]|\([^()]*\))*\))* for update/.test(text))
    expect(locked).toEqual([])
  })

  it('also where it is put together from what a caller looks for', async () => {
    const world = await newWorld({ isOwn: true })
    const { merchant, buyer, partner } = world
    const found = async (call: Promise<{ status: number; text: string }>) => {
      const { status, text } = await call
      expect(status, text).toBe(200)
    }
    const asked = await statementsOf(world, async () => {
      for (const query of invoiceSearches) await found(merchant.post('/v2/invoicing/search-invoices', query))
      for (const query of ['', '?total_required=true&page=2'])
        await found(merchant.get(`/v2/invoicing/invoices${query}`))
      for (const query of disputeLists)
        for (const who of [merchant, buyer]) await found(who.get(`/v1/customer/disputes?${query}`))
      await found(merchant.post('/v1/customer/disputes/compute-metrics', metrics))
      await found(merchant.get('/v1/customer/disputes/search-suggestions?search_text=ab'))
      await found(
        partner.get(
          `/v1/customer/referred-disputes?create_time_after=${moments.start}&create_time_before=${moments.end}`,
        ),
      )
      for (const query of ['event_type=INVOICING.INVOICE.PAID', 'transaction_id=ABCDEFGH12345678'])
        await found(merchant.get(`/v1/notifications/webhooks-events?${query}`))
      for (const query of ['status=PENDING', 'status=FAILURE'])
        await found(merchant.get(`/v1/notifications/webhooks-transmissions?${query}`))
    })
    const built = [...new Set(asked)].filter((text) => !texts.some((known) => known.trim() === text))
    await world.close()

    expect(built.length).toBeGreaterThan(20)
    expect(await openIn(built)).toEqual([])
  })
})
